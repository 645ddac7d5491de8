"""The watched memory: bounds, races and byte counts, on made-up addresses."""

import numpy as np
import pytest
import torch

from kbgen.generator.verify.interpreter.memory import Memory
from kbgen.generator.verify.interpreter.violations import OutOfBoundsError


@pytest.fixture
def memory() -> Memory:
    watched = Memory()
    watched.register("x", 1000, 400, 4)
    watched.register("y", 4000, 400, 4)
    watched.begin_launch("kernel", [1000, 4000])
    watched.begin_program(0)
    return watched


def at(start: int, count: int, step: int = 4) -> np.ndarray:
    return (start + step * np.arange(count)).astype(np.uint64)


def kinds(memory: Memory) -> list[str]:
    return [violation.kind for violation in memory.violations]


@pytest.mark.parametrize("addresses", [at(1396, 2), at(996, 1), at(1398, 1), at(2000, 3), at(0, 1)])
def test_outside_is_refused_before_it_is_touched(memory: Memory, addresses: np.ndarray) -> None:
    with pytest.raises(OutOfBoundsError):
        memory.load(addresses, 4)
    assert kinds(memory) == ["out-of-bounds"]


def test_tensors_of_another_launch_are_out_of_bounds(memory: Memory) -> None:
    memory.begin_launch("second", [1000])
    with pytest.raises(OutOfBoundsError):
        memory.store(at(4000, 1), 4)


def test_one_instruction_may_reach_two_tensors(memory: Memory) -> None:
    memory.load(np.concatenate([at(1000, 4), at(4000, 4)]), 4)
    assert [(name, seen.load_issued) for name, seen in memory.traffic()] == [("x", 16), ("y", 16)]


def test_memory_that_nobody_has_written_is_read_under_protest() -> None:
    made = torch.empty(8)
    for empty, written, found in ((True, 0, ["unwritten"]), (True, 8, []), (False, 0, [])):
        memory = Memory()
        memory.allocated(made, empty)
        memory.register("made", made.data_ptr(), 32, 4)
        memory.begin_launch("kernel", [made.data_ptr()])
        memory.begin_program(0)
        memory.store(at(made.data_ptr(), written), 4)
        memory.load(at(made.data_ptr(), 8), 4)
        assert kinds(memory) == found


@pytest.mark.parametrize(("counts", "found"), [(True, ["unwritten"]), (False, [])])
def test_an_atomic_minimum_of_what_nobody_has_written_is_one_of_anything(
    counts: bool, found: list[str]
) -> None:
    """An exchange puts its own in the place of it."""
    made, memory = torch.empty(8), Memory()
    memory.allocated(made, True)
    memory.register("made", made.data_ptr(), 32, 4)
    memory.begin_launch("kernel", [made.data_ptr()])
    memory.begin_program(0)
    memory.atomic(at(made.data_ptr(), 8), 4, counts=counts)
    memory.atomic(at(made.data_ptr(), 8), 4)
    assert kinds(memory) == found


def test_two_programs_that_store_to_one_place_race(memory: Memory) -> None:
    memory.store(at(4000, 8), 4)
    memory.begin_program(1)
    memory.store(at(4028, 8), 4)
    assert kinds(memory) == ["race"]


def test_reading_what_another_program_wrote_is_a_race(memory: Memory) -> None:
    memory.store(at(4000, 8), 4)
    memory.begin_program(1)
    memory.load(at(4000, 8), 4)
    assert kinds(memory) == ["race"]


def test_overwriting_what_another_program_read_is_a_race(memory: Memory) -> None:
    memory.load(at(1000, 8), 4)
    memory.begin_program(1)
    memory.load(at(1000, 8), 4)
    memory.store(at(1000, 1), 4)
    assert kinds(memory) == ["race"]


def test_a_single_value_of_another_program_is_told_of_and_may_be_loaded(memory: Memory) -> None:
    one = np.ones(1, np.bool_)
    memory.load(at(1000, 1), 4, one)
    memory.store(at(1000, 1), 4, one)
    memory.begin_program(1)
    told, own = memory.load(at(1000, 1), 4, one)
    assert ("program 1 reads x[0]" in told, own) == (True, False)
    assert kinds(memory) == []
    memory.begin_launch("kernel", [1000])  # where the reader comes first: nothing was made of it before
    memory.begin_program(1)
    memory.load(at(1000, 1), 4, one)
    memory.begin_program(0)
    memory.store(at(1000, 1), 4, one)
    assert kinds(memory) == []
    memory.begin_launch("other", [1000])
    memory.begin_program(1)
    memory.load(at(1000, 1), 4, one)
    memory.begin_program(0)
    memory.store(at(1000, 1), 4, one)
    assert kinds(memory) == ["race"]


def test_the_reader_that_writes_its_own_is_no_race(memory: Memory) -> None:
    for program in range(3):
        memory.begin_program(program)
        memory.load(at(1000 + 32 * program, 8), 4)
        memory.store(at(1000 + 32 * program, 8), 4)
    assert kinds(memory) == []


def test_launches_are_ordered(memory: Memory) -> None:
    memory.store(at(4000, 8), 4)
    memory.begin_launch("second", [1000, 4000])
    memory.begin_program(1)
    memory.load(at(4000, 8), 4)
    memory.store(at(4000, 8), 4)
    assert kinds(memory) == []


def test_atomics_meet(memory: Memory) -> None:
    for program in range(3):
        memory.begin_program(program)
        memory.atomic(at(4000, 1), 4)
        memory.atomic(at(4100, 8), 4)
    assert kinds(memory) == []


@pytest.mark.parametrize("verb", ["load", "store"])
def test_a_plain_access_races_with_atomics(memory: Memory, verb: str) -> None:
    memory.atomic(at(4000, 8), 4)
    memory.begin_program(1)
    getattr(memory, verb)(at(4028, 4), 4)
    assert kinds(memory) == ["race"]


def test_an_atomic_races_with_a_plain_store(memory: Memory) -> None:
    memory.store(at(4000, 1), 4)
    memory.begin_program(1)
    memory.atomic(at(4000, 1), 4)
    assert kinds(memory) == ["race"]


def count(memory: Memory, *, looked: bool = True, releases: bool = True) -> None:
    """An atomic add to the counter at 1000."""
    memory.atomic(at(1000, 1), 4, releases=releases)
    if looked:
        memory.look(at(1000, 1))


def test_who_comes_last_may_read_what_the_others_left(memory: Memory) -> None:
    for program in range(3):
        memory.begin_program(program)
        memory.store(at(4000 + 4 * program, 1), 4)
        memory.atomic(at(4200, 1), 4)
        count(memory)
    memory.load(at(4000, 3), 4)
    memory.load(at(4200, 1), 4)
    memory.store(at(1000, 1), 4)  # the counter is set back
    assert kinds(memory) == []


def test_a_count_orders_for_the_last_alone(memory: Memory) -> None:
    for program in range(3):
        memory.begin_program(program)
        count(memory)
        memory.load(at(4000, 1), 4)
        memory.store(at(4000, 1), 4)
        count(memory)
    assert kinds(memory) == ["race"]


@pytest.mark.parametrize("how", ["unread", "relaxed", "too early"])
def test_an_atomic_that_orders_nothing_excuses_nothing(memory: Memory, how: str) -> None:
    for program in range(2):
        memory.begin_program(program)
        if how == "too early":
            count(memory)
        memory.load(at(4000, 1), 4)
        memory.store(at(4000, 1), 4)
        if how != "too early":
            count(memory, looked=how != "unread", releases=how != "relaxed")
    assert set(kinds(memory)) == {"race"}


def test_a_lock_orders_everyone(memory: Memory) -> None:
    for program in range(3):
        memory.begin_program(program)
        memory.atomic(at(1000, 1), 4, counts=False)
        memory.look(at(1000, 1), counts=False)
        memory.load(at(4000, 1), 4)
        memory.store(at(4000, 1), 4)
        memory.atomic(at(1000, 1), 4, counts=False)
    assert kinds(memory) == []


def test_traffic_counts_issued_and_unique_bytes(memory: Memory) -> None:
    for program in range(2):
        memory.begin_program(program)
        memory.load(at(1000, 10), 4)
    memory.load(np.full(64, 1000, np.uint64), 4)  # one address in every lane is one access
    seen = dict(memory.traffic())["x"]
    assert (seen.load_issued, seen.load_unique, seen.store_issued) == (84, 40, 0)


def test_wide_access_to_narrow_elements() -> None:
    memory = Memory()
    memory.register("bytes", 64, 64, 1)
    memory.begin_launch("kernel", [64])
    memory.begin_program(0)
    memory.store(at(64, 4, step=4), 4)
    assert dict(memory.traffic())["bytes"].store_unique == 16
