"""Moves the places where bags, segments and sequences begin: uneven ones, and some without elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.operators import words
from ..reference.oracle import Ran, Reference
from .families import floats
from .places import ROWS_OF, Uses, rises

_PUTS = words("index_put index_copy scatter scatter_add scatter_reduce index_add")
"""Their numbers are places of results, not of beginnings."""


def uneven_offsets(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with every other number of a rising row of integers anywhere between its neighbours, or equal
    to one of them; or with what the lengths in such a row add up to divided likewise. None where there is
    none, they are places to look up or to put something at, or the reference has no finite answer of the
    same shapes."""
    return _divided_anew(reference, inputs, state, lambda ends: _moved(ends, generator))


def one_part(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise with one part that holds all there is, however many elements a part has as a rule."""
    return _divided_anew(reference, inputs, state, _gathered)


def nan_in_a_part(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with NaN in all of the longest part that offsets make of an axis: what comes of the others is
    what it was. None where there is no such, or most of what comes out is NaN then."""
    for ends in filter(_begins, inputs):
        axis = _axis_of(ends, inputs)
        value = inputs[axis[0]] if axis is not None else None
        if axis is None or not floats(value) or _of_parts(reference, inputs, state, [ends]) is None:
            continue
        part = int(ends.diff().argmax())
        spoilt = value.clone()
        spoilt.narrow(axis[1], int(ends[part]), int(ends[part + 1] - ends[part])).fill_(torch.nan)
        changed = [spoilt if one is value else one for one in inputs]
        now = reference.tried(changed, state)
        shares = [float(widened(one).isnan().float().mean()) for one in now.outputs] if now else []
        return changed if shares and 0 < max(shares) <= _MOST_NAN else None
    return None


_MOST_NAN = 0.5


def _divided_anew(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    move: Callable[[torch.Tensor], torch.Tensor],
) -> list[Input] | None:
    was = _of_parts(reference, inputs, state)
    if was is None:
        return None
    changed = [
        move(one) if _begins(one) else _divided(one, move) if _adds_up(one, inputs) else one for one in inputs
    ]
    now = reference.tried(changed, state)
    if now is None or [one.shape for one in now.outputs] != [one.shape for one in was.outputs]:
        return None
    return changed if all(bool(widened(one).isfinite().all()) for one in now.outputs) else None


def _of_parts(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    among: Sequence[Input] | None = None,
) -> Ran | None:
    """The reference's answer, where some integers tell where parts begin or how long they are."""
    asked = inputs if among is None else among
    beginnings = [one for one in asked if _begins(one) or _adds_up(one, inputs)]
    if not beginnings:
        return None
    with Uses(beginnings) as uses:
        was = reference.tried(inputs, state)
    if was is None or (uses.names and not uses.otherwise) or not _PUTS.isdisjoint(uses.names):
        return None
    return was


def without_elements(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    """`inputs` of which all parts are empty: none of what beginnings or lengths divide is left. None where
    nothing is divided so."""
    if _of_parts(reference, inputs, state) is None:
        return None
    totals = {int(one[-1]) for one in inputs if _begins(one)}
    totals |= {int(one.sum()) for one in inputs if _adds_up(one, inputs)}
    if not any(isinstance(one, torch.Tensor) and one.ndim and len(one) in totals for one in inputs):
        return None
    return [
        torch.full_like(one, int(one[0])) if _begins(one)
        else torch.zeros_like(one) if _adds_up(one, inputs)
        else one[:0].clone() if isinstance(one, torch.Tensor) and one.ndim and len(one) in totals
        else one
        for one in inputs
    ]  # fmt: skip


def divides_an_axis(
    reference: Reference, draws: Sequence[Sequence[Input]], state: dict[str, torch.Tensor]
) -> frozenset[int]:
    """Places of inputs that in each of the `draws` rise from zero to an axis' length at most: offsets, of
    which none lies before that axis or behind it. What names places to look up or to add up at is none."""
    found = [place for place in range(len(draws[0])) if all(_divides(one[place], one) for one in draws)]
    return frozenset(
        place for place in found if _of_parts(reference, draws[0], state, [draws[0][place]]) is not None
    )


def _divides(value: Input, inputs: Sequence[Input]) -> bool:
    return _begins(value) and int(value[0]) == 0 and _axis_of(value, inputs) is not None


def _axis_of(value: Input, inputs: Sequence[Input]) -> tuple[int, int] | None:
    """Which input, and which axis of it, is the shortest that offsets do not pass."""
    assert isinstance(value, torch.Tensor)
    axes = [
        (size, place, axis)
        for place, one in enumerate(inputs)
        if isinstance(one, torch.Tensor) and one is not value
        for axis, size in enumerate(one.shape)
        if size >= int(value[-1])
    ]
    return min(axes)[1:] if axes else None


def on_their_axes(drawn: Sequence[Input], shipped: Sequence[Input], offsets: frozenset[int]) -> list[Input]:
    """`drawn` inputs, as long as the `shipped` ones, of which those at the places of `offsets` rise and stay
    on the axis that they divide."""
    found = list(drawn)
    for place in offsets:
        value, axis = drawn[place], _axis_of(shipped[place], shipped)
        if isinstance(value, torch.Tensor) and axis is not None and value is not shipped[place]:
            found[place] = value.clamp(0, _length(shipped, axis)).sort().values
    return found


def divide_all(given: Sequence[Input], shipped: Sequence[Input], offsets: frozenset[int]) -> bool:
    """Whether those of inputs of other sizes still end on the axis that the `shipped` ones divide, and at the
    end of it where they do."""
    for place in offsets:
        axis, was, now = _axis_of(shipped[place], shipped), shipped[place], given[place]
        assert isinstance(was, torch.Tensor)
        assert isinstance(now, torch.Tensor)
        if axis is None or not len(now):
            continue
        left = _length(given, axis) - int(now[-1])
        if left < 0 or (left > 0 and int(was[-1]) == _length(shipped, axis)):
            return False
    return True


def _length(inputs: Sequence[Input], axis: tuple[int, int]) -> int:
    value = inputs[axis[0]]
    assert isinstance(value, torch.Tensor)
    return value.shape[axis[1]]


def _begins(value: Input) -> TypeGuard[torch.Tensor]:
    """Whether a row of integers tells where parts begin: one below zero names nothing, and slots of which
    some are not used may rise by chance."""
    return rises(value) and int(value[0]) >= 0


def _adds_up(value: Input, inputs: Sequence[Input]) -> TypeGuard[torch.Tensor]:
    """Whether a row of integers holds the lengths of parts of an axis."""
    if not isinstance(value, torch.Tensor) or value.dtype not in ROWS_OF or value.ndim != 1 or len(value) < 2:
        return False
    lengths = {len(one) for one in inputs if isinstance(one, torch.Tensor) and one.ndim and one is not value}
    return bool((value >= 0).all()) and int(value.sum()) in lengths


def _divided(value: torch.Tensor, move: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    return move(torch.cat([value.new_zeros(1), value.cumsum(0).to(value.dtype)])).diff()


def _gathered(value: torch.Tensor) -> torch.Tensor:
    """All before the middle as the first, and all from there on as the last."""
    moved, middle = value.clone(), len(value) // 2
    moved[:middle], moved[middle:] = value[0], value[-1]
    return moved


def _moved(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """A third of those moved stand where the one before does, and a third where the next one does."""
    moved = value.clone()
    inner = moved[1:-1:2]
    before, after = moved[:-2:2].double(), moved[2::2].double()
    share = torch.rand(inner.shape, generator=generator, dtype=torch.float64) * 3 - 1
    moved[1:-1:2] = (before + (after - before) * share.clamp(0, 1)).floor().to(value.dtype)
    return moved
