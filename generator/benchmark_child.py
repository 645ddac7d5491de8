"""The child of `benchmark.py` and `comparison.py`: builds the op, its baselines and the candidates on the
card, and times them together."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..profiling.build import build
from ..profiling.clock import CudaClock
from ..profiling.op import Op
from ..profiling.probe import SystemProbe
from ..profiling.sandbox_child import serve
from ..profiling.session import Plan, Subject, measure
from ..profiling.source import OpError, execute, read_source
from .decision import EAGER
from .recheck import Recheck
from .refresh import Refresh
from .verify import integrity
from .verify.candidate import with_constants

_MODES = {"compile": "default", "compile-max-autotune": "max-autotune-no-cudagraphs"}


def handle(request: Mapping[str, Any]) -> dict[str, Any]:
    """One timing session. The clock is made first: it holds its own references to every timer."""
    clock = CudaClock(request["l2_bytes"], SystemProbe().clocks)
    session = measure(subjects(request, "cuda"), clock, Plan(**request["plan"]), request["seed"])
    return replace(session, environment=_environment()).to_json()


def subjects(request: Mapping[str, Any], device: str) -> list[Subject]:
    """Baselines and candidates, sharing weights and, within a round, the contents of their arguments.

    What cannot be built keeps its place as a subject that fails when called.
    """
    op = Op(Path(request["op"]), request["source"], {}, request["overrides"])
    model, inputs = op.instantiate(request["seed"] % 2**31, device=device)
    _set_mode(model, request["mode"])
    refresh = Refresh(inputs)
    recheck = Recheck(model, refresh, request["precision"])
    made = [
        Subject(name, refresh, _quiet_call(_baseline(name, model)), trusted=True)
        for name in request["baselines"]
    ]
    for name, path in request["candidates"].items():
        candidate = _candidate(Path(path), request, op, model, device)
        made.append(Subject(name, refresh, candidate, recheck))
    return made


def _baseline(name: str, model: nn.Module) -> Callable[..., Any]:
    if name == EAGER:
        return model
    compiled: Callable[..., Any] = torch.compile(copy.deepcopy(model), mode=_MODES[name])
    return compiled


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
    vars(reference)["Model"] = made
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
