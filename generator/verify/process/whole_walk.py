"""Walks through full size, and makes calls that meet what it alone has met, or where values were asked of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from torch import nn

from ..interpreter.conditions import Conditions, Outcomes, Site, Unmet, holds, listed, together
from ..interpreter.configurations import turns_of
from ..interpreter.effort import effort
from ..interpreter.interpreter import Watch
from .exchange import FullSize, Step, StepReport
from .loading import imported, made
from .rehearsal import NOWHERE, Rehearsed, at_highest, rehearse

PATIENCE_S = 6.0
"""Seconds, as `Effort` counts, for calls with other values, and as much for those that repeat the plan's."""


_OF_ANY_SIZE = frozenset(("unwritten-output", "out-of-bounds", "hard-coded-shape"))
"""Beyond full size: grids, counters and offsets of 32 bits have to suffice there alone."""


class _Call(Protocol):
    """Makes a call: with what was made to hold, in words, its place among the calls at tiles, or the number
    of the plan's that it repeats."""

    def __call__(
        self, step: Step, forced: str = "", tiles: int | None = None, repeats: int | None = None
    ) -> StepReport: ...


class _Skip(Protocol):
    """Reports such a call that is not made."""

    def __call__(
        self, forced: str = "", tiles: int | None = None, repeats: int | None = None
    ) -> StepReport: ...


class WholeWalk:
    """The walk of one candidate through `full`."""

    def __init__(
        self,
        full: FullSize,
        watch: Watch,
        conditions: Conditions,
        call: _Call,
        skip: _Skip,
        mode: str,
        first: Sequence[tuple[int, Step]],
    ) -> None:
        """`skip` reports a call that is not made for want of time; `first`: the numbers and steps of
        the plan's calls at its first shape that may be repeated."""
        self.full, self.watch, self.conditions, self.call, self.mode = full, watch, conditions, call, mode
        self.first, self.skip, self.left_s = first, skip, PATIENCE_S

    def made(self, met: Mapping[int, Outcomes], retried: Step, read_whole: set[str]) -> Rehearsed:
        """`met` are the conditions of the plan's calls by their shapes, `retried` is the one to repeat with
        other outcomes, and `read_whole` what every call has loaded all of."""
        judged = together((*met.values(), self.conditions.begin()))
        if self.full.judged:
            with self.watch.tuning.aside():
                return _read_whole(self._beyond(Rehearsed()), read_whole)
        known, making = self.watch.in_values, partial(self._built, self.full)
        self.watch.in_values = set()
        with self.watch.tuning.aside():
            rehearsed = rehearse(self.watch, making, self.full.inputs)
        self.watch.begin()
        new = self.conditions.new_since(judged)
        elsewhere = {
            site: value
            for shape in self.full.asked
            for site, value in self.conditions.new_since(met.get(shape, {})).items()
            if site not in new and site in met.get(shape, {})
        }
        alone = frozenset(self.watch.in_values - known)
        unmet = Unmet(self.conditions.new_amounts(judged, rehearsed.kernels), alone)
        turns = turns_of(self.watch.tuning.at_full)
        with self.watch.tuning.aside():  # what sizes lead to is known, and is not what these values lead to
            rehearsed = at_highest(rehearsed, self.watch, making, self.full.inputs)
            rehearsed = self._beyond(self._beside(rehearsed))
        self.watch.begin()
        self.conditions.begin()
        self.watch.in_values = set()
        forced, unasked = self._meet(new, elsewhere, met, turns, retried)
        left = unmet.after(self.conditions.outcomes, self.watch.in_values)
        values = tuple(sorted(left.values))
        rehearsed = replace(_read_whole(rehearsed, read_whole), values=values)
        rehearsed = replace(rehearsed, forced=listed(forced), unasked=listed(unasked))
        return replace(rehearsed, amounts=listed(left.amounts))

    def _beside(self, rehearsed: Rehearsed) -> Rehearsed:
        """With the faults of a walk at a size that is a multiple of nothing, if full size itself had none."""
        if self.full.beside is None or rehearsed.faults or rehearsed.why_not:
            return rehearsed
        walked = rehearse(self.watch, partial(self._built, self.full.beside), self.full.beside.inputs)
        return replace(rehearsed, faults=_elsewhere("its largest size one less", walked.faults))

    def _beyond(self, rehearsed: Rehearsed) -> Rehearsed:
        """Likewise at larger sizes, where no loaded number steers the programs; and with what is not loaded
        whole there."""
        for told, beyond in self.full.beyond.items():
            if rehearsed.faults or rehearsed.why_not:
                break
            walked = rehearse(self.watch, partial(self._built, beyond), beyond.inputs)
            if walked.steered:
                continue
            faults = [fault for fault in walked.faults if fault[0] in _OF_ANY_SIZE]
            unread = {label: f"with {told} {_unplaced(what)}" for label, what in walked.unread.items()}
            rehearsed = replace(
                rehearsed, faults=_elsewhere(told, faults), unread={**unread, **rehearsed.unread}
            )
        return rehearsed

    def _meet(
        self,
        new: Mapping[Site, Any],
        elsewhere: Mapping[Site, Any],
        met: Mapping[int, Outcomes],
        turns: list[dict[str, Any]],
        retried: Step,
    ) -> tuple[Mapping[Site, Any], Mapping[Site, Any]]:
        """Calls with the `new` conditions and configurations as full size alone has them: at sizes that give
        them of themselves, and for what these do not give, which is returned, made to hold. And calls with
        other values where conditions came out as at full size, which did not where values were asked of;
        those for which there was no time come second."""
        step, place = (self.full.tiles[0], 0) if self._natural() and new else (retried, None)
        unasked: Mapping[Site, Any] = {}
        if self._natural() and (new or elsewhere):
            self.conditions.begin()
            for turn in (turns if new else []) or [{}]:
                self.watch.tuning.forced = turn
                for number, natural in self._natural():
                    if not natural.optional:
                        self.call(natural, _words(turn), number)
            self.watch.tuning.forced = {}
            whole = self._asked(pair for pair in self._natural() if pair[1].optional)
            left = self.conditions.not_held(elsewhere)
            unasked = {} if whole else {site: elsewhere[site] for site in elsewhere.keys() - left.keys()}
            elsewhere = left
            if new:
                new = self.conditions.not_held(new)
                turns = turns * bool(new)
        self.watch.tuning.forced = {}
        unasked = {**unasked, **self._ask_elsewhere(elsewhere, met)}
        for turn in turns or [{}] * bool(new):
            self.conditions.forced, self.watch.tuning.forced = new, turn
            self.call(step, self.conditions.told(new) or _words(turn), place)
        self._once_more({**new, **unasked})
        return new, unasked

    def _once_more(self, sites: Mapping[Site, Any]) -> None:
        """The plan's calls at its first shape with what compares sizes as at full size, as long as there is
        time; what asks for strides comes out as it does with theirs."""
        self.watch.tuning.forced = {}
        self.conditions.forced = {site: sites[site] for site in sites if site in self.conditions.of_wrapper}
        until, told = effort.seconds() + PATIENCE_S, self.conditions.told(self.conditions.forced)
        for number, step in self.first if self.conditions.forced else ():
            if effort.seconds() > until:
                self.skip(told, repeats=number)
            else:
                self.call(step, told, repeats=number)

    def _natural(self) -> list[tuple[int, Step]]:
        """The calls at whole tiles, and their places."""
        return list(enumerate(self.full.tiles[: self.full.natural]))

    def _ask_elsewhere(self, sites: Mapping[Site, Any], met: Mapping[int, Outcomes]) -> Mapping[Site, Any]:
        """Calls at shapes of the plan that give what is left of `sites`, as long as any is. Those for which
        there was no time for all of them."""
        unasked: dict[Site, Any] = {}
        further = list(enumerate(self.full.tiles))[self.full.natural :]
        for shape, steps in groupby(further, key=lambda pair: pair[1].shape):
            held = [site for site, value in sites.items() if holds(met.get(shape, {}), site, value)]
            if held:
                if not self._asked(steps):
                    unasked |= {site: sites[site] for site in held}
                sites = {site: value for site, value in sites.items() if site not in held}
        return unasked

    def _asked(self, steps: Iterable[tuple[int, Step]]) -> bool:
        """Calls as long as there is time; whether there was for all of them."""
        whole = True
        for number, step in steps:
            began = effort.seconds()
            late = self.left_s <= 0
            report = self.skip(tiles=number) if late else self.call(step, "", number)
            self.left_s -= effort.seconds() - began
            whole &= report.status != "skipped"
        return whole

    def _built(self, full: FullSize) -> nn.Module:
        model = made(imported(Path(full.file), "full", self.conditions), full, NOWHERE)
        return model if self.mode == "as-is" else model.train(self.mode == "train")


def _read_whole(rehearsed: Rehearsed, labels: set[str]) -> Rehearsed:
    """Of what it leaves unread, only what every call has loaded all of."""
    unread = {label: told for label, told in rehearsed.unread.items() if label in labels}
    return replace(rehearsed, unread=unread)


def _elsewhere(where: str, faults: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    told = f"right at full size, but with {where}"
    return tuple((cause, f"{told}: {_unplaced(detail)}") for cause, detail in faults)


def _unplaced(detail: str) -> str:
    """What a walk says of full size, of wherever it went."""
    return detail.removeprefix("at full size ").replace(" at full size", "")


def _words(turn: Mapping[str, Any]) -> str:
    return ", ".join(map(str, turn.values()))
