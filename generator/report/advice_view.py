"""Shows advice on a terminal: which kernels take the time, what holds each back, what to try and check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.markup import escape

from . import figures
from .tables import Document, grid, rows_of

TOLD = 5  # kernels told in full; the others are in the table, in --json and in a page
LISTED = 30
SEEN = 3  # past outcomes of a technique; this case comes first
SUMMARY = ("#", "share", "launches", "time", "kernel", "of", "held back by", "at most")


def advise(document: Document) -> Iterator[RenderableType]:
    """The kernels by share of time, then per kernel what holds it back and what to do about it."""
    kernels: Sequence[Mapping[str, Any]] = document["kernels"]
    yield from (f"[yellow]note[/]: {escape(note)}" for note in notes(document))
    if len(kernels) > 1:
        yield grid(None, SUMMARY, [summary_row(rank, one) for rank, one in enumerate(kernels[:LISTED], 1)])
    for rank, kernel in enumerate(kernels[:TOLD], 1):
        yield from _kernel(f"{rank}. " if len(kernels) > 1 else "", kernel, document["level"])
    if len(kernels) > TOLD:
        yield (
            f"{len(kernels) - TOLD} more kernels are not told here: name one with --kernel REGEX, or see all "
            "with --out FILE.html, --out FILE.md or --json."
        )
    if any(step.get("at_most") for kernel in kernels for step in kernel["advice"]):
        yield f"[dim]{escape(AT_MOST)}[/]"
    if document.get("page"):
        yield f"page {escape(str(document['page']))}"


AT_MOST = (
    "at most: no unit works more than all the time, so the work that stays bounds the gain; a bound, "
    "not a forecast, and none where it would be over ten times."
)


def notes(document: Mapping[str, Any]) -> list[str]:
    """What the reader must know before the advice: of the report, the device, the search."""
    said = [*document.get("notes", ()), document.get("note", "")]
    return [note for note in said if note]


def taken(document: Mapping[str, Any]) -> str:
    """How much was counted by which tool, and the level of evidence."""
    tool = " ".join(str(part) for part in (document["tool"], document["tool_version"]) if part)
    counted = f"{launches(document['launches'])} counted by {tool}. " if tool else ""
    return f"{counted}Level of evidence: {document['level']}."


def launches(count: int) -> str:
    """`1 launch`, `12 launches`."""
    return f"{count:,} launch{'' if count == 1 else 'es'}"


def summary_row(rank: int, kernel: Mapping[str, Any]) -> list[str]:
    """One kernel under SUMMARY."""
    primary = next(iter(kernel["bottlenecks"]), None)
    return [
        str(rank),
        figures.percent(kernel.get("share")),
        figures.number(kernel.get("launches")),
        figures.microseconds(kernel.get("time_us")),
        figures.kernel(kernel["name"]),
        kernel.get("library") or figures.NONE,
        f"{primary['class']} ({primary['confidence']})" if primary else "nothing that stands out",
        figures.ratio(next((step.get("at_most") for step in kernel["advice"]), None)),
    ]


def _kernel(rank: str, kernel: Mapping[str, Any], level: str) -> Iterator[RenderableType]:
    yield ""
    yield f"[bold]{rank}{escape(figures.kernel(kernel['name'], 100))}[/], {escape(told_of(kernel, level))}"
    launch = kernel.get("launch") or {}
    yield from (f"   [yellow]flag[/]: {escape(flag)}" for flag in launch.get("flags", ()))
    if kernel["bottlenecks"]:
        yield rows_of(None, kernel["bottlenecks"], ("class", "confidence", "evidence"))
    else:
        yield "nothing stands out in what was counted; collect more, or look at the kernels around it."
    for place, step in enumerate(kernel["advice"], start=1):
        yield from _step(place, step)


def told_of(kernel: Mapping[str, Any], level: str) -> str:
    """Whose the kernel is, how often and long it ran, on what, and on what evidence it is judged."""
    parts = [f"a kernel of {kernel['library']}: advice is for its call"] if kernel.get("library") else []
    if kernel.get("launches"):
        parts.append(launches(kernel["launches"]))
        if kernel.get("time_us") is not None:
            spread = (
                f"median {figures.microseconds(kernel['median_us'])}, worst "
                if kernel["launches"] > 1
                else ""
            )
            parts.append(f"{spread}{figures.microseconds(kernel['worst_us'])}")
    if kernel.get("device"):
        parts.append(f"on {kernel['device']['name']}")
    return ", ".join([*parts, f"level of evidence: {kernel.get('level', level)}"])


def _step(place: int, step: Mapping[str, Any]) -> Iterator[str]:
    most = (
        f", at most {figures.ratio(step['at_most'])} ({step['at_most_how']})" if step.get("at_most") else ""
    )
    aim = f" for {step['for']}" if step.get("for") else ""
    yield f"{place}. [bold]{escape(str(step['technique']))}[/]{escape(aim + most)}"
    yield f"   why: {escape(str(step['why']))}"
    if step.get("check"):
        yield f"   check: {escape(str(step['check']))}"
    if step.get("risk"):
        yield f"   risk: {escape(str(step['risk']))}"
    if step.get("conflicts"):
        yield f"   not together with: {escape(', '.join(step['conflicts']))}"
    yield from (f"   seen: {escape(past['told'])}" for past in step.get("outcomes", ())[:SEEN])
    yield from (f"   - {escape(figures.place(citation))}" for citation in step["citations"])
