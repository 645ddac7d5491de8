"""Puts places that an op file draws in order out of it, where the reference takes any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ...profiling.build import Input
from .operators import plain_name
from .oracle import Reference
from .recorder import COPIES
from .watching import Watching

_TAKES_PLACES = frozenset(
    {
        "index_add", "index_copy", "index_select", "index_put", "index", "gather", "scatter", "scatter_add",
        "scatter_reduce", "embedding", "bincount", "one_hot",
    }
)  # fmt: skip
"""Their numbers are places, each for itself: in whatever order they come."""


def unsorted(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with each tensor of integers that rises throughout in another order. None where there is none,
    or the reference does anything with one but to look up or to add up at the places it names: where rows
    begin, say, has an order that must be kept."""
    changed = [_shuffled(one, generator) if _rises(one) else one for one in inputs]
    sorted_ones = [one for one in inputs if _rises(one) and isinstance(one, torch.Tensor)]
    if not sorted_ones:
        return None
    with Uses(sorted_ones) as uses:
        answer = reference.tried(inputs, state)
    if answer is None or uses.otherwise or reference.tried(changed, state) is None:
        return None
    return changed


_WHOLE = (torch.int32, torch.int64)


def _rises(value: Input) -> bool:
    if not isinstance(value, torch.Tensor) or value.dtype not in _WHOLE or value.ndim != 1:
        return False
    steps = value.diff()
    return bool((steps >= 0).all()) and bool((steps > 0).any())


def _shuffled(value: Input, generator: torch.Generator) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    return value[torch.randperm(len(value), generator=generator)]


class Uses(Watching):
    """Notes whether anything but a look-up (or what `allowed` names) takes what `places` hold, known by the
    numbers themselves; and the `names` of all that does."""

    def __init__(self, places: Sequence[torch.Tensor], allowed: frozenset[str] = _TAKES_PLACES) -> None:
        super().__init__()
        self.places, self.allowed, self.otherwise = places, allowed, False
        self.names, self.storages = set[str](), set[int]()

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        takes = any(self._is_one(one) for one in pytree.tree_leaves(args))
        moves = func.is_view or func._schema.name.removeprefix("aten::") in COPIES - self.allowed
        if takes and not moves:
            self.names.add(plain_name(func))
            self.otherwise = self.otherwise or plain_name(func) not in self.allowed

    def _is_one(self, value: Any) -> bool:
        """By its numbers, or as a part of what was known by them."""
        if not isinstance(value, torch.Tensor) or value.is_floating_point() or value.dtype == torch.bool:
            return False
        if value.untyped_storage().data_ptr() in self.storages:
            return True
        held = value[tuple(0 if step == 0 else slice(None) for step in value.stride())]  # as it was expanded
        found = any(
            held.numel() == one.numel() and torch.equal(held.reshape(-1).long(), one.reshape(-1).long())
            for one in self.places
        )
        if found:
            self.storages.add(value.untyped_storage().data_ptr())
        return found
