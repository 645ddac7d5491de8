"""The first half of a row: optimize an op file without touching a card, then compile for other targets."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from ... import KbgenError
from ...hardware_specs.spec import find_spec
from ...profiling.op import load_op
from ...profiling.sandbox import NO_CARD
from ...profiling.trace import trace
from ..job import OptimizeRequest, OptimizeResult
from ..loop import optimize
from ..retarget import Retargeted, retarget
from ..writers.synth.writer import SynthWriter
from ..writers.writer import Request
from .cards import variables
from .row import Row, found_row
from .template import copy_of


@dataclass(frozen=True)
class Task:
    """One op file for one device. `out` is the folder of its results, `library` None for one that is thrown
    away, which is a copy of `template` where that is named, `cores` how many cores it may count on, None for
    what torch takes by itself."""

    path: Path
    level: str
    gpu: str
    out: Path
    knowledge: bool = True
    library: Path | None = None
    also: tuple[str, ...] = ()
    cores: int | None = None
    template: Path | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """The key of its row."""
        return self.level, self.path.stem, self.gpu


def find(task: Task) -> Row:
    """Run the loop out of sight of any card; what cannot run is a row with a reason."""
    if task.cores is not None:
        torch.set_num_threads(task.cores)
    with variables(NO_CARD), tempfile.TemporaryDirectory(prefix="kbgen-suite-") as scratch:
        library = task.library or Path(scratch) / "library"
        if task.template is not None and task.knowledge and task.library is None:
            copy_of(task.template, library)
        request = OptimizeRequest(
            task.path, gpu=task.gpu, knowledge=task.knowledge, library=library, out=task.out
        )
        try:
            result = optimize(request)
        except KbgenError as error:
            return Row(task.path.stem, task.gpu, "error", 0.0, str(error), task.level, cause="error")
        row = found_row(result, task.level, task.gpu)
        targets = _targets(task, result, Path(scratch)) if row.verified else {}
        return replace(row, targets=targets)


def _targets(task: Task, result: OptimizeResult, scratch: Path) -> dict[str, Mapping[str, Any]]:
    """The same techniques for every further device, compiled there."""
    if not task.also:
        return {}
    op = load_op(task.path)
    traced = trace(op)
    smaller = tuple(trace(op.with_overrides(s.overrides)) for s in op.planned_sets())
    found: dict[str, Mapping[str, Any]] = {}
    for name in task.also:
        request = Request(op, traced, smaller, find_spec(name))
        made = retarget(SynthWriter(), request, result.techniques, scratch / name)
        found[name] = _told(made)
    return found


def _told(made: Retargeted) -> dict[str, Any]:
    kernels = made.found.static.kernels if made.found else ()
    return {
        "ok": made.ok,
        "reason": made.reason,
        "kernels": len(kernels),
        "spill_bytes": sum(kernel.spill_bytes for kernel in kernels),
        "declined": list(made.declined),
        "dropped": list(made.dropped),
    }
