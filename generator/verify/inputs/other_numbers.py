"""Other numbers for an op whose forward takes some: a kernel may say it is for one, and not assume it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

import torch
from torch import nn

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.oracle import Ran, Reference

_NEARER = 0.65
"""What floating numbers are multiplied by: a share, a momentum or an epsilon stays one."""


def with_defaults(model: nn.Module, inputs: Sequence[Input], kind: type | tuple[type, ...]) -> list[Input]:
    """`inputs`, and the defaults of what forward takes besides, up to the last that is of this kind."""
    parameters = list(inspect.signature(model.forward).parameters.values())[len(inputs) :]
    defaults = [one.default for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    last = max((place for place, one in enumerate(defaults) if isinstance(one, kind)), default=-1)
    usable = all(one is None or isinstance(one, int | float) for one in defaults[: last + 1])
    return [*inputs, *(defaults[: last + 1] if usable else [])]


def other_floats(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    """`inputs` with other floating numbers, where that makes a difference to the reference; else None."""
    return _other(lambda one: one * _NEARER or _NEARER, float, reference, inputs, state)


def other_wholes(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    """`inputs` with the next whole numbers and the other truths, where the reference's results keep their
    shapes and change; else None."""
    return _other(lambda one: not one if isinstance(one, bool) else one + 1, int, reference, inputs, state)


def negative_wholes(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    """`inputs` with whole numbers below zero: a diagonal, a shift."""
    return _other(lambda one: one if isinstance(one, bool) else -1 - abs(one), int, reference, inputs, state)


def wholes_beyond(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    """`inputs` with whole numbers beyond the longest axis."""
    longest = max((max(one.shape, default=0) for one in inputs if isinstance(one, torch.Tensor)), default=0)
    return _other(lambda one: one if isinstance(one, bool) else one + longest, int, reference, inputs, state)


def _other(
    changed: Callable[[float], float],
    kind: type,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
) -> list[Input] | None:
    inputs = with_defaults(reference.model, inputs, kind)
    if not any(isinstance(one, kind) for one in inputs):
        return None
    given = [changed(one) if isinstance(one, kind) else one for one in inputs]  # type: ignore[arg-type]
    was, now = reference.tried(inputs, state), reference.tried(given, state)
    return given if was is not None and now is not None and differ(was, now) else None


def differ(was: Ran, now: Ran) -> bool:
    """In value alone, and in numbers."""
    pairs = zip(was.outputs, now.outputs, strict=False)
    return fits(was, now) and not all(torch.equal(a, b) for a, b in pairs)


def fits(was: Ran, now: Ran) -> bool:
    """Whether the second has numbers in the first one's shapes, and chance no part in them."""
    pairs = zip(was.outputs, now.outputs, strict=False)
    alike = was.tree == now.tree and all(a.shape == b.shape and a.dtype == b.dtype for a, b in pairs)
    return alike and now.drew <= was.drew and all(bool(widened(one).isfinite().all()) for one in now.outputs)


OTHER_NUMBERS = (other_floats, other_wholes, negative_wholes, wholes_beyond)
