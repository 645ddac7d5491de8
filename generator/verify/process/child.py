"""Runs one candidate on the interpreter, call after call on the live instance, and reports what it did.

Started by `judge.py` through the sandbox with TRITON_INTERPRET=1. It knows inputs and weights and no expected
output. The same instance answers all calls of one shape, its inputs refilled at the same addresses and its
weights changed in place in between, so that anything cached by address, by identity or at construction shows.
Configurations of autotuned kernels that no call has run get calls of their own at the end.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

# numpy's two and gluon are what a first launch imports, and dynamo what a tensor without memory does: named
# here, it is done before a warm start forks, and before `stand_in` changes what dynamo registers with.
import numpy.ma
import numpy.random  # noqa: F401
import torch
import torch._dynamo
import triton.experimental.gluon  # noqa: F401

from ....profiling import running
from ....profiling.sandbox_child import serve
from ..interpreter.conditions import Conditions, Outcomes, Unmet, listed, together
from ..interpreter.configurations import MOST
from ..interpreter.effort import effort
from ..interpreter.interpreter import Watch, install
from ..interpreter.libdevice import emulate_libdevice
from ..interpreter.watched import CHOICE, NAME, watch_kernels
from ..text.coverage import Reached, unreached
from .call import Call, Instance
from .exchange import (
    ENOUGH_FILE,
    PROGRESS_FILE,
    RESULT_FILE,
    FullSize,
    Shape,
    Step,
    StepReport,
    report_json,
    take_request,
    write_call,
)
from .integrity import changed_since, snapshot
from .layout import EMPTY, PITCHED, TRANSPOSED
from .loading import (
    LeftRunningError,
    NotLoadableError,
    TooSlowError,
    imported,
    made,
)
from .rehearsal import Rehearsed
from .stand_in import ASKS, off_the_card, stand_in, units
from .state import WrongStateError
from .whole_walk import WholeWalk


def handle(request: dict[str, Any]) -> dict[str, Any]:
    folder = Path.cwd()
    shapes, steps, full = take_request(folder)
    torch.set_num_threads(1)
    watch, conditions = Watch(), Conditions()
    watch.spins = lambda: conditions.spins
    install(watch, request["device"]["arch"])
    watch_kernels(conditions)
    emulate_libdevice()
    stand_in(request["device"]["properties"], request["device"]["arch"])
    write_call(folder, -1, StepReport("ok"), {"outputs": steps[0].inputs})  # leaves caches on classes
    before = snapshot()
    judging = _Judging(shapes, steps, watch, conditions, request, folder)
    try:
        judging.run()
        configurations, left = watch.tuning.counts(), judging.left()
        patched, began = changed_since(before), time.monotonic()
        rehearsed = judging.at_full_size(full)
        reached = sorted(judging.reached.all())
        judging.ask_off_the_card()
    except NotLoadableError as error:
        return {"not_loadable": str(error)}
    except WrongStateError as error:
        return {"wrong_state": str(error)}
    except LeftRunningError as error:
        return {"left_running": str(error)}
    except TooSlowError as error:
        return {"first_call_s": error.taken_s}
    taken = time.monotonic() - began
    patched = patched or changed_since(before)  # before saving, which leaves caches of its own on classes
    torch.save(judging.tensors, folder / RESULT_FILE)
    return {
        "reports": [report_json(report) for report in judging.reports],
        "configurations": configurations,
        "reached": reached,
        "reached_off": sorted(judging.reached.all()),
        "rehearsed": asdict(rehearsed) if rehearsed else None,
        "left": listed(left.amounts),
        "full_size_s": taken,
        "patched": patched,
    }


class _Judging:
    """All calls of one candidate; what each gave stands in `reports` and `tensors` under its number."""

    def __init__(
        self,
        shapes: list[Shape],
        steps: list[Step],
        watch: Watch,
        conditions: Conditions,
        request: Mapping[str, Any],
        folder: Path,
    ) -> None:
        self.shapes, self.steps, self.watch, self.conditions = shapes, steps, watch, conditions
        self.request, self.folder = request, folder
        self.instances: dict[int, Instance] = {}
        self.reached = Reached()
        self.reports: list[StepReport] = []
        self.tensors: dict[int, dict[str, Any]] = {}
        self.enough = False
        effort.begin()
        self.costs: dict[int, float] = {}  # seconds of the longest call, as `Effort` counts, by its shape
        self.taken: dict[
            tuple[int, bool], float
        ] = {}  # likewise of all calls, by their shape; later ones apart
        self.at_will = 0.0  # likewise of calls that might have been left out
        self.met: dict[int, Outcomes] = {}  # how conditions came out, by the shape
        self.wanted = Unmet.of(request.get("wanted", {}))

    def run(self) -> None:
        """Every step until the judge has enough, then calls that repeat step `retried` for a configuration's
        sake."""
        for number, step in enumerate(self.steps):
            if (step.optional and self._is_late(step)) or self._needless(step):
                self.reports.append(StepReport("skipped"))
                write_call(self.folder, number, self.reports[-1], {})
                continue
            (self.folder / PROGRESS_FILE).write_text(str(number))
            began = time.process_time()
            self.conditions.outcomes = self.met.setdefault(step.shape, {})
            taken = self._call(step).effort_s
            cpu_s = time.process_time() - began
            if number == 0 and cpu_s > self.request.get("first_call_s", math.inf):
                raise TooSlowError(cpu_s)
            self.costs[step.shape] = max(taken, self.costs.get(step.shape, 0.0))
            self.at_will += taken * step.optional
            write_call(self.folder, number, self.reports[-1], self.tensors[number])
            if (self.folder / ENOUGH_FILE).exists():
                self.enough = True
                return
        self.conditions.outcomes = {}
        self._force()
        until = effort.seconds() + self.request["patience_s"]
        while self.watch.tuning.missing and len(self.reports) < len(self.steps) + MOST:
            if effort.seconds() > until:
                return
            self._call(self._retried)

    def _is_late(self, step: Step) -> bool:
        """Whether a call that may be left out would, as long as the longest at its shape, take more time than
        there is for such calls, or bring the whole past half of its limit of CPU time."""
        expected = 0.0 if step.layout in EMPTY else self.costs.get(step.shape, 0.0)
        limit, patience = float(self.request["cpu_s"]) / 2, float(self.request["patience_s"])
        return time.process_time() + expected > limit or self.at_will + expected > patience

    def at_full_size(self, full: FullSize | None) -> Rehearsed | None:
        """The walk through full size, and calls that meet what it alone has met."""
        if full is None or self.enough or self.reports[0].status == "raised":
            return None
        read = [one.read_whole for one in self.instances.values() if one.read_whole is not None]
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
            self._call(self._retried)
        self.reports[-1] = replace(self.reports[-1], off=True, traffic={})

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
        self, step: Step, forced: str = "", tiles: int | None = None, repeats: int | None = None
    ) -> StepReport:
        number, shape = len(self.reports), self.shapes[step.shape]
        place, began = (step.shape, tiles is not None), effort.seconds()
        spent = self.taken.get(place, 0.0)
        with units(shape.units), self.watch.pace.along(shape.axis, spent):
            if step.shape not in self.instances:
                self.instances[step.shape] = self._instance(shape, step)
            self.watch.tuning.turn = number
            report, self.tensors[number] = Call(self.instances[step.shape], step, self.watch).run()
        effort.calls += 1
        taken = effort.seconds() - began
        self.taken[place] = spent + taken
        report = replace(report, effort_s=taken, forced=forced, tiles=tiles, repeats=repeats)
        self.reports.append(report)
        return report

    def _skip(self, forced: str = "", tiles: int | None = None, repeats: int | None = None) -> StepReport:
        """A call beyond the plan that is not made for want of time."""
        self.tensors[len(self.reports)] = {}
        self.reports.append(StepReport("skipped", forced=forced, tiles=tiles, repeats=repeats))
        return self.reports[-1]

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


if __name__ == "__main__":
    serve(handle)
