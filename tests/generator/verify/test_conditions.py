"""Conditions are noted without changing what a program does, and can be made to come out the other way."""

import pytest

from kbgen.generator.verify.interpreter.conditions import Conditions, Unmet, listed
from kbgen.generator.verify.interpreter.watched import CHOICE, NAME, watched_code

SOURCE = """
def grid(rows, columns):
    assert rows > 0
    if rows > 4096 and columns % 16 == 0:
        return rows - 1
    spare = rows // 1024
    return rows - (rows == 1024) - spare if not columns == 7 else 0
"""


def run(conditions: Conditions, *calls: tuple[int, int]) -> list[int]:
    scope: dict[str, object] = {NAME: conditions.saw, CHOICE: conditions.chose}
    exec(watched_code(SOURCE, "candidate.py", conditions), scope)
    return [scope["grid"](*call) for call in calls]  # type: ignore[operator]


def test_watching_changes_nothing() -> None:
    scope: dict[str, object] = {}
    exec(SOURCE, scope)
    calls = [(5, 3), (1024, 7), (1024, 8), (8192, 32), (8192, 31)]
    assert run(Conditions(), *calls) == [scope["grid"](*call) for call in calls]  # type: ignore[operator]


def test_what_full_size_alone_gives_is_found_and_told() -> None:
    conditions = Conditions()
    run(conditions, (5, 3), (64, 7))
    judged = conditions.begin()
    run(conditions, (1024, 512))
    new = conditions.new_since(judged)
    assert {conditions.texts[site]: value for site, value in new.items()} == {
        "rows == 1024": True,
        "rows // 1024": 1,
    }
    assert conditions.told(new) == "`rows // 1024` is 1, `rows == 1024` is True"


def test_what_is_forced_holds_at_a_small_shape() -> None:
    conditions = Conditions()
    run(conditions, (5, 3))
    judged = conditions.begin()
    run(conditions, (1024, 512))
    conditions.forced = conditions.new_since(judged)
    assert run(conditions, (5, 3)) == [3]


def test_what_comes_out_so_of_itself_needs_no_force() -> None:
    conditions = Conditions()
    run(conditions, (5, 3))
    judged = conditions.begin()
    run(conditions, (8192, 32))
    new = conditions.new_since(judged)
    conditions.begin()
    run(
        conditions, (8192 // 2 + 1, 48)
    )  # more rows than 4096, a whole number of 16, rows // 1024 not reached
    assert {conditions.texts[site] for site in new} >= {"rows > 4096", "columns % 16 == 0"}
    assert conditions.not_held(new) == {}
    run(conditions, (4096, 48))
    assert [conditions.texts[site] for site in conditions.not_held(new)] == ["rows > 4096"]


@pytest.mark.parametrize("call", [(8192, 32), (5000, 31)])
def test_a_condition_that_was_never_reached_counts_as_new(call: tuple[int, int]) -> None:
    conditions = Conditions()
    run(conditions, (5, 3))
    judged = conditions.begin()
    run(conditions, call)
    told = {conditions.texts[site] for site in conditions.new_since(judged)}
    assert "rows > 4096" in told
    assert "columns % 16 == 0" in told


CUT = """
def taken(length, place):
    return min(length, 320) + max(place - 5, 0)
"""


def test_which_of_two_whole_numbers_is_the_larger_is_wanted_and_never_forced() -> None:
    conditions = Conditions()
    scope: dict[str, object] = {NAME: conditions.saw, CHOICE: conditions.chose}
    exec(watched_code(CUT, "candidate.py", conditions), scope)
    taken = scope["taken"]
    assert taken(16, 3) == 16  # type: ignore[operator]
    judged = conditions.begin()
    assert taken(1024, 3) == 320  # type: ignore[operator]
    amounts = conditions.new_amounts(judged, ())
    assert [conditions.texts[site] for site in amounts] == ["min(length, 320)"]
    assert conditions.new_since(judged) == {}
    assert conditions.forceable(amounts) == {}
    wanted = Unmet.of({"held": listed(amounts)})
    assert wanted
    assert not wanted.after(conditions.outcomes, set())


TABLE = """
def scale(rows):
    return 1.0 + SIZES.get(rows, 0.0) + max(rows - 4000, 0)
"""


def test_numbers_that_full_size_alone_makes_are_wanted_until_a_call_meets_them() -> None:
    conditions = Conditions()
    scope: dict[str, object] = {NAME: conditions.saw, CHOICE: conditions.chose, "SIZES": {4096: 0.5}}
    exec(watched_code(TABLE, "candidate.py", conditions), scope)
    scale = scope["scale"]
    scale(20)  # type: ignore[operator]
    judged = conditions.begin()
    scale(4096)  # type: ignore[operator]
    wanted = Unmet(conditions.new_amounts(judged, ()), frozenset({4096.0}))
    assert conditions.new_since(judged) == {}
    assert sorted(wanted.amounts.values()) == [0.5, True, 96]
    assert Unmet.of({"amounts": listed(wanted.amounts), "values": [4096.0]}) == wanted
    conditions.begin()
    scale(4200)  # type: ignore[operator]
    left = wanted.after(conditions.outcomes, set())
    assert list(left.amounts.values()) == [0.5]
    assert left.values
    scale(4096)  # type: ignore[operator]
    assert not wanted.after(conditions.outcomes, {1.0, 4096.0})
