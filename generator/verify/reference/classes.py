"""Knows integers that name classes: each is compared with all of them and equal to one, or counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from .operators import plain_name, words
from .oracle import Reference
from .watching import Watching


class _Matched(Watching):
    """What is compared with each number from zero on and is as often equal as it has elements, or counted; in
    order. And what such was looked up in: labels of the nearest are some of all labels."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[torch.Tensor] = []
        self._among: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # results (held so), tables

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if plain_name(func) in _LOOKS_UP and _several(args[0]) and isinstance(result, torch.Tensor):
            _, table = self._among.get(args[0].untyped_storage().data_ptr(), (result, args[0]))
            self._among[result.untyped_storage().data_ptr()] = result, table
        if plain_name(func) == "bincount":  # of so many as it was told
            self.found.append(args[0].reshape(-1).long().sort().values)
        if plain_name(func) != "eq":
            return
        for one, other in (args[:2], args[1::-1]):
            whole = _several(one) and _several(other)
            if whole and torch.equal(other.reshape(-1), _counted(other)) and result.sum() == one.numel():
                _, table = self._among.get(one.untyped_storage().data_ptr(), (one, one))
                self.found += [each.reshape(-1).long().sort().values for each in (one, table)]


_LOOKS_UP = words("index gather index_select take embedding _to_copy")


def names_classes(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], value: torch.Tensor
) -> bool:
    """Whether the reference tells by the integers of one input which of some classes each belongs to: of
    others than these it has an answer that nobody means."""
    with _Matched() as seen:
        reference.tried(inputs, state)
    ordered = value.reshape(-1).long().sort().values
    return any(torch.equal(one, ordered) for one in seen.found)


def _counted(like: torch.Tensor) -> torch.Tensor:
    return torch.arange(like.numel(), dtype=like.dtype)


def _several(value: Any) -> TypeGuard[torch.Tensor]:
    if not isinstance(value, torch.Tensor) or value.numel() < 2:
        return False
    return not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
