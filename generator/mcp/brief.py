"""Shortens a command's document to what an agent decides by; the whole of it is one read away.

A whole document of `optimize` or `advise` is some 20,000 tokens, most of them the reasons of techniques far
down the list. What is left out is counted under "left_out", never silently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Document = dict[str, Any]

ADVICE = 6
KERNELS = 5
STEP = ("technique", "title", "for", "why", "at_most", "at_most_how", "cost", "risk", "check", "conflicts")
CITATION = ("title", "source", "version", "passage_id")


def brief(command: str, document: Mapping[str, Any]) -> Document:
    """The telling parts of a document, under its own schema and keys."""
    shorten = _SHORT.get(command)
    return shorten(document) if shorten else dict(document)


def _picked(mapping: Mapping[str, Any], names: Sequence[str]) -> Document:
    return {name: mapping[name] for name in names if mapping.get(name) not in (None, "", [])}


def _step(step: Mapping[str, Any]) -> Document:
    return {
        **_picked(step, STEP),
        "citations": [_picked(one, CITATION) for one in step.get("citations", ())[:2]],
        "outcomes": [one.get("told") or one for one in step.get("outcomes", ())][:3],
    }


def _advised(advice: Sequence[Mapping[str, Any]], count: int = ADVICE) -> list[Document]:
    return [_step(step) for step in advice[:count]]


def _verdict(verdict: Mapping[str, Any]) -> Document:
    """Every case that did not pass is kept; those that did are counted."""
    cases = verdict.get("cases", ())
    open_ = [case for case in cases if case["outcome"] != "passed"]
    left = {"cases that passed": len(cases) - len(open_)}
    left |= {"replay": 1} if verdict.get("replay") else {}
    short = {name: value for name, value in verdict.items() if name != "replay"}
    return {**short, "cases": open_, "left_out": left}


def _optimized(result: Mapping[str, Any]) -> Document:
    advice, declined = result["advice"], result["declined"]
    return {
        **result,
        "advice": [_picked(step, ("technique", "title", "why")) for step in advice[:ADVICE]],
        "steps": [{k: v for k, v in step.items() if k != "citations"} for step in result["steps"]],
        "verdict": _verdict(result["verdict"]) if result["verdict"] else None,
        "declined": [],
        "left_out": {"advice": max(0, len(advice) - ADVICE), "declined": len(declined)},
    }


def _advice(document: Mapping[str, Any]) -> Document:
    kernels = document["kernels"]
    short = [{**kernel, "advice": _advised(kernel["advice"]), "withheld": []} for kernel in kernels[:KERNELS]]
    dropped = sum(max(0, len(kernel["advice"]) - ADVICE) for kernel in kernels[:KERNELS])
    left = {"kernels": max(0, len(kernels) - KERNELS), "advice": dropped}
    return {**document, "kernels": short, "left_out": left}


def _profiled(document: Mapping[str, Any]) -> Document:
    counted = document.get("counted", ())
    left = {"counted": max(0, len(counted) - KERNELS), "counters": int(bool(document.get("counters")))}
    return {**document, "counted": counted[:KERNELS], "counters": None, "left_out": left}


def _benched(document: Mapping[str, Any]) -> Document:
    samples = document.get("samples_us") or {}
    short = {name: value for name, value in document.items() if name != "samples_us"}
    return {**short, "verdict": _verdict(document["verdict"]), "left_out": {"samples_us": len(samples)}}


_SHORT: dict[str, Callable[[Mapping[str, Any]], Document]] = {
    "verify": _verdict,
    "optimize": _optimized,
    "record": _optimized,
    "advise": _advice,
    "profile": _profiled,
    "bench": _benched,
}
