"""Renders an optimize result as report.md: the claim, why to believe it, what was tried, what is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import figures
from .headline import headline, mark

WITHOUT_THE_CARD = (
    "`unmeasured` means: the kernel passed its tests in Triton's interpreter on the CPU and compiles for the "
    "target. How fast it is there is not known.",
    "The interpreter runs one program after another. It does not model asynchronous copies, barriers or TF32 "
    "rounding, and finds no race other than overlapping stores.",
    "Registers, shared memory and access widths are read from the offline compile, occupancy follows "
    "from them by formula; nothing of this ran on the target.",
)
Rows = Sequence[Mapping[str, Any]]


def render(result: Mapping[str, Any]) -> str:
    """The whole report; `result` is the optimize document of the command line."""
    parts = [
        f"# {result['op']} for {result['device']['used']}: {mark(result)}",
        f"**{result['status']}.** {headline(result)}",
        _asked(result),
        *_section("Why one may believe it", _evidence(result)),
        *_section("The kernels, compiled for the target", _kernels(result)),
        *_section("Timing", _timing(result)),
        *_section("Choices and the passages behind them", _choices(result)),
        *_section("Steps tried", _steps(result)),
        *_section("Limits of this report", _limits(result)),
        *_section("Reproduce", _reproduce(result)),
    ]
    return "\n\n".join(parts) + "\n"


def write(path: Path, result: Mapping[str, Any]) -> None:
    """Write report.md."""
    path.write_text(render(result), encoding="utf-8")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; `|` and line ends inside a cell are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_escaped(text) for text in line) + " |" for line in lines)


def _section(title: str, body: str) -> list[str]:
    return [f"## {title}\n\n{body}"] if body else []


def _escaped(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _limits(result: Mapping[str, Any]) -> str:
    general = WITHOUT_THE_CARD if result["status"] == "unmeasured" else ()
    return "\n".join(f"- {sentence}" for sentence in (*general, *(result.get("limits") or ())))


def _asked(result: Mapping[str, Any]) -> str:
    device = result["device"]
    live = "on the card itself" if device["live"] else "not present; compiled for it"
    candidate = result.get("candidate_path")
    rows = [
        ("Op", f"{result['op']} (family {result['family']})"),
        ("Kernel file", f"`{Path(candidate).name}`" if candidate else "none"),
        ("Device", f"asked {device['asked']}, used {device['used']} ({live})"),
        ("Error budget", f"{result['precision']} class, mode {result['mode']}"),
        ("Written by", f"{result['writer']}, knowledge base {'on' if result['knowledge'] else 'off'}"),
        ("Time taken", f"{result['elapsed_s']:.1f} s"),
        ("Library record", str(result["recorded"] or "none")),
    ]
    return table(("asked", "answer"), rows)


def _evidence(result: Mapping[str, Any]) -> str:
    verdict = result.get("verdict")
    if not verdict:
        return ""
    parts = [": ".join([f"Verdict **{verdict['verdict']}**", *_because(verdict)])]
    if verdict.get("oracle_error") is not None:
        parts.append(
            f"Error against the fp64 oracle: {figures.cell(verdict['oracle_error'])}; "
            f"eager's own error on the same data: {figures.cell(verdict.get('baseline_error'))}."
        )
    parts += [f"Note: {note}" for note in (*verdict["labels"], *verdict["notes"])]
    if verdict["library_calls"]:
        parts.append(f"Left to torch: {', '.join(verdict['library_calls'])}.")
    if verdict.get("cases"):
        parts.append(_free_table(verdict["cases"]))
    if verdict.get("controls"):
        parts.append(
            "Controls: wrong outputs that the same comparison must reject.\n\n"
            + table(
                ("control", "outcome"),
                [(name, figures.cell(outcome)) for name, outcome in verdict["controls"].items()],
            )
        )
    return "\n\n".join(parts)


def _because(verdict: Mapping[str, Any]) -> list[str]:
    return [str(verdict[key]) for key in ("cause", "detail") if verdict.get(key)]


def _free_table(rows: Rows) -> str:
    names = figures.columns(rows)
    return table(names, [[figures.cell(row.get(name)) for name in names] for row in rows])


def _kernels(result: Mapping[str, Any]) -> str:
    kernels = result.get("kernels") or ()
    if not kernels:
        return ""
    rows = [[f"`{kernel['name']}`", *figures.static_row(kernel["static"])] for kernel in kernels]
    parts = [table(("kernel", *figures.STATIC_HEADER), rows)]
    if result.get("traffic_ratio") is not None:
        parts.append(
            f"Memory traffic: {figures.ratio(result['traffic_ratio'])} the minimum, which is every input "
            "read once and every output written once."
        )
    return "\n\n".join(parts)


def _timing(result: Mapping[str, Any]) -> str:
    baselines = result.get("baselines") or {}
    if not baselines:
        return ""
    rows = [
        {"subject": name, **(timing if isinstance(timing, Mapping) else {"time_us": timing})}
        for name, timing in baselines.items()
    ]
    return _free_table(rows)


def _choices(result: Mapping[str, Any]) -> str:
    choices = result.get("choices") or ()
    if not choices:
        return ""
    rows = [
        (item["choice"], figures.cell(item["value"]), item["why"], figures.place(item.get("citation")))
        for item in choices
    ]
    return table(("choice", "value", "why", "passage"), rows)


def _steps(result: Mapping[str, Any]) -> str:
    steps = result.get("steps") or ()
    if not steps:
        return ""
    rows = [
        (
            figures.cell(step["technique"]),
            f"`{step['transform']}`",
            step["outcome"],
            figures.ratio(step.get("effect")),
            step["evidence"],
            step["reason"],
        )
        for step in steps
    ]
    note = "Effect is time before over time after; `estimated` comes from the model, not from a clock."
    return f"{table(('technique', 'transform', 'outcome', 'effect', 'evidence', 'reason'), rows)}\n\n{note}"


def _reproduce(result: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items() if version)
    return f"```sh\n{result['command']}\n```\n\nRan with {versions}."
