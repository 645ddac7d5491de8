"""Wide tables: rocprof-compute's folders of three generations, and the first rocprof's CSV."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kbgen import KbgenError
from kbgen.profiling.counters import rocprof_compute
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.counters.record import CounterReport, Launch
from kbgen.profiling.counters.textfile import UnreadableProfileError, head

SAMPLES = Path(__file__).resolve().parents[4] / "shared/data/profiles/amd/rocprof-compute-vcopy"
sampled = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample profiles are not here")
MOVED = 2 * 8 * 1_048_576  # vcopy reads and writes that many bytes

ROW = {
    "Dispatch_ID": "0", "GPU_ID": "2", "Grid_Size": "1048576", "Workgroup_Size": "256",
    "LDS_Per_Workgroup": "0", "Scratch_Per_Workitem": "0", "Arch_VGPR": "4", "Accum_VGPR": "4", "SGPR": "16",
    "Kernel_Name": "copy(double*, int) (.kd)", "Start_Timestamp": "1000000", "End_Timestamp": "1020000",
}  # fmt: skip
MI200 = {
    "workload_name": "w", "compute_partition": "", "gpu_model": "MI200", "gpu_arch": "gfx90a",
    "cu_per_gpu": "104", "simd_per_cu": "4", "max_waves_per_cu": "32", "total_l2_chan": "32",
    "hbm_bw": "1638.4",
}  # fmt: skip


def csv_of(*rows: Mapping[str, str]) -> str:
    quoted = [[f'"{cell}"' for cell in row.values()] for row in rows]
    return "\n".join([",".join(rows[0]), *(",".join(cells) for cells in quoted)]) + "\n"


def folder(place: Path, *rows: Mapping[str, str], system: Mapping[str, str] | None = None) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / "pmc_perf.csv").write_text(csv_of(*rows), encoding="utf-8")
    if system:
        (place / "sysinfo.csv").write_text(csv_of(system), encoding="utf-8")
    return place


def only(report: CounterReport) -> Launch:
    (launch,) = report.launches
    return launch


def value(launch: Launch, key: str) -> float:
    found = launch.value(key)
    assert found is not None, key
    return found


# ---- the published samples


@sampled
def test_mi350_a_copy_far_too_small_for_the_card() -> None:
    report = read_profile(SAMPLES / "MI350")
    assert [one.kernel for one in report.launches] == ["vecCopy"] * 3
    launch = report.launches[2]
    assert (launch.device_name, launch.arch) == ("MI350", "gfx950")
    assert (launch.grid_blocks, launch.block_threads) == ((4096, 1, 1), (256, 1, 1))
    assert value(launch, "duration") == 16_864
    assert MOVED / value(launch, "duration") == pytest.approx(995, abs=1)  # GB/s, 12 % of 8 TB/s
    assert value(launch, "l2_hit") == pytest.approx(33.8, abs=0.05)
    assert value(launch, "valu_lanes_pct") == 100
    assert value(launch, "dram_write") == MOVED / 2
    assert value(launch, "dram_read") == pytest.approx(MOVED / 2, rel=2e-3), "its reads are of 128 bytes"
    assert (value(launch, "ld_bytes_per_lane"), value(launch, "coalescing_pct")) == (8, 25)
    assert (value(launch, "units"), value(launch, "sm_elapsed")) == (128, 62_877 / 8)
    assert launch.flags == ("the profile counts 128 CUs, the sheet of Instinct MI350X 256",)


@sampled
def test_mi300x_cycles_are_summed_over_dies_and_its_times_are_lost() -> None:
    report = read_profile(SAMPLES / "MI300X_A1")
    launch = report.launches[2]
    assert (launch.kernel, launch.device_name, launch.arch) == ("vecCopy", "MI300X", "gfx942")
    assert value(launch, "sm_elapsed") == pytest.approx(317_008, abs=1)
    assert value(launch, "valu_lanes_pct") == 100
    assert value(launch, "dram_read") == pytest.approx(MOVED / 2, rel=0.002)
    assert value(launch, "dram_write") == MOVED / 2
    assert value(launch, "ld_bytes_per_lane") == 8
    assert {"duration", "dram_bytes_s", "dram_pct", "mem_pct"}.isdisjoint(launch.readings)
    assert [flag for flag in launch.flags if "rounded" in flag] != []
    assert value(launch, "pipe_tensor") == value(launch, "shared_conflicts") == 0, "counted, and none"
    assert launch.readings["regs"].source == "Arch_VGPR, Accum_VGPR"


@sampled
def test_one_pass_of_a_folder_reads_alone_and_two_profiles_are_not_one() -> None:
    launch = rocprof_compute.read(SAMPLES / "MI350" / "pmc_perf_0.csv").launches[0]
    assert (launch.arch, value(launch, "duration"), launch.value("l2_hit")) == ("gfx950", 21_759, None)
    with pytest.raises(
        UnreadableProfileError, match=r"several rocprof-compute profiles \(MI300X_A1, MI350\)"
    ):
        rocprof_compute.read(SAMPLES)


# ---- the format


def test_mi200_names_and_a_single_die(tmp_path: Path) -> None:
    counters = {
        "GRBM_GUI_ACTIVE": "20000", "TCC_EA_RDREQ_sum": "1000", "TCC_EA_RDREQ_32B_sum": "0",
        "TCC_EA_WRREQ_sum": "1000", "TCC_EA_WRREQ_64B_sum": "1000", "TCC_REQ_sum": "320000",
    }  # fmt: skip
    launch = only(read_profile(folder(tmp_path, ROW | counters, system=MI200)))
    assert (value(launch, "dram_read"), value(launch, "dram_write")) == (64_000, 64_000)
    assert (value(launch, "sm_elapsed"), value(launch, "l2_pct")) == (20_000, 50)
    assert value(launch, "dram_pct") == pytest.approx(100 * 128_000 / 20e-6 / 1.6384e12)


def test_instances_are_added_up_only_where_all_are_there(tmp_path: Path) -> None:
    hits = {f"TCC_HIT[{n}]": "3.0" for n in range(32)}
    misses = {f"TCC_MISS[{n}]": "1.0" for n in range(32)}
    assert (
        value(only(read_profile(folder(tmp_path / "a", ROW | hits | misses, system=MI200))), "l2_hit") == 75
    )
    del misses["TCC_MISS[7]"]
    assert (
        only(read_profile(folder(tmp_path / "b", ROW | hits | misses, system=MI200))).value("l2_hit") is None
    )
    summed = misses | {"TCC_MISS_sum": "96"}
    assert (
        value(only(read_profile(folder(tmp_path / "c", ROW | hits | summed, system=MI200))), "l2_hit") == 50
    )


def test_passes_without_a_joined_table_are_merged(tmp_path: Path) -> None:
    for which, counters in enumerate(({"TCC_HIT_sum": "1"}, {"TCC_MISS_sum": "1"})):
        (tmp_path / f"pmc_perf_{which}.csv").write_text(csv_of(ROW | counters), encoding="utf-8")
    assert value(only(read_profile(tmp_path)), "l2_hit") == 50


def test_a_partition_is_a_part_of_the_card(tmp_path: Path) -> None:
    report = read_profile(folder(tmp_path, ROW, system=MI200 | {"compute_partition": "CPX"}))
    assert "counted in compute partition CPX: a part of the card" in report.notes


def test_omniperf_1_spells_the_machine_differently(tmp_path: Path) -> None:
    old = {
        "workload_name": "w", "gpu_soc": "gfx90a", "name": "MI200", "numCU": "104", "numSIMD": "4",
        "L2Banks": "32", "maxWavesPerCU": "32", "hbmBW": "1638.4",
    }  # fmt: skip
    launch = only(
        read_profile(folder(tmp_path, ROW | {"GRBM_GUI_ACTIVE": "10", "TCC_REQ_sum": "32"}, system=old))
    )
    assert (launch.arch, value(launch, "units"), value(launch, "l2_pct")) == ("gfx90a", 104, 10)


def test_the_first_rocprof(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(
        '"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds","scr","arch_vgpr",'
        '"accum_vgpr","sgpr","wave_size","sig","obj",TCC_HIT_sum,TCC_MISS_sum,"DispatchNs","BeginNs","EndNs",'
        '"CompleteNs","DurationNs"\n'
        '0,"vecCopy(double*, double*, double*, int, int) [clone .kd]",0,0,0,1,1,1048576,256,512,16,8,4,16,64,'
        '"0x0","0x7f",30,10,100,200,5200,6000,5000\n',
        encoding="utf-8",
    )
    assert rocprof_compute.recognises(path, head(path))
    report = read_profile(path)
    launch = only(report)
    assert (launch.kernel, value(launch, "duration"), value(launch, "l2_hit")) == ("vecCopy", 5000, 75)
    assert (value(launch, "regs"), value(launch, "smem_block"), value(launch, "scratch")) == (12, 512, 16)
    assert launch.readings["duration"].source == "EndNs, BeginNs"
    assert any("first rocprof" in note for note in report.notes)


def test_columns_that_contradict_each_other_are_left_out(tmp_path: Path) -> None:
    text = csv_of(ROW | {"TCC_HIT_sum": "1", "TCC_MISS_sum": "1", "SQ_INSTS": "7"})
    torn = "\n".join(
        line + extra for line, extra in zip(text.splitlines(), (",TCC_HIT_sum,SQ_INSTS", ",9,7"), strict=True)
    )
    (tmp_path / "pmc_perf.csv").write_text(torn + "\n", encoding="utf-8")
    launch = only(read_profile(tmp_path))
    assert (launch.value("l2_hit"), value(launch, "inst")) == (None, 7)


def test_a_folder_whose_table_is_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pmc_perf.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(
        UnreadableProfileError, match=r"no header with Kernel_Name.*rocprof-compute profile leaves"
    ):
        read_profile(tmp_path)
    (tmp_path / "pmc_perf.csv").write_text(",".join(ROW) + "\n", encoding="utf-8")
    with pytest.raises(UnreadableProfileError, match="no dispatch below it"):
        read_profile(tmp_path)


COUNTED = ROW | {"TCC_HIT_sum": "30", "TCC_MISS_sum": "10", "SQ_INSTS": "70000"}
TRUE = {"l2_hit": 75, "inst": 70_000, "duration": 20_000, "grid": 4096, "block": 256, "regs": 8} | {
    "smem_block": 0, "scratch": 0
}  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    order=st.permutations(tuple(COUNTED)),
    keep=st.integers(0, 700) | st.none(),
    noise=st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["", "[info] pass 3, 40 %", '"', "1,2"])), max_size=3
    ),
)
def test_any_column_order_noise_or_cut_gives_no_wrong_number_in_silence(
    tmp_path: Path, order: list[str], keep: int | None, noise: list[tuple[int, str]]
) -> None:
    lines = csv_of(*({name: COUNTED[name] for name in order} for _ in range(2))).splitlines(keepends=True)
    for place, text in noise:
        lines.insert(place, text + "\n")
    path = tmp_path / "pmc_perf.csv"
    path.write_text("".join(lines)[:keep], encoding="utf-8")
    with suppress(KbgenError):
        for launch in rocprof_compute.read(path).launches:
            wrong = {key: one.value for key, one in launch.readings.items() if TRUE[key] != one.value}
            assert not wrong or any("may be cut" in flag for flag in launch.flags)
