"""The estimate of a matrix product's tiles: in step with what was measured, and ordered as tiles are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbgen.hardware_specs.spec import DeviceSpec, find_spec
from kbgen.profiling.product_time import ProductWork, ended_us, product_us

DEVICES = pytest.mark.parametrize("device", ["h200", "a100", "rtx4090", "mi300x"])
TOKENS, WIDTH, HIDDEN = 4096, 4096, 11008


def tile(rows: int, cols: int, depth: int, stages: int = 3) -> ProductWork:
    """One program of x (TOKENS, WIDTH) times weight (HIDDEN, WIDTH) in bf16."""
    step_bytes = 2.0 * (rows + cols) * depth
    return ProductWork(2.0 * rows * cols * depth, step_bytes, WIDTH // depth, "tensor_bf16", stages)


def units(spec: DeviceSpec) -> int:
    assert spec.unit_count is not None
    return spec.unit_count


@pytest.mark.parametrize(
    ("rows", "cols", "resident", "measured_us"),
    [(128, 128, 2, 737.0), (128, 128, 2, 722.0), (128, 256, 1, 668.0)],
)
def test_the_estimate_is_near_what_an_h200_took(
    rows: int, cols: int, resident: int, measured_us: float
) -> None:
    """Linear and GELU in bf16, 8 warps, 3 stages of 64, as Triton 3.6 compiled them."""
    blocks = (TOKENS // rows) * (HIDDEN // cols)
    assert product_us(tile(rows, cols, 64), blocks, resident, find_spec("h200")) == pytest.approx(
        measured_us, rel=0.15
    )


@DEVICES
def test_large_steps_run_at_the_peak_in_microseconds(device: str) -> None:
    """Steps of a GFLOP that read next to nothing leave only the arithmetic: FLOP / (TFLOP/s x 1e6) us.

    A program that is alone on its unit waits for itself besides: 2^(1/3) times the arithmetic.
    """
    spec = find_spec(device)
    work = ProductWork(1e9, 1.0, 10, "tensor_bf16", 3)
    ideal = units(spec) * 10 * 1e9 / (spec.peak_tflops["tensor_bf16"] * 1e6)
    assert ideal < product_us(work, 4 * units(spec), 4, spec) / 4 < 1.01 * ideal
    assert product_us(work, units(spec), 1, spec) == pytest.approx(2 ** (1 / 3) * ideal, rel=0.01)


@DEVICES
def test_waves_add_up_and_a_started_one_costs_its_programs(device: str) -> None:
    spec = find_spec(device)
    work, wave = tile(128, 128, 64), 2 * units(spec)
    one = product_us(work, wave, 2, spec)
    assert product_us(work, 5 * wave, 2, spec) == pytest.approx(5 * one)
    assert product_us(work, 5 * wave + 1, 2, spec) == product_us(work, 5 * wave + units(spec), 2, spec)
    assert 5 * one < product_us(work, 5 * wave + 1, 2, spec) < 6 * one
    assert product_us(work, 0, 2, spec) == 0.0


@DEVICES
def test_two_programs_of_a_unit_hide_each_other_but_share_it(device: str) -> None:
    spec = find_spec(device)
    work = tile(64, 64, 32, stages=1)
    alone, together = (product_us(work, 2 * units(spec), resident, spec) for resident in (1, 2))
    assert alone / 2 < together < alone


@DEVICES
def test_stages_help_until_loads_are_hidden(device: str) -> None:
    times = [product_us(tile(128, 128, 64, s), 4096, 1, find_spec(device)) for s in (1, 2, 3, 4, 5, 64, 65)]
    assert times == sorted(times, reverse=True)
    assert times[0] > times[2]
    assert times[-1] == times[-2]


@DEVICES
def test_a_program_that_walks_hides_its_next_loads(device: str) -> None:
    """Sixteen tiles a unit: fifteen times the loads of the next are under way while results leave."""
    spec = find_spec(device)
    ended = replace(tile(128, 256, 64), fill_us=1.0, drain_us=2.0)
    walked, many = replace(ended, walked=16 * units(spec)), 16 * units(spec)
    dealt = ended_us(ended, many, 1, spec)
    assert dealt == pytest.approx(ended_us(tile(128, 256, 64), many, 1, spec) + 16 * 3.0)
    assert ended_us(walked, units(spec), 1, spec) == pytest.approx(dealt - 15 * 1.0)
    alone = replace(walked, stages=1)  # nothing is loaded ahead
    assert ended_us(alone, units(spec), 1, spec) == ended_us(replace(ended, stages=1), many, 1, spec)


def test_neighbours_on_a_unit_fill_the_ends_of_a_program() -> None:
    spec = find_spec("h100")
    plain, ended = tile(64, 64, 32), replace(tile(64, 64, 32), fill_us=1.0, drain_us=1.0)
    beside = [ended_us(w, 2 * units(spec), 2, spec) for w in (plain, ended)]
    assert beside[1] - beside[0] == pytest.approx(1.0)
    few = replace(ended, walked=2 * units(spec))  # one program on a unit has no neighbour, whatever fits
    assert ended_us(few, units(spec), 2, spec) > ended_us(few, 2 * units(spec), 2, spec)


def test_warps_with_roles_hide_what_a_step_costs_besides() -> None:
    spec = find_spec("b200")
    work = replace(tile(128, 256, 64), fill_us=1.0, drain_us=2.0)
    count = 4 * units(spec)
    saved = ended_us(work, count, 1, spec) - ended_us(replace(work, roles=True), count, 1, spec)
    assert saved == pytest.approx(4 * work.steps * 0.030)
    walked = replace(work, roles=True, walked=count)
    steps = ended_us(replace(walked, fill_us=0.0, drain_us=0.0), units(spec), 1, spec)
    assert ended_us(walked, units(spec), 1, spec) == pytest.approx(steps + 3.0)


@DEVICES
def test_ends_count_only_for_what_hides_them(device: str) -> None:
    """They rank no tile against another; a walk saves the share that it saves of the time with ends."""
    spec = find_spec(device)
    plain, count = tile(128, 256, 64), 16 * units(spec)
    ended = replace(plain, fill_us=1.0, drain_us=2.0)
    walked = replace(ended, walked=count)
    assert product_us(ended, count, 1, spec) == product_us(plain, count, 1, spec)
    share = ended_us(walked, units(spec), 1, spec) / ended_us(ended, count, 1, spec)
    assert share < 1
    assert product_us(walked, units(spec), 1, spec) == pytest.approx(
        share * product_us(plain, count, 1, spec)
    )
    two = product_us(walked, units(spec), 2, spec)  # a program a unit where two fit is alone all the same
    assert two == product_us(walked, units(spec), 1, spec)


@settings(deadline=None)
@given(
    flops=st.floats(1e4, 1e8), step_bytes=st.floats(1e3, 1e6), steps=st.integers(1, 500),
    blocks=st.integers(1, 10**5), resident=st.integers(1, 8), stages=st.integers(1, 5),
)  # fmt: skip
def test_more_work_never_takes_less(
    flops: float, step_bytes: float, steps: int, blocks: int, resident: int, stages: int
) -> None:
    spec, work = find_spec("h100"), ProductWork(flops, step_bytes, steps, "tensor_bf16", stages)
    took = product_us(work, blocks, resident, spec)
    more = [
        replace(work, step_flops=2 * flops),
        replace(work, step_bytes=2 * step_bytes),
        replace(work, steps=steps + 1),
    ]
    assert all(product_us(w, blocks, resident, spec) >= took for w in more)
    assert product_us(work, blocks + 1, resident, spec) >= took
    assert took >= blocks * steps * flops / (spec.peak_tflops["tensor_bf16"] * 1e6)


def test_without_a_unit_count_only_the_peak_is_left() -> None:
    spec = find_spec("b300")
    assert spec.unit_count is None
    work = tile(128, 128, 64)
    flops = 100 * work.steps * work.step_flops
    assert product_us(work, 100, 1, spec) == pytest.approx(flops / (spec.peak_tflops["tensor_bf16"] * 1e6))
