"""CSV of rocprofv3, old and new: a launch per dispatch, whatever stands between rows; what is cut is said."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kbgen import KbgenError
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.counters import rocprofv3
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.counters.record import CounterReport, Launch
from kbgen.profiling.counters.rocm_csv import duration_ns, number, whole
from kbgen.profiling.counters.textfile import UnreadableProfileError, head

SAMPLES = Path(__file__).resolve().parents[4] / "shared/data/profiles/amd"
sampled = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample profiles are not here")

NEW = (
    "Correlation_Id", "Dispatch_Id", "Agent_Id", "Queue_Id", "Process_Id", "Thread_Id", "Grid_Size",
    "Kernel_Id", "Kernel_Name", "Workgroup_Size", "LDS_Block_Size", "Scratch_Size", "VGPR_Count",
    "Accum_VGPR_Count", "SGPR_Count", "Counter_Name", "Counter_Value", "Start_Timestamp", "End_Timestamp",
)  # fmt: skip
OLD = tuple(name for name in NEW[:17] if name != "Accum_VGPR_Count")
COUNTERS = {"TCC_HIT": 300.0, "TCC_MISS": 100.0, "SQ_WAVES": 4096.0, "SQ_INSTS": 70_000.0}
AGENT = (
    '"Node_Id","Logical_Node_Id","Agent_Type","Simd_Count","Max_Waves_Per_Simd","Wave_Front_Size","Num_Xcc",'
    '"Cu_Count","Simd_Per_Cu","Name","Product_Name"\n'
    '0,0,"CPU",0,0,0,1,24,0,"EPYC","AMD EPYC"\n'
)
MI300X = AGENT + '1,1,"GPU",1216,8,64,8,304,4,"gfx942","AMD Instinct MI300X"\n'


def row(
    dispatch: int, counter: str, value: object, kernel: str = "copy(float*)", **other: object
) -> dict[str, object]:
    start = 3_200_098_838_431_081 + 100_000 * dispatch
    return {
        "Correlation_Id": dispatch, "Dispatch_Id": dispatch, "Agent_Id": "Agent 1", "Queue_Id": 1,
        "Process_Id": 15606, "Thread_Id": 15606, "Grid_Size": 1_048_576, "Kernel_Id": 17,
        "Kernel_Name": kernel, "Workgroup_Size": 256, "LDS_Block_Size": 1024, "Scratch_Size": 0,
        "VGPR_Count": 12, "Accum_VGPR_Count": 4, "SGPR_Count": 16, "Counter_Name": counter,
        "Counter_Value": value,
        "Start_Timestamp": start, "End_Timestamp": start + 52_151,
        **other,
    }  # fmt: skip


def table(rows: list[dict[str, object]], columns: tuple[str, ...] = NEW, **style: str) -> str:
    text = io.StringIO()
    writer = csv.writer(
        text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n", delimiter=style.get("delimiter", ",")
    )
    writer.writerow(columns)
    writer.writerows([one[name] for name in columns] for one in rows)
    return text.getvalue()


def counted(dispatches: int, counters: dict[str, float] = COUNTERS) -> list[dict[str, object]]:
    return [row(n, name, f"{value:f}") for name, value in counters.items() for n in range(1, dispatches + 1)]


def read(folder: Path, text: str, name: str = "run_counter_collection.csv") -> CounterReport:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert rocprofv3.recognises(path, head(path))
    return rocprofv3.read(path)


def value(launch: Launch, key: str) -> float:
    found = launch.value(key)
    assert found is not None, key
    return found


# ---- the published samples


@sampled
def test_the_old_schema_takes_times_and_sizes_from_the_trace() -> None:
    report = rocprofv3.read(SAMPLES / "rocprofv3-2024-10")
    assert [(one.kernel, one.value("duration")) for one in report.launches] == [
        ("addition_kernel", 48_744), ("subtract_kernel", 103_265), ("multiply_kernel", 139_563),
        ("addition_kernel", 100_895), ("subtract_kernel", 139_119), ("addition_kernel", 130_526),
        ("addition_kernel", 133_341),
    ]  # fmt: skip
    first = report.launches[0]
    assert (first.grid_blocks, first.block_threads) == ((16, 1024, 1), (64, 1, 1))
    assert (first.value("grid"), first.value("block"), first.value("regs")) == (16_384, 64, 8)
    assert first.device_name is first.arch is None
    assert any("does not say which GPU" in note for note in report.notes)


@sampled
def test_the_new_schema_brings_its_own_times_and_a_trace_of_another_gpu_is_left_out() -> None:
    report = rocprofv3.read(SAMPLES / "rocprofv3-2025-08")
    assert [(one.kernel, one.value("duration"), one.value("regs")) for one in report.launches] == [
        ("addition_kernel", 52_151, 8), ("subtract_kernel", 49_780, 8), ("multiply_kernel", 46_818, 8),
        ("divide_kernel", 48_151, 12),
    ]  # fmt: skip
    assert report.launches[0].grid_blocks == (16_384, 1, 1)
    assert any("another run" in note for note in report.notes)
    assert all(not one.flags for one in report.launches), "the file ends without a line end, and whole"


@sampled
def test_a_trace_alone_gives_times_and_sizes() -> None:
    report = read_profile(SAMPLES / "rocprofv3-2025-08" / "kernel_trace.csv")
    assert len(report.launches) >= 9
    divide = next(one for one in report.launches if one.kernel == "divide_kernel")
    assert (divide.value("regs"), divide.value("duration"), divide.value("grid")) == (16, 11_200, 16_384)
    assert "a kernel trace has no counters: times and sizes alone" in report.notes


@sampled
@pytest.mark.parametrize(
    "name", ["pc_sampling_host_trap.csv", "pc_sampling_stochastic_debug.csv", "list-avail.txt"]
)
def test_other_tables_of_the_tool_are_not_taken_for_counters(name: str) -> None:
    path = SAMPLES / "rocprofv3-2025-08" / name
    assert not rocprofv3.recognises(path, head(path))


# ---- the format


def test_rows_of_one_dispatch_are_one_launch(tmp_path: Path) -> None:
    report = read(tmp_path, table(counted(2)))
    assert [(one.index, one.kernel) for one in report.launches] == [(0, "copy"), (1, "copy")]
    launch = report.launches[1]
    assert (value(launch, "l2_hit"), value(launch, "duration"), value(launch, "grid")) == (75, 52_151, 4096)
    assert (value(launch, "regs"), value(launch, "smem_block"), value(launch, "scratch")) == (16, 1024, 0)
    assert launch.readings["l2_hit"].source == "TCC_HIT, TCC_MISS"
    assert report.tool == "rocprofv3"


def test_agent_info_names_the_gpu(tmp_path: Path) -> None:
    (tmp_path / "run_agent_info.csv").write_text(MI300X, encoding="utf-8")
    counters = {"GRBM_GUI_ACTIVE": 8e4, "SQ_WAVE_CYCLES": 304 * 8 * 1e4 / 4, **COUNTERS}
    report = read(tmp_path, table(counted(1, counters)))
    (launch,) = report.launches
    assert (launch.device_name, launch.arch) == ("AMD Instinct MI300X", "gfx942")
    assert value(launch, "occupancy_achieved") == pytest.approx(25)
    assert (value(launch, "units"), value(launch, "waves")) == (304, pytest.approx(4096 / (304 * 8)))
    assert (launch.flags, report.notes) == ((), ())


def test_two_kinds_of_gpu_are_told_apart_by_the_agent(tmp_path: Path) -> None:
    second = '2,2,"GPU",880,8,64,1,110,4,"gfx90a","AMD Instinct MI250X"\n'
    (tmp_path / "run_agent_info.csv").write_text(MI300X + second, encoding="utf-8")
    rows = [{**one, "Agent_Id": "Agent 2"} for one in counted(1)]
    assert read(tmp_path, table(rows)).launches[0].arch == "gfx90a"
    mixed = [row(1, "SQ_INSTS", 1), row(2, "SQ_INSTS", 1, Agent_Id="Agent 2")]
    assert read(tmp_path, table(mixed)).launches[0].arch is None


def test_a_device_may_be_given_where_the_file_names_none(tmp_path: Path) -> None:
    path = tmp_path / "counter_collection.csv"
    path.write_text(
        table(counted(1, {"GRBM_GUI_ACTIVE": 8e4, "SQ_ACTIVE_INST_VALU": 304e3})), encoding="utf-8"
    )
    assert rocprofv3.read(path).launches[0].value("valu_pct") is None
    assert value(rocprofv3.read(path, find_spec("mi300x")).launches[0], "valu_pct") == pytest.approx(10)


def test_passes_in_folders_are_merged_in_launch_order(tmp_path: Path) -> None:
    for which, (name, count) in enumerate([("TCC_HIT", 30.0), ("TCC_MISS", 10.0)], 1):
        rows = [
            row(n, name, count * n, kernel, Process_Id=100 * which)
            for n, kernel in enumerate(("a()", "b()"), 1)
        ]
        text = table(rows)
        folder = tmp_path / f"pass_{which}" / "host" / str(100 * which)
        folder.mkdir(parents=True)
        (folder / f"{which}_counter_collection.csv").write_text(text, encoding="utf-8")
    assert rocprofv3.recognises(tmp_path, "")
    report = read_profile(tmp_path)
    assert [(one.kernel, one.value("l2_hit")) for one in report.launches] == [("a", 75), ("b", 75)]
    assert rocprofv3.counter_names(tmp_path) == {"TCC_HIT", "TCC_MISS"}


def test_processes_of_one_pass_stay_apart(tmp_path: Path) -> None:
    for process in (7, 8):
        rows = [{**one, "Process_Id": process} for one in counted(1)]
        (tmp_path / f"{process}_counter_collection.csv").write_text(table(rows), encoding="utf-8")
    assert len(rocprofv3.read(tmp_path).launches) == 2


def test_zeros_everywhere_are_no_counters(tmp_path: Path) -> None:
    (launch,) = read(tmp_path, table(counted(1, {"GRBM_COUNT": 0, "SQ_WAVES": 0, "GL2C_HIT": 0}))).launches
    assert set(launch.readings) == {"duration", "grid", "block", "regs", "smem_block", "scratch"}
    assert "gives no counters" in launch.flags[0]


def test_a_counter_told_twice_is_left_out_unless_both_agree(tmp_path: Path) -> None:
    rows = [*counted(1), row(1, "SQ_INSTS", 5), row(1, "TCC_HIT", 300)]
    (launch,) = read(tmp_path, table(rows)).launches
    assert launch.value("inst") is None
    assert value(launch, "l2_hit") == 75
    assert launch.flags == ("SQ_INSTS stands twice, as 70000 and 5: left out",)


def test_a_number_that_is_none_is_not_zero(tmp_path: Path) -> None:
    rows = [row(1, "TCC_MISS", "n/a"), row(1, "TCC_HIT", 5), row(1, "SQ_INSTS", "inf")]
    report = read(tmp_path, table(rows))
    assert {"l2_hit", "inst"}.isdisjoint(report.launches[0].readings)
    assert "2 lines that are no whole rows were left out" in report.notes


def test_a_file_without_dispatches_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableProfileError, match=r"no dispatch below it.*--kernel-include-regex"):
        read(tmp_path, table([]))


@pytest.mark.parametrize(
    ("start", "end", "passed", "why"),
    [
        ("1550151853029637", "1550151853042437", 12_800, None),
        ("1248227793701339.8", "1248227793718203.8", 16_864, None),
        ("1.550151853029637E+15", "1.550151853042437E+15", 12_800, None),
        ("8.1097E+14", "8.1097E+14", None, "rounded"),
        ("8.1097E+14", "8.1098E+14", None, "rounded"),
        ("200", "100", None, "-100 ns"),
        ("0", "0", None, "0 ns"),
        ("abc", "100", None, "no numbers"),
        ("", "", None, None),
        (None, "5", None, None),
    ],
)
def test_a_time_is_given_only_where_the_stamps_can_tell_it(
    start: str | None, end: str | None, passed: float | None, why: str | None
) -> None:
    found, flag = duration_ns(start, end)
    assert found == passed
    assert (flag is None) if why is None else (flag is not None and why in flag)


def test_cells() -> None:
    assert [number(text) for text in ("16384.000000", "16384,5", "1e3", "", "nan", "1,048,576", None)] == [
        16384, 16384.5, 1000, None, None, None, None
    ]  # fmt: skip
    assert [whole(text) for text in ("4.0", "4.5", "-1", "x")] == [4, None, None, None]


def test_a_trace_row_that_may_be_cut_is_left_out(tmp_path: Path) -> None:
    columns = "Dispatch_Id,Agent_Id,Kernel_Name,Start_Timestamp,End_Timestamp,"
    columns += "Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,Grid_Size_Z\n"
    row = '1,"Agent 1","copy(float*)",1000,2000,64,4,1,1024,16,64'
    path = tmp_path / "run_kernel_trace.csv"
    path.write_text(f"{columns}{row}\n{row}\n", encoding="utf-8")
    assert [one.grid_blocks for one in rocprofv3.read(path).launches] == [(16, 4, 64)] * 2
    path.write_text(f"{columns}{row}\n{row[:-1]}", encoding="utf-8")
    report = rocprofv3.read(path)
    assert [one.grid_blocks for one in report.launches] == [(16, 4, 64)]
    assert "1 lines that are no whole rows were left out" in report.notes


# ---- hostile files: no crash, and no number that is not in the file

NOISE = st.sampled_from(
    [
        "W20251120 12:00:01.000 tool.cpp:12] warning",
        "",
        '"half a quote,1,2',
        "a,b,c",
        "\x00\x01",
        "loss: 0.3, step 4",
        "é",
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    order=st.permutations(NEW),
    delimiter=st.sampled_from(",;\t"),
    noise=st.lists(st.tuples(st.integers(0, 9), NOISE), max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_order_separator_and_log_lines_change_no_number(
    tmp_path: Path, order: list[str], delimiter: str, noise: list[tuple[int, str]], end: str, mark: str
) -> None:
    lines = table(counted(2), tuple(order), delimiter=delimiter).splitlines()
    for place, text in noise:
        lines.insert(place, text)
    path = tmp_path / "counter_collection.csv"
    path.write_bytes((mark + end.join(lines) + end).encode())
    found = rocprofv3.read(path)
    assert [(one.kernel, one.value("l2_hit"), one.value("inst")) for one in found.launches] == [
        ("copy", 75, 70_000)
    ] * 2
    assert all(one.value("duration") == 52_151 and not one.flags for one in found.launches)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(keep=st.integers(0, 1600), schema=st.sampled_from([OLD, NEW]))
def test_a_cut_file_gives_the_numbers_it_has_or_says_so(
    tmp_path: Path, keep: int, schema: tuple[str, ...]
) -> None:
    whole_file = table(counted(2), schema)
    path = tmp_path / "counter_collection.csv"
    path.write_text(whole_file[:keep], encoding="utf-8")
    true = {
        "l2_hit": 75, "inst": 70_000, "duration": 52_151, "grid": 4096, "block": 256, "smem_block": 1024,
        "scratch": 0,
        "regs": 12 if schema is OLD else 16,
    }  # fmt: skip
    try:
        launches = rocprofv3.read(path).launches
    except KbgenError:
        return
    for launch in launches:
        wrong = {key: one.value for key, one in launch.readings.items() if true[key] != one.value}
        assert launch.flags or not wrong


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(data=st.binary(max_size=400), at=st.integers(0, 900))
def test_bytes_of_any_kind_are_refused_or_read_never_a_crash(tmp_path: Path, data: bytes, at: int) -> None:
    text = table(counted(1)).encode()
    path = tmp_path / "counter_collection.csv"
    path.write_bytes(text[:at] + data + text[at:])
    with suppress(KbgenError):
        assert rocprofv3.read(path).launches
