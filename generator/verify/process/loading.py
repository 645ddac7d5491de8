"""Loads a candidate's file under watch and builds its ModelNew."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from torch import nn

from ....profiling.build import seeded
from ..interpreter.conditions import Conditions
from ..interpreter.watched import CHOICE, NAME, watched_code
from .exchange import FullSize, Shape
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
