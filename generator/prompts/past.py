"""Tells what was tried before: verified kernels of this architecture, and what failed where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from ...kb import shipped
from ...kb.library import Library
from ...kb.records import Episode, EpisodeStep
from ...profiling.trace import TracedOp
from .prompt import Item, Part
from .quoting import gives_orders, quoted

_BAD = ("hurt", "rejected", "failed")
_KERNELS = 2
_SETBACKS = 10


def kernels_part(library: Library, traced: TracedOp, arch: str) -> tuple[Part, list[str]]:
    """The most alike verified kernels of the architecture, one an operator: the same graph first, then the
    family, then what gained most. And the ids of records left out because they give orders."""
    items: list[Item] = []
    refused: list[str] = []
    seen: set[str] = set()
    for name, episode in _verified(library, arch, traced):
        if episode.op_name in seen or len(items) == _KERNELS:
            continue
        seen.add(episode.op_name)
        if gives_orders(episode.source, episode.op_name):
            refused.append(name)
            continue
        items.append(Item(_kernel(name, episode)))
    return Part("kernels", "Kernels that passed the same judge on this architecture", tuple(items)), refused


def setbacks_part(library: Library, traced: TracedOp, arch: str) -> tuple[Part, list[str]]:
    """Techniques that hurt or failed on this family and architecture, with the reasons that were recorded."""
    lines, refused = [], []
    graph = library.graph()
    for technique in graph.techniques():
        groups: dict[str, list[EpisodeStep]] = defaultdict(list)
        for trial in graph.trials(technique):
            if (trial.episode.family, trial.episode.arch) == (traced.family, arch):
                groups[f"{trial.episode.op_name}, {trial.episode.toolchain}"].append(trial.step)
        for where, steps in sorted(groups.items()):
            bad = [step for step in steps if step.outcome in _BAD]
            if bad and gives_orders(technique, where, *(step.reason for step in bad)):
                refused.append(technique)
            elif bad:
                lines.append(_setback(technique, where, bad, len(steps)))
    items = (Item(quoted("outcome", "\n".join(lines[:_SETBACKS]), {})),) if lines else ()
    return Part("setbacks", "What failed here before", items), refused


def _setback(technique: str, where: str, bad: list[EpisodeStep], tries: int) -> str:
    """`- cache-hints on rmsnorm, triton 3.6, torch 2.11: 1 of 2 hurt, 0.91x measured: the reason`."""
    last = bad[-1]
    effect = f", {last.effect:.2f}x {last.evidence}" if last.effect else ""
    reason = f": {' '.join(last.reason.split())[:200]}" if last.reason else ""
    return f"- {technique} on {where}: {len(bad)} of {tries} {last.outcome}{effect}{reason}"


def _verified(library: Library, arch: str, traced: TracedOp) -> list[tuple[str, Episode]]:
    shut_out = library.quarantine.entries()
    ready: Mapping[str, Episode] = {**shipped.episodes(), **library.records()}
    found = [
        (name, one)
        for name, one in ready.items()
        if name not in shut_out and one.verified and one.source and one.arch == arch
    ]

    def order(pair: tuple[str, Episode]) -> tuple[bool, bool, float, str]:
        name, one = pair
        gained = one.speedup or 0.0
        return one.fingerprint != traced.fingerprint, one.family != traced.family, -gained, name

    return sorted(found, key=order)


def _kernel(name: str, episode: Episode) -> str:
    timed = (
        f"{episode.speedup:.2f}x the fastest of eager, compile and max-autotune, measured"
        if episode.speedup
        else "not timed"
    )
    kept = ", ".join(step.transform or step.technique for step in episode.steps if step.outcome == "helped")
    said = {
        "record": name, "operator": f"{episode.op_name} ({episode.family})", "device": episode.device_id,
        "speed": timed, "toolchain": episode.toolchain, "precision": episode.precision, "helped": kept,
    }  # fmt: skip
    return quoted("kernel", episode.source, said)
