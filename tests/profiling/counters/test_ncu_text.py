"""Nsight Compute's terminal output: the tables of 2021 and of 2025, rules, launches, other output between."""

from pathlib import Path

import pytest

from kbgen.profiling.counters import ncu_text
from kbgen.profiling.counters.record import CounterReport
from kbgen.profiling.counters.textfile import UnreadableProfileError, head

NOW = "  copy(const float *, float *) (9, 32, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 10.0\n"
THEN = "  copy(const float *, float *), 2021-Oct-01 10:20:30, Context 1, Stream 7\n"
LOCAL_BARRIER = """\
    OPT   Est. Local Speedup: 69.28%
          On average, each warp of this workload spends 19.4 cycles being stalled waiting for sibling warps
          at a CTA barrier. This stall type represents about 69.3% of the total average of 27.9 cycles
          between issuing two instructions.
"""


def table(*rows: tuple[str, str, str], title: bool = True) -> str:
    """A table as ncu sets it since 2023: three columns as wide as their widest cell, numbers to the right."""
    every = [("Metric Name", "Metric Unit", "Metric Value")] * title + list(rows)
    widths = [max(len(row[column]) for row in every) for column in range(3)]
    rule = "    " + " ".join("-" * width for width in widths) + "\n"
    lines = ["    " + f"{a:<{widths[0]}} {b:>{widths[1]}} {c:>{widths[2]}}" + "\n" for a, b, c in every]
    return rule + (lines.pop(0) + rule if title else "") + "".join(lines) + rule + "\n"


def section(name: str, *rows: tuple[str, str, str]) -> str:
    return f"    Section: {name}\n" + table(*rows)


def old_section(name: str, *rows: tuple[str, str, str]) -> str:
    """Until 2022: columns of 70, 15 and 30, no titles."""
    rule = f"    {'-' * 70} {'-' * 15} {'-' * 30}\n"
    return (
        f"    Section: {name}\n{rule}"
        + "".join(f"    {a:<70} {b:>15} {c:>30}\n" for a, b, c in rows)
        + rule
        + "\n"
    )


SPEED = section(
    "GPU Speed Of Light Throughput",
    ("SM Frequency", "Ghz", "1.38"),
    ("Elapsed Cycles", "cycle", "6,662,937"),
    ("Memory Throughput", "%", "6.09"),
    ("Duration", "ms", "4.83"),
    ("SM Active Cycles", "cycle", "6,539,545.23"),
)
LAUNCH = section(
    "Launch Statistics",
    ("Grid Size", "", "288"),
    ("Function Cache Configuration", "", "CachePreferNone"),
    ("Registers Per Thread", "register/thread", "80"),
)


def read(folder: Path, text: str, encoding: str = "utf-8") -> CounterReport:
    path = folder / "report.txt"
    path.write_bytes(text.encode(encoding))
    assert ncu_text.recognises(path, head(path))
    return ncu_text.read(path)


def test_tables_become_readings(tmp_path: Path) -> None:
    report = read(tmp_path, "==PROF== Connected to process 1\n[1] app@127.0.0.1\n" + NOW + SPEED + LAUNCH)
    (launch,) = report.launches
    assert launch.kernel == "copy(const float *, float *)"
    assert (launch.arch, launch.grid_blocks, launch.block_threads) == ("sm_100", (9, 32, 1), (256, 1, 1))
    assert {key: reading.value for key, reading in launch.readings.items()} == {
        "sm_clock": 1.38e9,
        "sm_elapsed": 6_662_937,
        "mem_pct": 6.09,
        "duration": 4_830_000,
        "sm_active": 6_539_545.23,
        "grid": 288,
        "regs": 80,
    }
    assert report.notes == ()


def test_rules_become_remarks_and_tell_stalls(tmp_path: Path) -> None:
    information = (
        "    INF   The ratio of peak float (fp32) to double (fp64)\n          performance is 32:1.\n"
    )
    between = "    ----- " + "-" * 110 + "\n"
    warp = section("Warp State Statistics", ("Warp Cycles Per Issued Instruction", "cycle", "27.95"))
    (launch,) = read(tmp_path, NOW + warp + LOCAL_BARRIER + between + information).launches
    first, second = launch.remarks
    assert (first.rule, first.kind, first.speedup_pct, first.speedup_scope) == (
        "Warp State Statistics", "OPT", 69.28, "local",
    )  # fmt: skip
    assert first.text.startswith("On average, each warp of this workload spends 19.4 cycles")
    assert (second.kind, second.text) == (
        "INF", "The ratio of peak float (fp32) to double (fp64) performance is 32:1.",
    )  # fmt: skip
    assert launch.value("stall_barrier") == 0.693


def busiest(cycles: str, pipe: str = "XU", more: str = "") -> str:
    return (
        f"    OPT   {pipe} is the highest-utilized pipeline (84.5%) based on {cycles} cycles, taking into\n"
        f"          account the rates of its different instructions. {more}The pipeline is over-utilized.\n"
    )


def test_the_rule_on_pipes_tells_the_busiest(tmp_path: Path) -> None:
    (launch,) = read(tmp_path, NOW + SPEED + busiest("elapsed")).launches
    assert launch.value("pipe_xu") == 84.5
    (launch,) = read(tmp_path, NOW + SPEED + busiest("active")).launches
    assert launch.value("pipe_xu") == pytest.approx(84.5 * 6_539_545.23 / 6_662_937)
    part = "It's dominated by its Tensor (FP) sub-pipeline. "
    (launch,) = read(tmp_path, NOW + SPEED + busiest("elapsed", "Shared", part)).launches
    assert launch.value("pipe_tensor") == 84.5
    (launch,) = read(tmp_path, NOW + SPEED + busiest("elapsed", "Shared FMA Heavy")).launches
    assert not any(key.startswith("pipe_") for key in launch.readings), "half of a pipe is not that pipe"
    (launch,) = read(tmp_path, NOW + LAUNCH + busiest("active")).launches
    assert launch.value("pipe_xu") is None, "nobody knows for how long it was active"


def test_the_layout_of_2021(tmp_path: Path) -> None:
    text = THEN + old_section(
        "GPU Speed Of Light",
        ("DRAM Frequency", "cycle/nsecond", "1.21"),
        ("SM Frequency", "cycle/usecond", "763.55"),
        ("Memory [%]", "%", "91.78"),
        ("SOL DRAM", "%", "9.08"),
        ("Duration", "msecond", "2.86"),
        ("SOL L1/TEX Cache", "%", "92.13"),
        ("SOL L2 Cache", "%", "26.39"),
        ("SM [%]", "%", "41.95"),
    )
    text += "    WRN   Threads are executed in groups of 32.\n\n    OK    All is well.\n"
    (launch,) = read(tmp_path, text).launches
    assert (launch.kernel, launch.arch, launch.grid_blocks) == ("copy(const float *, float *)", None, None)
    assert {key: reading.value for key, reading in launch.readings.items()} == {
        "dram_clock": 1.21e9,
        "sm_clock": 763.55e6,
        "mem_pct": 91.78,
        "dram_pct": 9.08,
        "duration": 2_860_000,
        "l1_pct": 92.13,
        "l2_pct": 26.39,
        "sm_pct": 41.95,
    }
    assert [remark.kind for remark in launch.remarks] == ["WRN", "INF"]


def test_a_name_wider_than_its_column_goes_on_in_the_next_line(tmp_path: Path) -> None:
    name = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"
    rule = f"    {'-' * 40} {'-' * 15} {'-' * 30}\n"
    rows = f"    {name[:40]:<40} {'byte/sector':>15} {'8.00':>30}\n    {name[40:]:<40} {'':>15} {'':>30}\n"
    text = rule + rows + rule
    (launch,) = read(tmp_path, THEN + "    Section: Command line profiler metrics\n" + text).launches
    assert launch.value("ld_bytes_per_sector") == 8


def test_the_same_kernel_twice_is_two_launches(tmp_path: Path) -> None:
    report = read(tmp_path, NOW + SPEED + "\n" + NOW + SPEED.replace("4.83", "9.66"))
    assert [launch.value("duration") for launch in report.launches] == [4_830_000, 9_660_000]


def test_words_of_the_application_do_no_harm(tmp_path: Path) -> None:
    noise = "epoch 3 loss 0.25\n12 34\n==PROF== Disconnected from process 1\n"
    lines = SPEED.splitlines(keepends=True)
    text = noise + NOW + "".join(lines[:6]) + noise + "".join(lines[6:]) + noise
    (launch,) = read(tmp_path, text).launches
    (quiet,) = read(tmp_path, NOW + SPEED).launches
    assert launch.readings == quiet.readings


@pytest.mark.parametrize("damaged", ["4.837\n", "4.8\n3\n", "4.83 7\n", "4.\nepoch 3\n83\n"])
def test_a_value_that_does_not_end_where_its_column_does_is_left_out(tmp_path: Path, damaged: str) -> None:
    report = read(tmp_path, NOW + SPEED.replace("4.83\n", damaged))
    assert "duration" not in report.launches[0].readings
    assert report.launches[0].value("sm_active") == 6_539_545.23
    assert "left out: " in report.notes[0]


def test_a_german_report(tmp_path: Path) -> None:
    text = (
        SPEED.replace("6,539,545.23", "6.539.545,23")
        .replace("6,662,937", "6.662.937")
        .replace("6.09", "6,09")
    )
    assert read(tmp_path, NOW + text).launches[0].readings == read(tmp_path, NOW + SPEED).launches[0].readings


def test_a_french_report_counts_bytes_where_it_sets_columns(tmp_path: Path) -> None:
    text = SPEED.replace("6,539,545.23", "6\u202f539\u202f545,23").replace("6.09", "6,09")
    text = text.replace("   6,662,937", "   6\u202f662\u202f937"[2:])
    (launch,) = read(tmp_path, NOW + text).launches
    assert launch.value("sm_elapsed") == 6_662_937
    assert launch.value("sm_active") == 6_539_545.23
    assert launch.value("mem_pct") == 6.09


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_any_encoding(tmp_path: Path, encoding: str) -> None:
    (launch,) = read(tmp_path, (NOW + SPEED).replace("\n", "\r\n"), encoding).launches
    assert launch.value("duration") == 4_830_000


def test_a_cut_report_gives_no_half_numbers(tmp_path: Path) -> None:
    text = NOW + SPEED
    whole = read(tmp_path, text).launches[0].readings
    for end in range(len(NOW) + 1, len(text)):
        try:
            (launch,) = read(tmp_path, text[:end]).launches
        except UnreadableProfileError:
            continue
        assert all(whole[key] == reading for key, reading in launch.readings.items()), text[:end][-40:]


def test_nothing_profiled_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableProfileError, match=r"profiled no kernel .* it names none that it saw"):
        read(tmp_path, "==PROF== Connected to process 1\n==WARNING== No kernels were profiled.\n")
    with pytest.raises(UnreadableProfileError, match="holds no whole launch"):
        read(tmp_path, "==PROF== Connected to process 1\n" + NOW)
