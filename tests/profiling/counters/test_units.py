"""Units: every spelling of one unit is one unit, and what does not match is refused."""

from decimal import Decimal

import pytest

from kbgen.profiling.counters.units import converted, unit


@pytest.mark.parametrize(
    ("value", "found", "wanted", "expected"),
    [
        ("4.83", "ms", "ns", "4830000"),
        ("4.83", "msecond", "ns", "4830000"),
        ("121.63", "usecond", "ns", "121630"),
        ("31.424", "us", "ns", "31424"),
        ("2", "second", "ns", "2000000000"),
        ("406240", "nsecond", "ns", "406240"),
        ("3.497589", "Tbyte/s", "byte/s", "3497589000000"),
        ("191.40", "Mbyte/s", "byte/s", "191400000"),
        ("554.92", "Gbyte/second", "byte/s", "554920000000"),
        ("554.92", "GB/s", "byte/s", "554920000000"),
        ("32.77", "Kbyte/block", "byte/block", "32770"),
        ("67.1", "Mbyte", "byte", "67100000"),
        ("1", "MiB", "byte", "1048576"),
        ("1.21", "cycle/nsecond", "hz", "1210000000"),
        ("763.55", "cycle/usecond", "hz", "763550000"),
        ("772656250", "cycle/second", "hz", "772656250"),
        ("2.002572", "Ghz", "hz", "2002572000"),
        ("1.5", "GHz", "hz", "1500000000"),
        ("12", "branches", "", "12"),
        ("20.99", "inst", "ratio", "20.99"),
        ("0.42", "", "inst/cycle", "0.42"),
        ("3", "sectors", "sector", "3"),
        ("72.7", "%", "%", "72.7"),
    ],
)
def test_spellings_of_ten_years_convert(value: str, found: str, wanted: str, expected: str) -> None:
    assert converted(Decimal(value), found, wanted) == Decimal(expected)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [("%", ""), ("", "%"), ("byte", "ns"), ("byte", "byte/s"), ("furlong", "ns"), ("ms", "hz"), ("", "byte")],
)
def test_what_does_not_match_is_refused(found: str, wanted: str) -> None:
    assert converted(Decimal(1), found, wanted) is None


def test_prefixes_count_in_thousands_and_only_where_they_belong() -> None:
    assert unit("Kbyte") == unit("KB")
    assert unit("Ms") is None  # no tool counts megaseconds; "ms" are milliseconds
    assert unit("mbyte") is None
    assert unit("byte/Kblock") is None
