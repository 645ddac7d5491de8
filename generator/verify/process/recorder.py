"""Sees every ATen call that a candidate makes besides its kernels, and poisons the memory it allocates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ..interpreter.memory import Memory
from .layout import poison

EMPTY = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
_FILLED = {
    "zeros",
    "zeros_like",
    "new_zeros",
    "ones",
    "ones_like",
    "new_ones",
    "full",
    "full_like",
    "new_full",
}
FREE = (
    EMPTY
    | _FILLED
    | {"arange", "scalar_tensor", "lift_fresh", "detach", "alias", "set_", "_unsafe_view", "zero_"}
)
_OVERWRITES = {"copy_", "fill_", "zero_"}
TO_HOST = "_local_scalar_dense"
COPIES = {
    "clone",
    "copy_",
    "_to_copy",
    "fill_",
    "lift_fresh_copy",
    TO_HOST,
    "is_same_size",
    "resize_",
}


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """`compute` counts calls that do arithmetic on more than one element, as "torch function:ATen call";
    `copies` only move data. `caller` is the torch function that is running, as the candidate called it."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing is compiled here; True would import torch._dynamo, slower than all cases together."""
        return False

    def __init__(self, memory: Callable[[], Memory] | None = None) -> None:
        """`memory` is asked for whatever must hear which tensors a call reads or overwrites."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.memory = memory
        self.compute: Counter[str] = Counter()
        self.copies: Counter[str] = Counter()
        self.caller = ""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func._schema.name.removeprefix("aten::")
        if name in EMPTY:
            poison(result)
        if self.memory is not None and not func.is_view:
            _tell(self.memory(), func, args, result)
        if name in FREE or func.is_view:
            return result
        if name in COPIES:
            self.copies[name] += 1
        elif _elements(args, kwargs, result) > 1:
            self.compute[f"{self.caller or name}:{name}"] += 1
        return result


def _tell(memory: Memory, func: Any, args: tuple[Any, ...], result: Any) -> None:
    """What is overwritten whole is not read; whatever else changes a tensor in place reads it too."""
    name = func._schema.name.removeprefix("aten::")
    for one in pytree.tree_leaves(result):
        if isinstance(one, torch.Tensor):
            memory.allocated(one, name in EMPTY)
    for place, one in enumerate(args if name not in EMPTY else ()):
        if isinstance(one, torch.Tensor):
            memory.by_torch(one, name in _OVERWRITES and place == 0)


def _elements(*trees: Any) -> int:
    """Of the largest tensor involved: arithmetic between single numbers is glue, not compute."""
    return max(
        (leaf.numel() for leaf in pytree.tree_leaves(trees) if isinstance(leaf, torch.Tensor)), default=0
    )
