"""Checks what a timed call gave: right when checked must mean right when timed.

The result is judged by the verifier's own comparison, against the reference in float64 on the same contents.
These are made anew from the call's seed, so a candidate that changes its inputs changes nothing here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_flatten, tree_leaves

from .verify.budget import UNIT_ROUNDOFF, Target, compare, precision_class
from .verify.oracle import InFloat64


class Recheck:
    """`recheck(seed, result)` answers with a complaint, or with ""."""

    def __init__(self, model: nn.Module, fresh: Callable[[int], tuple[Any, ...]], declared: str) -> None:
        self._model = copy.deepcopy(model)
        self._exact = copy.deepcopy(model).double()
        self._fresh = fresh
        self._declared = declared

    def __call__(self, seed: int, result: Any) -> str:
        arguments = self._fresh(seed)
        with torch.no_grad():
            eager, expected_tree = tree_flatten(self._model(*arguments))
        found, tree = tree_flatten(result)
        if tree != expected_tree:
            return f"a timed call returned {tree}, the reference returns {expected_tree}"
        taken = [value.dtype for value in (*arguments, *eager) if isinstance(value, torch.Tensor)]
        precision = precision_class(taken, self._declared)
        truth = self._in_float64(self._fresh(seed))
        shaken = self._in_float64(tuple(_shaken(value) for value in self._fresh(seed)))
        for place, (mine, *target) in enumerate(zip(found, truth, eager, shaken, strict=True)):
            complaint = _complaint(mine, target, precision)
            if complaint:
                return f"output {place} of a timed call: {complaint}"
        return ""

    def _in_float64(self, arguments: tuple[Any, ...]) -> list[Any]:
        with torch.no_grad(), InFloat64():
            return tree_leaves(self._exact(*arguments))


def _shaken(value: Any) -> Any:
    """The same inputs, each element off by one unit in the last place of float32, up or down."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    signs = torch.randint_like(value, 0, 2, dtype=torch.float64) * 2 - 1
    return value.double() * (1 + UNIT_ROUNDOFF * signs)


def _complaint(found: Any, target: list[Any], precision: str) -> str:
    oracle, eager, shaken = target
    if not isinstance(eager, torch.Tensor):
        return "" if found == eager else f"{found!r} instead of {eager!r}"
    if type(found) is not torch.Tensor or found.shape != eager.shape or found.dtype != eager.dtype:
        return f"not a tensor of {eager.dtype} and shape {tuple(eager.shape)}"
    return compare(found, Target(oracle, eager, shaken), precision).why
