"""Which index an op file can draw at most, told while its inputs are made without memory."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..process.recorder import COPIES
from ..reference.watching import Watching

_HIGH = {"randint": "high", "randperm": "n"}
"""The argument that every number drawn stays below, by the operator."""

_CHOOSES = {"masked_fill", "where", "cat", "stack", "flip", "roll", "sort", "repeat", "clamp_min"}
"""Of these the highest number is that of what goes in: nothing is reckoned."""


_JOINS = {"cat", "stack"}


class Highest(Watching):
    """Remembers the highest number of each tensor drawn in the block, of its views and copies, and of what
    others with it were chosen from."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, tuple[torch.Tensor, int]] = {}  # the tensor held, so that its id stays its own

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = func._schema.name.removeprefix("aten::")
        if name in _HIGH:
            bound = dict(zip((one.name for one in func._schema.arguments), args, strict=False))
            self._known[id(result)] = result, int(bound[_HIGH[name]]) - 1
            return
        first = result[0] if isinstance(result, tuple) else result
        if not isinstance(first, torch.Tensor):
            return
        if func.is_view or name in COPIES:
            known = [self.of(args[0])] if args else []
        elif name.removesuffix("_") in _CHOOSES:
            known = [self.of(leaf) for leaf in pytree.tree_leaves(args)]
        else:
            return
        found = [one for one in known if one is not None]
        if name in _JOINS and len(set(found)) > 1:
            return  # each stands in places of its own
        if found:
            self._known[id(first)] = first, max(found)

    def of(self, value: Any) -> int | None:
        """The highest number that may stand in `value`; None where that is not known."""
        if not isinstance(value, torch.Tensor) or value.is_floating_point() or value.dtype == torch.bool:
            return None
        found = self._known.get(id(value))
        return found[1] if found else None
