"""Renders an optimize result as report.md: the claim, why to believe it, what was tried, what is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import evidence, figures, timings
from .answers_page import answers
from .headline import headline, mark
from .pipes import free_table, passage, table

WITHOUT_THE_CARD = (
    "`unmeasured` means: the kernel passed its tests in Triton's interpreter on the CPU and compiles for the "
    "target. How fast it is there is not known.",
    "The interpreter runs one program after another. It does not model asynchronous copies, barriers or TF32 "
    "rounding, and finds no race other than overlapping stores.",
    "Registers, shared memory and access widths are read from the offline compile, occupancy follows "
    "from them by formula; nothing of this ran on the target.",
)


def render(result: Mapping[str, Any]) -> str:
    """The whole report; `result` is the optimize document of the command line."""
    parts = [
        f"# {result['op']} for {result['device']['used']}: {mark(result)}",
        f"**{result['status']}.** {headline(result)}",
        _asked(result),
        *_section("Why one may believe it", evidence.verdict(result)),
        *_section("The kernels, compiled for the target", evidence.kernels(result)),
        *_section("Timing", _timing(result)),
        *_section("Beside the built-in writer's kernel", _beside(result)),
        *_section("What holds the op back", _diagnosis(result)),
        *_section("Choices and the passages behind them", _choices(result)),
        *_section("Steps tried", _steps(result)),
        *_section("What the accepted steps moved", _moved(result)),
        *_section("What the answers took", answers(result)),
        *_section("Techniques that do not apply", _declined(result)),
        *_section("Limits of this report", _limits(result)),
        *_section("Reproduce", _reproduce(result)),
    ]
    return "\n\n".join(parts) + "\n"


def _section(title: str, body: str) -> list[str]:
    return [f"## {title}\n\n{body}"] if body else []


def _bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _asked(result: Mapping[str, Any]) -> str:
    device = result["device"]
    live = "on the card itself" if device["live"] else "not present; compiled for it"
    candidate = result["candidate_path"]
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


def _timing(result: Mapping[str, Any]) -> str:
    taken = result["baselines"].values()
    return free_table(timings.rows(taken), timings.COLUMNS) if taken else ""


def _beside(result: Mapping[str, Any]) -> str:
    """Of a given kernel that was set anew: what the built-in writer offers, and which is better."""
    found = result.get("beside")
    if not found:
        return ""
    where = f" Its kernel: `{found['path']}`." if found.get("path") else ""
    return f"Better: **{found['better']}**; {found['why']}.{where}"


def _diagnosis(result: Mapping[str, Any]) -> str:
    found = _bullets(item["evidence"] for item in result["diagnosis"])
    return f"Of the op as eager PyTorch runs it, one operator after another:\n\n{found}" if found else ""


def _choices(result: Mapping[str, Any]) -> str:
    rows = [
        (item["choice"], figures.cell(item["value"]), item["why"], passage(item["citation"]))
        for item in result["choices"]
    ]
    return table(("choice", "value", "why", "passage"), rows) if rows else ""


def _steps(result: Mapping[str, Any]) -> str:
    rows = [
        (
            f"`{step['transform']}`",
            step["outcome"],
            "yes" if step["kept"] else "no",
            figures.ratio(step["effect"]),
            step["evidence"],
            step["reason"],
            passage(next(iter(step["citations"]), None)),
        )
        for step in result["steps"]
    ]
    if not rows:
        return ""
    note = "Effect is time before over time after; `estimated` comes from the model, not from a clock."
    columns = ("transform", "outcome", "kept", "effect", "evidence", "reason", "passage")
    return f"{table(columns, rows)}\n\n{note}"


def _moved(result: Mapping[str, Any]) -> str:
    """Per accepted step the class that held the kernel back, and the figures that changed."""
    rows = [
        (
            f"`{step['transform']}`",
            figures.change(moved["was"] or "nothing", moved["now"] or "nothing"),
            "; ".join(figures.moved(one) for one in moved["figures"]) or "nothing by more than 1 %",
            moved["level"],
        )
        for step in result["steps"]
        if (moved := step.get("moved"))
    ]
    return table(("step", "held back by", "moved", "evidence"), rows) if rows else ""


def _declined(result: Mapping[str, Any]) -> str:
    return _bullets(f"`{item['transform']}`: {item['reason']}" for item in result["declined"])


def _limits(result: Mapping[str, Any]) -> str:
    general = WITHOUT_THE_CARD if result["status"] == "unmeasured" else ()
    return _bullets((*general, *result["limits"]))


def _reproduce(result: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items() if version)
    return f"```sh\n{result['command']}\n```\n\nRan with {versions}."
