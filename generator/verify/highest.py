"""Which index an op file can draw at most, told while its inputs are made without memory."""

from __future__ import annotations

from typing import Any

import torch

from .recorder import COPIES
from .watching import Watching

_HIGH = {"randint": "high", "randperm": "n"}
"""The argument that every number drawn stays below, by the operator."""


class Highest(Watching):
    """Remembers the highest number of each tensor drawn in the block, and of its views and copies."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, tuple[torch.Tensor, int]] = {}  # the tensor held, so that its id stays its own

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = func._schema.name.removeprefix("aten::")
        if name in _HIGH:
            bound = dict(zip((one.name for one in func._schema.arguments), args, strict=False))
            self._known[id(result)] = result, int(bound[_HIGH[name]]) - 1
        elif (func.is_view or name in COPIES) and isinstance(result, torch.Tensor) and args:
            known = self.of(args[0])
            if known is not None:
                self._known[id(result)] = result, known

    def of(self, value: Any) -> int | None:
        """The highest number that may stand in `value`; None where that is not known."""
        if not isinstance(value, torch.Tensor) or value.is_floating_point() or value.dtype == torch.bool:
            return None
        found = self._known.get(id(value))
        return found[1] if found else None
