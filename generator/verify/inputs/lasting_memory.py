"""Inputs that show how far back a recurrence, or what is written as one, remembers: gates that hardly open,
and nothing but a beginning that is asked for at the end."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.operators import words
from ..reference.oracle import Reference
from .domain import is_positive
from .extremes import is_finite, is_mask
from .families import EXPONENTIAL, floats
from .sizes import answers, place_of_turn

State = dict[str, torch.Tensor]

LINGERING, ENDS_APART = "lingering in ", ("ends apart", "ends apart, turned")
"""What they are called; the first by which input it is."""

_LEAST, _MOST = 7.0, 9.0
"""A sigmoid of these is off one, or zero, by 2^-10 to 2^-13: half precision has 2^-11 beside one."""

_APART = 0.25
"""By how much numbers of one column differ: one that hardly opens does so at every step."""

_PART = 8
"""What part of its places an input keeps."""

_STEPPED = "stack"
"""What a loop of steps ends with."""

_SHARES = words("""
    _softmax _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_attention_math
    """)

_ROOM = 2.0**40
"""Times the smallest normal number of a dtype: what is far less on the way is no denormal one."""


def lingering(
    turn: int, reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which one that floats, the first, second or so by `turn`, is so far above zero, or below,
    throughout every other column, by about as much; others that are as long stay what they are at first, or
    what they add would decide how half precision rounds. None where the op takes no exponential, or those of
    sums of products."""
    ran = reference.tried_exactly(inputs, state)
    if ran is None or ran.multiplies or EXPONENTIAL.isdisjoint(ran.operators):
        return None
    place = place_of_turn(turn, reference, inputs, state)
    if place is None:
        return None
    value = inputs[place]
    assert isinstance(value, torch.Tensor)
    columns, apart = (torch.rand(shape, generator=generator) for shape in (value.shape[-1:], value.shape))
    drawn = _LEAST + (_MOST - _LEAST - _APART) * columns + _APART * apart
    if not is_positive(value):
        first = int(torch.randint(0, 2, (), generator=generator))
        drawn *= (torch.arange(value.shape[-1]) + first) % 2 * 2 - 1
    changed = [_as_at_first(one, value) for one in inputs]
    changed[place] = drawn.to(value.dtype)
    return changed if answers(reference, changed, state) else None


def _as_at_first(one: Input, beside: torch.Tensor) -> Input:
    long = floats(one) and one.shape == beside.shape and one.ndim > 1 and one.shape[-2] > 0
    return one[..., :1, :].expand_as(one).clone() if long else one  # type: ignore[index,arg-type]


def ends_apart(
    late: int, reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which the first of several that float as far along the last axis but one is zero but for
    its beginning, and the last of them but for a part as far behind that as leaves an answer, or with `late`
    the other way round: what is left of so long ago is all of it. None where nothing is, where rows do not
    meet, or where shares of one are taken of what is left."""
    rows = [place for place, one in enumerate(inputs) if floats(one) and one.ndim > 1 and not is_mask(one)]
    rows = [place for place in rows if _rows(inputs[place]) == _rows(inputs[rows[0]]) > _PART]
    ran = reference.tried_exactly(inputs, state) if len(rows) > 1 else None
    if (
        ran is None
        or not (ran.multiplies or _STEPPED in ran.operators)
        or not _SHARES.isdisjoint(ran.operators)
    ):
        return None
    early, end = (rows[-1], rows[0]) if late else (rows[0], rows[-1])
    few = _rows(inputs[early]) // _PART
    for parts in (_PART - 1, _PART // 2, _PART // 4):
        changed = list(inputs)
        changed[early] = _only(inputs[early], 0, few)
        changed[end] = _only(inputs[end], parts * few, (parts + 1) * few)
        if _is_told(reference, changed, state):
            return changed
    return None


def _is_told(reference: Reference, inputs: Sequence[Input], state: State) -> bool:
    """Whether the answer is some number, and no denormal one on its way."""
    answer, own = reference.tried_exactly(inputs, state), reference.tried(inputs, state)
    if answer is None or own is None or not all(map(is_finite, answer.outputs)):
        return False
    return any(
        float(one.abs().max()) >= _ROOM * torch.finfo(its.dtype).tiny
        for one, its in zip(answer.outputs, own.outputs, strict=True)
        if floats(its) and one.numel()
    )


def _rows(value: Input) -> int:
    assert isinstance(value, torch.Tensor)
    return value.shape[-2]


def _only(value: Input, begin: int, end: int) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    changed = torch.zeros_like(value)
    changed[..., begin:end, :] = value[..., begin:end, :]
    return changed
