"""Puts numbers into an op's inputs that only whole comparisons and long walks tell apart from others."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.eight_bits import is_eight_bits
from ..reference.operators import RANKS, words
from ..reference.oracle import Reference
from .domain import operators_of
from .extremes import is_mask
from .families import EXPONENTIAL, floats
from .integers import floats_out, is_answered, is_whole
from .one_number import Sorts
from .places import puts_at_places, rises

_WORD = 32

_CHAIN = 8
"""Places from which a chain is longer than what chance makes of most."""


def high_words(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs`, one row further on, of which 64-bit integers differ in their upper halves, too, and some in
    nothing else. None where there are none, the reference takes them for places or classes, or what it gives
    is floating."""
    wide = [is_whole(one) and one.dtype == torch.int64 for one in inputs]
    if not any(wide):
        return None
    changed = [
        one.roll(1, 0) + (torch.randint(0, 2, one.shape, generator=generator) << _WORD)
        if moves and isinstance(one, torch.Tensor) and not names_classes(reference, inputs, state, one)
        else one
        for one, moves in zip(inputs, wide, strict=True)
    ]
    answer = reference.tried(changed, state)
    return changed if answer is not None and not floats_out(answer) else None


def far_steps(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers each row counts up in steps of the largest power of two with which all of
    them are within their type, from one more in each row, in any order: who tells numbers apart by their
    lower bits has all of them in one place. None where there are none, the reference finds nothing among
    others, takes them for places or classes, puts something there, or what it gives is floating."""
    whole = [one for one in inputs if is_whole(one) and one.ndim > 0]
    if not whole or any(map(rises, whole)) or puts_at_places(reference, inputs, state):
        return None
    usual = reference.tried(inputs, state)
    if usual is None or floats_out(usual) or _FINDS.isdisjoint(operators_of(reference, inputs, state)):
        return None
    if any(names_classes(reference, inputs, state, one) for one in whole):
        return None
    room = min(torch.iinfo(one.dtype).max for one in whole)
    most = max(sum(_rows_and_length(one)) for one in whole)
    if room < 2 * most:
        return None
    step = 1 << room.bit_length() - most.bit_length()
    changed = [_steps(one, step, generator) if is_whole(one) and one.ndim > 0 else one for one in inputs]
    with Sorts() as sorts:
        answer = reference.tried(changed, state)
    return changed if answer is not None and not floats_out(answer) and not sorts.anyhow else None


_FINDS = RANKS | words("eq ne isin searchsorted unique bucketize _unique2 unique_dim")


def _rows_and_length(value: torch.Tensor) -> tuple[int, int]:
    return value.numel() // max(1, value.shape[-1]), value.shape[-1]


def _steps(value: torch.Tensor, step: int, generator: torch.Generator) -> torch.Tensor:
    rows, length = _rows_and_length(value)
    order = torch.rand(rows, length, generator=generator).argsort(-1)
    return ((order + torch.arange(rows)[:, None]) * step).to(value.dtype).view(value.shape)


def chained(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which integers that name places of their own row name the one before, and the first none
    before itself: parents of a tree that is one long branch. None where there are none such, or the reference
    has no answer."""
    changed = [
        _one_branch(one)
        if is_whole(one) and names_own(one) and not names_classes(reference, inputs, state, one)
        else one
        for one in inputs
    ]
    if all(one is was for one, was in zip(changed, inputs, strict=True)):
        return None
    return changed if is_answered(reference.tried(changed, state)) else None


def chains(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose square truths (links between nodes, say) each matrix is one chain, every other one in
    the opposite direction, or a ring where the reference has no number for an end; and of square floating
    numbers (costs of links), of which it seeks extremes and takes no exponentials, those of such a chain are
    1 and the others 100, or the other way round: the way through all nodes takes as many steps as there can
    be. None where there are no such, or the reference has no number."""
    truths = [_is_square(one) and is_mask(one) and not floats(one) for one in inputs]
    costs = [_is_square(one) and floats(one) and not is_mask(one) for one in inputs]
    if not any(truths):
        operators = operators_of(reference, inputs, state)
        costs = costs if not RANKS.isdisjoint(operators) and EXPONENTIAL.isdisjoint(operators) else []
    if not any(truths) and not any(costs):
        return None
    moved = truths if any(truths) else costs
    for ring in (False, True):
        changed = [
            _chain(one, ring) if moves and isinstance(one, torch.Tensor) else one
            for one, moves in zip(inputs, moved, strict=True)
        ]
        if is_answered(reference.tried(changed, state)):
            return changed
    return None


def _is_square(value: Input) -> bool:
    if not isinstance(value, torch.Tensor) or value.ndim < 2 or is_eight_bits(value):
        return False
    return value.shape[-1] == value.shape[-2] >= _NODES


def _chain(value: torch.Tensor, ring: bool) -> torch.Tensor:
    nodes = value.shape[-1]
    links = torch.eye(nodes, dtype=torch.bool).roll(1, 1)
    links[-1, 0] = ring
    matrices = torch.arange(value.numel() // nodes**2)[:, None, None]
    linked = links.where(matrices % 2 == 0, links.t())
    if floats(value):
        linked = linked.where(matrices % 4 < 2, ~linked)
        return torch.where(linked, _NEAR, _FAR).to(value.dtype).view(value.shape)
    return linked.to(value.dtype).view(value.shape)


_NODES, _NEAR, _FAR = 4, 1.0, 100.0
"""Nodes of which one is not next to all others; and what it costs to reach the next one, and another."""


def names_own(value: torch.Tensor) -> bool:
    """Whether its numbers are places before their own, as a tree's parents are."""
    length = value.shape[-1]
    earlier = value <= torch.arange(length).to(value.dtype)
    return length > _CHAIN and bool(earlier.all()) and int(value.max()) > 0 and not _rises(value)


def _rises(value: torch.Tensor) -> bool:
    return bool((value[..., 1:] >= value[..., :-1]).all())


def _one_branch(value: torch.Tensor) -> torch.Tensor:
    places = torch.arange(-1, value.shape[-1] - 1).to(value.dtype).expand(value.shape).clone()
    places[..., 0] = value[..., 0]
    return places
