"""One launch diagnosed: the golden table, the samples in place, and what becomes of missing counters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.hardware_specs.spec import DeviceSpec, find_spec
from kbgen.profiling.classify import Diagnosis, classify_launch, diagnose
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.counters.record import Launch, Reading
from kbgen.profiling.counters.vocabulary import vocabulary
from kbgen.profiling.rules import rule_book

SAMPLES = Path(__file__).parents[4] / "shared" / "data" / "profiles"
H100, A4500, GB200, B200 = find_spec("h100"), find_spec("rtx3090"), find_spec("gb200"), find_spec("b200")
FORM = re.compile(r"^\w+ \((low|medium|high)\): \w+=\S.* \[(>|>=|<|<=) .+\].*; compared with .+$")


def launch(kernel: str = "kernel", flags: tuple[str, ...] = (), **readings: float) -> Launch:
    return Launch(
        0, kernel, {key: Reading(value, key) for key, value in readings.items()}, arch="sm_90", flags=flags
    )


def classes(found: Diagnosis) -> list[str]:
    return [hit.cls for hit in found.bottlenecks]


def sample(name: str, spec: str) -> Diagnosis:
    if not (SAMPLES / name).exists():
        pytest.skip("the sample profiles are not beside this checkout")
    return classify_launch(read_profile(SAMPLES / name).launches[0], find_spec(spec))


# ---- profiles of others: the prototype's table, values as published


def test_t4_copy_is_uncoalesced_and_dram_bound() -> None:
    found = sample("nvidia/ncu_details_t4_copy_blocked.csv", "t4")
    assert classes(found)[:2] == ["uncoalesced", "dram_bandwidth"]
    assert found.bottlenecks[0].confidence == "high"
    assert "ld_bytes_per_sector=8.0 of 32 bytes per sector" in found.bottlenecks[0].evidence
    assert "excess_sectors_pct=75.0 % [>= 20]" in found.bottlenecks[0].evidence
    assert "lg_throttle" in classes(found)
    assert found.level == "A"


def test_kmer_counting_waits_at_barriers_then_diverges() -> None:
    found = sample("nvidia/ncu_text_cc75_kmer_optimized_k12.txt", "t4")
    assert classes(found)[:2] == ["barrier", "branch_divergence"]
    assert "stall_barrier=0.69 [> 0.3]" in found.bottlenecks[0].evidence
    assert "threads_per_inst=15.7 of 32 threads [< 24]" in found.bottlenecks[1].evidence


def test_gb200_gemm_has_a_tail_and_no_blame_for_its_occupancy() -> None:
    found = sample("nvidia/ncu_details_gb200_cublaslt_mixed.log", "gb200")
    assert classes(found)[0] == "tail_effect"
    assert "partial_blocks=136 blocks" in found.bottlenecks[0].evidence
    assert "tail_bound_pct=50 %" in found.bottlenecks[0].evidence
    assert not [name for name in classes(found) if name.startswith("occupancy")]


def test_a_copy_too_short_to_fill_the_bus_waits() -> None:
    """16.8 MB in 21.8 us on an MI350, a tenth of its bus: the waves wait. Its tool counted reads without
    their sizes, all of them 128 bytes; 25 % "coalescing" is what 8-byte lanes read, so that stays open."""
    found = sample("amd/rocprof-compute-vcopy/MI350", "mi350x")
    assert classes(found) == ["memory_latency"]
    assert "wait_pct=82.7 %" in found.bottlenecks[0].evidence
    assert "uncoalesced" in found.undecided


@pytest.mark.parametrize(
    ("readings", "spec", "expected"),
    [
        pytest.param({"grid": 128.0, "waves": 0.29, "units": 148.0, "sm_pct": 30.0, "mem_pct": 20.0}, B200,
                     ["small_grid"], id="B200 small GEMM"),
        pytest.param({"shared_conflicts": 92.0, "shared_wavefronts": 100.0, "l1_pct": 90.0}, A4500,
                     ["bank_conflict"], id="transposeCoalesced"),
        pytest.param({"dram_pct": 89.0, "l2_pct": 40.0, "l1_pct": 30.0}, A4500,
                     ["dram_bandwidth"], id="transposeNoBankConflicts"),
        pytest.param({"dram_pct": 91.0, "l2_pct": 40.0, "l1_pct": 30.0}, A4500,
                     ["dram_bandwidth"], id="addConstDouble"),
        pytest.param({"dram_pct": 88.0, "l2_pct": 40.0, "l1_pct": 60.0, "ld_bytes_per_sector": 10.7,
                     "l1_hit": 82.0},
                     A4500, ["dram_bandwidth", "uncoalesced"], id="addConstDouble3"),
        pytest.param({"pipe_fp64": 86.0, "dram_pct": 20.0}, A4500, ["fp64_pipe"], id="sobelDouble"),
        pytest.param({"issue_active": 0.84, "sm_pct": 84.0, "pipe_fma": 30.0, "pipe_alu": 50.0}, A4500,
                     ["instruction_issue"], id="sobelFloat"),
    ],
)  # fmt: skip
def test_the_prototypes_table(readings: dict[str, float], spec: DeviceSpec, expected: list[str]) -> None:
    found = classify_launch(launch(**readings), spec)
    assert [name for name in classes(found) if name in expected or name == classes(found)[0]] == expected


# ---- evidence


def test_evidence_has_the_fixed_form() -> None:
    readings = {
        "dram_pct": 91.0, "l2_pct": 40.0, "l1_pct": 30.0, "ld_bytes_per_sector": 32.0, "stall_barrier": 0.5,
        "stall_lg_throttle": 0.4,
    }  # fmt: skip
    found = classify_launch(launch(**readings), H100)
    assert len(found.bottlenecks) == 3
    assert [hit.evidence for hit in found.bottlenecks if not FORM.match(hit.evidence)] == []
    assert found.bottlenecks[0].evidence == (
        "dram_bandwidth (high): dram_pct=91.0 % [>= 60], dram_pct=91.0 % [>= l2_pct=40.0 %], "
        "dram_pct=91.0 % [>= l1_pct=30.0 %], l2_pct=40.0 %; "
        "compared with dram_peak_gb_s=3350 GB/s of H100 SXM5 80GB"
    )


def test_a_warning_of_the_tool_lowers_confidence() -> None:
    readings = {"dram_pct": 91.0, "l2_pct": 40.0, "l1_pct": 30.0, "ld_bytes_per_sector": 32.0}
    sure = classify_launch(launch(**readings), H100).bottlenecks[0]
    doubted = classify_launch(launch(flags=("counters may be inaccurate",), **readings), H100).bottlenecks[0]
    assert (sure.confidence, doubted.confidence) == ("high", "medium")
    assert doubted.evidence.startswith("dram_bandwidth (medium): ")


def test_a_symptom_is_surer_when_its_causes_are_ruled_out() -> None:
    """A full bus may be full of waste: only the sectors tell."""
    readings = {"dram_pct": 80.0, "l2_pct": 40.0, "l1_pct": 30.0}
    found = classify_launch(launch(**readings), H100)
    assert (found.bottlenecks[0].cls, found.bottlenecks[0].confidence) == ("dram_bandwidth", "medium")
    assert "uncoalesced" in found.undecided
    ruled_out = classify_launch(launch(ld_bytes_per_sector=32.0, **readings), H100)
    assert ruled_out.bottlenecks[0].confidence == "high"


def test_part_of_the_metrics_gives_part_of_the_confidence() -> None:
    found = classify_launch(launch(dram_pct=70.0, mem_pct=70.0), H100).bottlenecks[0]
    assert (found.cls, found.confidence) == ("dram_bandwidth", "medium")


def test_missing_counters_leave_their_classes_open_and_no_other() -> None:
    full = {
        "sm_pct": 20.0,
        "mem_pct": 30.0,
        "stall_barrier": 0.7,
        "stall_wait": 0.1,
        "stall_math_pipe_throttle": 0.0,
    }
    assert "dependency" not in classify_launch(launch(**full), H100).undecided
    del full["stall_wait"], full["mem_pct"]
    found = classify_launch(launch(**full), H100)
    assert classes(found)[0] == "barrier"
    assert {"dependency", "memory_latency", "launch_overhead"} <= set(found.undecided)


def test_a_device_without_a_sheet_loses_only_what_needs_one() -> None:
    found = classify_launch(launch(pipe_fma=88.0, dram_bytes_s=1e12), None)
    assert classes(found) == ["fp32_pipe"]
    assert found.bottlenecks[0].evidence.endswith("compared with a device without a sheet")
    assert "dram_bandwidth" in found.undecided
    assert found.roofline is None


def test_nothing_found_says_the_numbers_and_what_to_ask_for() -> None:
    found = classify_launch(launch(sm_pct=48.0, mem_pct=52.0), H100)
    (only,) = found.bottlenecks
    assert (only.cls, only.confidence) == ("unclassified", "low")
    assert only.evidence.startswith("unclassified (low): sm_pct=48.0 %, mem_pct=52.0 %; compared with H100")
    assert re.search(r"\d+ classes undecided, ask for \w+, ", only.evidence)
    assert only.remedies


# ---- what looks like a cause


PIPELINE = {
    "sm_pct": 40.0, "mem_pct": 40.0, "limit_regs": 1.0, "limit_smem": 1.0, "limit_warps": 5.0,
    "limit_blocks": 32.0,
    "occupancy_theoretical": 18.75,
}  # fmt: skip


def test_low_occupancy_is_a_cause_where_no_pipeline_explains_it() -> None:
    found = classify_launch(launch(pipe_tensor=0.0, pipe_tma=0.0, **PIPELINE), H100)
    assert {"occupancy_regs", "occupancy_smem"} <= set(classes(found))
    assert {hit.confidence for hit in found.bottlenecks} == {"high"}
    unknown = classify_launch(launch(**PIPELINE), H100)
    assert {hit.confidence for hit in unknown.bottlenecks} == {"medium"}


@pytest.mark.parametrize(
    ("kernel", "told"),
    [
        ("kernel", {"pipe_tma": 5000.0}),
        ("kernel", {"pipe_tensor": 45.0}),
        ("cutlass3x_sm100_tensorop_s64x256x32gemm", {}),
        ("sm90_xmma_gemm_bf16bf16_bf16f32", {}),
        ("Cijk_Alik_Bljk_BBS_BH_MT256x256x64_MI16x16x1", {}),
    ],
)
def test_low_occupancy_of_a_pipeline_is_its_design(kernel: str, told: dict[str, float]) -> None:
    found = classify_launch(launch(kernel, **told, **PIPELINE), H100)
    assert not [name for name in classes(found) if name.startswith("occupancy")]


def test_a_stream_through_two_partitions_is_bound_by_dram() -> None:
    """Ours on an H200: L2 at 87 % with its traffic between halves, DRAM at 73 %, hits of writes alone."""
    readings = {"dram_pct": 72.8, "l2_pct": 87.5, "l1_pct": 34.9, "l2_hit": 50.8}
    assert classes(classify_launch(launch(**readings), find_spec("h200"))) == ["dram_bandwidth"]
    reused = readings | {"l2_hit": 96.0}
    assert classes(classify_launch(launch(**reused), find_spec("h200"))) == ["l2_bandwidth"]


def test_at_the_roof_one_stops_only_if_nothing_is_wasted() -> None:
    clean = {"dram_pct": 93.0, "l2_pct": 50.0, "l1_pct": 30.0, "ld_bytes_per_sector": 32.0, "l1_hit": 0.0,
             "local_ld": 0.0, "local_st": 0.0, "inst": 100.0}  # fmt: skip
    assert classes(classify_launch(launch(**clean), H100))[0] == "near_roofline"
    wasteful = clean | {"ld_bytes_per_sector": 8.0}
    assert classes(classify_launch(launch(**wasteful), H100))[0] == "uncoalesced"
    unknown = {key: value for key, value in clean.items() if not key.startswith("local")}
    found = classify_launch(launch(**unknown), H100)
    assert classes(found)[0] == "dram_bandwidth"
    assert "near_roofline" in found.undecided


def test_a_matrix_product_at_the_fp32_roof_still_has_tensor_cores() -> None:
    facts = {"roofline_pct": 92.0, "matmul_like": 1.0, "mma_instructions": 0.0, "compute_pct": 92.0}
    assert diagnose([("sgemm", facts)], H100, "B").bottlenecks[0].cls == "tensor_unused"


def test_the_tail_leads_only_while_its_last_wave_is_rather_empty() -> None:
    wave = {"units": 132.0, "limit_regs": 1.0, "limit_smem": 8.0, "limit_warps": 8.0, "limit_blocks": 32.0}
    rest = {"sm_pct": 30.0, "mem_pct": 30.0, "stall_long_scoreboard": 0.5} | wave
    assert classes(classify_launch(launch(grid=140.0, **rest), H100))[0] == "tail_effect"
    assert classes(classify_launch(launch(grid=260.0, **rest), H100))[0] == "memory_latency"
    busy = rest | {"dram_pct": 80.0, "l2_pct": 40.0, "l1_pct": 20.0, "mem_pct": 80.0}
    assert classes(classify_launch(launch(grid=140.0, **busy), H100))[:1] == ["dram_bandwidth"]


@given(
    readings=st.dictionaries(
        st.sampled_from(sorted(vocabulary())), st.floats(0, 1e12, allow_nan=False) | st.integers(0, 100)
    ),
    device=st.sampled_from([None, H100, find_spec("mi300x"), find_spec("b300"), find_spec("t4")]),
    name=st.sampled_from(["kernel", "ampere_sgemm_128x64_nn", "Cijk_Alik", "", "cutlass3x_sm90_tensorop"]),
)
def test_any_subset_of_readings_gets_an_answer(
    readings: dict[str, float], device: DeviceSpec | None, name: str
) -> None:
    """A class is found, absent or undecided, never twice, and what is found is told with its numbers."""
    found = classify_launch(launch(name, **readings), device)
    names = classes(found)
    assert names
    assert len(names) == len(set(names))
    assert not set(names) & set(found.undecided)
    assert all(FORM.match(hit.evidence) for hit in found.bottlenecks if hit.cls != "unclassified")


def test_sectors_of_system_memory_count_where_warps_wait_for_them() -> None:
    """Ours on an H200: a kernel of the fp32 pipe shows 5.8 % of its few sectors there, the profiler's."""
    busy = {
        "pipe_fma": 89.5,
        "issue_active": 1.0,
        "sm_pct": 98.4,
        "l2_pct": 1.3,
        "stall_long_scoreboard": 0.0,
    }
    sectors = {"l2_sectors": 221_344.0, "l2_sectors_sysmem": 12_863.0}
    assert "sysmem_traffic" not in classes(classify_launch(launch(**busy, **sectors), H100))
    waiting = {"stall_long_scoreboard": 0.99, "l2_pct": 8.9, "sm_pct": 0.2, "mem_pct": 8.9}
    sectors = {"l2_sectors": 3_234_061.0, "l2_sectors_sysmem": 1_605_161.0}
    assert classes(classify_launch(launch(**waiting, **sectors), H100))[0] == "sysmem_traffic"


def test_adding_to_few_words_of_shared_memory_is_no_bank_conflict() -> None:
    """Ours on an H200: atomics on two words are counted as 94 % conflicts."""
    counted = {"shared_conflicts": 94.0, "shared_wavefronts": 100.0, "l1_pct": 97.9, "inst": 100.0}
    found = classes(classify_launch(launch(shared_atomics=20.0, **counted), H100))
    assert found[:2] == ["membar_atomics", "bank_conflict"]
    assert classes(classify_launch(launch(shared_atomics=0.0, **counted), H100))[0] == "bank_conflict"


def test_missing_warps_come_before_the_wait_that_they_cause() -> None:
    """Ours on an H200: 8 warps an SM by their registers, and 89 % of warp time waiting for memory."""
    limits = {"limit_regs": 1.0, "limit_smem": 8.0, "limit_warps": 8.0, "limit_blocks": 32.0}
    rest = {"sm_pct": 4.0, "mem_pct": 6.0, "stall_long_scoreboard": 0.89, "pipe_tensor": 0.0}
    starved = classify_launch(launch(occupancy_theoretical=12.5, **limits, **rest), H100)
    assert classes(starved)[:2] == ["occupancy_regs", "memory_latency"]
    ample = classify_launch(launch(occupancy_theoretical=75.0, **limits, **rest), H100)
    assert classes(ample)[:2] == ["memory_latency", "occupancy_regs"]


def test_every_class_can_be_found_by_counters() -> None:
    """No class depends on a timing session alone."""
    for name, entry in rule_book().classes.items():
        assert any(rule.basis == "counters" for rule in entry.rules), name
