"""Pages of drawn locale, units, layout and noise: every value comes back as printed, or not at all."""

import csv
import io
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kbgen import KbgenError
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.counters.record import CounterReport

# Thousands mark and decimal mark, as glibc's locales have them; India groups by two beyond a thousand.
LOCALES = {
    "C": ("", "."),
    "en_US": (",", "."),
    "en_IN": (",", "."),
    "de_DE": (".", ","),
    "de_CH": ("\u2019", "."),
    "fr_FR": ("\u202f", ","),
    "fr_FR as libstdc++ narrows it": (" ", ","),
    "cs_CZ": ("\u00a0", ","),
    "pt_PT": ("", ","),
}
NOISE = ['epoch 3, loss "0.25"\n', "==PROF== Disconnected\n", "12,345.6\n", "{}\n", "   1.234 5\n", "7"]


@dataclass(frozen=True)
class Metric:
    key: str
    name: str
    shown: str
    units: tuple[str, str]  # today's and yesterday's spelling of the unit that ncu counts in
    scales: tuple[tuple[int, str, str], ...] = ()  # power of ten, and the unit as it is spelled then
    whole: bool = False
    most: float = 1e7


TIMES = ((9, "s", "second"), (6, "ms", "msecond"), (3, "us", "usecond"))
RATES = ((12, "Tbyte/s", "Tbyte/second"), (9, "Gbyte/s", "Gbyte/second"), (6, "Mbyte/s", "Mbyte/second"))
CLOCKS = ((9, "Ghz", "cycle/nsecond"), (6, "Mhz", "cycle/usecond"))
SHARE = ("%", "%")
BYTES, HZ, NS = ("byte/s", "byte/second"), ("hz", "cycle/second"), ("ns", "nsecond")
THREADS = "smsp__thread_inst_executed_per_inst_executed.ratio"
PEAK = ".avg.pct_of_peak_sustained_elapsed"
METRICS = (
    Metric("duration", "gpu__time_duration.sum", "Duration", NS, TIMES, True, 1e10),
    Metric("dram_bytes_s", "dram__bytes.sum.per_second", "Memory Throughput", BYTES, RATES, most=8e12),
    Metric("sm_clock", "smsp__cycles_elapsed.avg.per_second", "SM Frequency", HZ, CLOCKS, most=2e9),
    Metric("sm_pct", f"sm__throughput{PEAK}", "Compute (SM) Throughput", SHARE, most=99),
    Metric("mem_pct", f"gpu__compute_memory_throughput{PEAK}", "Memory Throughput", SHARE, most=99),
    Metric("l2_hit", "lts__t_sector_hit_rate.pct", "L2 Hit Rate", SHARE, most=100),
    Metric("inst", "smsp__inst_executed.sum", "Executed Instructions", ("inst",) * 2, whole=True, most=1e10),
    Metric("sm_active", "sm__cycles_active.avg", "SM Active Cycles", ("cycle",) * 2),
    Metric(
        "issue_active",
        "smsp__issue_active.avg.per_cycle_active",
        "Issued Warp Per Scheduler",
        ("",) * 2,
        most=1,
    ),
    Metric("grid", "launch__grid_size", "Grid Size", ("",) * 2, whole=True, most=1e6),
    Metric("block", "launch__block_size", "Block Size", ("",) * 2, whole=True, most=1024),
    Metric("waves", "launch__waves_per_multiprocessor", "Waves Per SM", ("",) * 2, most=5e3),
)


@dataclass(frozen=True)
class Page:
    """How one run of the tool prints: page, locale, units and year."""

    kind: str
    locale: str
    base: bool
    old: bool
    saved: bool = False  # again by a program that prints every number in full, the way of C

    def cell(self, metric: Metric, value: Decimal) -> tuple[str, str, Decimal]:
        """The unit, the number as text, and what that text says in the unit that the vocabulary keeps."""
        unit = metric.units[self.old]
        if self.saved:
            return unit, f"{value:f}", value
        if not self.base:
            for power, new, old in metric.scales:
                if value >= 10**power:
                    digits = 6 if self.kind == "raw" else 2
                    printed = (value / 10**power).quantize(Decimal(1).scaleb(-digits))
                    return (old if self.old else new), f"{printed}", printed * 10**power
            if unit and self.kind == "raw":
                printed = value.quantize(Decimal("0.000001"))
                return unit, f"{printed}", printed
        printed = value.quantize(Decimal(1 if metric.whole else "0.01"))
        return unit, self.number(printed), printed

    def number(self, value: Decimal) -> str:
        group, decimal = LOCALES[self.locale]
        whole, _, fraction = f"{value}".partition(".")
        pattern = r"(?<=\d)(?=(\d\d)*\d{3}$)" if self.locale == "en_IN" else r"(?<=\d)(?=(\d{3})+$)"
        return re.sub(pattern, group, whole) + (decimal + fraction if fraction else "")

    def text(self, launches: list[Mapping[Metric, Decimal]], delimiter: str) -> str:
        rows = [
            [(metric, *self.cell(metric, value)[:2]) for metric, value in launch.items()]
            for launch in launches
        ]
        grids = [next((v for m, v in launch.items() if m.key == "grid"), Decimal(3)) for launch in launches]
        sizes = [f"({int(grid)}, 1, 1)" for grid in grids]
        return self.terminal(rows, sizes) if self.kind == "text" else self.table(rows, sizes, delimiter)

    def table(self, rows: list[list[tuple[Metric, str, str]]], sizes: list[str], delimiter: str) -> str:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
        columns = ["ID", "Process ID", "Kernel Name", "Block Size", "Grid Size", "Device", "CC"]
        known = [
            [str(at), "7", "copy(float*)", "(32, 1, 1)", size, "0", "9.0"] for at, size in enumerate(sizes)
        ]
        if self.kind == "details":
            writer.writerow(
                [*columns, "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name"]
            )
            for launch, cells in zip(known, rows, strict=True):
                for metric, unit, printed in cells:
                    writer.writerow([*launch, "Some Section", metric.shown, unit, printed, ""])
            return text.getvalue()
        writer.writerow([*columns, *(metric.name for metric, _, _ in rows[0])])
        writer.writerow([""] * len(columns) + [unit for _, unit, _ in rows[0]])
        for launch, cells in zip(known, rows, strict=True):
            writer.writerow([*launch, *(printed for _, _, printed in cells)])
        return text.getvalue()

    def terminal(self, rows: list[list[tuple[Metric, str, str]]], sizes: list[str]) -> str:
        lines = ["[7] app@127.0.0.1"]
        for size, cells in zip(sizes, rows, strict=True):
            table = [("Metric Name", "Metric Unit", "Metric Value")] * (not self.old)
            table += [(metric.shown, unit, printed) for metric, unit, printed in cells]
            widths = (
                (70, 15, 30) if self.old else tuple(max(len(row[at]) for row in table) for at in range(3))
            )
            rule = "    " + " ".join("-" * max(width, 6) for width in widths)
            a, b, c = (max(width, 6) for width in widths)
            shown = [f"    {name:<{a}} {unit:>{b}} {printed:>{c}}" for name, unit, printed in table]
            lines.append(f"  copy(float*) {size}x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0")
            lines += [
                "    Section: Some Section",
                rule,
                *([] if self.old else [shown.pop(0), rule]),
                *shown,
                rule,
                "",
            ]
        return "\n".join(lines) + "\n"


def numbers(metric: Metric) -> st.SearchStrategy[Decimal]:
    """As many numbers of four digits as of ten: their marks are what is hard to read."""
    digits = st.integers(0, len(str(int(metric.most))))
    whole = digits.flatmap(lambda size: st.integers(1, min(int(metric.most), 10**size)))
    if metric.whole:
        return whole.map(Decimal)
    parts = st.decimals(0, 1, places=3)
    return st.builds(lambda number, part: min(number - 1 + part, Decimal(metric.most)), whole, parts)


printed_pages = st.builds(
    Page,
    kind=st.sampled_from(["raw", "details", "text"]),
    locale=st.sampled_from(sorted(LOCALES)),
    base=st.booleans(),
    old=st.booleans(),
)
saved_pages = st.sampled_from(
    [Page(kind, "C", base=True, old=False, saved=True) for kind in ("raw", "details")]
)
pages = printed_pages | saved_pages


@st.composite
def runs(draw: st.DrawFn) -> list[Mapping[Metric, Decimal]]:
    chosen = draw(st.lists(st.sampled_from(METRICS), min_size=1, max_size=8, unique=True))
    return [{metric: draw(numbers(metric)) for metric in chosen} for _ in range(draw(st.integers(1, 3)))]


def reread(data: bytes) -> CounterReport:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page"
        path.write_bytes(data)
        return read_profile(path)


def reread_or_refused(data: bytes) -> CounterReport | None:
    """None for a page that was refused in one sentence; what else is raised fails the test."""
    try:
        return reread(data)
    except KbgenError as refusal:
        sentence = str(refusal)
    assert sentence
    assert "\n" not in sentence
    return None


def same_scale(page: Page, launches: list[Mapping[Metric, Decimal]]) -> bool:
    """A raw page has one unit a column: the tool scales by the column, which the writer does not."""
    units = [[page.cell(metric, value)[0] for metric, value in launch.items()] for launch in launches]
    return page.kind != "raw" or all(each == units[0] for each in units)


def check(page: Page, launches: list[Mapping[Metric, Decimal]], report: CounterReport) -> None:
    """What was read is what was printed; what is missing could be read in two ways, and a note says so."""
    for launch, read in zip(launches, report.launches, strict=False):
        for metric, value in launch.items():
            _, printed, expected = page.cell(metric, value)
            if (reading := read.readings.get(metric.key)) is not None:
                assert reading.value == float(expected), (metric.key, printed)
            else:
                assert re.fullmatch(r"\d{1,3}[.,]\d{3}", printed), (metric.key, printed)
                assert any("left out" in note for note in report.notes)


@settings(max_examples=60, deadline=None)
@given(
    page=pages,
    launches=runs(),
    delimiter=st.sampled_from(",;\t"),
    newline=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    noise=st.lists(st.sampled_from(NOISE), max_size=4),
)
def test_every_value_comes_back_or_is_left_out(
    page: Page,
    launches: list[Mapping[Metric, Decimal]],
    delimiter: str,
    newline: str,
    encoding: str,
    noise: list[str],
) -> None:
    assume(same_scale(page, launches))
    text = "".join(noise) + "\n" + page.text(launches, delimiter)
    report = reread(text.replace("\n", newline).encode(encoding))
    assert len(report.launches) == len(launches)
    assert [launch.flags for launch in report.launches] == [()] * len(launches)
    check(page, launches, report)


@settings(max_examples=60, deadline=None)
@given(page=pages, launches=runs(), data=st.data())
def test_cut_and_interleaved_pages_give_no_wrong_number(
    page: Page, launches: list[Mapping[Metric, Decimal]], data: st.DataObject
) -> None:
    assume(same_scale(page, launches))
    lines = page.text(launches, ",").splitlines(keepends=True)
    for _ in range(data.draw(st.integers(0, 4))):
        lines.insert(data.draw(st.integers(0, len(lines))), data.draw(st.sampled_from(NOISE)))
    at = data.draw(st.integers(0, len(lines) - 1))
    harm = data.draw(st.sampled_from(["none", "end", "middle"]))
    if harm == "end":  # the application prints at the end of a line, before its end
        lines[at] = lines[at].rstrip("\n") + data.draw(st.sampled_from(["7\n", ",5\n", " 12\n", '"3"\n']))
    elif harm == "middle":  # or a line of its own in the middle of one
        cut = data.draw(st.integers(0, len(lines[at])))
        lines[at] = f"{lines[at][:cut]}\nepoch 3\n{lines[at][cut:]}"
    text = "".join(lines)
    inside = [found.start() + 1 for found in re.finditer(r"\d(?=[\d.,])", text)]
    text = text[: data.draw(st.sampled_from([*inside, len(text)]) if harm == "none" else st.just(len(text)))]
    if (report := reread_or_refused(text.encode())) is None:
        return
    expected = [
        {metric.key: float(page.cell(metric, value)[2]) for metric, value in launch.items()}
        for launch in launches
    ]
    for read in report.launches:
        values = {key: reading.value for key, reading in read.readings.items()}
        assert any(values.items() <= launch.items() for launch in expected)


@settings(max_examples=60, deadline=None)
@given(page=pages, launches=runs(), data=st.data())
def test_damaged_pages_raise_nothing_but_the_sentence(
    page: Page, launches: list[Mapping[Metric, Decimal]], data: st.DataObject
) -> None:
    raw = bytearray(page.text(launches, ",").encode(data.draw(st.sampled_from(["utf-8", "utf-16"]))))
    for _ in range(data.draw(st.integers(1, 20))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    reread_or_refused(bytes(raw))


@settings(max_examples=60, deadline=None)
@given(
    data=st.binary(max_size=400) | st.text(max_size=200).map(str.encode),
    head=st.sampled_from(["", "NVR\0", "ID,Kernel Name\n"]),
)
def test_anything_at_all_raises_nothing_but_the_sentence(data: bytes, head: str) -> None:
    with pytest.raises(KbgenError) as caught:
        reread(head.encode() + data)
    assert "Traceback" not in str(caught.value)
