"""Gives equals another order where torch promises none: the first of them first, or the last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ....profiling.build import Input
from .indices import among
from .on_a_card import AsOnACard, rounds
from .operators import plain_name, words

LEAVES_ORDER = words("topk sort kthvalue median nanmedian mode")
"""What tells where values stand, of equal ones any."""


class OfEquals(AsOnACard):
    """Whatever leaves the order of equals open takes the first of them, or the `last`; equal are computed
    floating numbers too that differ by `near` of their size at most."""

    def __init__(self, last: bool, near: float, inputs: Sequence[Input]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.last, self.near, self.inputs = last, near, inputs
        self.rounded = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = super().__torch_dispatch__(func, types, args, kwargs)
        self.rounded = self.rounded or rounds(func)
        if plain_name(func) not in LEAVES_ORDER or isinstance(result, torch.Tensor):
            return result
        bound = dict(zip((one.name for one in func._schema.arguments), args, strict=False)) | (kwargs or {})
        if bound.get("stable") or not bound["self"].numel() or not bound["self"].ndim:
            return result
        values, places = result
        return values, self._others(bound["self"], bound.get("dim", -1), places)

    def _others(self, operand: torch.Tensor, dim: int, places: torch.Tensor) -> torch.Tensor:
        """In the stead of `places`: the first, or last, of what is equal there, each once."""
        computed = self.rounded and operand.is_floating_point() and not among(operand, self.inputs)
        along = (lambda one: one.movedim(dim, -1)) if places.ndim == operand.ndim else _with_an_axis
        near = self.near if computed else 0.0
        chosen = along(places).contiguous()
        found = _of_equals(operand.movedim(dim, -1), chosen, self.last, near)
        return found.movedim(-1, dim) if places.ndim == operand.ndim else found[..., 0]


def _with_an_axis(places: torch.Tensor) -> torch.Tensor:
    return places.unsqueeze(-1)


def _of_equals(values: torch.Tensor, places: torch.Tensor, last: bool, near: float) -> torch.Tensor:
    """Along the last axis. Equals are numbered alike, from the smallest on."""
    ordered, order = values.sort(stable=True)
    apart = ~torch.isclose(ordered[..., 1:], ordered[..., :-1], rtol=near, atol=0.0, equal_nan=True)
    numbers = torch.nn.functional.pad(apart.long().cumsum(-1), (1, 0))
    at_place = torch.empty_like(numbers).scatter(-1, order, numbers)
    ranked = (at_place.flip(-1) if last else at_place).sort(stable=True).indices
    ranked = values.shape[-1] - 1 - ranked if last else ranked
    wanted, turns = at_place.gather(-1, places).sort(stable=True)
    begun = torch.searchsorted(wanted, wanted)
    before = torch.arange(wanted.shape[-1]) - begun  # how many of its equals stand before a place in turn
    found = ranked.gather(-1, torch.searchsorted(numbers, wanted) + before)
    return torch.empty_like(places).scatter(-1, turns, found)
