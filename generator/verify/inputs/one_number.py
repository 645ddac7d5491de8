"""Gives an op's integers one number throughout: a grey image, tokens that all go to one expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.operators import plain_name
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .integers import is_answered, is_whole
from .places import names_each_once, puts_at_places, rises


def one_number(
    largest: bool,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which each tensor of integers holds its first number, or its `largest`, throughout;
    counts of it are as large as they can be, and what differs by it is zero. None where there are none such,
    something is put where integers say, or put in an order that torch does not promise, and where the
    reference has no number."""
    whole = [one for one in inputs if is_whole(one)]
    if not whole or any(rises(one) or names_each_once(one) for one in whole):
        return None
    if puts_at_places(reference, inputs, state):
        return None
    changed = [_throughout(one, largest) if is_whole(one) else one for one in inputs]
    with Sorts() as sorts:
        answer = reference.tried(changed, state)
    return changed if is_answered(answer) and not sorts.anyhow else None


def _throughout(value: torch.Tensor, largest: bool) -> torch.Tensor:
    return torch.full_like(value, int(value.max() if largest else value.reshape(-1)[0]))


def as_their_weights(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose signed bytes each row has the signs of a row of signed weights as long, and is as
    large as the largest of them: sums of products are the largest that there are. None where there is
    nothing such, or the reference has no answer."""
    tables = signed_tables(state)
    changed = [
        _with_signs(one, tables) if is_whole(one) and one.dtype == torch.int8 else one for one in inputs
    ]
    if all(one is was for one, was in zip(changed, inputs, strict=True)):
        return None
    return changed if is_answered(reference.tried(changed, state)) else None


def signed_tables(state: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
    """Those of an instance's tensors that hold signed bytes in rows."""
    return [one for one in state.values() if one.dtype == torch.int8 and one.ndim == 2]


def _with_signs(value: torch.Tensor, tables: Sequence[torch.Tensor]) -> torch.Tensor:
    table = next((one for one in tables if one.shape[-1] == value.shape[-1]), None)
    if table is None:
        return value
    rows = value.reshape(-1, value.shape[-1]).shape[0]
    signs = table[torch.arange(rows) % len(table)].sign()
    return (signs * value.abs().max()).to(value.dtype).reshape(value.shape)


class Sorts(Watching):
    """Whether anything in the block ranks integers without a promise of what comes first among equals."""

    def __init__(self) -> None:
        super().__init__()
        self.anyhow = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        promised = bool((kwargs or {}).get("stable"))
        ranks = plain_name(func) in _RANKS and not args[0].is_floating_point()
        self.anyhow = self.anyhow or (ranks and not promised)
        return super().__torch_dispatch__(func, types, args, kwargs)

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        """Nothing more: a promise stands among keywords."""


_RANKS = frozenset(("sort", "argsort", "topk", "kthvalue", "median", "mode"))
