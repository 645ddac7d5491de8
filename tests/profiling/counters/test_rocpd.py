"""rocprofv3's database: read through its views and nothing else, unchanged, and refused in a sentence."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kbgen import KbgenError
from kbgen.profiling.counters import rocpd
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.counters.record import Launch
from kbgen.profiling.counters.textfile import UnreadableProfileError, head

# The columns that the views of schema 3 have and kbgen reads, in tables of the same name.
COUNTED = (
    "guid, pid, dispatch_id, agent_abs_index, kernel_name, grid_size_x, grid_size_y, grid_size_z, grid_size, "
    "workgroup_size_x, workgroup_size_y, workgroup_size_z, workgroup_size, lds_block_size, scratch_size, "
    "vgpr_count, accum_vgpr_count, sgpr_count, counter_name, value, start, end"
)
TRACED = (
    "guid, pid, dispatch_id, agent_abs_index, name, grid_x, grid_y, grid_z, workgroup_x, workgroup_y, "
    "workgroup_z, lds_size, scratch_size, vgpr_count, accum_vgpr_count, sgpr_count, start, end"
)
MI300X = {"cu_count": 304, "simd_per_cu": 4, "num_xcc": 8, "max_waves_per_simd": 8}
NAME = "void copy<float>(float*, float const*)"
COUNTERS = {"TCC_HIT": 30.0, "TCC_MISS": 10.0, "GRBM_GUI_ACTIVE": 80_000.0, "SQ_ACTIVE_INST_VALU": 304_000.0}


def database(
    path: Path,
    counters: dict[str, float],
    *,
    dispatches: int = 2,
    traced: bool = True,
    extdata: str = json.dumps(MI300X),
    without: str = "",
) -> Path:
    """A database as rocprofv3 leaves it, with `dispatches` launches that were counted, traced or both."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("create table rocpd_metadata (tag, value)")
        made.execute("insert into rocpd_metadata values ('schema_version', '3')")
        made.execute("create table rocpd_info_agent (type, absolute_index, name, product_name, extdata)")
        made.execute("insert into rocpd_info_agent values ('CPU', 0, 'EPYC', 'EPYC', '{}')")
        made.execute(
            "insert into rocpd_info_agent values ('GPU', 1, 'gfx942', 'AMD Instinct MI300X', ?)", (extdata,)
        )
        made.execute(f"create table counters_collection ({COUNTED})")
        made.execute(f"create table kernels ({TRACED})")
        for n in range(1, dispatches + 1):
            sizes, start = (1024, 64, 1, 65_536, 64, 4, 1, 256), 10**15 + n * 10**6
            for name, value in counters.items():
                row = ("g", 7, n, 1, NAME, *sizes, 2048, 0, 12, 4, 16, name, value, start, start + 52_151)
                made.execute(f"insert into counters_collection values ({','.join('?' * len(row))})", row)
            if traced:
                row = ("g", 7, n, 1, NAME, 1024, 64, 1, 64, 4, 1, 2048, 0, 12, 4, 16, start, start + 52_151)
                made.execute(f"insert into kernels values ({','.join('?' * len(row))})", row)
        if without:
            made.execute(f"drop table {without}")
    return path


def first(path: Path) -> Launch:
    return read_profile(path).launches[0]


def test_a_dispatch_with_its_counters_is_a_launch(tmp_path: Path) -> None:
    path = database(tmp_path / "run_results.db", COUNTERS)
    before = path.read_bytes()
    assert rocpd.recognises(path, head(path))
    report = read_profile(path)
    assert (report.tool, report.notes, len(report.launches)) == ("rocprofv3", (), 2)
    launch = report.launches[1]
    assert (launch.kernel, launch.grid_blocks, launch.block_threads) == ("copy", (16, 16, 1), (64, 4, 1))
    assert (launch.device_name, launch.arch, launch.flags) == ("AMD Instinct MI300X", "gfx942", ())
    assert {key: launch.value(key) for key in ("duration", "l2_hit", "regs", "smem_block", "valu_pct")} == {
        "duration": 52_151, "l2_hit": 75, "regs": 16, "smem_block": 2048, "valu_pct": pytest.approx(10)
    }  # fmt: skip
    assert launch.readings["smem_block"].source == "lds_block_size"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_trace_alone_has_times(tmp_path: Path) -> None:
    report = read_profile(database(tmp_path / "run.db", {}))
    assert [one.value("duration") for one in report.launches] == [52_151, 52_151]
    assert report.launches[0].grid_blocks == (16, 16, 1)
    assert report.notes == ("a kernel trace has no counters: times and sizes alone",)


def test_passes_of_a_folder_are_merged(tmp_path: Path) -> None:
    for which, name in enumerate(("TCC_HIT", "TCC_MISS"), 1):
        database(tmp_path / f"pass_{which}" / "run_results.db", {name: 10.0})
    assert [one.value("l2_hit") for one in read_profile(tmp_path).launches] == [50, 50]


@pytest.mark.parametrize("extdata", ["", "[1]", "not json", '{"cu_count": null, "num_xcc": "eight"}'])
def test_an_agent_that_says_little_leaves_the_sheet_its_figures(tmp_path: Path, extdata: str) -> None:
    launch = first(database(tmp_path / "run.db", COUNTERS, extdata=extdata))
    assert (launch.value("units"), launch.value("valu_pct")) == (304, pytest.approx(10))


def test_without_the_agents_only_ratios_are_given(tmp_path: Path) -> None:
    launch = first(database(tmp_path / "run.db", COUNTERS, without="rocpd_info_agent"))
    assert (launch.arch, launch.value("valu_pct"), launch.value("l2_hit")) == (None, None, 75)


@pytest.mark.parametrize(("view", "counters"), [("counters_collection", COUNTERS), ("kernels", {})])
def test_an_unknown_schema_is_refused_in_a_sentence(
    tmp_path: Path, view: str, counters: dict[str, float]
) -> None:
    path = database(tmp_path / "run.db", counters, without=view)
    with pytest.raises(UnreadableProfileError, match=rf"no view {view} .*\(schema 3\).*rocpd convert"):
        rocpd.read(path)


def test_a_database_in_which_nothing_ran_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableProfileError, match="without a kernel dispatch"):
        read_profile(database(tmp_path / "run.db", {}, dispatches=0))


def test_databases_of_others_are_declined(tmp_path: Path) -> None:
    other = tmp_path / "nsys.sqlite"
    with closing(sqlite3.connect(other)) as made, made:
        made.execute("create table CUPTI_ACTIVITY_KIND_KERNEL (start)")
    text = tmp_path / "notes.db"
    text.write_text("SQL", encoding="utf-8")
    assert not rocpd.recognises(other, "")
    assert not rocpd.recognises(text, "SQL")
    assert not rocpd.recognises(tmp_path / "absent.db", "")


def test_values_that_are_no_numbers_or_stand_twice_are_left_out(tmp_path: Path) -> None:
    path = database(tmp_path / "run.db", COUNTERS | {"SQ_INSTS": 5.0}, dispatches=1)
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("update counters_collection set value = 'many' where counter_name = 'TCC_MISS'")
        made.execute("update counters_collection set end = start where counter_name = 'TCC_HIT'")
        twice = "select * from counters_collection where counter_name = 'SQ_INSTS'"
        made.execute(f"insert into counters_collection {twice}")
        last = "select max(rowid) from counters_collection"
        made.execute(f"update counters_collection set value = 9 where rowid = ({last})")
    launch = first(path)
    assert {"l2_hit", "inst", "duration"}.isdisjoint(launch.readings)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(keep=st.integers(0, 40_000), at=st.integers(100, 30_000), data=st.binary(min_size=1, max_size=60))
def test_a_damaged_file_is_refused_never_a_crash(tmp_path: Path, keep: int, at: int, data: bytes) -> None:
    path = tmp_path / "run.db"
    if not path.exists():
        database(path, COUNTERS)
    bad = path.with_name("bad.db")
    whole = path.read_bytes()
    bad.write_bytes((whole[:at] + data + whole[at + len(data) :])[:keep])
    with suppress(KbgenError):
        if rocpd.recognises(bad, ""):
            assert rocpd.read(bad).launches
