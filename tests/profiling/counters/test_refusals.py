"""Every way in which a profiler refuses is recognised by its own words, and comes with its cure."""

from __future__ import annotations

import pytest

from kbgen import KbgenError
from kbgen.profiling.counters.refusals import (
    RULES,
    CountersRefused,
    missing_tool,
    no_rows,
    recognise,
    timed_out,
)

SAID = {
    "permission": "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
    "Performance Counters on the target device 0. For instructions see the web page.",
    "busy": "==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool "
    "(like DCGM) is concurrently collecting profiling data.",
    "sandboxed runtime": "==ERROR== Failed to initialize the profiler: LibraryNotLoaded",
    "lock": "==ERROR== Error: InterprocessLockFailed",
    "wsl": "==ERROR== Profiling is not supported on device 0: Windows Subsystem for Linux (WSL).",
    "vgpu": "==ERROR== Profiling is not supported on vGPU.",
    "mig": "==ERROR== Profiling in a MIG instance is not supported with this driver.",
    "confidential computing": "==ERROR== Counters are unavailable while confidential computing is active.",
    "unsupported card": "==ERROR== Profiling is not supported on device 0. See --list-chips.",
    "driver too old": "==ERROR== Cuda driver is not compatible with Nsight Compute.",
    "unknown metric": "==ERROR== Failed to find metric sm__inst_executed_pipe_fp32.sum",
    "disk": "==ERROR== Failed to write report: No space left on device",
    "not started": "==ERROR== The executable /bin/nothing does not exist.",
    "program failed": "==ERROR== The application returned an error code (3).",
    "no GPU work": "==PROF== Target process 41832 terminated before first instrumented API call.",
    "nothing matched": "==WARNING== No kernels were profiled.",
}  # fmt: skip


@pytest.mark.parametrize("name", [rule.name for rule in RULES])
def test_each_refusal_is_known_by_its_words_and_has_a_cure(name: str) -> None:
    refusal = recognise(f"training step 1\n{SAID[name]}\n==PROF== Disconnected from process 1\n")
    rule = next(rule for rule in RULES if rule.name == name)
    assert refusal is not None
    assert (refusal.symptom, refusal.meaning, refusal.cure) == (SAID[name], rule.meaning, rule.cure)


def test_the_cause_explains_what_follows_from_it() -> None:
    """Without permission nothing is profiled either; permission is the one to tell of."""
    refusal = recognise(f"{SAID['nothing matched']}\n{SAID['permission']}\n")
    assert refusal is not None
    assert "CAP_SYS_ADMIN" in refusal.cure


def test_the_kernels_that_were_there_are_named_where_none_matched() -> None:
    """As ncu 2025.3 prints them on an H200."""
    output = (
        "==WARNING== No kernels were profiled.\nAvailable Kernels:\n1. cunn_SoftMaxForwardReg\n"
        "2. nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT\n"
    )
    refusal = recognise(output)
    assert refusal is not None
    assert refusal.cure.endswith(
        "it launched cunn_SoftMaxForwardReg, nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT"
    )


def test_words_of_the_profiled_program_are_not_the_tools() -> None:
    assert recognise("No kernels were profiled. ERR_NVGPUCTRPERM\n==PROF== Report: a.ncu-rep\n") is None
    assert recognise("==WARNING== Note: Running with unmodified GPU clocks.\n==PROF== Connected\n") is None


def test_an_error_in_unknown_words_is_told_in_these() -> None:
    refusal = recognise("==ERROR== Unknown Error on device 0.")
    assert refusal is not None
    assert refusal.meaning == "ncu says: Unknown Error on device 0."


def test_a_refusal_is_one_sentence_of_the_projects_own_error() -> None:
    for refusal in (missing_tool("ncu"), missing_tool("rocprofv3"), timed_out(30), no_rows("a.ncu-rep")):
        error = CountersRefused(refusal)
        assert isinstance(error, KbgenError)
        assert str(error) == f"no counters: {refusal.meaning}; {refusal.cure}"
        assert "\n" not in str(error)
