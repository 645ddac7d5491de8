"""The lanes of one program: who meets whose element without a barrier in between."""

from collections.abc import Callable

import numpy as np
import pytest

from kbgen.generator.verify.interpreter.lanes import Lanes, disagree
from kbgen.generator.verify.interpreter.memory import Memory

ALL = np.ones(8, np.bool_)
ONE = np.ones(1, np.bool_)


def at(*places: int) -> np.ndarray:
    return np.array([4000 + 4 * place for place in places], np.uint64)


FORWARD, BACKWARD = at(*range(8)), at(*reversed(range(8)))


@pytest.mark.parametrize(
    ("first", "second", "meets"),
    [
        (lambda lanes: lanes.store(FORWARD, ALL), lambda lanes: lanes.load(FORWARD, ALL), False),
        (lambda lanes: lanes.store(FORWARD, ALL), lambda lanes: lanes.load(BACKWARD, ALL), True),
        (lambda lanes: lanes.store(FORWARD, ALL), lambda lanes: lanes.store(BACKWARD, ALL), True),
        (lambda lanes: lanes.load(FORWARD, ALL), lambda lanes: lanes.store(BACKWARD, ALL), True),
        (lambda lanes: lanes.load(FORWARD, ALL), lambda lanes: lanes.load(BACKWARD, ALL), False),
        (lambda lanes: lanes.load(FORWARD, ALL), lambda lanes: lanes.store(FORWARD, ALL), False),
        (lambda lanes: lanes.store(FORWARD, ALL), lambda lanes: lanes.load(at(20), ONE), False),
        (lambda lanes: lanes.store(at(0), ONE), lambda lanes: lanes.store(at(0), ONE), False),
        (lambda lanes: lanes.load(at(0), ONE), lambda lanes: lanes.store(at(0), ONE), False),
        (lambda lanes: lanes.store(at(0), ONE), lambda lanes: lanes.load(FORWARD, ALL), True),
        (lambda lanes: lanes.atomic(BACKWARD, ALL), lambda lanes: lanes.load(FORWARD, ALL), True),
        (lambda lanes: lanes.atomic(FORWARD, ALL), lambda lanes: lanes.load(FORWARD, ALL), False),
        (lambda lanes: lanes.store(FORWARD, ALL), lambda lanes: lanes.atomic(BACKWARD, ALL), True),
        (lambda lanes: lanes.atomic(FORWARD, ALL), lambda lanes: lanes.store(BACKWARD, ALL), True),
        (lambda lanes: lanes.atomic(FORWARD, ALL), lambda lanes: lanes.atomic(BACKWARD, ALL), False),
        (lambda lanes: lanes.load(at(0, 0, 0, 0), ALL[:4]), lambda lanes: lanes.store(at(0), ONE), True),
    ],
)
def test_lanes_that_meet(
    first: Callable[[Lanes], object], second: Callable[[Lanes], object], meets: bool
) -> None:
    lanes = Lanes()
    assert not _met(first(lanes))
    assert _met(second(lanes)) is meets


def _met(found: object) -> bool:
    """A load tells of one address, a store of all."""
    return found.size > 0 if isinstance(found, np.ndarray) else found is not None


def test_lanes_may_store_what_another_one_has_stored() -> None:
    for unlike, kinds in (((), []), (at(3), ["race"])):
        memory = Memory()
        memory.register("flags", 4000, 32, 4)
        memory.begin_launch("kernel", [4000])
        memory.begin_program(0)
        memory.store(FORWARD, 4, ALL)
        memory.store(BACKWARD, 4, ALL, lambda unlike=unlike: np.array(unlike, np.uint64))
        assert [one.kind for one in memory.violations] == kinds


def test_a_single_value_is_loaded_behind_its_store() -> None:
    lanes = Lanes()
    lanes.store(at(0), ONE)
    assert lanes.load(at(0), ONE) is None
    assert lanes.behind(at(0), ONE)
    assert not lanes.behind(at(1), ONE)
    assert not lanes.behind(at(0)[:0], ~ONE)


def test_a_masked_lane_is_its_place_in_the_block() -> None:
    lanes, odd = Lanes(), np.arange(8) % 2 == 1
    lanes.store(FORWARD, ALL)
    assert lanes.load(FORWARD[odd], odd) is None
    assert lanes.load(FORWARD[~odd], odd) == 4000


@pytest.mark.parametrize("waits", [True, False])
def test_a_barrier_comes_between(waits: bool) -> None:
    memory = Memory()
    memory.register("scratch", 4000, 32, 4)
    memory.begin_launch("kernel", [4000])
    memory.begin_program(0)
    memory.store(FORWARD, 4, ALL)
    if waits:
        memory.wait()
    memory.load(BACKWARD, 4, ALL)
    assert [one.kind for one in memory.violations] == ([] if waits else ["race"])
    if not waits:
        assert "scratch[7]" in memory.violations[0].detail
        assert "debug_barrier" in memory.violations[0].detail


def test_lanes_of_one_store_that_share_an_address_must_store_one_value() -> None:
    twice = at(0, 1, 1, 2, 3, 4, 5, 6)
    assert not disagree(FORWARD, np.arange(8.0), ALL)
    assert disagree(twice, np.arange(8.0), ALL)
    assert not disagree(twice, np.array([0.0, 7, 7, 2, 3, 4, 5, 6]), ALL)
    assert not disagree(twice[[0, 1, 3]], np.arange(8.0), np.isin(np.arange(8), [0, 1, 3]))
