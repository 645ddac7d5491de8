"""The roofline is exact arithmetic; the estimate must at least order schedules the way every card does."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.hardware_specs.spec import DeviceSpec, find_spec
from kbgen.profiling.occupancy import occupancy
from kbgen.profiling.roofline import LAUNCH_US, attainable_us, estimate_us, roofline
from kbgen.profiling.static import KernelReport

DEVICES = pytest.mark.parametrize("device", ["h100", "rtx4090", "mi300x", "b200", "rx7900xtx"])
BYTES = 2 * 16384 * 4096 * 2.0  # a bf16 matrix of 16384 rows of 4096, read and written


def kernel(spec: DeviceSpec, **changes: Any) -> KernelReport:
    """A row kernel of 16384 blocks of 8 warps, four 128-bit loads a thread."""
    given = {
        "blocks": 16384,
        "warps": 8,
        "registers": 40,
        "shared": 0,
        "width": 128,
        "accesses": 4,
        "launches": 1,
        **changes,
    }
    held = occupancy(spec, given["warps"] * spec.warp_size, given["registers"], given["shared"])
    assert spec.unit_count is not None
    return KernelReport(
        name="rows",
        arch=spec.arch,
        grid=(given["blocks"], 1, 1),
        num_warps=given["warps"],
        num_stages=1,
        registers=given["registers"],
        spill_bytes=0,
        shared_bytes=given["shared"],
        load_bits={given["width"]: given["accesses"]},
        store_bits={given["width"]: given["accesses"]},
        instructions=given.get("instructions", {}),
        occupancy=held,
        waves=given["blocks"] / (spec.unit_count * held.blocks_per_unit),
        compile_s=0.0,
        launches=given["launches"],
    )


def estimated(device: str, bytes_moved: float = BYTES, flops: float = 0.0, **changes: Any) -> float:
    spec = find_spec(device)
    return estimate_us(bytes_moved, flops, [kernel(spec, **changes)], spec).total_us


def test_roofline_of_h100() -> None:
    """3.35 GB take 1000 us at 3350 GB/s; 989.4 TFLOP take a second of tensor cores."""
    line = roofline(989.4e9, 3.35e9, find_spec("h100"), "tensor_bf16")
    assert line.memory_us == pytest.approx(1000)
    assert line.compute_us == pytest.approx(1000)
    assert line.intensity == pytest.approx(line.ridge)


def test_the_slower_side_bounds() -> None:
    h100 = find_spec("h100")
    assert roofline(1e9, 1e9, h100).bound == "memory"
    assert roofline(1e13, 1e9, h100).bound == "compute"
    assert attainable_us(1e13, 1e9, h100) == pytest.approx(1e13 / 67e6)


def test_a_rate_that_the_card_lacks_falls_back_and_says_so() -> None:
    assert roofline(1.0, 1.0, find_spec("mi355x"), "tensor_tf32").peak_kind == "tensor_fp32"
    assert roofline(1.0, 1.0, find_spec("v100"), "tensor_bf16").peak_kind == "tensor_fp16"
    with pytest.raises(KeyError, match=r"no rate for 'fp7'; it has .*tensor_fp16"):
        roofline(1.0, 1.0, find_spec("h100"), "fp7")


def test_no_bytes_is_infinite_intensity() -> None:
    assert roofline(1.0, 0.0, find_spec("h100")).intensity == math.inf


def test_an_estimate_says_that_it_is_one() -> None:
    spec = find_spec("h100")
    assert str(estimate_us(BYTES, 0.0, [kernel(spec)], spec)).endswith("us (estimate, not measured)")


@DEVICES
def test_an_estimate_stays_above_the_roof(device: str) -> None:
    flops = BYTES * 4
    assert estimated(device, flops=flops) > attainable_us(flops, BYTES, find_spec(device))


@DEVICES
def test_a_good_schedule_comes_near_a_large_copy(device: str) -> None:
    """Full occupancy and wide accesses: within a quarter of what the card's copy reaches."""
    spec = find_spec(device)
    copy = BYTES / (spec.dram_copy_gb_s or spec.dram_gb_s) * 1e-3
    assert estimated(device) < 1.35 * copy + LAUNCH_US


@DEVICES
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            {"width": 128, "accesses": 4},
            {"width": 32, "accesses": 16},
        ),  # same bytes in flight, more instructions
        ({"width": 128, "accesses": 1}, {"width": 16, "accesses": 1}),  # fewer bytes in flight as well
        ({"accesses": 4}, {"accesses": 1}),
        ({"blocks": 16384}, {"blocks": 32}),  # fewer blocks than units
        ({"launches": 1}, {"launches": 3}),
        ({"registers": 40, "accesses": 1}, {"registers": 240, "accesses": 1, "warps": 4}),  # low occupancy
    ],
)
def test_worse_schedules_take_longer(device: str, better: dict[str, int], worse: dict[str, int]) -> None:
    assert estimated(device, **better) < estimated(device, **worse)


@pytest.mark.parametrize(("blocks", "warps", "pays"), [(128, 4, True), (16384, 8, False)])
def test_asynchronous_copies_pay_where_too_little_is_in_flight(blocks: int, warps: int, pays: bool) -> None:
    alone = {"blocks": blocks, "warps": warps, "accesses": 1}
    plain = estimated("h100", **alone)
    staged = estimated("h100", **alone, shared=3 * 128 * 32 * warps, instructions={"async_copy": 1})
    assert (staged < plain) is pays


@DEVICES
def test_one_block_over_a_whole_wave_costs_a_tail(device: str) -> None:
    spec = find_spec(device)
    assert spec.unit_count is not None
    wave = spec.unit_count * kernel(spec).occupancy.blocks_per_unit
    per_block = BYTES / 16384
    whole, over = (estimated(device, per_block * blocks, blocks=blocks) for blocks in (wave, wave + 1))
    assert over > whole * (wave + 1) / wave


@given(bytes_moved=st.floats(1e3, 1e11), factor=st.floats(1.0, 100.0), flops=st.floats(0.0, 1e13))
def test_more_work_never_takes_less_time(bytes_moved: float, factor: float, flops: float) -> None:
    tolerance = 1 + 1e-9
    base = estimated("h100", bytes_moved, flops)
    assert base <= estimated("h100", bytes_moved * factor, flops) * tolerance
    assert base <= estimated("h100", bytes_moved, flops * factor) * tolerance


def test_fusing_two_kernels_that_share_a_tensor_is_faster() -> None:
    spec = find_spec("h100")
    apart = estimate_us([BYTES, BYTES], 0.0, [kernel(spec), kernel(spec)], spec).total_us
    assert estimate_us(BYTES, 0.0, [kernel(spec)], spec).total_us < apart


def test_a_card_with_unknown_units_is_judged_by_bandwidth_alone() -> None:
    b300 = find_spec("b300")
    report = replace(kernel(find_spec("b200")), waves=None)
    assert estimate_us(8e9, 0.0, [report], b300).total_us == pytest.approx(1e6 / 870 + LAUNCH_US)
