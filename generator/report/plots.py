"""Draws a kernel's position under the roofline, its busy units and its stalls as SVG, by matplotlib.

Figures are read on paper too: kinds differ in lightness, kernels in shape. No text of a report
enters a figure: kernels are numbered as in the page's table.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

MEMORY, COMPUTE, OTHER = "#8fb4d9", "#2c5d8f", "#c9c9c9"
INK, FAINT = "#222222", "#dddddd"
MARKERS = "os^Dv*PX"
UNITS = {
    "dram_pct": ("DRAM", MEMORY),
    "l2_pct": ("L2", MEMORY),
    "l1_pct": ("L1 and shared", MEMORY),
    "lds_pct": ("LDS", MEMORY),
    "ta_pct": ("address unit", MEMORY),
    "sm_pct": ("busiest compute", COMPUTE),
    "pipe_tensor": ("matrix pipe", COMPUTE),
    "pipe_fma": ("fp32 pipe", COMPUTE),
    "pipe_alu": ("integer pipe", COMPUTE),
    "pipe_xu": ("special functions", COMPUTE),
    "pipe_fp64": ("fp64 pipe", COMPUTE),
    "pipe_lsu": ("load/store issue", COMPUTE),
    "valu_pct": ("vector units", COMPUTE),
    "salu_pct": ("scalar unit", COMPUTE),
    "occupancy_achieved": ("occupancy", OTHER),
    "occupancy_theoretical": ("occupancy possible", OTHER),
    "l1_hit": ("L1 hit rate", OTHER),
    "l2_hit": ("L2 hit rate", OTHER),
}
MOST_STALLS = 8
STYLE = {
    "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "axes.edgecolor": INK,
    "text.color": INK, "axes.spines.top": False, "axes.spines.right": False, "text.parse_math": False,
}  # fmt: skip


def roofline(kernels: Sequence[Mapping[str, Any]]) -> str:
    """All kernels with a place under their device's roofline, numbered by rank; "" where none has one.

    A kernel's height is the share of the attainable speed that it reached times the roof at its intensity.
    """
    points = [(rank, one) for rank, one in enumerate(kernels, 1) if _has_place(one)]
    if not points:
        return ""
    with matplotlib.rc_context(STYLE):
        figure, axes = _blank(7.2, 4.2)
        xs = [one["roofline"]["intensity"] for _, one in points]
        low, high = min([*xs, 0.5]) / 2, max([*xs, *(one["roofline"]["ridge"] for _, one in points)]) * 4
        for number, (name, gb_s, peak) in enumerate(sorted({_roof(one) for _, one in points})):
            axes.plot(
                [low, peak * 1e3 / gb_s, high], [low * gb_s / 1e3, peak, peak], color=INK, linewidth=1.2,
                linestyle=("-", "--", ":", "-.")[number % 4],
                label=f"{name}: {gb_s:.0f} GB/s, {peak:g} TFLOP/s",
            )  # fmt: skip
        for place, (rank, one) in enumerate(points):
            roof = (
                min(one["roofline"]["ridge"], one["roofline"]["intensity"]) * one["device"]["dram_gb_s"] / 1e3
            )
            height = roof * one["roofline"]["attainable_us"] / one["roofline"]["time_us"]
            axes.plot(
                one["roofline"]["intensity"], height, MARKERS[place % len(MARKERS)], color=COMPUTE,
                markeredgecolor="white", markersize=8,
            )  # fmt: skip
            axes.annotate(
                str(rank), (one["roofline"]["intensity"], height), textcoords="offset points", xytext=(7, -3)
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel("arithmetic intensity, FLOP per byte of DRAM traffic")
        axes.set_ylabel("TFLOP/s")
        axes.grid(True, which="major", color=FAINT, linewidth=0.6)
        axes.legend(loc="lower right", frameon=False)
        return _svg(figure, "roofline")


def launch(readings: Mapping[str, Mapping[str, Any]], rank: int) -> str:
    """One launch: how busy each unit was, and what its warps waited for; "" where neither was counted."""
    units = [
        (label, readings[key]["value"], colour) for key, (label, colour) in UNITS.items() if key in readings
    ]
    stalls = sorted(
        (
            (key.removeprefix("stall_").replace("_", " "), 100 * reading["value"])
            for key, reading in readings.items()
            if key.startswith("stall_") and reading["value"] > 0
        ),
        key=lambda pair: -pair[1],
    )
    if not units and not stalls:
        return ""
    rows = max(len(units), min(len(stalls), MOST_STALLS + 1), 3)
    with matplotlib.rc_context(STYLE):
        height = 0.6 + 0.2 * rows
        figure = Figure(figsize=(7.2, height))
        left, right = figure.subplots(1, 2)
        figure.subplots_adjust(left=0.16, right=0.99, top=1 - 0.3 / height, bottom=0.3 / height, wspace=0.5)
        _bars(left, rows, units, "busy, % of the time; grey: hits, occupancy", 100)
        shown = stalls[:MOST_STALLS]
        rest = sum(share for _, share in stalls[MOST_STALLS:])
        bars = [(label, share, OTHER) for label, share in [*shown, *([("all others", rest)] if rest else [])]]
        _bars(right, rows, bars, "warps waiting for, % of their time", None)
        return _svg(figure, f"launch-{rank}")


def _roof(kernel: Mapping[str, Any]) -> tuple[str, float, float]:
    """Device, GB/s and TFLOP/s; peaks that clocks set apart by a per cent or two are one roof."""
    gb_s = kernel["device"]["dram_gb_s"]
    return kernel["device"]["name"], gb_s, float(f"{kernel['roofline']['ridge'] * gb_s / 1e3:.2g}")


def _has_place(kernel: Mapping[str, Any]) -> bool:
    point = kernel.get("roofline") or {}
    return bool(
        point.get("time_us") and point.get("intensity") and point.get("ridge") and kernel.get("device")
    )


def _blank(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _bars(
    axes: Axes, rows: int, bars: Sequence[tuple[str, float, str]], title: str, most: float | None
) -> None:
    """Horizontal bars in a panel of `rows`, the first on top, each with its number beside it."""
    axes.set_title(title, fontsize=9, loc="left")
    if not bars:
        axes.text(0, 0.5, "not counted", transform=axes.transAxes, va="center")
        axes.set_axis_off()
        return
    places = range(len(bars))
    drawn = axes.barh(
        places, [value for _, value, _ in bars], color=[colour for _, _, colour in bars], height=0.7
    )
    for bar, (_, value, _) in zip(drawn, bars, strict=True):
        bar.set_edgecolor(INK)
        bar.set_linewidth(0.4)
        axes.annotate(
            f"{value:.1f}", (value, bar.get_y() + bar.get_height() / 2), textcoords="offset points",
            xytext=(3, 0), va="center", fontsize=8,
        )  # fmt: skip
    axes.set_yticks(places, [label for label, _, _ in bars])
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_xlim(0, 1.18 * max([most or 0.0, *(value for _, value, _ in bars)]))
    axes.tick_params(length=0, labelsize=8)


def _svg(figure: Figure, salt: str) -> str:
    """The figure as an element to stand in a page, the same every time; `salt` keeps its ids its own."""
    written = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": salt}):
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    svg = written.getvalue()
    svg = svg[svg.index("<svg") :]
    return re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
