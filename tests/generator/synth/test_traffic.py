"""Planned bytes against bytes counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program
from kbgen.generator.writers.synth.schedule import Schedule
from kbgen.generator.writers.synth.traffic import planned_bytes, planned_flops
from kbgen.hardware_specs.spec import find_spec

H100 = find_spec("h100")
ROWS, COLUMNS = 64 * 8, 4096
TENSOR = ROWS * COLUMNS * 4
LOOPED = Schedule("rows", block=1024)


def _softmax(sized: Callable[..., Program]) -> Loops:
    (loops,) = sized("softmax_last", batch=64, channels=8, width=COLUMNS).loops.values()
    return loops


def test_a_held_row_is_read_once_and_written_once(sized: Callable[..., Program]) -> None:
    held = replace(LOOPED, one_tile=True, block=COLUMNS)
    assert planned_bytes(_softmax(sized), held, H100) == (2 * TENSOR,)


def test_a_walked_row_is_read_for_its_maximum_its_sum_and_its_result(sized: Callable[..., Program]) -> None:
    assert planned_bytes(_softmax(sized), LOOPED, H100) == (4 * TENSOR,)


def test_online_softmax_saves_one_reading(sized: Callable[..., Program]) -> None:
    assert planned_bytes(_softmax(sized), replace(LOOPED, online_softmax=True), H100) == (3 * TENSOR,)


def test_parts_of_rows_pass_through_memory(sized: Callable[..., Program]) -> None:
    """One reading and the parts for each pass, and a last reading that also writes."""
    parts = 8 * ROWS * 4
    split = replace(LOOPED, splits=4, online_softmax=True)
    assert planned_bytes(_softmax(sized), split, H100) == (TENSOR + parts, 2 * TENSOR + parts)


def test_weights_are_read_from_memory_once(example: Callable[[str], Program]) -> None:
    (loops,) = example("rmsnorm").loops.values()
    held = Schedule("rows", block=4096, one_tile=True)
    assert planned_bytes(loops, held, H100) == (2 * 8192 * 4096 * 2 + 4096 * 2,)


def test_rope_reads_each_half_once(example: Callable[[str], Program]) -> None:
    program = example("rope")
    (loops,) = program.loops.values()
    query, angles = 4 * 32 * 2048 * 128 * 2, 2048 * 128 * 2
    assert planned_bytes(loops, Schedule("flat", block=1024), H100) == (2 * query + 2 * angles,)
    assert planned_bytes(loops, Schedule("flat", block=1024), H100) == (program.traces.traced[0].bytes_min,)


def test_work_is_counted_once_a_value(sized: Callable[..., Program]) -> None:
    """Maximum, difference, exponential (2), sum and quotient: six for each element."""
    assert planned_flops(_softmax(sized)) == 6 * ROWS * COLUMNS
