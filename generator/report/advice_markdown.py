"""Renders advice as Markdown: the kernels by share of time, then per kernel the diagnosis and what to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from . import figures
from .advice_view import AT_MOST, SUMMARY, notes, summary_row, taken, told_of
from .pipes import passage, table


def render(document: Mapping[str, Any]) -> str:
    """The whole page; `document` is the advise document of the command line."""
    parts = [
        f"# Advice for {_code(str(document['subject']))}",
        taken(document),
        *(f"> {note}" for note in notes(document)),
    ]
    if document["kernels"]:
        rows = [summary_row(rank, kernel) for rank, kernel in enumerate(document["kernels"], 1)]
        parts.append(table(SUMMARY, [[*row[:4], _code(row[4]), *row[5:]] for row in rows]))
    for rank, kernel in enumerate(document["kernels"], 1):
        parts += _kernel(rank, kernel, document["level"])
    parts.append(AT_MOST[0].upper() + AT_MOST[1:])
    return "\n\n".join(parts) + "\n"


def _kernel(rank: int, kernel: Mapping[str, Any], level: str) -> Iterator[str]:
    yield f"## {rank}. {_code(figures.kernel(kernel['name'], 100))}"
    yield told_of(kernel, level)[0].upper() + told_of(kernel, level)[1:] + "."
    launch = kernel.get("launch") or {}
    if launch.get("flags"):
        yield "\n".join(f"- flag: {flag}" for flag in launch["flags"])
    found = kernel["bottlenecks"]
    if found:
        rows = [(one["class"], one["confidence"], one["evidence"]) for one in found]
        yield table(("class", "confidence", "evidence"), rows)
    else:
        yield "Nothing stands out in what was counted."
    for place, step in enumerate(kernel["advice"], start=1):
        yield _step(place, step)
    if kernel["withheld"]:
        held = (f"- {_code(one['technique'])}: {one['reason']}" for one in kernel["withheld"])
        yield "Not for this kernel or device:\n\n" + "\n".join(held)


def _step(place: int, step: Mapping[str, Any]) -> str:
    most = f", at most {figures.ratio(step['at_most'])}" if step.get("at_most") else ""
    lines = [f"### {place}. {step['title']} ({_code(step['technique'])}){most}", ""]
    told = {
        "Why": step["why"],
        "Bound": step.get("at_most_how"),
        "The card says": step.get("card_effect"),
        "Cost": step.get("cost"),
        "Risk": step.get("risk"),
        "To check": step.get("check"),
        "Not together with": ", ".join(step.get("conflicts", ())),
        "Seen before": "; ".join(past["told"] for past in step.get("outcomes", ())),
    }
    lines += [f"- {label}: {text}" for label, text in told.items() if text]
    lines += [f"- Source: {passage(citation)}" for citation in step["citations"]]
    return "\n".join(lines)


def _code(text: str) -> str:
    """A name as code, whatever stands in it."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{' '.join(text.split())}{fence}"
