"""Copies a model with everything in it, the functions it keeps included, which deepcopy leaves as they are.

A block that keeps `lambda x: mlp.project(mlp.widen(x))` has two ways to its submodules: the copy's function
has to find the copy's.
"""

from __future__ import annotations

import copy
from types import CellType, FunctionType
from typing import Any

from torch import nn


def copied_model(model: nn.Module) -> nn.Module:
    memo: dict[int, Any] = {}
    twin = copy.deepcopy(model, memo)
    for module in twin.modules():
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__closure__:
                vars(module)[name] = _over_copies(value, memo)
    return twin


def _over_copies(function: FunctionType, memo: dict[int, Any]) -> FunctionType:
    """The same function, closing over the copy of whatever was copied."""
    held = [_contents(cell) for cell in function.__closure__ or ()]
    cells = tuple(
        cell if not filled else CellType(memo.get(id(value), value))
        for cell, (filled, value) in zip(function.__closure__ or (), held, strict=True)
    )
    return FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
    )


def _contents(cell: CellType) -> tuple[bool, Any]:
    try:
        return True, cell.cell_contents
    except ValueError:  # nothing was ever put into it
        return False, None
