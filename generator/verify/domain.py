"""Tells which numbers an op has answers for, and what its operators are, from a few calls of its reference.

A geometric mean takes logarithms and a likelihood takes shares: of normal values nearly all answers would be
NaN, and nothing could be asked. Their families are drawn as magnitudes, or as shares between zero and one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import torch

from ...profiling.build import Input
from .eight_bits import widened
from .oracle import Reference

Domain = Literal["any", "magnitudes", "shares"]

_MOSTLY = 0.5
"""Share of finite results from which on values tell enough."""

_AS_GOOD = 0.9
"""Times the most of them that any numbers have: a temperature below zero has answers for some rows, and one
above for all."""

_LEAST = 2.0**-20
"""Of magnitudes and of what is left of one: a logarithm of it is a usual number."""


def operators_of(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> frozenset[str]:
    """What the reference calls of ATen; none where it raises."""
    with contextlib.suppress(Exception):  # whatever an op file's own code raises: the first call tells it
        return reference.oracle(inputs, state).operators
    return frozenset()


def domain_of(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Domain:
    """Where the inputs that float and are positive as shipped have to lie for an answer."""
    if not any(map(is_positive, inputs)):
        return "any"
    draw = torch.Generator().manual_seed(0)
    shares: dict[Domain, float] = {}
    normal = [_normal_like(one, draw) if is_positive(one) else one for one in inputs]
    for domain, mapped in _MAPS.items():
        given = [mapped(one) if is_positive(was) else one for one, was in zip(normal, inputs, strict=True)]
        answer = reference.tried(given, state)
        if answer is not None:
            shares[domain] = max(map(_finite_share, answer.outputs), default=0.0)
    enough = max(_MOSTLY, _AS_GOOD * max(shares.values(), default=0.0))
    return next((domain for domain, share in shares.items() if share >= enough), "any")


def within(domain: Domain, drawn: Sequence[Input], shipped: Sequence[Input]) -> list[Input]:
    """`drawn` values where the `shipped` ones are positive and the op takes nothing else, as such."""
    mapped = _MAPS[domain]
    return [mapped(one) if is_positive(was) else one for one, was in zip(drawn, shipped, strict=True)]


def is_positive(value: Input) -> bool:
    """Floating numbers, none of them below zero."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return False
    return bool((widened(value) >= 0).all())


def _normal_like(value: Input, draw: torch.Generator) -> Input:
    assert isinstance(value, torch.Tensor)
    return torch.randn(value.shape, generator=draw).to(value.dtype)


def _as_magnitude(value: Input) -> Input:
    assert isinstance(value, torch.Tensor)
    return widened(value).abs().clamp_min(_LEAST).to(value.dtype)


def _as_share(value: Input) -> Input:
    """By a curve that takes zero to a half and leaves a bit at either end."""
    assert isinstance(value, torch.Tensor)
    least = max(_LEAST, torch.finfo(value.dtype).eps)
    return widened(value).sigmoid().clamp(least, 1 - least).to(value.dtype)


def _finite_share(output: torch.Tensor) -> float:
    return float(widened(output).isfinite().float().mean()) if output.numel() else 1.0


_MAPS: Mapping[Domain, Callable[[Input], Input]] = {
    "any": lambda value: value,
    "magnitudes": _as_magnitude,
    "shares": _as_share,
}
