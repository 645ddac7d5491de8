"""Sees whether a reference's own whole numbers run past the end of their type, and wrap around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ....profiling.build import Input
from .operators import plain_name, words
from .oracle import Reference
from .watching import Watching

_GROWS = words("add sub rsub mul pow square sum cumsum prod cumprod mm bmm")


class _Wraps(Watching):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        whole = isinstance(result, torch.Tensor) and result.dtype in (torch.int32, torch.int64)
        if self.found or not whole or plain_name(func) not in _GROWS or func._schema.name.endswith("_"):
            return
        wide = func(*pytree.tree_map_only(torch.Tensor, torch.Tensor.double, args))
        ends = torch.iinfo(result.dtype)
        self.found = bool(((wide > ends.max) | (wide < ends.min)).any())


def wraps(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    """What a kernel gives then hangs on how it gets there, unless that is what the op is about."""
    with _Wraps() as seen:
        reference.tried(inputs, state)
    found: bool = seen.found
    return found
