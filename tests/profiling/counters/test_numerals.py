"""Numbers in any locale: what one file proves of its marks is used, what it does not prove is left open."""

from decimal import Decimal

import pytest

from kbgen.profiling.counters.numerals import ABSENT, UNREADABLE, Marks, Token, token


def number(text: str) -> Token:
    found = token(text)
    assert isinstance(found, Token), text
    return found


def read(text: str, *others: str) -> Decimal | None:
    """`text` in a file that also holds `others`, all printed in the user's locale."""
    marks = Marks()
    for other in (text, *others):
        marks.see(number(other), of_c=False)
    return marks.value(number(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("288", "288"),
        ("-0.06", "-0.06"),
        ("21.68", "21.68"),
        ("21,68", "21.68"),
        ("62928.833333", "62928.833333"),
        ("1234.567", "1234.567"),
        ("0.123", "0.123"),
        ("0,123", "0.123"),
        ("12,319,469", "12319469"),
        ("12.319.469", "12319469"),
        ("376,116,573,951.04", "376116573951.04"),
        ("376.116.573.951,04", "376116573951.04"),
        ("376\u202f116\u202f573\u202f951,04", "376116573951.04"),
        ("376\u00a0116\u00a0573,04", "376116573.04"),
        ("1 024", "1024"),
        ("6'539'545.23", "6539545.23"),
        ("6\u2019539\u2019545.23", "6539545.23"),
        ("12,34,567.89", "1234567.89"),
        ("1e+06", "1000000"),
        ("4.19430e-05", "0.0000419430"),
        ("4194304 (SM 0: 31775; SM 1: 31775)", "4194304"),
    ],
)
def test_most_numbers_tell_their_marks_themselves(text: str, expected: str) -> None:
    assert read(text) == Decimal(expected)


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("1,234", "12,319,469", "1234"),
        ("1,234", "61.84", "1234"),
        ("1,234", "61,84", "1.234"),
        ("1.234", "12.319.469", "1234"),
        ("1.234", "61,84", "1234"),
        ("1.234", "61.84", "1.234"),
        ("1.234", "6,539,545.23", "1.234"),
        ("1,234", "6.539.545,23", "1.234"),
        ("1.234", "6'539'545.23", "1.234"),
        ("1,234", "6\u202f539\u202f545,23", "1.234"),
    ],
)
def test_the_file_decides_what_a_number_leaves_open(text: str, other: str, expected: str) -> None:
    assert read(text, other) == Decimal(expected)


def test_without_proof_nothing_is_guessed() -> None:
    assert read("1,234") is None
    assert read("1.234", "288", "7") is None


def test_a_file_that_contradicts_itself_proves_nothing() -> None:
    assert read("1.234", "61,84", "61.84") is None


def test_a_number_printed_the_way_of_c_proves_nothing_of_the_locale() -> None:
    marks = Marks()
    marks.see(number("31.42"), of_c=True)
    assert marks.value(number("1.234")) is None
    marks.see(number("12.319.469"), of_c=False)
    assert marks.value(number("1.234")) == 1234


@pytest.mark.parametrize("text", ["", "  ", "n/a", "N/A", "nan", "(!) nan", "-nan", "inf", "no data", "None"])
def test_what_stands_for_no_value_is_absent(text: str) -> None:
    assert token(text) == ABSENT


@pytest.mark.parametrize(
    "text", ["all", "CachePreferNone", "12 apples", "1,,2", ".5.", "0x10", "(!) 12", "4.Graph"]
)
def test_what_is_no_number_is_unreadable(text: str) -> None:
    assert token(text) == UNREADABLE


@pytest.mark.parametrize("text", ["1,23", "1.2.3", "1,2,3", "12,34", "1.234,567.8", "1 23"])
def test_marks_that_no_locale_sets_are_not_taken_for_thousands(text: str) -> None:
    value = read(text)
    assert value is None or value == Decimal(text.replace(",", "."))
