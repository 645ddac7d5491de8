"""What Nsight Compute's rules say: remarks, and the numbers that only their sentences tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Literal

from . import nvidia
from .record import Reading, Remark

_KINDS: Mapping[str, Literal["OPT", "WRN", "INF"]] = {"OPT": "OPT", "WRN": "WRN", "INF": "INF", "OK": "INF"}
_SCOPES: Mapping[str, Literal["global", "local"]] = {"global": "global", "local": "local"}
_SHARE = re.compile(r"represents about (\d+\.\d)% of the total average")
_PIPE = re.compile(
    r"^(?P<pipe>[\w ]+?)(?: \([^)]*\))? is the highest-utilized pipeline \((?P<pct>\d+\.\d)%\) "
    r"based on (?P<cycles>active|elapsed) cycles"
    r"(?:.*? dominated by its (?P<part>[\w ]+?)(?: \([^)]*\))? sub-pipeline)?"
)
_ACTIVE, _ELAPSED = "sm__cycles_active.avg", "gpc__cycles_elapsed.max"

Told = Mapping[str, tuple[float, str]]


def remark(rule: str, kind: str, text: str, speedup: float | None, scope: str) -> Remark | None:
    """What one rule said; None for kinds that speak of the tool itself, such as errors."""
    known = _KINDS.get(kind)
    return None if known is None else Remark(rule, known, text, speedup, _SCOPES.get(scope))


def speedup_pct(text: str) -> float | None:
    """An estimated speed-up in per cent; none is a thousand, so a single mark is always the decimal one."""
    if not re.fullmatch(r"\d{1,3}(?:[.,]\d+)?", text.strip()):
        return None
    value = float(text.strip().replace(",", "."))
    return value if value <= 100 else None


def told_metrics(remarks: Iterable[Remark], read: Told) -> Told:
    """Metrics by name, each with the rule that tells it; `read` are those that the page shows, by name."""
    told: dict[str, tuple[float, str]] = {}
    for remark in remarks:
        for entry in nvidia.metric_map().told:
            match, mean = re.search(entry.pattern, remark.text), entry.largest_over
            if match is None or (mean is not None and mean not in read):
                continue
            for name, number in zip(entry.names, match.groups(), strict=True):
                value = float(number) if mean is None else _largest(read[mean][0], float(number))
                if value is not None:
                    told.setdefault(name, (value, f"rule {remark.rule}"))
    return told


def _largest(mean: float, over_pct: float) -> float | None:
    """The largest of several numbers of this mean, by how much of itself it exceeds the mean."""
    return mean / (1 - over_pct / 100) if over_pct < 100 else None


def told_stalls(remarks: Iterable[Remark]) -> Mapping[str, Reading]:
    """The shares of the warps' time, 0 to 1, that the rule on stalls tells of the worst reasons."""
    shares: dict[str, Reading] = {}
    for remark in remarks:
        if share := _SHARE.search(remark.text):
            for reason, stall in nvidia.metric_map().stalls.reasons.items():
                if stall.waiting and stall.waiting in remark.text[: share.start()]:
                    value = float(Decimal(share[1]) / 100)
                    shares.setdefault(f"stall_{reason}", Reading(value, f"rule {remark.rule}"))
    return shares


def told_pipe(remarks: Iterable[Remark], read: Told) -> Mapping[str, Reading]:
    """The busiest pipe's share of the elapsed cycles in per cent, as the rule on pipe utilization tells it.

    Older tools tell it of the active cycles. Nothing where the pipe or either count of cycles is not known.
    """
    for remark in remarks:
        if match := _PIPE.search(remark.text):
            key = nvidia.metric_map().pipes.get(match["part"] or match["pipe"])
            share = float(match["pct"])
            if match["cycles"] == "active":
                if _ACTIVE not in read or not read.get(_ELAPSED, (0.0, ""))[0]:
                    continue
                share *= read[_ACTIVE][0] / read[_ELAPSED][0]
            if key is not None:
                return {key: Reading(share, f"rule {remark.rule}")}
    return {}
