"""Moves parameters far out of which a sigmoid, an exponential and the like is taken: a decay that never
fades, or whose powers vanish."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.operators import plain_name, words
from ..reference.oracle import Reference
from .added_weights import Takers, weights_of
from .digits import keeps_most_digits

_BENDS = words("sigmoid tanh exp exp2 expm1 softplus log_sigmoid_forward _to_copy")
"""What takes such a parameter, or what it is cast to."""

_SCALES = words("neg mul div")
"""By a number: what is taken of the result is taken of the parameter."""

_UP, _DOWN = (8.0, 10.0), (-16.0, -12.0)
"""A sigmoid of the first is one but for thousandths, and keeps what hundreds of steps leave of it; of the
second it is less than 1e-5, whose eighth power is nothing in float32."""

_SHARES: Mapping[str, tuple[float, ...]] = {"mixed": (0.5, 0.0), "up": (1.0,), "down": (0.0,)}
"""So many of the elements are up: where half of them cost the reference its digits, none."""


def _far_out(
    kind: str,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> tuple[list[Input], dict[str, torch.Tensor]] | None:
    """All such parameters 8 to 10, or 12 to 16 below zero, of several elements one half each; None where
    there are none, or where the kind is another: a single number is up in one call and down in another."""
    weights = weights_of(reference, state)
    if not any((one.numel() > 1) is (kind == "mixed") for one in weights.values()):
        return None
    names = _bent_only(reference, inputs, state, weights)
    several = any(state[name].numel() > 1 for name in names)
    if not names or several is not (kind == "mixed"):
        return None
    for share in _SHARES[kind]:
        changed = {**state, **{name: _drawn(state[name], share, generator) for name in names}}
        if keeps_most_digits(reference, inputs, changed):
            return list(inputs), changed
    return None


def _drawn(value: torch.Tensor, share: float, generator: torch.Generator) -> torch.Tensor:
    order = torch.randperm(value.numel(), generator=generator).view(value.shape)
    up = order < int(share * value.numel())
    part = torch.rand(value.shape, generator=generator)
    high, low = (least + (most - least) * part for least, most in (_UP, _DOWN))
    return high.where(up, low).to(value.dtype)


class _Followed(Takers):
    """What negates or scales a weight takes nothing yet: the operators that take its result do."""

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        plain = plain_name(func) in _SCALES and not any(isinstance(one, torch.Tensor) for one in args[1:])
        weight = self.which(args[0]) if plain and isinstance(args[0], torch.Tensor) else None
        if weight is None:
            super().saw(func, args, result)
        else:
            self.follow(result, weight)


def _bent_only(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    weights: dict[str, torch.Tensor],
) -> list[str]:
    with _Followed(weights) as seen:
        reference.tried(inputs, state)
    return [name for name, found in seen.takers.items() if found - {"_to_copy"} and found <= _BENDS]


BENT: Mapping[
    str,
    Callable[
        [Reference, Sequence[Input], dict[str, torch.Tensor], torch.Generator],
        tuple[list[Input], dict[str, torch.Tensor]] | None,
    ],
] = {
    "bent weights far out": partial(_far_out, "mixed"),
    "bent weights far up": partial(_far_out, "up"),
    "bent weights far down": partial(_far_out, "down"),
}
"""Asked for where axes are longest too: what fades within hundreds of steps is gone, and nothing else is."""
