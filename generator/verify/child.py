"""Runs one candidate on the interpreter, call after call on the live instance, and reports what it did.

Started by `judge.py` through the sandbox with TRITON_INTERPRET=1. It knows inputs and weights and no expected
output. The same instance answers all calls of one shape, its inputs refilled at the same addresses and its
weights changed in place in between, so that anything cached by address, by identity or at construction shows.
Configurations of autotuned kernels that no call has run get calls of their own at the end.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import nn

from ...profiling import running
from ...profiling.build import seeded
from ...profiling.sandbox_child import serve
from .call import Call, Instance, told
from .configurations import MOST
from .coverage import Reached
from .exchange import (
    ENOUGH_FILE,
    PROGRESS_FILE,
    RESULT_FILE,
    Shape,
    Step,
    StepReport,
    report_json,
    take_request,
    write_call,
)
from .integrity import changed_since, snapshot
from .interpreter import Watch, install
from .libdevice import emulate_libdevice
from .stand_in import OnThisMachine, stand_in


class NotLoadableError(Exception):
    """The file or the constructor raised; told as "stage: error"."""


class LeftRunningError(Exception):
    """A thread or a process outlives the call that started it."""


class WrongStateError(Exception):
    """ModelNew's state_dict cannot take the reference's weights."""


def handle(request: dict[str, Any]) -> dict[str, Any]:
    folder = Path.cwd()
    shapes, steps = take_request(folder)
    torch.set_num_threads(1)
    watch = Watch()
    install(watch, request["device"]["arch"])
    emulate_libdevice()
    stand_in(request["device"]["properties"])
    write_call(folder, -1, StepReport("ok"), {"outputs": steps[0].inputs})  # leaves caches on classes
    before = snapshot()
    try:
        reports, tensors, reached = _run(shapes, steps, watch, request, folder)
    except NotLoadableError as error:
        return {"not_loadable": str(error)}
    except WrongStateError as error:
        return {"wrong_state": str(error)}
    except LeftRunningError as error:
        return {"left_running": str(error)}
    patched = changed_since(before)  # before saving, which leaves caches of its own on classes
    torch.save(tensors, folder / RESULT_FILE)
    return {
        "reports": [report_json(report) for report in reports],
        "configurations": watch.tuning.counts(),
        "reached": sorted(set().union(*reached.lines.values())),
        "patched": patched,
    }


def _run(
    shapes: list[Shape], steps: list[Step], watch: Watch, request: Mapping[str, Any], folder: Path
) -> tuple[list[StepReport], dict[int, dict[str, Any]], Reached]:
    """The report of every step until the judge has enough, then those of calls that repeat step `retried` for
    a configuration's sake."""
    instances: dict[int, Instance] = {}
    reached = Reached()
    reports: list[StepReport] = []
    tensors: dict[int, dict[str, Any]] = {}
    started = time.process_time()  # a busy machine is no reason to judge less
    for number, step in enumerate(steps):
        if step.optional and time.process_time() - started > request["patience_s"]:
            reports.append(StepReport("skipped"))
            write_call(folder, number, reports[-1], {})
            continue
        (folder / PROGRESS_FILE).write_text(str(number))
        if step.shape not in instances:
            instances[step.shape] = _instance(shapes[step.shape], step, request["mode"], reached)
        watch.tuning.turn = number
        report, found = Call(instances[step.shape], step, watch).run()
        reports.append(report)
        tensors[number] = found
        write_call(folder, number, report, found)
        if (folder / ENOUGH_FILE).exists():
            return reports, tensors, reached
    retried = steps[request["retried"]]
    while watch.tuning.missing and len(reports) < len(steps) + MOST:
        if time.process_time() - started > 2 * request["patience_s"]:
            break
        watch.tuning.turn = len(reports)
        report, found = Call(instances[retried.shape], replace(retried, again=False), watch).run()
        tensors[len(reports)] = found
        reports.append(report)
    return reports, tensors, reached


def _instance(shape: Shape, step: Step, mode: str, reached: Reached) -> Instance:
    alive = running.now()
    reached.follow(shape.file)
    module = _import(Path(shape.file), shape.name)
    made = getattr(module, "ModelNew", None)
    if not (isinstance(made, type) and issubclass(made, nn.Module)):
        raise NotLoadableError("the file has no class ModelNew(nn.Module)")
    try:
        with seeded(shape.seed), OnThisMachine():
            model = made(*shape.args, **shape.kwargs)
    except Exception as error:
        raise NotLoadableError(f"ModelNew's constructor raises {told(error)}") from error
    left = running.left_since(alive)
    if left:
        raise LeftRunningError(f"loading it starts {left[0]}")
    if mode != "as-is":
        model.train(mode == "train")
    _check_state(model, step.state)
    code = getattr(model.forward, "__code__", None)
    return Instance(model, list(code.co_varnames[1:]) if code else [], [], [], reached)


def _import(path: Path, name: str) -> ModuleType:
    label = f"candidate_{name}"
    spec = importlib.util.spec_from_file_location(label, path)
    if spec is None or spec.loader is None:
        raise NotLoadableError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[label] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise NotLoadableError(f"loading the file raises {told(error)}") from error
    return module


def _check_state(model: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    own = model.state_dict()
    missing, extra = sorted(state.keys() - own.keys()), sorted(own.keys() - state.keys())
    if missing or extra:
        parts = [f"it lacks {', '.join(missing)}"] * bool(missing) + [f"it adds {', '.join(extra)}"] * bool(
            extra
        )
        raise WrongStateError(f"ModelNew's state_dict must have the reference's names; {' and '.join(parts)}")
    for name, value in state.items():
        if own[name].shape != value.shape or own[name].dtype != value.dtype:
            raise WrongStateError(
                f"{name} is {own[name].dtype} {tuple(own[name].shape)} in ModelNew and "
                f"{value.dtype} {tuple(value.shape)} in the reference"
            )


if __name__ == "__main__":
    serve(handle)
