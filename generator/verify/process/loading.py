"""Loads a candidate's file under watch, builds its ModelNew, and holds its state to the reference's."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import torch
from torch import nn

from ....profiling.build import seeded
from ..interpreter.conditions import Conditions
from ..interpreter.watched import CHOICE, NAME, watched_code
from .exchange import FullSize, Shape
from .lasting import mark, passing
from .raised import told
from .stand_in import OnThisMachine


class NotLoadableError(Exception):
    """The file or the constructor raised; told as "stage: error"."""


class LeftRunningError(Exception):
    """A thread or a process outlives the call that started it."""


class TooSlowError(Exception):
    """The first call took so long, in CPU time, that all of them would run past the limit."""

    def __init__(self, taken_s: float) -> None:
        self.taken_s = taken_s


class WrongStateError(Exception):
    """ModelNew's state_dict cannot take the reference's weights."""


def made(module: ModuleType, shape: Shape | FullSize, there: str = "cpu") -> nn.Module:
    found = getattr(module, "ModelNew", None)
    if not (isinstance(found, type) and issubclass(found, nn.Module)):
        raise NotLoadableError("the file has no class ModelNew(nn.Module)")
    try:
        with seeded(shape.seed), OnThisMachine(there=there):
            model: nn.Module = found(*shape.args, **shape.kwargs)
    except Exception as error:
        raise NotLoadableError(f"ModelNew's constructor raises {told(error)}") from error
    return model


def imported(path: Path, name: str, conditions: Conditions) -> ModuleType:
    module = ModuleType(f"candidate_{name}")
    module.__file__ = str(path)
    vars(module).update({NAME: conditions.saw, CHOICE: conditions.chose})
    sys.modules[module.__name__] = module
    try:
        code = watched_code(path.read_text(encoding="utf-8"), str(path), conditions)
        exec(code, vars(module))
    except Exception as error:
        raise NotLoadableError(f"loading the file raises {told(error)}") from error
    return module


def check_state(model: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    """Raise WrongStateError unless the model holds what `state` does, in buffers of any kind."""
    mark(model, state.keys() & passing(model), True)
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
