"""AMD's formulas name only what exists, compute what counters say, and say nothing where one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.counters.amd import amd_map, chip_of, derive
from kbgen.profiling.counters.counter_groups import block_of, formulas_of
from kbgen.profiling.counters.dispatch import Dispatch, agent, launch
from kbgen.profiling.counters.formula import operands
from kbgen.profiling.counters.record import Reading
from kbgen.profiling.counters.vocabulary import vocabulary

PUBLISHED = Path(__file__).with_name("rocm_counters.yaml")
FROM_DISPATCH = {"duration", "grid", "block", "regs", "smem_block", "scratch"}
MI300X = {
    "cus": 304,
    "simds_per_cu": 4,
    "waves_per_cu": 32,
    "xcds": 8,
    "l2_channels": 128,
    "dram_peak": 5.3e12,
}
CHIPS = tuple(amd_map().chips)


@cache
def published(chip: str) -> frozenset[str]:
    groups = yaml.safe_load(PUBLISHED.read_text(encoding="utf-8"))
    return frozenset(name for one in groups if chip in one["chips"].split() for name in one["names"].split())


def values(
    counters: Mapping[str, float], arch: str | None, constants: Mapping[str, float]
) -> dict[str, float]:
    readings, _ = derive(counters, arch, constants, {})
    return {key: reading.value for key, reading in readings.items()}


# ---- the table


def test_every_key_is_in_the_vocabulary() -> None:
    assert set(amd_map().keys) <= set(vocabulary())
    assert set(amd_map().quick) <= set(amd_map().keys)


def test_every_counter_exists_on_every_chip_of_its_formula() -> None:
    table = amd_map()
    unknown = [
        (key, chip, name)
        for key, rules in table.keys.items()
        for rule in rules
        for chip in table.covered(rule)
        for name in table.counters(rule)
        if name not in published(chip)
    ]
    assert unknown == []


def test_a_formula_holds_somewhere_and_builds_on_keys_above_it() -> None:
    table, above = amd_map(), set(FROM_DISPATCH)
    for key, rules in table.keys.items():
        for rule in rules:
            assert table.covered(rule), f"{key}: {rule.chips} is no chip"
            assert {name for name in operands(rule.formula) if name in vocabulary()} <= above, key
        above.add(key)


def test_a_constant_is_given_for_every_chip_that_needs_it() -> None:
    table = amd_map()
    own = {name for chip in table.chips.values() for name in chip.constants} - set(table.device_constants)
    for rules in table.keys.values():
        for rule in rules:
            for chip in table.covered(rule):
                assert own & set(operands(rule.formula)) <= set(table.chips[chip].constants), rule.formula


def test_every_raw_counter_has_a_block_with_a_limit() -> None:
    raw = {name for chip in CHIPS for one in formulas_of(amd_map().keys, chip) for name in one}
    assert {name for name in raw if block_of(name) is None} == {"VmemLatency", "LdsLatency", "MemUnitBusy"}


@pytest.mark.parametrize(
    ("chip", "absent"),
    [
        ("gfx942", {"shared_atomics", "l2_sectors_sysmem"}),
        ("gfx90a", {"shared_atomics", "l2_sectors_sysmem"}),
        ("gfx950", set()),
        (
            "gfx1100",
            {"valu_pct", "valu_lanes_pct", "pipe_tensor", "l2_pct", "l1_pct", "full_regs_pct", "sm_pct"},
        ),
        (
            "gfx1201",
            {"dram_write", "occupancy_achieved", "wait_lds_pct", "lds_latency", "valu_pct", "mem_pct"},
        ),
    ],
)
def test_what_a_chip_cannot_count_has_no_formula_for_it(chip: str, absent: set[str]) -> None:
    table = amd_map()
    given = {key for key, rules in table.keys.items() if any(chip in table.covered(rule) for rule in rules)}
    if chip.startswith("gfx9"):
        assert set(table.keys) - given == absent
    else:
        assert absent.isdisjoint(given)


def test_targets_that_count_alike_are_one_chip() -> None:
    assert chip_of("gfx940") == chip_of("gfx942:sramecc+:xnack-") == "gfx942"
    assert chip_of("gfx1102") == "gfx1100"
    assert chip_of("gfx1030") is chip_of(None) is None


# ---- the arithmetic


def test_shares_of_a_device_are_per_die() -> None:
    counters = {
        "GRBM_GUI_ACTIVE": 8 * 10_000.0,
        "SQ_VALU_MFMA_BUSY_CYCLES": 304 * 4 * 6_500.0,
        "SQ_ACTIVE_INST_VALU": 304 * 2_000.0,
        "SQ_WAVE_CYCLES": 304 * 16 * 10_000 / 4,
        "TCC_REQ": 128 * 4_000.0,
        "SPI_RA_LDS_CU_FULL_CSN": 304 * 250.0,
    }
    found = values(counters, "gfx942", MI300X)
    assert found["sm_elapsed"] == 10_000
    assert found["pipe_tensor"] == pytest.approx(65)
    assert found["valu_pct"] == pytest.approx(20)
    assert found["occupancy_achieved"] == pytest.approx(50)
    assert found["l2_pct"] == pytest.approx(40 / 1.28 * 1.28)
    assert found["full_lds_pct"] == pytest.approx(10)


# One dispatch of 10,000 cycles on a device of 100 CUs and 2 dies, and each key worked by hand.
CARD = {"cus": 100, "simds_per_cu": 4, "waves_per_cu": 32, "xcds": 2, "l2_channels": 32, "dram_peak": 4e12}
COUNTED = {
    "GRBM_GUI_ACTIVE": 20_000, "SQ_BUSY_CU_CYCLES": 900_000, "TCC_REQ": 64_000, "TCC_ATOMIC": 640,
    "TCC_HIT": 48_000, "TCC_MISS": 16_000, "TCC_EA0_RDREQ": 10_000, "TCC_EA0_RDREQ_32B": 1_000,
    "TCC_BUBBLE": 4_000, "TCC_EA0_RDREQ_DRAM": 9_000, "TCC_EA0_WRREQ": 5_000, "TCC_EA0_WRREQ_64B": 3_000,
    "TCC_EA0_ATOMIC": 100, "TCC_EA0_ATOMIC_LEVEL": 70_000, "TCP_TCC_READ_REQ": 20_000,
    "TCP_TCC_WRITE_REQ": 10_000, "TCP_TCC_ATOMIC_WITH_RET_REQ": 500, "TCP_TCC_ATOMIC_WITHOUT_RET_REQ":
    1_500, "TCP_TOTAL_CACHE_ACCESSES": 320_000, "TCP_TOTAL_ACCESSES": 160_000, "TA_TOTAL_WAVEFRONTS":
    5_000, "TA_FLAT_READ_WAVEFRONTS": 1_500, "TA_BUFFER_READ_WAVEFRONTS": 500, "TA_TA_BUSY": 300_000,
    "SQ_LDS_IDX_ACTIVE": 200_000, "SQ_LDS_BANK_CONFLICT": 40_000, "SQ_INSTS": 700_000,
    "SQ_ACTIVE_INST_VALU": 250_000, "SQ_THREAD_CYCLES_VALU": 12_000_000, "SQ_INSTS_VALU": 260_000,
    "SQ_INSTS_MFMA": 10_000, "SQ_INSTS_VALU_ADD_F32": 10_000, "SQ_INSTS_VALU_MUL_F32": 15_000,
    "SQ_INSTS_VALU_FMA_F32": 25_000, "SQ_INSTS_VALU_ADD_F64": 1_000, "SQ_INSTS_VALU_MUL_F64": 1_500,
    "SQ_INSTS_VALU_FMA_F64": 2_500, "SQ_INSTS_VALU_INT32": 60_000, "SQ_INSTS_VALU_INT64": 15_000,
    "SQ_INSTS_VALU_TRANS_F16": 1_000, "SQ_INSTS_VALU_TRANS_F32": 6_000, "SQ_INSTS_VALU_TRANS_F64": 3_000,
    "SQ_VALU_MFMA_BUSY_CYCLES": 1_600_000, "SQ_INST_CYCLES_SALU": 50_000, "SQ_WAVE_CYCLES": 2_000_000,
    "SQ_WAIT_ANY": 1_200_000, "SQ_WAIT_INST_ANY": 400_000, "SQ_WAIT_INST_LDS": 100_000, "SQC_ICACHE_REQ":
    50_000, "SQC_ICACHE_HITS": 49_000, "VmemLatency": 812, "LdsLatency": 130,
    "SPI_RA_WAVE_SIMD_FULL_CSN": 20_000, "SPI_RA_VGPR_SIMD_FULL_CSN": 150_000, "SPI_RA_LDS_CU_FULL_CSN":
    10_000, "SPI_RA_BAR_CU_FULL_CSN": 5_000, "SPI_RA_TGLIM_CU_FULL_CSN": 2_500,
}  # fmt: skip
BY_HAND = {
    "sm_elapsed": 10_000, "sm_active": 9_000, "units": 100, "dram_read": 128 * 4_000 + 64 * 5_000 + 32 *
    1_000, "dram_write": 64 * 3_000 + 32 * 2_000, "dram_bytes_s": 1_120_000 / 5e-6, "dram_pct": 5.6,
    "l2_sectors": 64_000, "l2_sectors_fabric": 1_000, "l2_atomics": 640, "l2_hit": 75, "l2_pct": 20,
    "l1_hit": 90, "lds_pct": 20, "l1_pct": 32, "mem_pct": 32, "ta_pct": 30, "coalescing_pct": 50,
    "ld_bytes_per_lane": 20, "shared_conflicts": 40_000, "shared_wavefronts": 200_000,
    "conflicts_per_access": 0.25, "inst": 700_000, "valu_pct": 25, "valu_lanes_pct": 75,
    "threads_per_inst": 24, "valu_fp32_pct": 20, "valu_fp64_pct": 2, "valu_int_pct": 30,
    "valu_trans_pct": 4, "pipe_fma": 5, "pipe_fp64": 0.5, "pipe_alu": 7.5, "pipe_xu": 4, "pipe_tensor":
    40, "salu_pct": 5, "sm_pct": 40, "occupancy_achieved": 25, "wait_pct": 60, "wait_issue_pct": 20,
    "wait_lds_pct": 5, "vmem_latency": 812, "lds_latency": 130, "atomic_latency": 700, "icache_miss_pct":
    2, "full_waves_pct": 2, "full_regs_pct": 15, "full_lds_pct": 4, "full_barriers_pct": 2,
    "full_groups_pct": 1,
}  # fmt: skip


def test_every_key_of_mi300_worked_by_hand() -> None:
    counters = {name: float(value) for name, value in COUNTED.items()}
    found, flags = derive(counters, "gfx942", CARD, {"duration": Reading(5_000.0, "t")})
    assert {key: reading.value for key, reading in found.items() if key != "duration"} == pytest.approx(
        BY_HAND
    )
    assert flags == ()
    covered = {
        key for key, rules in amd_map().keys.items() if any("gfx942" in amd_map().covered(r) for r in rules)
    }
    assert set(BY_HAND) == covered


def test_what_other_chips_count_in_their_own_way() -> None:
    counters = {name: float(value) for name, value in COUNTED.items()}
    lds_bound = values(counters | {"TCP_TOTAL_CACHE_ACCESSES": 64_000.0}, "gfx942", CARD)
    assert lds_bound["l1_pct"] == lds_bound["lds_pct"] == 20
    latency = {"TCP_TCP_LATENCY": 9_000.0, "TCP_TA_TCP_STATE_READ": 10.0}
    new = counters | latency | {"SQ_INSTS_LDS_ATOMIC": 6.0, "TCC_EA0_RDREQ_GMI_32B": 8.0}
    mi350 = values(new | {"TCC_EA0_RDREQ_IO_32B": 12.0}, "gfx950", CARD)
    assert (mi350["pipe_xu"], mi350["vmem_latency"], mi350["shared_atomics"]) == (2, 900, 6)
    assert (mi350["l2_sectors_fabric"], mi350["l2_sectors_sysmem"], mi350["ld_bytes_per_lane"]) == (2, 3, 20)
    old = counters | latency | {"TCC_EA_ATOMIC": 2.0, "TCC_EA_ATOMIC_LEVEL": 8.0, "GRBM_GUI_ACTIVE": 10_000.0}
    mi200 = values(old, "gfx90a", {name: value for name, value in CARD.items() if name != "xcds"})
    assert (mi200["valu_pct"], mi200["ld_bytes_per_lane"], mi200["atomic_latency"]) == (25, 10, 4)
    rdna = {
        "GRBM_GUI_ACTIVE": 1_000.0,
        "SQ_WAVE_CYCLES": 1_600_000.0,
        "SQ_WAIT_ANY": 400_000.0,
        "GL2C_HIT": 2.0,
    }
    rdna |= {
        "GL2C_MISS": 8.0,
        "SQC_LDS_BANK_CONFLICT": 1.0,
        "SQC_LDS_IDX_ACTIVE": 3.0,
        "SQ_WAVE32_INSTS": 5.0,
    }
    rdna |= {"SQ_WAVE64_INSTS": 2.0, "GL2C_MC_WRREQ": 5.0, "GL2C_EA_WRREQ_64B": 3.0}
    assert values(rdna, "gfx1100", {"cus": 100, "waves_per_cu": 32}) == {
        "sm_elapsed": 1_000, "units": 100, "dram_write": 256, "l2_hit": 20, "shared_conflicts": 1,
        "wait_pct": 25, "shared_wavefronts": 3, "conflicts_per_access": 0.5, "inst": 7,
        "occupancy_achieved": 50,
    }  # fmt: skip


def test_bytes_by_request_size_differ_by_chip() -> None:
    reads = {"RDREQ": 100.0, "RDREQ_32B": 10.0}
    old = {f"TCC_EA_{name}": value for name, value in reads.items()}
    new = {f"TCC_EA0_{name}": value for name, value in reads.items()} | {"TCC_BUBBLE": 30.0}
    assert values(old, "gfx90a", {})["dram_read"] == 90 * 64 + 10 * 32
    assert values(new, "gfx942", {})["dram_read"] == 30 * 128 + 60 * 64 + 10 * 32
    most = 90 * 128 + 10 * 32
    assert values(new, "gfx950", {})["dram_read"] == most, (
        "its 128-byte reads are not bubbles: the most they can be"
    )
    assert "dram_read" not in values({"FETCH_SIZE": 9.0}, "gfx950", {})
    assert values({"FETCH_SIZE": 9.0}, "gfx942", {})["dram_read"] == 9 * 1024
    sizes = {"TCC_EA0_RDREQ_32B": 5.0, "TCC_EA0_RDREQ_64B": 2.0, "TCC_EA0_RDREQ_128B": 3.0}
    assert values(sizes, "gfx950", {})["dram_read"] == 160 + 128 + 384
    writes = {"TCC_EA_WRREQ": 10.0, "TCC_EA_WRREQ_64B": 4.0, "TCC_EA_RDREQ": 9.0, "TCC_EA_RDREQ_DRAM": 6.0}
    found = values(writes, "gfx90a", {})
    assert (found["dram_write"], found["l2_sectors_fabric"]) == (6 * 32 + 4 * 64, 3)
    assert values(writes | {"TCC_EA_RDREQ_DRAM": 12.0}, "gfx90a", {})["l2_sectors_fabric"] == 0
    rdna = {f"GL2C_EA_RDREQ_{size}B": 2.0 for size in (32, 64, 96, 128)}
    assert values(rdna, "gfx1100", {})["dram_read"] == 640
    assert values(rdna, "gfx1201", {})["dram_read"] == 448


def test_bandwidth_needs_a_time() -> None:
    counters = {"TCC_EA0_RDREQ": 64.0, "TCC_EA0_RDREQ_32B": 0.0, "TCC_BUBBLE": 0.0}
    counters |= {"TCC_EA0_WRREQ": 64.0, "TCC_EA0_WRREQ_64B": 64.0}
    assert "dram_bytes_s" not in values(counters, "gfx942", MI300X)
    readings, _ = derive(counters, "gfx942", MI300X, {"duration": Reading(1_000.0, "t")})
    assert readings["dram_bytes_s"].value == pytest.approx(8192 / 1e-6)
    assert readings["dram_pct"].value == pytest.approx(100 * 8.192e9 / 5.3e12)
    assert readings["dram_bytes_s"].source == "dram_read, dram_write, duration"


def test_the_largest_part_is_known_only_with_all_parts_that_can_be_it() -> None:
    cycles = {"GRBM_GUI_ACTIVE": 8e4, "SQ_ACTIVE_INST_VALU": 304e3}
    assert "sm_pct" not in values(cycles, "gfx942", MI300X), "the matrix units may be busier"
    cycles |= {"SQ_VALU_MFMA_BUSY_CYCLES": 0.0}
    assert values(cycles, "gfx942", MI300X)["sm_pct"] == pytest.approx(10), "without the scalar unit"
    assert values(cycles | {"SQ_INST_CYCLES_SALU": 608e3}, "gfx942", MI300X)["sm_pct"] == pytest.approx(20)
    assert values(cycles | {"SQ_ACTIVE_INST_SCA": 1216e3}, "gfx942", MI300X)["sm_pct"] == pytest.approx(40)


def test_wave_size_is_the_chips_and_lanes_are_told_of_32() -> None:
    counters = {"SQ_THREAD_CYCLES_VALU": 48.0 * 1000, "SQ_ACTIVE_INST_VALU": 1000.0}
    found = values(counters, "gfx90a", {})
    assert (found["valu_lanes_pct"], found["threads_per_inst"]) == (75, pytest.approx(24))


def test_bytes_of_a_lane_are_at_least_what_all_requests_say() -> None:
    counters = {"TCC_REQ": 3200.0, "TA_TOTAL_WAVEFRONTS": 100.0}
    assert values(counters, "gfx90a", {})["ld_bytes_per_lane"] == 32, "of a 16-byte lane, half is waste"
    counters |= {
        "TCP_TCC_READ_REQ": 3200.0,
        "TA_FLAT_READ_WAVEFRONTS": 50.0,
        "TA_BUFFER_READ_WAVEFRONTS": 0.0,
    }
    assert values(counters, "gfx90a", {})["ld_bytes_per_lane"] == 64, "the loads' own requests know better"


def test_conflicts_are_a_share_of_lds_time() -> None:
    found = values({"SQ_LDS_BANK_CONFLICT": 60.0, "SQ_LDS_IDX_ACTIVE": 80.0}, "gfx942", {})
    assert found["shared_conflicts"] / found["shared_wavefronts"] == 0.75
    assert found["conflicts_per_access"] == 3
    assert "conflicts_per_access" not in values(
        {"SQ_LDS_BANK_CONFLICT": 0.0, "SQ_LDS_IDX_ACTIVE": 0.0}, "gfx942", {}
    ), "nothing over nothing is no ratio"


@pytest.mark.parametrize("counters", [{"TCC_HIT": 3.0}, {"TCC_HIT": 0.0, "TCC_MISS": 0.0}, {}])
def test_a_missing_counter_or_a_zero_divisor_leaves_the_key_out(counters: dict[str, float]) -> None:
    assert "l2_hit" not in values(counters, "gfx942", MI300X)


def test_a_sum_column_is_the_counter() -> None:
    assert values({"TCC_HIT_sum": 1.0, "TCC_MISS_sum": 3.0}, "gfx942", {})["l2_hit"] == 25


def test_what_cannot_be_is_left_out_and_said() -> None:
    counters = {"GRBM_GUI_ACTIVE": 8_000.0, "SQ_ACTIVE_INST_VALU": 304e4, "SQ_INSTS": 7.0}
    readings, flags = derive(counters, "gfx942", MI300X, {})
    assert "valu_pct" not in readings
    assert readings["inst"].value == 7
    assert flags == ("valu_pct would be 1000 %, which cannot be: left out",)


def test_zeros_of_a_card_without_counters_are_no_readings() -> None:
    known = {"duration": Reading(5_000.0, "t")}
    readings, flags = derive({"GRBM_COUNT": 0.0, "SQ_WAVES": 0.0, "GL2C_HIT": 0.0}, "gfx1100", {}, known)
    assert readings == known
    assert len(flags) == 1
    assert "gives no counters" in flags[0]
    honest, none = derive({"SQ_LDS_BANK_CONFLICT": 0.0}, "gfx942", {}, {})
    assert (honest["shared_conflicts"].value, none) == (0, ())


def test_of_an_unknown_gpu_only_what_holds_for_its_whole_family_is_told() -> None:
    counters = {
        "GRBM_GUI_ACTIVE": 8e4, "TCC_HIT": 1.0, "TCC_MISS": 1.0, "SQ_THREAD_CYCLES_VALU": 32.0,
        "SQ_ACTIVE_INST_VALU": 1.0, "TCC_EA0_RDREQ": 100.0, "TCC_EA0_RDREQ_32B": 0.0, "TCC_BUBBLE": 0.0,
    }  # fmt: skip
    assert values(counters, None, {}) == {
        "l2_hit": 50, "valu_lanes_pct": 50, "threads_per_inst": pytest.approx(16)
    }  # fmt: skip
    assert values(counters, "gfx906", MI300X) == {}


def test_a_tools_own_metric_serves_where_raw_counters_are_missing() -> None:
    own = {
        "MfmaUtil": 61.5,
        "VALUUtilization": 50.0,
        "L2CacheHit": 12.0,
        "MemUnitBusy": 13.0,
        "VALUBusy": 14.0,
    }
    own |= {"SALUBusy": 15.0, "OccupancyPercent": 16.0, "WRITE_SIZE": 3.0}
    assert values(own, "gfx90a", {}) == {
        "pipe_tensor": 61.5, "valu_lanes_pct": 50, "threads_per_inst": 16, "l2_hit": 12, "ta_pct": 13,
        "valu_pct": 14, "salu_pct": 15, "occupancy_achieved": 16, "dram_write": 3072, "sm_pct": 61.5,
    }  # fmt: skip


@given(
    st.dictionaries(
        st.sampled_from(sorted(published("gfx942"))),
        st.floats(min_value=0, max_value=1e15) | st.just(0.0),
        max_size=40,
    ),
    st.sampled_from((*CHIPS, None, "gfx906")),
    st.dictionaries(st.sampled_from(sorted(MI300X)), st.floats(min_value=0, max_value=1e15)),
)
def test_no_counters_break_it_and_no_share_is_impossible(
    counters: dict[str, float], arch: str | None, constants: dict[str, float]
) -> None:
    readings, _ = derive(counters, arch, constants, {})
    for key, reading in readings.items():
        assert reading.value >= 0
        assert vocabulary()[key].unit != "%" or reading.value <= 110


# ---- sizes


def test_occupancy_comes_from_registers_lds_and_the_sheet() -> None:
    gpu = agent("AMD Instinct MI300X", "gfx942", {})
    tiled = Dispatch(
        1,
        "k",
        {},
        (256 * 608, 1, 1),
        (256, 1, 1),
        1e5,
        vgprs=128,
        accum_vgprs=128,
        lds_bytes=32_768,
        scratch_bytes=0,
    )
    found = launch(0, tiled, gpu)
    assert (found.value("regs"), found.value("limit_regs"), found.value("limit_smem")) == (256, 2, 2)
    assert (found.value("occupancy_theoretical"), found.value("waves")) == (25, 1)
    assert found.grid_blocks == (608, 1, 1)
    assert found.flags == ()


def test_a_static_0_of_lds_is_0_only_where_the_lds_was_idle() -> None:
    gpu = agent("AMD Instinct MI300X", "gfx942", {})
    told = Dispatch(1, "k", {}, (1024, 1, 1), (256, 1, 1), vgprs=128, lds_bytes=0, static_lds=True)
    unknown = launch(0, told, gpu)
    assert {"smem_block", "limit_smem", "occupancy_theoretical", "waves"}.isdisjoint(unknown.readings)
    assert (unknown.value("limit_regs"), unknown.value("limit_warps")) == (4, 8)
    idle = launch(0, replace(told, counters={"SQ_LDS_IDX_ACTIVE": 0.0}), gpu)
    assert (idle.value("smem_block"), idle.value("occupancy_theoretical")) == (0, 50)
    used = launch(0, replace(told, counters={"SQ_LDS_IDX_ACTIVE": 9.0}), gpu)
    assert used.value("smem_block") is None


def test_an_arch_alone_is_no_device_and_a_sheet_of_another_chip_is_not_used() -> None:
    assert agent(None, "gfx942", {}).constants == {}
    assert agent(None, "gfx90a", {}, find_spec("mi300x")).constants == {}
    given = agent(None, None, {"cus": 152}, find_spec("mi300x"))
    assert (given.arch, given.constants["cus"], given.constants["xcds"]) == ("gfx942", 152, 8)
    found = launch(0, Dispatch(1, "k", {}), given)
    assert found.flags == ("the profile counts 152 CUs, the sheet of Instinct MI300X 304",)
