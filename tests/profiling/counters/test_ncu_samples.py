"""Real reports of other people's GPUs, which lie beside the checkout: what was worked out by hand is read."""

from pathlib import Path

import pytest

from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.counters.record import Launch

SAMPLES = Path(__file__).parents[4] / "shared" / "data" / "profiles" / "nvidia"
pytestmark = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="the sample profiles are not beside the checkout"
)


def only_launch(name: str) -> Launch:
    report = read_profile(SAMPLES / name)
    assert report.tool == "ncu"
    assert report.notes == ()
    (launch,) = report.launches
    assert launch.flags == ()
    return launch


def values(launch: Launch, *keys: str) -> list[float | None]:
    return [launch.value(key) for key in keys]


def test_fp8_product_on_gb200() -> None:
    launch = only_launch("ncu_details_gb200_cublaslt_mixed.log")
    assert launch.kernel.startswith("cutlass3x_sm100_tensorop_s64x256x32gemm_f8_f8_f32")
    assert (launch.arch, launch.grid_blocks, launch.block_threads) == ("sm_100", (9, 32, 1), (384, 1, 1))
    assert values(launch, "grid", "block", "units", "waves") == [288, 384, 152, 1.89]
    assert values(launch, "limit_regs", "limit_smem", "limit_warps", "limit_blocks", "limit_barriers") == [
        1,
        1,
        5,
        32,
        9,
    ]
    assert values(launch, "occupancy_theoretical", "occupancy_achieved") == [18.75, 15.53]
    assert values(launch, "sm_pct", "mem_pct", "dram_pct", "l2_pct", "l1_pct") == [
        23.59,
        21.68,
        0.74,
        15.12,
        23.23,
    ]
    assert values(launch, "duration", "regs", "smem_block") == [406_240, 168, 206_720]
    assert values(launch, "sm_clock", "dram_clock") == [1_239_496_049.13, 3_995_313_115.40]
    assert values(launch, "sm_active", "sm_elapsed") == [462_061.91, 508_757]
    assert launch.value("sm_active_max") == pytest.approx(
        462_061.91 / (1 - 0.0623)
    )  # told by WorkloadImbalance
    assert len(launch.remarks) == 8
    tail = launch.remarks[2]
    assert (tail.rule, tail.kind, tail.speedup_pct, tail.speedup_scope) == (
        "LaunchConfiguration",
        "OPT",
        50,
        "global",
    )
    assert "1 full waves and a partial wave of 136 thread blocks" in tail.text


def test_strided_copy_on_t4() -> None:
    launch = only_launch("ncu_details_t4_copy_blocked.csv")
    assert (launch.arch, launch.grid_blocks, launch.block_threads) == ("sm_75", (1024, 1, 1), (256, 1, 1))
    assert values(launch, "duration", "dram_pct", "sm_pct", "mem_pct") == [21_058_944, 61.84, 1.30, 61.84]
    assert values(launch, "dram_bytes_s", "sm_clock") == [196_456_177_859.63, 584_998_877.44]
    assert values(launch, "l1_hit", "l2_hit", "issue_active", "cycles_per_issue") == [
        0.46,
        4.58,
        0.01,
        933.13,
    ]
    assert values(launch, "ld_bytes_per_sector", "st_bytes_per_sector") == [8, 8]
    assert values(launch, "sectors_global", "sectors_global_ideal") == [33_554_432, 8_388_608]
    assert values(launch, "stall_long_scoreboard", "stall_lg_throttle", "stall_barrier") == [
        0.527,
        0.469,
        None,
    ]
    assert values(launch, "grid", "inst", "units", "waves") == [1024, 16_105_472, 40, 6.40]
    assert values(launch, "threads_per_inst", "threads_pred_on", "branch_uniform") == [32, 31.95, 100]


def test_counting_kernel_as_text() -> None:
    launch = only_launch("ncu_text_cc75_kmer_optimized_k12.txt")
    assert launch.kernel == "count_kmers_coalesced_kernel(const char *, int, int, unsigned int *, int)"
    assert (launch.arch, launch.grid_blocks, launch.block_threads) == ("sm_75", (1024, 1, 1), (256, 1, 1))
    assert values(launch, "duration", "sm_pct", "mem_pct", "dram_pct") == [4_830_000, 20.40, 6.09, 0.06]
    assert values(launch, "stall_barrier", "threads_per_inst", "threads_pred_on") == [0.693, 15.73, 13.96]
    assert values(launch, "sm_active", "sm_elapsed", "inst") == [6_539_545.23, 6_662_937, 155_859_546]
    assert values(launch, "limit_regs", "occupancy_theoretical", "occupancy_achieved") == [3, 75, 72.57]
    assert values(launch, "sectors_global", "sectors_global_ideal", "ld_bytes_per_sector") == [
        250_175,
        128_446,
        16.7,
    ]
    assert values(launch, "wavefronts_shared", "wavefronts_shared_ideal") == [2_838_282, 393_216]
    assert values(launch, "units", "waves", "regs", "grid") == [30, 11.38, 80, 1024]
    assert [remark.speedup_pct for remark in launch.remarks if remark.rule == "Source Counters"] == [
        13.04,
        84.59,
    ]
