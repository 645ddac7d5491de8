"""Knows sums of sums: a kernel that makes one sum of both adds up as many numbers as they do together."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

from .operators import plain_name, words

_SUMS = words("sum mean")
_CARRIES = words("gather index index_select take embedding clone _to_copy")
"""What else than a view holds sums as they were made."""


class NestedSums:
    """Remembers of how many numbers each number of a tensor is the sum, as long as nothing is made of it."""

    def __init__(self) -> None:
        self._added: MutableMapping[torch.Tensor, int] = WeakIdKeyDictionary()

    def within(self, func: Any, args: Sequence[Any], result: Any) -> int:
        """How many numbers each of those that a sum adds up is the sum of; 1 for other operators."""
        value = args[0] if args else None
        if not isinstance(value, torch.Tensor) or not isinstance(result, torch.Tensor) or not result.numel():
            return 1
        inner, name = self._added.get(value, 1), plain_name(func)
        if name in _SUMS:
            self._added[result] = inner * (value.numel() // result.numel())
            return inner
        if inner > 1 and (func.is_view or name in _CARRIES):
            self._added[result] = inner
        return 1
