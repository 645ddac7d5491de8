"""The simulated device behaves like one: bytes, tails, latency, caches and tiles cost what they should."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbgen.generator.search_eval.machine import Machine, draw
from kbgen.generator.search_eval.simulate import kernel_us
from kbgen.generator.search_eval.work import Work
from kbgen.hardware_specs.spec import find_spec

SPEC = find_spec("h100")
STREAM = Work(
    blocks=132 * 8 * 4, resident=8, warps=4, steps=4, stages=1, step_bytes=16384, fresh=1.0, requests=32,
    operations=8192, written=16384,
)  # fmt: skip
TILE = Work(
    blocks=132 * 4, resident=1, warps=8, steps=64, stages=3, step_bytes=32768, fresh=0.1, requests=64,
    operations=0.0, written=32768, barriers=64, matrix_flops=2 * 128 * 128 * 64, peak_tflops=990.0,
    tile=(64.0, 32.0), row_bytes=128,
)  # fmt: skip


@pytest.fixture
def machine() -> Machine:
    """A device whose blocks all take the same time."""
    return replace(draw(SPEC, 7), jitter=0.0)


def test_a_seed_is_a_device() -> None:
    assert draw(SPEC, 1) == draw(SPEC, 1)
    assert draw(SPEC, 1) != draw(SPEC, 2)
    assert draw(SPEC, 1) != draw(find_spec("mi300x"), 1)


def test_equal_work_takes_equal_time_whenever_it_is_asked(machine: Machine) -> None:
    uneven = replace(machine, jitter=0.05)
    assert kernel_us(STREAM, uneven) == kernel_us(STREAM, uneven)


def test_nothing_is_faster_than_dram(machine: Machine) -> None:
    moved = STREAM.blocks * (STREAM.steps * STREAM.step_bytes + STREAM.written)
    assert kernel_us(STREAM, machine) > moved / machine.dram_gb_s * 1e-3


def test_twice_the_blocks_take_about_twice_the_time(machine: Machine) -> None:
    once, twice = (kernel_us(replace(STREAM, blocks=n * STREAM.blocks), machine) for n in (1, 2))
    assert twice / once == pytest.approx(2.0, rel=0.05)


def test_one_block_more_than_fits_starts_another_wave(machine: Machine) -> None:
    full, more = (replace(TILE, blocks=machine.units * TILE.resident + n) for n in (0, 1))
    assert kernel_us(more, machine) > 1.5 * kernel_us(full, machine)


def test_steps_under_way_hide_latency_where_a_unit_has_one_block(machine: Machine) -> None:
    one, three = (kernel_us(replace(TILE, stages=stages), machine) for stages in (1, 3))
    assert one > 1.1 * three


def test_few_blocks_leave_bandwidth_unused(machine: Machine) -> None:
    few = replace(STREAM, blocks=16)
    moved = few.blocks * (few.steps * few.step_bytes + few.written)
    assert kernel_us(few, machine) > 5 * moved / machine.dram_gb_s * 1e-3


def test_a_second_reading_is_free_only_where_the_l2_holds_the_rows(machine: Machine) -> None:
    def twice(row_bytes: float, *, back: bool = False) -> float:
        return kernel_us(replace(STREAM, fresh=0.5, again_bytes=row_bytes, walks_back=back), machine)

    assert twice(1024) < 0.8 * twice(10 * SPEC.l2_bytes)
    large = 2.5 * machine.l2_bytes / (machine.units * STREAM.resident)
    assert twice(large, back=True) < twice(large)


def test_narrow_tiles_of_a_warp_feed_the_matrix_unit_badly(machine: Machine) -> None:
    narrow = replace(TILE, tile=(8.0, 8.0))
    assert kernel_us(narrow, machine) > 1.3 * kernel_us(TILE, machine)


def test_narrow_accesses_cost_requests(machine: Machine) -> None:
    narrow = replace(STREAM, requests=STREAM.requests * 16)
    assert kernel_us(narrow, machine) > 1.1 * kernel_us(STREAM, machine)
