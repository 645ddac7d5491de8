"""Knows what a reference does with integers that name places: looks up, adds up, puts down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import torch
from torch.utils import _pytree as pytree

from ....profiling.build import Input
from ..process.recorder import COPIES
from ..reference.operators import plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching

MARKS, ENDS = "scatter of one value", ("max", "min", "aminmax")
"""What `one_hot` does with places, beside asking for their ends."""

SHIFTED_BY = "a shift's second argument"
_SHIFTS = words("__rshift_ __lshift_ bitwise_right_shift bitwise_left_shift")
"""Beyond their width these have no answer: how far they go is none of the bits that are picked."""

TAKES_PLACES = frozenset(
    {
        "index_add", "index_copy", "index_select", "index_put", "index", "gather", "scatter", "scatter_add",
        "scatter_reduce", "embedding", "bincount", "one_hot", MARKS, *ENDS,
    }
)  # fmt: skip
"""Their numbers are places, each for itself: in whatever order they come."""


ROWS_OF = (torch.int32, torch.int64)


def rises(value: Input) -> TypeGuard[torch.Tensor]:
    """Whether it is a row of integers, none less than the one before, and not all the same."""
    if not isinstance(value, torch.Tensor) or value.dtype not in ROWS_OF or value.ndim != 1:
        return False
    steps = value.diff()
    return bool((steps >= 0).all()) and bool((steps > 0).any())


def is_level(value: torch.Tensor) -> bool:
    """Whether it is a row of one integer, as a short one that rises elsewhere may be."""
    return value.dtype in ROWS_OF and value.ndim == 1 and bool((value == value[:1]).all())


def names_each_once(value: Input) -> TypeGuard[torch.Tensor]:
    """A row of integers of which no two are alike, those apart that are below zero and name nothing: places
    to write to, say, each for one program; of a short row all but one may name nothing, or all."""
    if not isinstance(value, torch.Tensor) or value.dtype not in ROWS_OF or value.ndim != 1:
        return False
    named = [one for one in value.tolist() if one >= 0]
    return len(value) > 1 and len(set(named)) == len(named)


def puts_at_places(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    """Whether something is put where integers say: of two at one place torch does not say which stays."""
    whole = [
        one for one in inputs if isinstance(one, torch.Tensor) and one.dtype in ROWS_OF and one.numel() > 1
    ]
    if not whole:
        return False
    with Uses(whole) as uses:
        reference.tried(inputs, state)
    once = any(map(names_each_once, whole))  # then what is reckoned from them counts too
    meant = uses.seen if once else uses.names
    return not PUTS.isdisjoint(meant)


PUTS = frozenset(("index_put", "index_copy", "scatter", "put", "max_unpool2d", "max_unpool3d"))

_COPIED = {"new_empty", "set_"}
"""What happens to a model's buffers as it is copied."""


class Uses(Watching):
    """Notes whether anything but a look-up (or what `allowed` names) takes what `places` hold, known by the
    numbers themselves, or integers that what is `reckoned` makes of them; and all such `names`."""

    def __init__(
        self,
        places: Sequence[torch.Tensor],
        allowed: frozenset[str] = TAKES_PLACES,
        reckoned: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self.places, self.allowed, self.reckoned, self.otherwise = places, allowed, reckoned, False
        self.seen = set[str]()  # all operators
        self.names, self.storages, self.held = set[str](), set[int](), list[torch.Tensor]()

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        self.seen.add(plain_name(func))
        takes = any(self._is_one(one) for one in pytree.tree_leaves(args))
        moves = func.is_view or func._schema.name.removeprefix("aten::") in (COPIES | _COPIED) - self.allowed
        moves = moves or plain_name(func) in self.reckoned
        if takes and moves and isinstance(result, torch.Tensor) and not result.is_floating_point():
            self.storages.add(result.untyped_storage().data_ptr())
            self.held.append(result)  # so that nothing else is put there
        alike = func._schema.name.endswith("_like") or "::new_" in func._schema.name
        if takes and not moves and not alike:  # of a tensor as long nothing is read
            name = (
                MARKS
                if func._schema.name == "aten::scatter_" and "value" in func._schema.overload_name
                else ""
            )
            by = len(args) > 1 and self._is_one(args[1]) and plain_name(func) in _SHIFTS
            self.names.add(SHIFTED_BY if by else name or plain_name(func))
            self.otherwise = not self.names <= self.allowed

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
            self.held.append(value)  # likewise
        return found
