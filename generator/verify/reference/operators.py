"""Knows what a reference's operators make of numbers at the ends: which pass NaN on, which cancel near zero.

Names are ATen's, without overload and the `_` of what works in place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MOVES = words("""
    view _unsafe_view reshape _reshape_alias expand permute transpose t unsqueeze squeeze slice select clone
    _to_copy copy alias detach as_strided cat stack split split_with_sizes unbind flatten lift_fresh empty
    zeros ones full zeros_like ones_like full_like new_zeros new_ones new_full
    """)

_PARTS = words("""
    slice select as_strided split split_with_sizes unbind index index_select gather take embedding
    embedding_bag unfold im2col diagonal topk tril triu constant_pad_nd convolution upsample_nearest1d
    upsample_nearest2d upsample_nearest3d upsample_bilinear2d grid_sampler_2d _adaptive_avg_pool2d
    """)
"""What may leave elements of a large tensor out though it takes all of a small one."""

_SHIFTS = words("""
    roll flip rot90 cat stack repeat constant_pad_nd pixel_shuffle pixel_unshuffle channel_shuffle clone copy
    """)
"""What an op is about that only moves numbers."""

FRACTIONAL = "pow of a fraction"

_LAYS = words("""
    unfold im2col gather index index_select diagonal reflection_pad1d reflection_pad2d replication_pad1d
    replication_pad2d
    """)
"""What else only moves numbers."""

_PASSES_NAN = (
    _MOVES
    | _LAYS
    | {FRACTIONAL}
    | words("""
    add sub rsub mul div neg reciprocal sqrt rsqrt square pow exp exp2 log log2 log10 sigmoid silu sum mean mm
    bmm addmm baddbmm mv addmv dot convolution _softmax _log_softmax native_layer_norm native_group_norm
    native_batch_norm _native_batch_norm_legit _scaled_mm var var_mean std std_mean norm linalg_vector_norm
    cumsum cumprod prod index_add scatter_add embedding logsumexp roll flip repeat constant_pad_nd
    pixel_shuffle pixel_unshuffle avg_pool2d avg_pool3d tril triu
    arange floor_divide remainder bitwise_and bitwise_or bitwise_xor __and_ __or_ __xor_ __rshift_ __lshift_
    bitwise_right_shift bitwise_left_shift
    """)
)
"""NaN comes out of these however they are computed, or they have to do with integers alone. Of a clamp or a
comparison it does not: `tl.maximum` drops it, as the card's own instructions do, and torch keeps it."""

_EXTREMES = words("""
    max min amax amin aminmax argmax argmin maximum minimum max_pool2d_with_indices
    max_pool3d_with_indices max_pool1d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
    cummax cummin _cummax_helper _cummin_helper abs neg
    """)
"""Torch documents that these pass NaN on, and of nothing else an op may consist for that to be asked: where
they stand among others, honest kernels take `tl.max` and `tl.maximum`, which drop it."""

_AT_PLACES = words("scatter_reduce index_reduce")
"""Extremes or sums at places: NaN comes out of either."""

_SORTS = words("sort msort median kthvalue")
"""In these NaN is larger than any number, and a median of which it is a part."""

_COMPARES = words("""
    gt ge lt le eq ne logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_not
    bitwise_xor isnan isinf isfinite any all count_nonzero
    """)
"""Where truths and counts alone come out, NaN has to be compared as IEEE 754 compares it: with nothing is it
larger, smaller or equal."""

_BINS = words("histc bucketize searchsorted")

_CANCELS = words("""
    tanh elu selu celu expm1 log1p sinh asinh atanh logit erf sin tan asin atan
    """)
"""Near zero they are nearly their argument, and what honest kernels make of them (`exp(x) - 1`,
`2 * sigmoid(2 * x) - 1`, an approximation whose error is absolute) is a difference of numbers near one."""

_VANISHES = _CANCELS | words(
    "softplus log_sigmoid_forward log_sigmoid mish logaddexp logaddexp2 hardtanh gelu"
)
"""Far from zero they are zero, one or their argument, but for what honest forms of them (`log(1 + exp(x))`)
lose."""

_OF_ONE = _VANISHES - {"hardtanh"}
_OF_THEIRS = words("gelu mish")
"""Of `_VANISHES`, what is off by last bits of one, and what by last bits of its argument times one."""

_SQUARES = words("var var_mean std std_mean norm linalg_vector_norm _cdist_forward _euclidean_dist")
"""Their squares may underflow in a kernel and not in torch, which takes some of them in a wider type."""

_STATISTICS = words("native_layer_norm native_group_norm native_batch_norm _native_batch_norm_legit")


@cache
def plain_name(func: Any) -> str:
    """The name of an ATen overload as it stands in the sets here."""
    name: str = func._schema.name.removeprefix("aten::")
    return name.removesuffix("_")


def told_name(func: Any, args: Sequence[Any]) -> str:
    """Its plain name; of a power that neither products nor roots give, one of its own."""
    name = plain_name(func)
    exponent = args[1] if name == "pow" and len(args) > 1 else 2
    whole = isinstance(exponent, int | float) and float(2 * exponent).is_integer() and abs(exponent) <= 4
    return name if name != "pow" or whole else FRACTIONAL


def compares(operators: Iterable[str]) -> bool:
    """Whether a number a bit larger or smaller may lead elsewhere."""
    return not (_COMPARES | _BINS).isdisjoint(operators)


def takes_parts(operators: Iterable[str]) -> bool:
    """Whether an op may need a part of what it is given only, once that is large."""
    return any(name in _PARTS or "pool" in name for name in operators)


def only_moves(operators: Iterable[str]) -> bool:
    """Whether an op moves numbers and does nothing else with them."""
    operators = frozenset(operators)
    return operators <= _MOVES | _SHIFTS and not _SHIFTS.isdisjoint(operators)


def only_picks(operators: Iterable[str]) -> bool:
    """Whether an op says which of its numbers is larger, and makes no others of them."""
    picks = _EXTREMES | _SORTS | {"topk"}
    return frozenset(operators) <= _MOVES | _SHIFTS | _LAYS | picks and not picks.isdisjoint(operators)


def passes_nan(operators: Iterable[str], floating: bool = True) -> bool:
    """Whether it is known what becomes of NaN; `floating`: an output is."""
    operators = frozenset(operators)
    if operators <= _MOVES | _SHIFTS | _LAYS | _EXTREMES | _AT_PLACES | _SORTS:
        return True  # the place of the first NaN comes out, or NaN itself
    if floating:
        return operators <= _PASSES_NAN
    return operators <= _PASSES_NAN | _COMPARES and not _COMPARES.isdisjoint(operators)


def cancels(operators: Iterable[str]) -> bool:
    return not _CANCELS.isdisjoint(operators)


def vanishes(operators: Iterable[str]) -> bool:
    return not _VANISHES.isdisjoint(operators)


def near_one(func: Any, args: Sequence[Any]) -> Any:
    """The size of the numbers that an operator's common form subtracts from each other; None of others."""
    name = plain_name(func)
    if name not in _OF_ONE:
        return None
    return args[0].abs() if name in _OF_THEIRS else 1.0


def extremes(name: str) -> bool:
    """Whether an operator gives the largest or smallest of what it takes, or compares it."""
    return name in _EXTREMES - {"abs", "neg"} or "clamp" in name or name in ("relu", "threshold", "hardtanh")


def masks_rows(operators: Collection[str], terms: int) -> bool:
    """Whether minus infinity may come out of a row that is masked throughout: an op takes rows together, in
    sums of so many `terms` or otherwise, and squares nothing, as of a distance that is infinite."""
    return "pow" not in operators and (terms > 1 or not _OF_ROWS.isdisjoint(operators))


_OF_ROWS = _EXTREMES - words("abs neg maximum minimum") | words(
    "_softmax _log_softmax logsumexp logcumsumexp cumsum cumprod sort topk"
)


RANKS = (_EXTREMES - words("abs neg")) | words("sort topk kthvalue median scatter_reduce index_reduce")
"""Whose kernels begin with what is meant to be below, or above, all that comes."""


def squares(operators: Iterable[str]) -> bool:
    return not _SQUARES.isdisjoint(operators)


def squares_inside(name: str) -> bool:
    """Whether an operator squares what it takes before it gives a root or a quotient of that."""
    return name in _SQUARES | _STATISTICS
