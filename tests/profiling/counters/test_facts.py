"""Readings become facts: shares, excess, waves, limits; what was not counted or says nothing is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.hardware_specs.spec import DeviceSpec, all_specs, find_spec
from kbgen.profiling.counters.facts import counter_facts
from kbgen.profiling.counters.level import has_counters, level_of, without_counters
from kbgen.profiling.counters.record import Launch, Reading
from kbgen.profiling.counters.roof import counted_roofline
from kbgen.profiling.counters.vocabulary import vocabulary
from kbgen.profiling.rules import rule_book
from kbgen.profiling.waves import wave_facts

H100, MI300X, GB200 = find_spec("h100"), find_spec("mi300x"), find_spec("gb200")


def launch(kernel: str = "kernel", arch: str = "sm_90", **readings: float) -> Launch:
    assert readings.keys() <= vocabulary().keys()
    return Launch(0, kernel, {key: Reading(value, key) for key, value in readings.items()}, arch=arch)


def facts(
    kernel: str = "kernel", arch: str = "sm_90", spec: DeviceSpec | None = H100, **readings: float
) -> dict[str, float]:
    return counter_facts(launch(kernel, arch, **readings), spec)


def test_every_fact_is_one_that_the_rules_know() -> None:
    """Else a misspelt name would leave its class undecided for ever."""
    every = dict.fromkeys(vocabulary(), 1.0)
    known = set(rule_book().facts)
    for spec, arch in ((H100, "sm_90"), (MI300X, "gfx942")):
        assert set(facts("sgemm", arch, spec, **every)) <= known


def test_every_counter_fact_of_the_rules_can_come_from_a_reading() -> None:
    without_bulk = {key: 1.0 for key in vocabulary() if key not in ("pipe_tma", "pipe_tc", "stall_gmma")}
    without_bulk["ld_sectors"] = 4.0  # a request: no broadcast
    bulk = facts("gemm", "sm_90", H100, **dict.fromkeys(vocabulary(), 1.0))
    amd = facts("gemm", "gfx942", MI300X, **without_bulk)
    reached = set(facts("gemm", "sm_90", H100, **without_bulk)) | set(bulk) | set(amd)
    wanted = {
        fact
        for entry in rule_book().classes.values()
        for rule in entry.rules
        if rule.basis == "counters"
        for fact in rule.when.facts_named()
    }
    assert wanted - reached == {"fp64_instructions"}  # from the code


def test_nothing_is_made_up_of_nothing() -> None:
    assert set(facts(spec=None)) == {"bulk_pipeline", "tensor_pipeline"}


def test_excess_and_what_of_it_passes_the_l1() -> None:
    """The T4 sample of brycelelbach/nsightful: 8.0 of 32 bytes, L1 hits of 0.46 %."""
    found = facts(ld_bytes_per_sector=8.0, l1_hit=0.46)
    assert found["excess_sectors_pct"] == pytest.approx(75)
    assert found["waste_to_l2"] == pytest.approx(0.7466, abs=1e-3)


def test_theoretical_sectors_decide_before_bytes_per_sector() -> None:
    found = facts(ld_bytes_per_sector=4.0, sectors_global=100.0, sectors_global_ideal=100.0, l1_hit=0.0)
    assert found["excess_sectors_pct"] == 0


def test_a_broadcast_is_no_waste() -> None:
    """4 useful bytes of a sector, and one sector a request."""
    found = facts(ld_bytes_per_sector=4.0, ld_sectors=1000.0, ld_requests=1000.0, l1_hit=0.0)
    assert "excess_sectors_pct" not in found


def test_a_ratio_without_stores_is_not_a_store_of_nothing() -> None:
    """ncu prints 0 bytes per sector for a kernel that stores nothing."""
    assert facts(ld_bytes_per_sector=32.0, st_bytes_per_sector=0.0)["excess_sectors_pct"] == 0


@pytest.mark.parametrize(
    "told",
    [{"pipe_tma": 64.0}, {"stall_gmma": 0.2}, {"pipe_tc": 10.0}],
)
def test_figures_of_the_load_store_unit_are_not_read_on_bulk_kernels(told: dict[str, float]) -> None:
    found = facts(ld_bytes_per_sector=4.0, l1_hit=0.0, shared_conflicts=9.0, shared_wavefronts=10.0, **told)
    assert found["bulk_pipeline"] == found["tensor_pipeline"] == 1
    assert not {"ld_bytes_per_sector", "excess_sectors_pct", "waste_to_l2", "conflicts_per_wavefront"} & set(
        found
    )


def test_bytes_beyond_the_widest_load_are_waste_on_amd() -> None:
    """A lane can ask for 16 bytes at most: of 64 fetched, three quarters at least are of no use. A copy of
    doubles reads 25 % "coalescing" and is perfect."""
    assert facts(arch="gfx942", spec=MI300X, ld_bytes_per_lane=64.0)["waste_to_l2"] == 0.75
    assert facts(arch="gfx942", spec=MI300X, ld_bytes_per_lane=4.0)["waste_to_l2"] == 0
    doubles = facts(arch="gfx942", spec=MI300X, ld_bytes_per_lane=8.0, coalescing_pct=25.0)
    assert "waste_to_l2" not in doubles


def test_conflicts_of_loads_and_stores_stand_in_for_their_total() -> None:
    parts = {
        "shared_ld_conflicts": 6.0, "shared_ld_wavefronts": 10.0, "shared_st_conflicts": 1.0,
        "shared_st_wavefronts": 10.0,
    }  # fmt: skip
    assert facts(**parts)["conflicts_per_wavefront"] == 0.6
    assert facts(**parts, shared_conflicts=0.0, shared_wavefronts=20.0)["conflicts_per_wavefront"] == 0


def test_the_turns_of_a_wide_load_are_no_conflicts() -> None:
    """Ours on an H200: consecutive 16-byte loads, of 17.3 million wavefronts 13.0 million conflicts."""
    total = {"shared_conflicts": 12_982_468.0, "shared_wavefronts": 17_596_132.0}
    loads = {"shared_ld_conflicts": 12_982_494.0, "shared_ld_wavefronts": 17_307_870.0}
    assert facts(**total)["conflicts_per_wavefront"] == pytest.approx(0.738, abs=1e-3)
    assert facts(**total, **loads)["conflicts_per_wavefront"] == 0
    transposed = {"shared_ld_conflicts": 65_573_626.0, "shared_ld_wavefronts": 67_670_778.0}
    total = {"shared_conflicts": 65_721_936.0, "shared_wavefronts": 71_029_547.0}
    assert facts(**total, **transposed)["conflicts_per_wavefront"] > 0.9


def test_what_stores_waste_no_l1_holds_back() -> None:
    """Ours on an H200: a transpose whose stores use 4 of 32 bytes, with L1 hits of 74 %, its stores' own."""
    sectors = {"sectors_global": 9.0, "sectors_global_ideal": 2.0, "l1_hit": 74.45}
    assert facts(ld_bytes_per_sector=32.0, st_bytes_per_sector=4.0, **sectors)[
        "waste_to_l2"
    ] == pytest.approx(7 / 9)
    assert facts(ld_bytes_per_sector=4.0, st_bytes_per_sector=32.0, **sectors)["waste_to_l2"] < 0.2
    few = {"sectors_global": 100.0, "sectors_global_ideal": 100.0, "l1_hit": 0.0}
    assert facts(ld_bytes_per_sector=32.0, st_bytes_per_sector=4.0, **few)["waste_to_l2"] == 0


def test_half_of_a_sum_is_not_the_sum() -> None:
    assert "local_inst_pct" not in facts(local_ld=5.0, inst=100.0)
    assert "atomic_sectors_pct" not in facts(l2_atomics=5.0, l2_sectors=100.0)
    assert facts(arch="gfx942", spec=MI300X, l2_atomics=5.0, l2_sectors=100.0)["atomic_sectors_pct"] == 5


def test_imbalance_is_over_elapsed_cycles() -> None:
    """The busiest SM works 900 of 1000 cycles, the average one 500."""
    assert facts(sm_active=500.0, sm_active_max=900.0, sm_elapsed=1000.0)["imbalance_pct"] == pytest.approx(
        40
    )


def test_ties_limit_together() -> None:
    """The GB200 row: registers and shared memory both allow one block."""
    found = facts(
        spec=GB200, arch="sm_100", grid=288.0, block=384.0, units=152.0, limit_regs=1.0, limit_smem=1.0,
        limit_warps=5.0, limit_blocks=32.0, limit_barriers=9.0,
    )  # fmt: skip
    assert (found["limited_by_registers"], found["limited_by_shared"], found["limited_by_warps"]) == (1, 1, 0)
    assert (found["whole_waves"], found["partial_blocks"], found["tail_bound_pct"]) == (1, 136, 50)
    assert found["idle_slots_pct"] == pytest.approx(100 * 16 / 304)


def test_block_slots_are_not_blamed_on_barriers() -> None:
    """For a kernel of one barrier, or none, ncu prints as many blocks by barriers as there are slots."""
    limits = {"limit_regs": 64.0, "limit_smem": 32.0, "limit_warps": 64.0, "limit_blocks": 32.0}
    for barriers, blamed in ((32.0, 0), (4.0, 1)):
        found = counter_facts(launch(**limits, limit_barriers=barriers, block=32.0), H100)
        assert (found["limited_by_barriers"], found["limited_by_blocks"]) == (blamed, 1 - blamed)


def test_a_copy_is_measured_by_what_copies_reach() -> None:
    """85.9 % of peak as read and written by halves on an H200; a kernel that only reads may reach more."""
    copied = launch(dram_bytes_s=4.1e12, dram_pct=85.9, dram_read=268e6, dram_write=245e6)
    assert counter_facts(copied, H100)["copy_pct"] == pytest.approx(95.4, abs=0.1)
    read = launch(dram_bytes_s=4.1e12, dram_pct=85.9, dram_read=536e6, dram_write=1e6)
    assert "copy_pct" not in counter_facts(read, H100)


def test_the_calculator_stands_in_where_the_tool_gives_no_limits() -> None:
    found = facts(arch="gfx942", spec=MI300X, grid=1216.0, block=256.0, regs=100.0, smem_block=0.0)
    assert found["limited_by_registers"] == 1
    assert found["occupancy_theoretical"] == 50
    assert found["whole_waves"] == 1
    assert "limited_by_registers" not in facts(
        arch="gfx942", spec=MI300X, grid=1216.0, block=256.0, regs=100.0
    )


@pytest.mark.parametrize(
    ("kernel", "tensor", "expected"),
    [
        ("ampere_sgemm_128x64_nn", 0.0, 1.0),
        ("Cijk_Alik_Bljk_BBS_BH_MT256x256x64_MI16x16x1", None, 1.0),
        ("gemv2T_kernel_val", 0.0, 0.0),
        ("void at::native::vectorized_elementwise_kernel<4>", 0.0, 0.0),
        ("whatever", 40.0, 1.0),
        ("whatever", 0.0, None),
    ],
)
def test_products_are_known_by_name_or_by_the_tensor_pipe(
    kernel: str, tensor: float | None, expected: float | None
) -> None:
    readings = {} if tensor is None else {"pipe_tensor": tensor}
    assert facts(kernel, **readings).get("matmul_like") == expected


def test_the_roofline_is_at_observed_clocks() -> None:
    """At half the clock the flop peak is half; the bandwidth's is the tool's own, by its share of peak."""
    fp32 = {"fadd": 0.0, "fmul": 0.0, "ffma": 1e9}
    counted = launch(
        duration=1e6, dram_read=1e9, dram_write=0.0, dram_bytes_s=1e12, dram_pct=50.0, sm_clock=990e6, **fp32
    )
    found = counted_roofline(counted, H100)
    assert found is not None
    assert found.memory_us == pytest.approx(500)  # 1 GB at 2 TB/s
    assert found.peak_tflops == pytest.approx(H100.peak_tflops["fp32"] / 2)
    assert found.intensity == pytest.approx(2)
    assert counted_roofline(counted, None) is None
    assert counted_roofline(launch(duration=1e6, dram_read=1e9, **fp32), H100) is None
    tensor = launch(duration=1e6, dram_read=1e9, dram_write=0.0, pipe_tensor=60.0, **fp32)
    assert counted_roofline(tensor, H100) is None


def test_traffic_beyond_peak_is_not_the_dram() -> None:
    """On MI300X the Infinity Cache answers: 8 TB/s say nothing of the share of HBM."""
    assert "dram_pct" not in facts(arch="gfx942", spec=MI300X, dram_bytes_s=8e12)
    assert facts(arch="gfx942", spec=MI300X, dram_bytes_s=2.65e12)["dram_pct"] == pytest.approx(50)


def test_levels_follow_from_what_was_counted() -> None:
    bare = {"duration": 5e3, "grid": 10.0, "block": 128.0, "regs": 32.0}
    assert level_of(launch(**bare, dram_pct=3.0)) == "A"
    assert level_of(launch(**bare)) == "B"
    assert level_of(launch(duration=5e3)) == "C"
    assert level_of(launch(grid=10.0)) == "D"
    stripped = without_counters(launch(**bare, dram_pct=3.0, sm_elapsed=1e4))
    assert not has_counters(stripped)
    assert stripped.readings.keys() == bare.keys()


@given(
    blocks=st.integers(1, 100_000),
    spec=st.sampled_from([spec for spec in all_specs() if spec.unit_count]),
    resident=st.integers(1, 32),
)
def test_waves_add_up(blocks: int, spec: DeviceSpec, resident: int) -> None:
    found = wave_facts(blocks, spec.unit_count, resident)
    assert found["whole_waves"] * found["blocks_per_wave"] + found["partial_blocks"] == blocks
    assert 0 <= found["idle_slots_pct"] < 100
    assert 0 <= found["tail_bound_pct"] <= 100
    assert found["idle_slots_pct"] <= found["tail_bound_pct"] or not found["whole_waves"]
