"""Kernels share a card as far as its memory goes, the largest first."""

from __future__ import annotations

from kbgen.generator.suite.places import TIMED_AT_ONCE, needed_bytes, next_place
from kbgen.generator.suite.row import Row

MEMORY = 100.0


def placed(*sizes: float, cards: tuple[str, ...] = ("one",)) -> list[tuple[float, str]]:
    """What gets a card, in order, until nothing more fits; nothing ends."""
    waiting, there = list(sizes), list[tuple[float | None, str]]()
    while (found := next_place(waiting, cards, there, float, MEMORY)) is not None:
        waiting.remove(found[0])
        there.append(found)
    return [(size or 0.0, card) for size, card in there]


def test_the_largest_that_fits_goes_first() -> None:
    assert placed(10.0, 60.0, 50.0, 15.0) == [(60.0, "one"), (15.0, "one"), (10.0, "one")]


def test_cards_fill_side_by_side() -> None:
    assert placed(40.0, 30.0, 20.0, cards=("one", "two")) == [(40.0, "one"), (30.0, "two"), (20.0, "one")]


def test_no_card_gets_more_than_a_few() -> None:
    assert len(placed(*[1.0] * 9)) == TIMED_AT_ONCE


def test_what_no_card_can_hold_gets_one_to_itself() -> None:
    assert placed(500.0, 1.0) == [(500.0, "one")]


def test_a_card_that_is_measured_itself_lends_its_other_places() -> None:
    assert next_place([80.0], ["one"], [(None, "one")], float, MEMORY) == (80.0, "one")


def test_float64_and_what_operators_hand_on_are_reckoned_with() -> None:
    least = needed_bytes(Row("a", "h200", "unmeasured", 1.0, ""))
    row = Row("a", "h200", "unmeasured", 1.0, "", least_bytes=10e9, eager_bytes=20e9)
    assert needed_bytes(row) - least >= 2 * 10e9 + 20e9 / 2
