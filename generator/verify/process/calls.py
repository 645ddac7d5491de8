"""Makes a judgement's calls, in one process or in two, and those that full size asks for besides."""

from __future__ import annotations

import contextlib
import io
import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import torch

from ....profiling import running
from ..interpreter.conditions import Conditions, Outcomes, Unmet, together
from ..interpreter.configurations import MOST
from ..interpreter.effort import effort
from ..interpreter.interpreter import Watch
from ..interpreter.pace import EVERY
from ..interpreter.watched import CHOICE, NAME
from ..text.coverage import Reached, unreached
from .call import Call, Instance
from .exchange import (
    ENOUGH_FILE,
    OTHER_PROGRESS_FILE,
    PROGRESS_FILE,
    FullSize,
    Shape,
    Step,
    StepReport,
    write_call,
)
from .integrity import Snapshot, changed_since
from .layout import EMPTY, PITCHED, TRANSPOSED
from .loading import LeftRunningError, TooSlowError, imported, made
from .partner import BrokenPartnerError, Partner
from .rehearsal import Rehearsed
from .stand_in import ASKS, off_the_card, units
from .whole_walk import WholeWalk

_WALKED_OUT_S = 10.0
"""Of one call at a long axis, as `Effort` counts: a loop of a thousand steps, each some launches."""

_ADDED_UP = ("reports", "tensors", "met", "costs", "taken")
"""What is known of calls by their numbers or shapes, of which each process has its own."""


class Calls:
    """All calls of one candidate; what each gave stands in `reports` and `tensors` under its number. Those at
    the shapes that the request has `helped` are made in a second process meanwhile where there are two
    processors; what they are is the same without. `patched` is what the second has changed of what `before`
    holds."""

    def __init__(
        self,
        shapes: list[Shape],
        steps: list[Step],
        watch: Watch,
        conditions: Conditions,
        request: Mapping[str, Any],
        folder: Path,
        before: Snapshot,
    ) -> None:
        self.shapes, self.steps, self.watch, self.conditions = shapes, steps, watch, conditions
        self.request, self.folder, self.before = request, folder, before
        self.progress, self.patched = folder / PROGRESS_FILE, list[str]()
        self.instances: dict[int, Instance] = {}
        self.reached = Reached()
        self.reports: dict[int, StepReport] = {}
        self.tensors: dict[int, dict[str, Any]] = {}
        self.enough = False
        effort.begin()
        self.costs: dict[int, float] = {}  # seconds of the longest call, as `Effort` counts, by its shape
        self.taken: dict[
            tuple[int, bool], float
        ] = {}  # likewise of all calls, by their shape; later ones apart
        self.helped = frozenset(request.get("helped", ()))
        self.at_will = [0.0, 0.0]  # likewise of calls that might have been left out, of either half
        self.met: dict[int, Outcomes] = {}  # how conditions came out, by the shape
        self.read: list[set[str]] = []  # what calls elsewhere have loaded all of, by their instances
        self.wanted = Unmet.of(request.get("wanted", {}))

    def run(self) -> None:
        """Every step until the judge has enough, then calls that repeat step `retried` for a configuration's
        sake."""
        if self.helped and self.request["processors"] > 1:
            self._in_two()
        else:
            self._plan(range(len(self.steps)))
        if self.enough:
            return
        self.conditions.outcomes = {}
        self._force()
        until = effort.seconds() + self.request["patience_s"]
        while self.watch.tuning.missing and len(self.reports) < len(self.steps) + MOST:
            if effort.seconds() > until:
                return
            self._call(self._retried)

    def in_order(self) -> list[StepReport]:
        """The reports, up to the first call that has none: others may have been made elsewhere by then."""
        return [self.reports[number] for number in takewhile(self.reports.__contains__, count())]

    def _plan(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            step = self.steps[number]
            late = (step.optional and self._is_late(step)) or self._is_walked_out(step)
            if late or self._needless(step):
                self.reports[number] = StepReport("skipped")
                write_call(self.folder, number, self.reports[number], {})
                continue
            self.progress.write_text(str(number))
            began = time.process_time()
            self.conditions.outcomes = self.met.setdefault(step.shape, {})
            taken = self._call(step, number=number).effort_s
            cpu_s = time.process_time() - began
            if number == 0 and cpu_s > self.request.get("first_call_s", math.inf):
                raise TooSlowError(cpu_s)
            self.costs[step.shape] = max(taken, self.costs.get(step.shape, 0.0))
            self.at_will[step.shape in self.helped] += taken * step.optional
            write_call(self.folder, number, self.reports[number], self.tensors[number])
            if (self.folder / ENOUGH_FILE).exists():
                self.enough = True
                return

    def _in_two(self) -> None:
        own, others = list[int](), list[int]()
        for number, step in enumerate(self.steps):
            (others if step.shape in self.helped else own).append(number)
        partner = Partner(lambda: self._as_partner(others))
        try:
            self._plan(own)
            self._take_in(partner.gave(self._copy_progress))
        finally:
            partner.end()

    def _as_partner(self, numbers: list[int]) -> bytes:
        self.progress = self.folder / OTHER_PROGRESS_FILE
        self._plan(numbers)
        held = io.BytesIO()
        known = {name: getattr(self, name) for name in _ADDED_UP}
        seen = self.watch.in_values, self.watch.unused, self.conditions.sites(), self.reached.lines
        torch.save((known, seen, self._read_whole(), changed_since(self.before), self.enough), held)
        return held.getvalue()

    def _take_in(self, content: bytes) -> None:
        """What the second process has found, as if it had been found here."""
        try:
            known, seen, self.read, patched, enough = torch.load(io.BytesIO(content), weights_only=False)
            for name in _ADDED_UP:
                getattr(self, name).update(known[name])
            values, unused, sites, lines = seen
            self.conditions.learn(sites)
            for file, reached in lines.items():
                self.reached.lines.setdefault(file, set()).update(reached)
        except Exception as error:
            raise BrokenPartnerError("what its calls in a second process gave cannot be read") from error
        self.watch.in_values |= values
        self.watch.unused |= unused
        self.patched += patched
        self.enough = self.enough or enough

    def _copy_progress(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self.progress.write_text((self.folder / OTHER_PROGRESS_FILE).read_text())

    def _read_whole(self) -> list[set[str]]:
        return [one.read_whole for one in self.instances.values() if one.read_whole is not None]

    def _is_late(self, step: Step) -> bool:
        """Whether a call that may be left out would, as long as the longest at its shape, take more time than
        there is for such calls, or bring the whole past half of its limit of CPU time."""
        expected = 0.0 if step.layout in EMPTY else self.costs.get(step.shape, 0.0)
        limit, patience = float(self.request["cpu_s"]) / 2, float(self.request["patience_s"])
        at_will = self.at_will[step.shape in self.helped]
        return time.process_time() + expected > limit or at_will + expected > patience

    def _is_walked_out(self, step: Step) -> bool:
        """Whether one call at its shape, long along an axis, took all the time there is for those."""
        return self.shapes[step.shape].axis > EVERY and self.costs.get(step.shape, 0.0) > _WALKED_OUT_S

    def at_full_size(self, full: FullSize | None) -> Rehearsed | None:
        """The walk through full size, and calls that meet what it alone has met."""
        if full is None or self.enough or self.reports[0].status == "raised":
            return None
        read = [*self._read_whole(), *self.read]
        first = [pair for pair in enumerate(self.steps) if self._may_be_repeated(*pair)]
        calls = self._call, self._skip, self.request["mode"], first
        walk = WholeWalk(full, self.watch, self.conditions, *calls)
        return walk.made(self.met, self._retried, set.intersection(*read))

    def _may_be_repeated(self, number: int, step: Step) -> bool:
        """Whether it is a plain call of the first shape that went through."""
        plain = not (step.ghost or step.moved or step.late or step.flipped)
        as_usual = step.layout in ("contiguous", PITCHED, TRANSPOSED)
        return plain and as_usual and step.shape == 0 and self.reports[number].status == "ok"

    def _needless(self, step: Step) -> bool:
        """Whether what is wanted was met at other sizes."""
        if not self.wanted or step.shape in self.instances:
            return False
        return step.optional or not self.left()

    def ask_off_the_card(self) -> None:
        """One call more with tensors that say they lie on a CPU, for lines that no other call reached."""
        text = Path(self.shapes[0].file).read_text(encoding="utf-8")
        if self.enough or self.wanted or not ASKS.search(text) or not unreached(text, self.reached.all()):
            return
        self.conditions.forced, self.watch.tuning.forced = {}, {}
        with off_the_card():
            report = self._call(self._retried)
        self.reports[len(self.reports) - 1] = replace(report, off=True, traffic={})

    def left(self) -> Unmet:
        """What is wanted of these calls and none has met."""
        met = together((*self.met.values(), self.conditions.outcomes))
        return self.wanted.after(met, self.watch.in_values)

    def _force(self) -> None:
        """One call with the amounts that no size of ours gives and that no program's place takes part in."""
        held = {(scope, number) for scope, number, _ in self.request.get("wanted", {}).get("held", ())}
        left = {site: value for site, value in self.left().amounts.items() if site not in held}
        self.conditions.forced = self.conditions.forceable(left)
        if self.conditions.forced:
            self._call(self._retried, self.conditions.told(self.conditions.forced))

    @property
    def _retried(self) -> Step:
        step: Step = self.steps[self.request["retried"]]
        return replace(step, again=False)

    def _call(
        self,
        step: Step,
        forced: str = "",
        tiles: int | None = None,
        repeats: int | None = None,
        number: int | None = None,
    ) -> StepReport:
        number, shape = len(self.reports) if number is None else number, self.shapes[step.shape]
        place, began = (step.shape, tiles is not None), effort.seconds()
        spent = self.taken.get(place, 0.0)
        along = sum(taken for (one, _), taken in self.taken.items() if self.shapes[one].axis > EVERY)
        with units(shape.units), self.watch.pace.along(shape.axis, spent, along):
            if step.shape not in self.instances:
                self.instances[step.shape] = self._instance(shape, step)
            self.watch.tuning.turn = number
            report, self.tensors[number] = Call(self.instances[step.shape], step, self.watch).run()
        effort.calls += 1
        taken = effort.seconds() - began
        self.taken[place] = spent + taken
        report = replace(report, effort_s=taken, forced=forced, tiles=tiles, repeats=repeats)
        self.reports[number] = report
        return report

    def _skip(self, forced: str = "", tiles: int | None = None, repeats: int | None = None) -> StepReport:
        """A call beyond the plan that is not made for want of time."""
        number, report = len(self.reports), StepReport("skipped", forced=forced, tiles=tiles, repeats=repeats)
        self.tensors[number], self.reports[number] = {}, report
        return report

    def _instance(self, shape: Shape, step: Step) -> Instance:
        alive = running.now()
        self.reached.follow(shape.file)
        module = imported(Path(shape.file), shape.name, self.conditions)
        own = {name: value for name, value in vars(module).items() if name not in (NAME, CHOICE)}
        model = made(module, shape)
        left = running.left_since(alive)
        if left:
            raise LeftRunningError(f"loading it starts {left[0]}")
        if self.request["mode"] != "as-is":
            model.train(self.request["mode"] == "train")
        code = getattr(model.forward, "__code__", None)
        arguments = list(code.co_varnames[1:]) if code else []
        return Instance(model, arguments, [], [], self.reached, own)
