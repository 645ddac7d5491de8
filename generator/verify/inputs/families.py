"""Draws inputs that an op file's generator never shows: other signs, scales, ties, tails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeGuard

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.operators import FRACTIONAL, RANKS, words
from . import draws
from .ahead import keys_below, keys_far_below, one_ahead, one_key_ahead
from .places import names_each_once, rises
from .strands import best_in_one_strand

LEVEL = 64.0
"""Of "opposed halves": 32 products are beyond float16."""

ENORMOUS, ASTRONOMICAL = "enormous", "astronomical"
"""Far above 65504, where float16 ends, and any bound that looks generous, yet below the 1e30 that kernels
write for infinity: of the first, sums of squares as well. Both are left out where the reference overflows."""

FAR_SQUARES = "far squares"
"""Whose squares, and sums of them, are numbers, and beyond 1e30: a search for the least of them that begins
there finds none."""

FAINT, MINUTE, VANISHING = "faint", "minute", "vanishing"
"""Below any bound that looks like zero. The first is left out where honest kernels cancel, the others too
where an op has a scale of its own, an epsilon say: then nothing so small makes a difference."""

CLOSE_IN = {FAINT: -16, MINUTE: -50, VANISHING: -110}
"""Their powers of two. Of the last, squares and products are no numbers any more; what is left of it, and of
its smallest values, is normal in float32, so that flushing denormals to zero makes no difference."""

UNLIKE = ("unlike sizes from 0", "unlike sizes from 1")
"""Every other input far out, from the first on or from the second, and the others close in."""

TWO_FAR_OUT = ("two far out in 0", "two far out in 1", "two far out in 2")
"""Such as are not so together there, and a third close in."""

SIGNED_ZEROS = "signed zeros"

NEAR_ONE, NEIGHBOURS = "near one", "neighbours"
"""The latter for ops that pick numbers and do nothing else."""

INFINITE, ONE_NAN, NAN_BESIDE = "infinite rows", "one NaN", "NaN beside what a value takes"
NAN_ALONE = ("NaN in 0, zeros elsewhere", "NaN in 1, zeros elsewhere")
NAN_IN_A_PART = "NaN in a part"
NANS = (ONE_NAN, NAN_BESIDE, *NAN_ALONE)
NO_NUMBERS = (INFINITE, *NANS)
"""Judged one way only: a number where the reference has none hides it."""

LONE_ROWS, LATE_PEAKS = "lone rows", "late peaks"
"""Told by long rows and high planes alone: drawn at the largest shape."""

SILENT = "silent stretches"
"""Of rows, each from a power of two to the next: a tile of nothing has neighbours."""

OPPOSED = "opposed"
"""Every other input, from the first on, is negative throughout: scores of queries and keys all lie far below
zero."""

OPPOSED_TOO = "opposed the other way"
"""Likewise from the second one on."""

FAR_BELOW, FAR_ABOVE = "far below zero", "far above zero"
"""Where exponentials and what is made of them end, or are no longer seen beside one."""

DEEP, HIGH = "enormous below zero", "enormous above zero"
DEEPEST, HIGHEST = "astronomical below zero", "astronomical above zero"
"""Throughout, along whatever axis: a start of a largest or smallest number that is meant to be infinite would
stay. A softmax takes the largest of what it adds up."""

TIES, SORTED, SIGNS, TURNS = "halfway", "sorted rows", "either sign", "many turns"
IN_A_STRAND = "best in one strand"
RANKED = (SORTED, IN_A_STRAND)
"""For what ranks, at the longest rows too."""

ONE_AHEAD = "one ahead"
"""Of scores, so that hundreds of others count a little together. Drawn where rows are long."""

KEYS_BELOW, KEYS_LOWER = "keys far below zero", "keys below zero"
"""Of queries and keys, so that all scores are: a running maximum that begins anywhere above would stay. Drawn
where there are most keys; the second in float16, where products of the first are no numbers."""

APART = "samples apart"
"""What is worked out over all of a batch is not what is worked out over each sample."""

FIRST_AHEAD = "first far ahead"
"""Of a tensor, so that what is taken less it, a deviation say, is nothing but rounding in all other rows."""

ODD = "ones and threes"
"""Of which half lie halfway between whole numbers, divided by their mean."""

POWERS = "beside powers of two"
"""For ops that take numbers apart into those and the rest."""

SOME_NAN = "some NaN"
"""For ops that take NaN apart and give a number without it."""

OF_ALL = words("_softmax _log_softmax logsumexp softmax log_softmax logcumsumexp")
"""Whose kernels take the largest of all that they take exponentials of."""

EXPONENTIAL = (
    words("""
    exp exp2 sigmoid silu logaddexp cosh
    _scaled_dot_product_flash_attention_for_cpu scaled_dot_product_attention
    """)
    | OF_ALL
    | {"pow", FRACTIONAL}
)

STATISTICS = words(
    "native_layer_norm native_group_norm native_batch_norm _native_batch_norm_legit var var_mean std mean"
)
"""Which lose digits far from zero, whatever a kernel does."""

SORTS = words("topk sort kthvalue median nanmedian argsort mode")

ASKED_BY: Mapping[str, frozenset[str]] = {
    **dict.fromkeys((FAR_BELOW, FAR_ABOVE, OPPOSED_TOO), EXPONENTIAL),
    **dict.fromkeys((DEEP, DEEPEST), RANKS | OF_ALL),
    **dict.fromkeys((HIGH, HIGHEST, FAR_SQUARES), RANKS),
    **dict.fromkeys((TIES, ODD), frozenset(("round",))),
    TURNS: frozenset(("sin", "cos", "tan")),
    **dict.fromkeys(RANKED, SORTS),
    ONE_AHEAD: EXPONENTIAL,
    **dict.fromkeys((KEYS_BELOW, KEYS_LOWER), EXPONENTIAL | RANKS),
    APART: words("log log2 log10 log1p amax max aminmax") | {FRACTIONAL},
    FIRST_AHEAD: STATISTICS | {"rsqrt"},
    SIGNS: frozenset(("prod", "cumprod")),
    POWERS: frozenset(("frexp", "ldexp", "log2")),
    SOME_NAN: frozenset(("isnan", "nansum", "nanmean", "nan_to_num", "nanmedian", "nanquantile")),
}
"""Families that tell something of ops with such operators alone."""

HALVES = "opposed halves"
"""Values about `LEVEL`, of which every other input has the second half of each row negative, times weights
about as large: sums of products pass 65504 on the way and come back. Drawn in half precision alone."""

MUST = {"as shipped", "normal", "spikes", "small integers"}
"""Families that are drawn however little time there is."""

FEW = {FIRST_AHEAD, POWERS, ODD, DEEP, HIGH, DEEPEST, HIGHEST, TIES, TURNS, SIGNS, SOME_NAN, *RANKED}
"""Likewise those that tell of few operators, and of these much."""

FAMILIES: Mapping[str, draws.Draw] = {
    "as shipped": lambda values, generator: values,
    "normal": draws.normal,
    "shifted normal": lambda values, generator: 3 + 2 * draws.normal(values, generator),
    "scaled up": lambda values, generator: values.float() * 8,
    "scaled down": lambda values, generator: values.float() / 8,
    "heavy tailed": draws.heavy_tailed,
    SIGNED_ZEROS: draws.signed_zeros,
    "constant": lambda values, generator: torch.full(values.shape, 0.75),
    "equal rows": draws.equal_rows,
    "spikes": draws.spiked(1.0),
    "negative spikes": draws.spiked(-1.0),
    "small integers": draws.small_integers,
    NEAR_ONE: draws.near_one,
    NEIGHBOURS: draws.neighbours,
    ENORMOUS: draws.far_out(44),
    ASTRONOMICAL: draws.far_out(96),
    FAR_SQUARES: draws.far_out(56),
    "all negative": lambda values, generator: -draws.normal(values, generator).abs() - 0.5,
    **dict.fromkeys((OPPOSED, OPPOSED_TOO), draws.whole_and_large),
    FAR_BELOW: draws.far_off(-1.0),
    FAR_ABOVE: draws.far_off(1.0),
    DEEP: draws.all_far_out(44, -1.0),
    HIGH: draws.all_far_out(44, 1.0),
    DEEPEST: draws.all_far_out(96, -1.0),
    HIGHEST: draws.all_far_out(96, 1.0),
    TIES: draws.halves_of_integers,
    ODD: draws.ones_and_threes,
    TURNS: draws.far_whole,
    SORTED: draws.sorted_rows,
    IN_A_STRAND: best_in_one_strand,
    SIGNS: draws.either_sign,
    POWERS: draws.beside_powers,
    SOME_NAN: draws.some_nan,
    INFINITE: draws.infinite_rows,
    **{name: draws.close_in(power) for name, power in CLOSE_IN.items()},
    ONE_NAN: draws.one_nan,
    LONE_ROWS: draws.lone_rows,
    LATE_PEAKS: draws.late_peaks,
    SILENT: draws.silent_stretches,
    ONE_AHEAD: one_ahead,
    **dict.fromkeys((KEYS_BELOW, KEYS_LOWER), draws.normal),
    APART: draws.samples_apart,
    FIRST_AHEAD: draws.first_ahead,
    HALVES: lambda values, generator: LEVEL + draws.normal(values, generator),
}


_TURNED = {OPPOSED: 0, HALVES: 0, OPPOSED_TOO: 1}
"""The first of every two inputs that are negated."""


def draw_inputs(family: str, shipped: list[Input], generator: torch.Generator) -> list[Input]:
    """Floating inputs from `family`, in their own dtype; integers, booleans and numbers stay as shipped."""
    drawn = [_drawn(family, value, generator) for value in shipped]
    if family in _TOGETHER:
        _fill_together(family, drawn, shipped, generator)
    turned = [one for one in drawn if floats(one)][_TURNED[family] :: 2] if family in _TURNED else []
    for value in turned:
        part = value[..., value.shape[-1] // 2 :] if family == HALVES and value.ndim else value
        part.copy_(-widened(part))
    return drawn


def leading_pair(inputs: Sequence[Input]) -> tuple[int, int] | None:
    """Places of the first two floating inputs whose rows are of one length, queries and keys say."""
    places = [(place, one) for place, one in enumerate(inputs) if floats(one) and one.ndim > 1]
    pairs = combinations(places, 2)
    return next(((a, b) for (a, one), (b, other) in pairs if one.shape[-1] == other.shape[-1]), None)


_TOGETHER = {ONE_AHEAD: one_key_ahead, KEYS_BELOW: keys_far_below, KEYS_LOWER: keys_below}

_IN_ONE_TOO = {KEYS_BELOW, KEYS_LOWER}
"""Filled where queries and keys may be parts of one tensor; of its rows the first place is ahead already."""


def _fill_together(family: str, drawn: list[Input], shipped: list[Input], generator: torch.Generator) -> None:
    """In place; what follows the two is as usual."""
    pair = leading_pair(shipped)
    if pair is None:
        found = packed(drawn) if family in _IN_ONE_TOO else None
    else:
        for place, (value, was) in enumerate(zip(drawn, shipped, strict=True)):
            if place not in pair and floats(value) and floats(was):
                value.copy_(draws.normal(was, generator))
        queries, keys = (drawn[place] for place in pair)
        assert isinstance(queries, torch.Tensor)
        assert isinstance(keys, torch.Tensor)
        found = queries, keys
    if found is not None:
        _TOGETHER[family](*found, generator)


def packed(inputs: Sequence[Input]) -> tuple[torch.Tensor, torch.Tensor] | None:
    """The first two thirds, queries and keys say, of the only floating input of more than one axis: along its
    axis of three, or else its last; views."""
    tensors = [one for one in inputs if floats(one) and one.ndim > 1]
    if len(tensors) != 1 or not tensors[0].numel():
        return None
    (whole,) = tensors
    if 3 in whole.shape[:-1]:
        axis = whole.shape.index(3)
        return whole.select(axis, 0), whole.select(axis, 1)
    queries, keys, *rest = whole.tensor_split(3, -1)
    return (queries, keys) if keys.shape == queries.shape == rest[0].shape else None


def _drawn(family: str, value: Input, generator: torch.Generator) -> Input:
    """Of complex numbers, both parts."""
    if isinstance(value, torch.Tensor) and value.is_complex():
        parts = _drawn(family, torch.view_as_real(value.contiguous()), generator)
        assert isinstance(parts, torch.Tensor)
        return torch.view_as_complex(parts.contiguous())
    return FAMILIES[family](value, generator).to(value.dtype).contiguous() if floats(value) else value


def floats(value: object) -> TypeGuard[torch.Tensor]:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def nudged(values: list[Input], generator: torch.Generator, puts: bool = False) -> list[Input]:
    """The same values but for one element of each tensor, never the first: a floating one moves by a spike,
    one of a rising row by one, and the row still rises, another takes the value of a neighbour, and the
    neighbour its own where no two are alike, or where something is put at the places that they name (`puts`).
    Whoever knows tensors by address and a sample of them does not notice."""
    return [_nudged(one, generator, puts) if isinstance(one, torch.Tensor) else one for one in values]


def _nudged(value: torch.Tensor, generator: torch.Generator, puts: bool) -> torch.Tensor:
    if value.numel() < 2:
        return value
    moved = value.contiguous().clone()
    flat = moved.view(-1)
    place = int(torch.randint(1, flat.numel(), (1,), generator=generator))
    if value.is_floating_point():
        flat[place] = widened(flat[place]) + draws.SPIKE
    elif rises(value) and (room := (flat[1:-1] + 1 < flat[2:]).nonzero().reshape(-1) + 1).numel():
        flat[room[place % len(room)]] += 1  # beginnings of rows, whose order stays
    elif rises(value) and not puts and (fewer := (flat[1:-1] > flat[:-2]).nonzero().reshape(-1) + 1).numel():
        flat[fewer[place % len(fewer)]] -= 1
    elif puts or names_each_once(flat) or len(flat.tolist()) == len(set(flat.tolist())):
        first = min(place, max(0, flat.numel() - 2))
        first -= first > 0 and first % value.shape[-1] == value.shape[-1] - 1  # both in one row
        flat[first : first + 2] = flat[first : first + 2].flip(0)
    else:
        flat[place] = flat[place - 1]
    return moved
