"""Makes some of an op's inputs enormous and the others next to nothing: the order of products shows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import torch

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits
from ..reference.measures import alike_but_for_size, difference, tells_apart
from ..reference.operators import cancels, squares
from ..reference.oracle import Reference
from .extremes import is_finite
from .families import TWO_FAR_OUT, UNLIKE, floats


def unlike_sizes(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which every other one of both signs, from the one at `turn` on, is far out and the others
    close in, each about as far: products of some are large or small on the way and usual in the end, which in
    another order they may not be. None where there are no two such, or the reference has no number."""
    signed = [place for place, one in enumerate(inputs) if _of_both_signs(one)]
    changed = list(inputs)
    for count, place in enumerate(signed):
        changed[place] = _times(inputs[place], _FAR_OUT if count % 2 == turn else 1 / _FAR_OUT)
    answer = reference.tried(changed, state) if len(signed) > 1 else None
    return changed if answer is not None and all(map(is_finite, answer.outputs)) else None


def two_far_out(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which two of both signs, pairs from the last on by `turn`, are far out, a
    third is as far in, and the rest are as usual: a row's scale and a column's, say, whose product is beyond
    float32 while what each of them scales is not. Two that are one apart are far out in `unlike_sizes`. None
    where there are no three such, or the reference has no number."""
    signed = [place for place, one in enumerate(inputs) if _of_both_signs(one)]
    pairs = [pair for pair in combinations(range(len(signed)), 2) if (pair[1] - pair[0]) % 2]
    if turn >= len(pairs):
        return None
    out = [signed[one] for one in pairs[-1 - turn]]
    for close in (place for place in signed if place not in out):
        sizes = {**dict.fromkeys(out, _FAR_OUT), close: 1 / _FAR_OUT}
        changed = [_times(one, sizes[place]) if place in sizes else one for place, one in enumerate(inputs)]
        answer = reference.tried(changed, state)
        if answer is not None and all(map(is_finite, answer.outputs)):
            return changed
    return None


ORDERS = {
    **{name: partial(unlike_sizes, turn) for turn, name in enumerate(UNLIKE)},
    **{name: partial(two_far_out, turn) for turn, name in enumerate(TWO_FAR_OUT)},
}
"""What tells the order of products."""


def _times(value: Input, size: float) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    return value.contiguous() * size


def one_vanishing(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which the one at `turn`, of those of both signs, is next to nothing, its squares zero; or,
    where the answer is another then but for its size, small beside an epsilon that has a part in it. None
    where there is no other, where it might as well be zero, or where the reference itself loses digits."""
    signed = [place for place, one in enumerate(inputs) if _of_both_signs(one)]
    if len(signed) < 2 or turn >= len(signed):
        return None
    place, usual = signed[turn], reference.tried_exactly(inputs, state)
    for size in (_VANISHING, _SMALL):
        changed, zero = (
            [*inputs[:place], _times(inputs[place], times), *inputs[place + 1 :]] for times in (size, 0.0)
        )
        exact, own = reference.tried_exactly(changed, state), reference.tried(changed, state)
        if exact is None or usual is None or own is None or cancels(exact.operators):
            return None
        pairs = zip(own.outputs, exact.outputs, strict=True)
        lost = any(one.is_floating_point() and difference(one, right).worst > _LOST for one, right in pairs)
        if size == _VANISHING:
            told = all(map(alike_but_for_size, exact.outputs, usual.outputs)) and not squares(exact.operators)
        else:
            nothing = reference.tried_exactly(zero, state)
            told = nothing is not None and tells_apart(nothing.outputs, exact.outputs)
        if told and not lost:
            return changed
    return None


_VANISHING, _SMALL, _LOST = 2.0**-100, 2.0**-50, 1e-5
"""Beside numbers of usual size results are far from the smallest there are; of the second squares are numbers
too; and what eager may be off by."""

_FAR_OUT = 2.0**66
"""Whose square is beyond float32."""


def _of_both_signs(value: Input) -> bool:
    if not floats(value) or is_eight_bits(value) or torch.finfo(value.dtype).max < _FAR_OUT:
        return False
    return bool((value < 0).any()) and bool((value > 0).any())
