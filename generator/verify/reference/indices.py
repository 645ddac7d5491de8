"""Compares outputs that say where an extreme value stands: by the value found there, and the first of equals.

Two right kernels can disagree about the place of a maximum of computed values, where rounding decides; they
cannot where the values compared are the inputs themselves, or where two are equal: then it is the first, but
for `topk` and a sort that is not asked to be stable, of which torch promises no order of equals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch

_ARG = ("argmax", "argmin")
_WITH_PLACE = ("max", "min")
_IN_ORDER = ("sort", "topk")
_CASTS = ("_to_copy", "clone")
_NOTED = frozenset((*_ARG, *_WITH_PLACE, *_IN_ORDER, *_CASTS, "slice"))


@cache
def _names(func: Any) -> tuple[str, str]:
    """Of an ATen operator and its overload."""
    return func._schema.name.removeprefix("aten::"), func._schema.overload_name


@dataclass(frozen=True)
class Choice:
    """Where an index output comes from: the values compared, the dimension (None: all), whether they are an
    input as it came in, and whether any of equals will do."""

    operand: torch.Tensor
    dim: int | None
    keepdim: bool
    given: bool = False
    any_equal: bool = False


class Choices:
    """The arg-reductions of one run, by the index tensor that each of them gave."""

    def __init__(self) -> None:
        self._seen: list[tuple[torch.Tensor, Choice]] = []

    def note(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], result: Any) -> None:
        """Remember `func`'s call if it is an arg-reduction."""
        name, overload = _names(func)
        if name not in _NOTED:
            return
        bound = dict(zip((one.name for one in func._schema.arguments), args, strict=False)) | kwargs
        if name in _ARG:
            self._add(result, bound)
        elif name in _WITH_PLACE and overload == "dim":
            self._add(result[1], bound)
        elif name in _IN_ORDER:
            self._add(result[1], {"dim": -1, **bound, "keepdim": True}, any_equal=not bound.get("stable"))
        elif name == "slice":
            self._cut(bound, result)
        elif name in _CASTS:
            self._seen += [(result, choice) for index, choice in self._seen if index is args[0]]

    def of(self, output: torch.Tensor, inputs: Sequence[Any]) -> Choice | None:
        """The reduction whose index tensor `output` is, if it is one of ours."""
        for index, choice in self._seen:
            if index is output:
                return replace(choice, given=among(choice.operand, inputs))
        return None

    def _cut(self, bound: dict[str, Any], result: torch.Tensor) -> None:
        """The first few of places in order are places likewise."""
        for index, choice in self._seen:
            whole, along = result.shape == index.shape, bound.get("dim", 0) % max(1, index.ndim)
            if index is bound["self"] and (whole or (choice.dim or 0) % max(1, index.ndim) == along):
                self._seen.append((result, choice))
                return

    def _add(self, index: torch.Tensor, bound: dict[str, Any], any_equal: bool = False) -> None:
        keepdim = bool(bound.get("keepdim", False))
        choice = Choice(bound["self"], bound.get("dim"), keepdim, any_equal=any_equal)
        self._seen.append((index, choice))


def among(operand: torch.Tensor, inputs: Sequence[Any]) -> bool:
    """Whether a tensor is an input as it came in."""
    return any(
        isinstance(one, torch.Tensor)
        and one.shape == operand.shape
        and torch.equal(one.to(operand.dtype), operand)
        for one in inputs
    )


def well_chosen(found: torch.Tensor, right: torch.Tensor, choice: Choice, tolerance: float) -> torch.Tensor:
    """Per element of `found`, whether another place is as good as `right`: its value is within `tolerance`
    (of the largest value; of integers nothing) of the one there, and not the same, of which the first is
    asked; among computed NaN any will do, and where any of equals will, each once, any infinity too."""
    found, right = found.long(), right.long()
    values, places, wanted = choice.operand, found, right
    if choice.dim is None:
        values, places, wanted = values.reshape(-1), found.reshape(-1), right.reshape(-1)
        dim = 0
    else:
        dim = choice.dim % max(1, values.ndim)
        if not choice.keepdim:
            places, wanted = places.unsqueeze(dim), wanted.unsqueeze(dim)
    inside = (places >= 0) & (places < values.shape[dim])
    there = values.gather(dim, places.clamp(0, values.shape[dim] - 1))
    best = values.gather(dim, wanted)
    gap = (there.double() - best.double()).abs()
    near = inside & (gap <= (0.0 if choice.given else tolerance) * _scale(values, best)) & (gap > 0)
    neither = there.isnan() & best.isnan()
    if choice.any_equal:
        none_left = neither | (there.isinf() & (there == best))  # as what has been chosen is struck out
        near |= inside & (((there == best) & _distinct(places, dim)) | none_left)
    elif not choice.given:
        near |= inside & neither
    return near.reshape(found.shape)


def _scale(values: torch.Tensor, best: torch.Tensor) -> float:
    """The largest of computed values, those apart that stand for what is left out (-1e30 say); of integers
    none, which are what they are."""
    if not values.is_floating_point() or not values.numel():
        return 0.0
    sizes, largest = values.double().abs().nan_to_num(0, 0, 0), best.double().abs().nan_to_num(0, 0, 0).max()
    within = sizes[sizes <= _FAR_OUT * largest]
    return float(within.max()) if within.numel() else float(sizes.max())


_FAR_OUT = 1 << 10
"""Times what is chosen."""


def _distinct(places: torch.Tensor, dim: int) -> torch.Tensor:
    """Whether no place is named twice along a dimension."""
    steps = places.sort(dim).values.diff(dim=dim)
    return (steps != 0).all(dim, keepdim=True)
