"""PC samples of rocprofv3 become shares of wave time, with as much certainty as their number allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.counters import pc_sampling
from kbgen.profiling.counters.record import Launch
from kbgen.profiling.counters.textfile import UnreadableProfileError, head
from kbgen.profiling.counters.vocabulary import vocabulary

SAMPLES = Path(__file__).resolve().parents[4] / "shared/data/profiles/amd/rocprofv3-2025-08"
sampled = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample profiles are not here")
HEADER = (
    '"Sample_Timestamp","Exec_Mask","Dispatch_Id","Instruction","Instruction_Comment","Correlation_Id",'
    '"Wave_Issued_Instruction","Instruction_Type","Stall_Reason","Wave_Count"\n'
)
REASON = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_"


def sample(instruction: str, reason: str, issued: int = 0, dispatch: int = 1) -> str:
    return f'{dispatch}000100,255,{dispatch},"{instruction}","",1,{issued},"T","{REASON}{reason}",4\n'


def one(folder: Path, *samples: str) -> Launch:
    path = folder / "run_pc_sampling_stochastic.csv"
    path.write_text(HEADER + "".join(samples), encoding="utf-8")
    assert pc_sampling.recognises(path, head(path))
    (launch,) = pc_sampling.read(path).launches
    return launch


@sampled
def test_the_published_samples() -> None:
    report = pc_sampling.read(SAMPLES / "pc_sampling_stochastic_debug.csv")
    assert all("samples are few" in launch.flags[0] for launch in report.launches)
    for launch in report.launches:
        assert sum(reading.value for reading in launch.readings.values()) == pytest.approx(1)
    (trap,) = pc_sampling.read(SAMPLES / "pc_sampling_host_trap.csv").launches
    assert trap.kernel == "dispatch 1"
    assert trap.value("stall_long_scoreboard") == pytest.approx(30 / 79)
    assert trap.value("stall_short_scoreboard") == pytest.approx(2 / 79)
    assert trap.value("stall_wait") is None, "host-trap samples give no reasons"


@pytest.mark.parametrize(
    ("instruction", "reason", "key"),
    [
        ("s_waitcnt vmcnt(0)", "WAITCNT", "stall_long_scoreboard"),
        ("s_waitcnt vmcnt(0) lgkmcnt(0)", "WAITCNT", "stall_long_scoreboard"),
        ("s_waitcnt lgkmcnt(0)", "WAITCNT", "stall_short_scoreboard"),
        ("s_wait_loadcnt 0x0", "WAITCNT", "stall_long_scoreboard"),
        ("s_wait_dscnt 0x0", "WAITCNT", "stall_short_scoreboard"),
        ("s_barrier", "BARRIER_WAIT", "stall_barrier"),
        ("v_add_f32_e32 v0, v1, v2", "ALU_DEPENDENCY", "stall_wait"),
        ("v_mfma_f32_32x32x8_f16 a[0:15]", "ARBITER_WIN_EX_STALL", "stall_math_pipe_throttle"),
        ("global_load_dwordx4 v[0:3]", "ARBITER_WIN_EX_STALL", "stall_lg_throttle"),
        ("ds_read_b128 v[0:3]", "ARBITER_WIN_EX_STALL", "stall_mio_throttle"),
        ("s_add_u32 s0", "ARBITER_WIN_EX_STALL", "stall_misc"),
        ("s_nop 0", "NO_INSTRUCTION_AVAILABLE", "stall_no_instruction"),
        ("v_add_f32_e32 v0, v1, v2", "ARBITER_NOT_WIN", "stall_not_selected"),
        ("s_sleep 1", "SLEEP_WAIT", "stall_sleeping"),
        ("s_endpgm", "OTHER_WAIT", "stall_misc"),
    ],
)
def test_a_reason_and_the_place_make_a_stall(tmp_path: Path, instruction: str, reason: str, key: str) -> None:
    launch = one(tmp_path, sample(instruction, reason), sample("v_mov", "OTHER_WAIT", issued=1))
    assert (launch.value(key), launch.value("stall_selected")) == (0.5, 0.5)
    assert set(launch.readings) <= set(vocabulary())


def test_a_trace_beside_names_kernels_and_pools_their_dispatches(tmp_path: Path) -> None:
    (tmp_path / "run_kernel_trace.csv").write_text(
        "Dispatch_Id,Kernel_Name,Start_Timestamp,End_Timestamp\n"
        + "".join(f'{n},"gemm(float*)",{n}000000,{n}000500\n' for n in (1, 2)),
        encoding="utf-8",
    )
    rows = [sample("s_barrier", "BARRIER_WAIT", dispatch=1 + n % 2) for n in range(120)]
    launch = one(tmp_path, *rows)
    assert (launch.kernel, launch.value("stall_barrier"), launch.value("duration")) == ("gemm", 1, 500)
    assert launch.flags == ()
    assert pc_sampling.read(tmp_path, find_spec("mi300x")).launches[0].arch == "gfx942"


def test_a_trace_of_another_time_is_of_another_run(tmp_path: Path) -> None:
    (tmp_path / "run_kernel_trace.csv").write_text(
        'Dispatch_Id,Kernel_Name,Start_Timestamp,End_Timestamp\n1,"gemm(float*)",1,2\n', encoding="utf-8"
    )
    assert one(tmp_path, sample("s_barrier", "BARRIER_WAIT")).kernel == "dispatch 1"


def test_a_table_without_samples_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pc_sampling_stochastic.csv"
    path.write_text(HEADER, encoding="utf-8")
    with pytest.raises(UnreadableProfileError, match="no sample: the kernels were too short"):
        pc_sampling.read(path)
