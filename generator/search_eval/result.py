"""What a comparison of searches found: medians with bootstrap intervals, and whether knowledge helped."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .held_out import TUNED_ON, TUNED_SEEDS, held_out
from .trial import NEAR, Walk

BY_ESTIMATE = ", by the estimate"
"""How the names of searches end that go on as they do where no card is at hand; with knowledge alone."""

RESAMPLES = 2000

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Statistic = Callable[[Floats, Counts], Floats]
"""Values and how often each stands in a resample, a row each, to a figure for each row."""


@dataclass(frozen=True)
class Cell:
    """One search: `plain` is the share of the best that the plain kernel reaches already, `space` the number
    of candidates that stand."""

    op: str
    gpu: str
    seed: int
    space: int
    plain: float
    strategy: str
    knowledge: bool
    walk: Walk


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % bootstrap interval; operators on devices are resampled, not single searches,
    since those of one operator are alike. None for a median that lies where nothing was reached."""

    value: float | None
    low: float | None
    high: float | None

    def to_json(self) -> list[float | None]:
        return [None if v is None else round(v, 3) for v in (self.value, self.low, self.high)]


@dataclass(frozen=True)
class SearchEval:
    """All searches; `source` tells whose clock, `skipped` what could not be searched and why."""

    cells: tuple[Cell, ...]
    skipped: Mapping[str, str]
    source: str
    seconds: float

    def to_json(self) -> dict[str, Any]:
        return {
            "clock": self.source,
            "note": NOTES.get(self.source, "some times are simulated, some by a card's clock"),
            "near": NEAR,
            "strategies": [*self._rows(self.cells, "all")],
            "where_the_plain_kernel_is_not_near": [*self._rows(self._open(), "open")],
            "knowledge": [self.knowledge(name) for name in self._by_clock()],
            "held_out": {
                "tuned_on": sorted(TUNED_ON),
                "tuned_seeds": TUNED_SEEDS if self.source == "simulated" else 0,
                "knowledge": [self.knowledge(name, held_out=True) for name in self._by_clock()],
            },
            "verdict": self.verdict(),
            "spaces": self._spaces(),
            "skipped": dict(self.skipped),
            "searches": len(self.cells),
            "seconds": round(self.seconds, 1),
            "cells": [asdict(cell) for cell in self.cells],
        }

    def knowledge(self, strategy: str, *, held_out: bool = False) -> dict[str, Any]:
        """How many candidates fewer the searches of a strategy needed with knowledge, where the plain kernel
        is not near the best already; a search that never got there counts as one through the whole space."""
        pairs = self._pairs(strategy, held_out)
        fewer = _interval(_by_site(pairs), _mean)
        return {"strategy": strategy, "pairs": len(pairs), "fewer_candidates": fewer.to_json()}

    def verdict(self) -> str:
        """A sentence on what was held out and one on all, for a person, no kinder than the figures."""
        if not self._open():
            return "The plain kernel is near the best everywhere: there is nothing to search for."
        return f"Held out of all tuning: {self._said(True)} With what was tuned on: {self._said(False)}"

    def _said(self, held_out: bool) -> str:
        sites = {(cell.op, cell.gpu) for cell in self._open() if not held_out or self._is_held_out(cell)}
        if not sites:
            return "nothing."
        said = []
        for name in self._by_clock():
            fewer = _interval(_by_site(self._pairs(name, held_out)), _mean)
            if fewer.value is None or fewer.low is None or fewer.high is None:
                said.append(f"was not compared for {name}")
            elif fewer.low > 0:
                spread = f"{fewer.low:.1f} to {fewer.high:.1f}"
                said.append(f"helps {name} ({fewer.value:.1f} candidates fewer, {spread})")
            elif fewer.high < 0:
                spread = f"{-fewer.high:.1f} to {-fewer.low:.1f}"
                said.append(f"harms {name} ({-fewer.value:.1f} candidates more, {spread})")
            else:
                spread = f"{fewer.low:.1f} to {fewer.high:.1f}"
                said.append(f"is not shown to help {name} ({fewer.value:.1f} fewer, {spread})")
        return f"over {len(sites)} operators on devices, knowledge {'; '.join(said)}."

    def _is_held_out(self, cell: Cell) -> bool:
        return held_out(cell.op, cell.seed, self.source)

    def _by_clock(self) -> list[str]:
        names = dict.fromkeys(cell.strategy for cell in self.cells)
        return [name for name in names if not name.endswith(BY_ESTIMATE)]

    def _open(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.plain < NEAR)

    def _pairs(self, strategy: str, held_out: bool) -> list[tuple[tuple[str, str], float]]:
        cost: dict[tuple[str, str, int], dict[bool, float]] = {}
        for cell in self._open():
            if cell.strategy == strategy and (not held_out or self._is_held_out(cell)):
                reached = cell.walk.reached_at or cell.space
                cost.setdefault((cell.op, cell.gpu, cell.seed), {})[cell.knowledge] = float(reached)
        return [((op, gpu), c[False] - c[True]) for (op, gpu, _), c in cost.items() if len(c) == 2]

    def _rows(self, cells: Sequence[Cell], which: str) -> list[dict[str, Any]]:
        groups = dict.fromkeys((cell.strategy, cell.knowledge) for cell in cells)
        return [
            self._row(*group, [c for c in cells if (c.strategy, c.knowledge) == group]) for group in groups
        ]

    def _row(self, strategy: str, knowledge: bool, cells: Sequence[Cell]) -> dict[str, Any]:
        reached = [((c.op, c.gpu), float(c.walk.reached_at or math.inf)) for c in cells]
        chosen = [((c.op, c.gpu), c.walk.chosen) for c in cells]
        return {
            "strategy": strategy,
            "knowledge": knowledge,
            "searches": len(cells),
            "reached": round(sum(c.walk.reached_at is not None for c in cells) / len(cells), 3),
            "candidates_to_near": _interval(_by_site(reached), _median).to_json(),
            "compiled": round(fmean(c.walk.compiled for c in cells), 1),
            "chosen": _interval(_by_site(chosen), _mean).to_json(),
            "foreseen_slow": round(fmean(c.walk.foreseen for c in cells), 2),
        }

    def _spaces(self) -> list[dict[str, Any]]:
        """Each operator on each device: how much there is to find."""
        sites: dict[tuple[str, str], list[Cell]] = {}
        for cell in self.cells:
            sites.setdefault((cell.op, cell.gpu), []).append(cell)
        return [
            {"op": op, "gpu": gpu, "candidates": cells[0].space,
             "plain": round(median(c.plain for c in cells), 3)}
            for (op, gpu), cells in sites.items()
        ]  # fmt: skip


NOTES = {
    "simulated": (
        "Times are of simulated devices (generator/search_eval/machine.py), none was measured: they compare "
        "searches with each other and say nothing of kernels on a card."
    ),
    "card": "Times are by the clock of the card in this machine, each candidate beside the plain kernel.",
}


def _by_site(values: Sequence[tuple[tuple[str, str], float]]) -> list[list[float]]:
    sites: dict[tuple[str, str], list[float]] = {}
    for site, value in values:
        sites.setdefault(site, []).append(value)
    return list(sites.values())


def _interval(sites: Sequence[Sequence[float]], statistic: Statistic) -> Interval:
    if not sites:
        return Interval(None, None, None)
    values = np.array([value for site in sites for value in site])
    owner = np.repeat(np.arange(len(sites)), [len(site) for site in sites])
    drawn = np.random.default_rng(0).multinomial(len(sites), [1 / len(sites)] * len(sites), RESAMPLES)
    draws = np.sort(statistic(values, drawn[:, owner]))
    ends = (draws[int(0.025 * RESAMPLES)], draws[int(0.975 * RESAMPLES)])
    whole = statistic(values, np.ones((1, len(values)), dtype=np.int64))[0]
    return Interval(*(None if math.isinf(v) else float(v) for v in (whole, *ends)))


def _median(values: Floats, counts: Counts) -> Floats:
    """The middle value of each resample, the upper one of two: infinite values have no mean."""
    order = np.argsort(values)
    passed = np.cumsum(counts[:, order], axis=1)
    found: Floats = values[order][(passed > passed[:, -1:] // 2).argmax(axis=1)]
    return found


def _mean(values: Floats, counts: Counts) -> Floats:
    found: Floats = (counts @ values) / counts.sum(axis=1)
    return found
