"""Says which right answers are no use for judging by: mostly undefined, overflown, too ill-conditioned, or
such as honest kernels lose."""

from __future__ import annotations

import torch

from ....profiling.build import Input
from ..inputs.camps import CAMPS
from ..inputs.families import (
    ASTRONOMICAL,
    CLOSE_IN,
    DEEP,
    DEEPEST,
    ENORMOUS,
    EXPONENTIAL,
    FAINT,
    FAR_ABOVE,
    FAR_BELOW,
    FAR_SQUARES,
    FIRST_AHEAD,
    HIGH,
    HIGHEST,
    INFINITE,
    KEYS_BELOW,
    KEYS_LOWER,
    MINUTE,
    NAN_IN_A_PART,
    NANS,
    OPPOSED,
    OPPOSED_TOO,
    SORTS,
    TWO_FAR_OUT,
    UNLIKE,
    VANISHING,
    floats,
)
from ..inputs.idle import IDLE
from ..inputs.ignored import ALL_IGNORED
from ..inputs.with_weights import ALONE
from ..reference.budget import FLOORS, too_ill_conditioned
from ..reference.eight_bits import widened
from ..reference.measures import alike_but_for_size, difference, tells_apart
from ..reference.operators import FRACTIONAL, RANKS, cancels, extremes, passes_nan, squares, vanishes
from .largest import OF_MANY, overflows, passes_in_parts
from .right import Answer

NAN_COMPARED = "the op compares, and honest kernels differ in what they then make of NaN"


_BEYOND = (ENORMOUS, ASTRONOMICAL, FAR_SQUARES, *UNLIKE, *TWO_FAR_OUT)
_SCORES = (OPPOSED, OPPOSED_TOO, KEYS_BELOW, KEYS_LOWER, *CAMPS)
_LARGE = (*_BEYOND, *_SCORES, FAR_BELOW, FAR_ABOVE, DEEP, HIGH, DEEPEST, HIGHEST, FIRST_AHEAD)
_FAR = (*_BEYOND, DEEP, HIGH, DEEPEST, HIGHEST, *CLOSE_IN)


def why_dropped(answer: Answer, precision: str, first: bool, usual: Answer | None = None) -> str:
    """The reason in words, empty for one to judge by; the `first` case stays however ill-conditioned. `usual`
    is the answer to the first one, where that is known."""
    if _mostly_undefined(answer) and answer.case.family not in (ALL_IGNORED, *NANS):
        return "the reference itself is mostly non-finite here"
    if not (first or answer.case.family.startswith(IDLE)) and answer.oracle.passes_integers:
        return "a number is cast that its integer does not hold, which is undefined"
    if len(answer.left_open) == len(answer.oracle.outputs):
        return "the order of equals shows in it, which torch leaves open"
    if not first and any(too_ill_conditioned(one, precision) for one in answer.targets()):
        return f"rounding to {precision} changes the right answer too much here"
    if usual is not None and vanishes(answer.oracle.operators) and _little_beside(answer, usual):
        return "so small beside usual answers honest kernels lose digits"
    of_many = not OF_MANY.isdisjoint(answer.oracle.operators)
    if answer.case.family in _LARGE and _overflows(answer):
        return "the reference overflows in its own dtype here"
    if of_many and passes_in_parts(answer.case):
        return "a product of some of the factors alone is out of range here"
    if answer.case.family in (FAR_BELOW, FAR_ABOVE) and vanishes(answer.oracle.operators):
        return "so far from zero honest kernels cancel here"
    if answer.case.family in (FAR_BELOW, FAR_ABOVE) and answer.oracle.multiplies:
        return "what sums of products so large are off by, an exponential makes much of"
    if answer.case.family in _FAR and FRACTIONAL in answer.oracle.operators:
        return "a power by way of its logarithm is off by as many bits as that is large"
    if answer.case.family in (INFINITE, NAN_IN_A_PART) and answer.oracle.compares_nan:
        return NAN_COMPARED
    if answer.case.family == NAN_IN_A_PART and not RANKS.isdisjoint(answer.oracle.operators):
        return NAN_COMPARED
    if (
        answer.case.family == INFINITE
        and not SORTS.isdisjoint(answer.oracle.operators)
        and _undefined(answer)
    ):
        return "NaN is ranked, and honest kernels leave it out"
    if answer.case.family == INFINITE and answer.oracle.multiplies:
        return "products of infinity and zero are undefined, and may be left out"
    if answer.case.family == INFINITE and all(map(_constant, answer.oracle.outputs)):
        return "where it is defined, the reference is constant here"
    if answer.case.family == INFINITE and of_many:
        return "whether a product of many is infinite by then depends on their order"
    if answer.case.family == INFINITE and "lerp" in answer.oracle.operators:
        return "which infinities become NaN depends on the end that is started from"
    if answer.case.family in NANS and not _passes_nan(answer):
        return NAN_COMPARED
    return _why_too_small(answer, precision) if answer.case.family in CLOSE_IN else ""


def _undefined(answer: Answer) -> bool:
    return any(one.is_floating_point() and bool(widened(one).isnan().any()) for one in answer.oracle.outputs)


_LITTLE, _FEW = 1 / 16, 8
"""Of the largest usual number, and values: the loss of a single pair that is told apart well is what
`log(1 + exp(-x))` leaves of it. Where there are more values, the largest of them says what matters."""


def _little_beside(answer: Answer, usual: Answer) -> bool:
    few = sum(one.numel() for one in answer.oracle.outputs) <= _FEW
    return few and answer.case.family != ALONE and _largest(answer) < _LITTLE * _largest(usual)


def _largest(answer: Answer) -> float:
    floating = [widened(one) for one in answer.oracle.outputs if one.is_floating_point() and one.numel()]
    return max((float(one.abs().nan_to_num(0, 0, 0).max()) for one in floating), default=0.0)


def _floating(answer: Answer) -> bool:
    return any(output.is_floating_point() for output in answer.oracle.outputs)


def _passes_nan(answer: Answer) -> bool:
    """Whether it is known what becomes of NaN: by the operators, or by those of them that do not clamp, where
    floating inputs of nothing but NaN bring none before one that compares. What an op makes of its own sizes
    is a number."""
    operators, floating = answer.oracle.operators, _floating(answer)
    if passes_nan(operators, floating):
        return True
    case, others = answer.case, [one for one in operators if not extremes(one)]
    if not passes_nan(others, floating) or not all(map(floats, case.inputs)):
        return False
    whole = [torch.full_like(one, torch.nan) for one in case.inputs if floats(one)]
    weights = case.step.state.items()
    state = {name: torch.full_like(one, torch.nan) if floats(one) else one for name, one in weights}
    ran = case.setting.reference.tried_exactly(whole, state)
    return ran is not None and not ran.compares_nan


_RANKED = SORTS | {"argmax", "argmin"}


def _why_too_small(answer: Answer, precision: str) -> str:
    """Why nothing may be asked of an op so close to zero."""
    family, operators = answer.case.family, answer.oracle.operators
    if cancels(operators):
        return "near zero honest kernels cancel here"
    if not EXPONENTIAL.isdisjoint(operators) and not _RANKED.isdisjoint(operators):
        return "exponentials of numbers near zero are ranked, which differ in their last bits"
    if family == VANISHING and squares(operators):
        return "squares underflow here"
    told = family == FAINT or _without_a_scale(answer) or (family == MINUTE and _tells_of_zero(answer))
    if answer.case.setting.domain != "any" or not told:
        return "the op has a scale of its own"
    if _error(answer) > _LOST * FLOORS[precision]:
        return "the reference itself loses its digits here"
    return ""


_LOST = 10.0
"""Times the floor of its class that eager may be off by."""


def _error(answer: Answer) -> float:
    pairs = zip(answer.eager.outputs, answer.oracle.outputs, strict=True)
    return max((difference(own, right).worst for own, right in pairs if own.is_floating_point()), default=0.0)


def _without_a_scale(answer: Answer) -> bool:
    """Whether inputs of usual size give the same answer but for a power of two: no epsilon, no bias, no
    exponential has a part in it."""
    case, factor = answer.case, 2.0 ** -CLOSE_IN[answer.case.family]
    usual = case.setting.reference.tried_exactly(
        [_times(one, factor) for one in case.inputs], case.step.state
    )
    return usual is not None and all(map(alike_but_for_size, answer.oracle.outputs, usual.outputs))


def _tells_of_zero(answer: Answer) -> bool:
    """Whether zeros give something else altogether: an epsilon that inputs are small beside has a part in
    the answer, and no bias hides them."""
    case = answer.case
    zeros = case.setting.reference.tried_exactly([_times(one, 0.0) for one in case.inputs], case.step.state)
    return zeros is not None and tells_apart(zeros.outputs, answer.oracle.outputs)


def _times(value: Input, factor: float) -> Input:
    floats = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() * factor if floats else value  # type: ignore[union-attr]


def _mostly_undefined(answer: Answer) -> bool:
    """Minus infinity apart that the op puts in the place of numbers: scores that it leaves out."""
    floating = [output for output in answer.oracle.outputs if output.is_floating_point() and output.numel()]
    fills = all(bool(widened(one).isfinite().all()) for one in answer.case.inputs if floats(one))
    known = [output.isfinite() | (output.isneginf() & fills) for output in floating]
    return bool(floating) and all(float(one.float().mean()) < 0.5 for one in known)


def _constant(output: torch.Tensor) -> bool:
    known = output[torch.isfinite(output)]
    return known.numel() == 0 or bool((known == known[0]).all())


_USELESS = 0.5
"""A relative error of no more use: torch's bfloat16 attention gives zeros where its scores overflow."""


def _overflows(answer: Answer) -> bool:
    """Whether eager is infinite or NaN where float64 is not, makes something else of its overflow, or comes
    by numbers on its way that its dtype does not hold."""
    pairs = zip(answer.eager.outputs, answer.oracle.outputs, strict=True)
    return any(
        bool((~torch.isfinite(widened(own)) & torch.isfinite(right)).any())
        or (right.is_floating_point() and difference(own, right).worst >= _USELESS)
        for own, right in pairs
    ) or overflows(answer.case)
