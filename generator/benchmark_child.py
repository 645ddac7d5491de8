"""The child of `benchmark.py` and `comparison.py`: builds the op, its baselines and the candidates on the
card, and times them together.

The baselines are compiled and timed alone before any candidate's file is run, so that none can hold them back
unseen (`undisturbed.py`).
"""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..profiling.build import build
from ..profiling.clock import Clock, CudaClock
from ..profiling.op import Op
from ..profiling.probe import SystemProbe
from ..profiling.samples import Session
from ..profiling.sandbox_child import serve
from ..profiling.session import Plan, Subject, measure
from ..profiling.source import OpError, execute, read_source
from . import undisturbed
from .decision import EAGER, GRAPHS
from .in_class import EXACT, EXACT_COMPILED, coarser
from .patience import ready_within
from .recheck import Recheck, without_tf32
from .refresh import Refresh
from .tuning import tuned_in
from .turn import Turns
from .verify.process import integrity
from .verify.reference.budget import FLOORS
from .verify.text.candidate import with_constants

_MODES = {
    "compile": "default",
    "compile-max-autotune": "max-autotune-no-cudagraphs",
    GRAPHS: "reduce-overhead",
}


def handle(request: Mapping[str, Any]) -> dict[str, Any]:
    """One timing session. The clock is made first: it holds its own references to every timer."""
    stages = Stages(request.get("asked_at"))
    clock = CudaClock(request["l2_bytes"], SystemProbe().clocks)
    stages.done("start")
    bench = Bench(request, "cuda")
    stages.done("inputs")
    return timed(bench, clock, stages).to_json()


class Stages:
    """Wall seconds by stage, in order; the first begins with the process, or where it was asked for."""

    def __init__(self, began: float | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic() - (max(0.0, time.time() - began) if began else 0.0)

    def done(self, name: str) -> None:
        """What was done since the last stage is called so."""
        now = time.monotonic()
        self.seconds[name] = round(self.seconds.get(name, 0.0) + now - self._last, 3)
        self._last = now


def timed(bench: Bench, clock: Clock, stages: Stages | None = None) -> Session:
    """Baselines alone, then beside the candidates; what these replaced in torch meanwhile is noted.

    Where others wait for the card ("turn" of the request), it is held round by round while something is tuned
    or measured, and free while something compiles.
    """
    asked, stages = bench.request, stages or Stages()
    place = asked.get("turn")
    turns = Turns(place)
    baselines = bench.baselines(asked["baselines"])
    plan = Plan(**asked["plan"])
    short = replace(undisturbed.PLAN, keep=plan.keep)
    took = bench.compiled(baselines, turns) if place else {}
    stages.done("compile")
    off_class: dict[str, str] | None = None
    if EXACT in asked["baselines"]:
        off_class = bench.off_class(baselines, turns)
        if off_class.keys() & _MODES.keys():
            baselines += (strict := bench.baselines([EXACT_COMPILED]))
            took |= bench.compiled(strict, turns) if place else {}
    stages.done("class")
    alone = [measure(baselines, clock, short, quiet=turns)] if baselines else []
    if alone and asked["graphs"] and undisturbed.launch_bound(alone[0]):
        baselines += (graphs := bench.baselines([GRAPHS]))
        took |= bench.compiled(graphs, turns) if place else {}
        alone.append(measure(graphs, clock, short, quiet=turns))
    stages.done("alone")
    environment, before = {**_environment(), "turns_on_the_card": bool(place)}, integrity.snapshot()
    candidates = bench.candidates()
    if place:
        bench.compiled(candidates, turns)
    stages.done("candidate")
    session = measure([*baselines, *candidates], clock, plan, asked["seed"], quiet=turns)
    stages.done("session")
    first_call_us = {record.subject: record.first_call_us for taken in alone for record in taken.samples}
    for record in session.samples:  # compiled before: what that took is known from there
        first = first_call_us.get(record.subject, record.first_call_us)
        record.first_call_us = took.get(record.subject, first)
    held = {"waited": round(turns.waited_s, 3), "held": round(turns.held_s, 3)} if place else {}
    return replace(
        session,
        environment={**environment, "off_class": off_class, "seconds": {**stages.seconds, **held}},
        alone={name: found for taken in alone for name, found in undisturbed.medians(taken).items()},
        tampered=tuple(integrity.changed_since(before)),
    )


class Bench:
    """An op on a device, with what is timed there. All subjects have its weights and its inputs' layout.

    What cannot be built keeps its place as a subject that fails when called.
    """

    def __init__(self, request: Mapping[str, Any], device: str) -> None:
        self.request, self._device = request, device
        self._op = Op(Path(request["op"]), request["source"], {}, request["overrides"])
        self._model, inputs = self._op.instantiate(request["seed"] % 2**31, device=device)
        _set_mode(self._model, request["mode"])
        self._refresh = Refresh(inputs)

    def baselines(self, names: Sequence[str]) -> list[Subject]:
        """Torch's own ways to run the op."""
        return [
            Subject(
                name,
                self._refresh,
                _quiet_call(_baseline(name, self._model, self.request.get("compile_s"))),
                trusted=True,
            )
            for name in names
        ]

    def compiled(self, subjects: Sequence[Subject], turns: Turns) -> dict[str, float]:
        """Call each once, and say how many microseconds that took but for waiting; one that fails will fail
        when measured."""
        took = {}
        with tuned_in(turns):
            for subject in subjects:
                begun = time.perf_counter() - turns.waited_s
                with contextlib.suppress(Exception):
                    subject.call(*subject.prepare(self.request["seed"] % 2**31))
                    took[subject.name] = (time.perf_counter() - turns.waited_s - begun) * 1e6
        torch.cuda.empty_cache()
        return took

    def off_class(self, subjects: Sequence[Subject], turns: Turns) -> dict[str, str]:
        """Which of them are less exact than the op asks, and why: those whose results a candidate's would be
        refused for, and those that are further off than `EXACT`. One that fails will fail when measured."""
        recheck, seed, told = self._recheck(), self.request["seed"] % 2**31, dict[str, str]()
        for subject in subjects:
            with contextlib.suppress(Exception), turns():
                arguments = subject.prepare(seed)
                told[subject.name] = recheck(seed, arguments, subject.call(*arguments))
        unsure = [subject for subject in subjects if told.get(subject.name) == ""]
        with contextlib.suppress(Exception), turns():
            told |= coarser(self._errors(unsure, recheck), FLOORS[self.request["precision"]])
        torch.cuda.empty_cache()
        return {name: complaint for name, complaint in told.items() if complaint}

    def _errors(self, subjects: Sequence[Subject], recheck: Recheck) -> dict[str, float]:
        """What each is off by, on the same contents; nothing where there is nobody to compare with."""
        if not {EXACT} < {subject.name for subject in subjects}:
            return {}
        seed = self.request["seed"] % 2**31
        error = recheck.measure(seed)
        return {subject.name: error(subject.call(*subject.prepare(seed))) for subject in subjects}

    def _recheck(self) -> Recheck:
        return Recheck(self._model, self._refresh, self.request["precision"])

    def candidates(self) -> list[Subject]:
        """Runs the candidates' files."""
        recheck = self._recheck()
        return [
            Subject(
                name,
                self._refresh,
                _candidate(Path(path), self.request, self._op, self._model, self._device),
                recheck,
            )
            for name, path in self.request["candidates"].items()
        ]


def _baseline(name: str, model: nn.Module, compile_s: float | None) -> Callable[..., Any]:
    if name == EAGER:
        return model
    if name == EXACT:
        return _exactly(model)
    compiled: Callable[..., Any] = torch.compile(copy.deepcopy(model), mode=_MODES.get(name, "default"))
    if name == EXACT_COMPILED:
        compiled = _exactly(compiled)
    return compiled if compile_s is None else ready_within(compile_s, compiled, name)


def _exactly(model: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        with without_tf32():
            return model(*arguments)

    return call


def _candidate(
    path: Path, request: Mapping[str, Any], op: Op, model: nn.Module, device: str
) -> Callable[..., Any]:
    before = integrity.snapshot()
    try:
        built = _built_candidate(path, op, device)
        if changed := integrity.changed_since(before):
            raise OpError(f"{path.name} replaces {changed[0]}; a kernel file leaves torch as it is.")
        built.load_state_dict(model.state_dict())
        _set_mode(built, request["mode"])
    except Exception as error:  # whatever the candidate's file raises is its result
        return _failing(error)
    return _quiet_call(built)


def _built_candidate(path: Path, op: Op, device: str) -> nn.Module:
    """`ModelNew(*get_init_inputs())`, with the op's overrides where the candidate's file has the same
    constants."""
    source = read_source(path)
    changed = replace(source, text=with_constants(source.text, op.overrides))
    made = getattr(execute(changed, {}), "ModelNew", None)
    if made is None:
        raise OpError(f"{path} has no class ModelNew; add it with the constructor of Model.")
    reference = op.module()
    vars(reference).update(Model=made, get_inputs=list)  # those of the reference are on the device already
    return build(reference, op.path, seed=0, device=device)[0]


def _set_mode(model: nn.Module, mode: str) -> None:
    if mode != "as-is":
        model.train(mode == "train")


def _quiet_call(model: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        with torch.no_grad():
            return model(*arguments)

    return call


def _failing(error: Exception) -> Callable[..., Any]:
    def call(*_: Any) -> Any:
        raise error

    return call


def _environment() -> dict[str, Any]:
    """What both sides shared, for the record."""
    return {
        "grad": "no_grad",
        "matmul_allow_tf32": torch.backends.cuda.matmul.allow_tf32,
        "cudnn_allow_tf32": torch.backends.cudnn.allow_tf32,
        "float32_matmul_precision": torch.get_float32_matmul_precision(),
    }


if __name__ == "__main__":
    serve(handle)
