"""How wrong a result may be: precision classes, and the comparison that all verdicts rest on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt

import torch

from .eight_bits import EIGHT_BITS, MOST_OFF, steps, widened
from .fillers import fillers
from .growth import CHAIN, growth
from .indices import Choice, well_chosen
from .measures import Difference, all_finite, difference
from .precisions import DTYPE_CLASS

FLOORS = {"fp64": 1e-12, "fp32": 1e-6, "tf32": 2e-3, "fp16": 2e-3, "bf16": 8e-3}
"""Error that a class may always show, as a fraction of the output's size.

Median relative L2 errors seen against float64: fp32 1e-7, TF32 2e-4 to 8e-4 (truncated), bf16 2e-3.
"""

ALLOWANCE = 4.0
"""Times eager's own error, in the op's own dtype, that a candidate may be wrong by."""

SENSITIVITY = 16.0
"""Times the op's own answer to inputs that are off by `UNIT_ROUNDOFF` (see `Reference.shaken`)."""

UNIT_ROUNDOFF = 2.0**-24
"""Of float32, in which kernels accumulate whatever they load: below every floor times 16, so that only an
ill-conditioned op is given more room by it."""

STEP_ROUNDOFF = UNIT_ROUNDOFF / 4
"""What each operator that rounds is off by in `Reference.stepped`: times `SENSITIVITY`, the 2 ulp that a
card's exponential and division may be off by (CUDA C++ Programming Guide, accuracy of intrinsics)."""

ROUNDOFF = {"fp32": 2.0**-24, "tf32": 2.0**-11, "fp16": 2.0**-11, "bf16": 2.0**-9}
"""Unit roundoff of a class: what an operand is off by when a declared lower class rounds it."""

DECLARED, MOST_DECLARED = 5.0, 0.15
"""Where a class below the op's own is declared: times the op's answer to operands off by its roundoff, and
the most that an ill-conditioned case is given for it; one whose answer alone is off by more is dropped.

Measured with `calibration.py` on 66 ops of KernelBench (of levels 1 and 2, every third one) with the
operands of their products rounded. Where the floor is not enough (15 ops), half need a multiple of 1.2; the
largest are 3.3 in TF32, 1.5 in float16 and 4.7 in bfloat16: with 5, none is refused for its rounding. In TF32
and float16 they are off by up to 0.15, in bfloat16 by half (BatchNorm of rows that are nearly equal). The
weakest impostor of these ops shows an error of 0.37 somewhere, so the cap lets none through; of all 66 it is
0.0075 (other weights, below a LogSumExp), which the controls find out where a floor hides it.
"""

NEAR_LIMIT, NEAR_ZERO = 1e-2, 1e-6
"""How near a number comes that stands for a limit, taken at large numbers: of itself, and absolute."""


@dataclass(frozen=True)
class Comparison:
    """`why` is empty exactly when the result is accepted; `kind` then names what is wrong."""

    difference: Difference
    baseline: Difference
    budget: float
    kind: str = ""
    why: str = ""

    @property
    def accepted(self) -> bool:
        return not self.why


@dataclass(frozen=True)
class Target:
    """One right output: `oracle` in float64 (or the op's integers), `eager` in the op's own dtype.

    `shaken` is the oracle for inputs that are off by `UNIT_ROUNDOFF`; `anything` may stand there; `exact`
    says that no rounding can excuse a difference, `choice` what an output of indices chooses from, `terms`
    how many products the op adds up at most, `in_turn` how many numbers at one place, one after another,
    `steps` how many of its operators round; where `spreads` is set, NaN may stand though the reference has a
    number or plus infinity (never for minus infinity, of which fully masked rows are made), and where it is
    not, a number though the reference has NaN, if products with zero may be left out (`leaves_out`). Nor is
    NaN asked for where a number is at its `limit`, which the reference tends to as what was infinite grows,
    or at all where the op `loses_nan` of finite inputs as it compares. `strict`: no lower class was declared:
    float32 is held to its own, whatever else the op works in. `by_rows`: minus infinity may stand for a row
    that is masked throughout. `either_sign`: which of two zeros is larger is left open, and
    so is what is divided by it. Of a number that its dtype cannot hold, or hardly, any infinity or NaN will
    do, and NaN for infinity, or the other way, where what goes in is all `of_numbers`. Twice
    as many integers may be others as steps a little off change (`flips`).
    """

    oracle: torch.Tensor
    eager: torch.Tensor
    shaken: torch.Tensor
    anything: bool = False
    exact: bool = False
    choice: Choice | None = None
    terms: int = 1
    in_turn: int = 1
    steps: int = 1
    spreads: torch.Tensor | None = None
    leaves_out: bool = True
    limit: torch.Tensor | None = None
    loses_nan: bool = False
    strict: bool = False
    by_rows: bool = True
    either_sign: bool = False
    of_numbers: bool = False
    flips: int = 0


def _declared_times(own: torch.dtype, precision: str) -> float:
    """How much more operands are off in the declared class than in `shaken`; 0 unless the class is lower."""
    if DTYPE_CLASS.get(own) != "fp32" or precision not in ("tf32", "fp16", "bf16"):
        return 0.0
    return DECLARED * ROUNDOFF[precision] / UNIT_ROUNDOFF


def too_ill_conditioned(target: Target, precision: str) -> bool:
    """Whether the op's answer to operands rounded to a declared class is off by too much to be compared."""
    if not target.oracle.dtype.is_floating_point:
        return False
    once = _declared_times(target.eager.dtype, precision) / DECLARED
    return once * difference(target.shaken, target.oracle).worst > MOST_DECLARED


def compare(found: torch.Tensor, target: Target, precision: str) -> Comparison:
    """Judge one output by both measures, each against eager's error, the op's sensitivity or the floor."""
    oracle, eager = target.oracle, target.eager
    if target.anything:
        return Comparison(Difference(0.0, 0.0), Difference(0.0, 0.0), 0.0)
    if eager.dtype in EIGHT_BITS:
        return _in_steps(found, target)
    if target.strict and eager.dtype == torch.float32:
        precision = "fp32"
    if not oracle.dtype.is_floating_point:
        return _exact(found, target, FLOORS[precision])
    far = fillers(oracle, target.shaken, eager)
    if far is not None and torch.equal(found[far], eager[far]):
        found, oracle, eager = (
            found.masked_fill(far, 0),
            oracle.masked_fill(far, 0),
            eager.masked_fill(far, 0),
        )
        target = replace(target, oracle=oracle, eager=eager, shaken=target.shaken.masked_fill(far, 0))
    gap, baseline, shaken = (
        difference(found, oracle),
        difference(eager, oracle),
        difference(target.shaken, oracle),
    )
    least, times = _floor(precision, target), _declared_times(eager.dtype, precision)
    longer = sqrt(max(1.0, target.in_turn / CHAIN))
    l2 = _allowed(baseline.relative_l2, shaken.relative_l2, longer, times, least)
    largest = _allowed(baseline.scaled_max, shaken.scaled_max, longer, times, least)
    stray = _stray_non_finite(found, target)
    if shaken.relative_l2 == inf and not stray:
        return _beside_zero(found, target, gap, baseline)
    if target.exact and not stray:
        return _to_the_bit(found, oracle, gap, baseline)
    if stray:
        return Comparison(gap, baseline, l2, "non-finite", stray)
    if gap.relative_l2 > l2:
        why = f"relative L2 error {gap.relative_l2:.2g} against the float64 oracle, {l2:.2g} allowed"
        return Comparison(gap, baseline, l2, "wrong-values", why)
    if gap.scaled_max > largest:
        why = f"largest error {gap.scaled_max:.2g} of the largest value, {largest:.2g} allowed"
        return Comparison(gap, baseline, largest, "wrong-values", why)
    return Comparison(gap, baseline, max(l2, largest))


def _beside_zero(found: torch.Tensor, target: Target, gap: Difference, baseline: Difference) -> Comparison:
    """Where all is zero but for what inputs off by their last bits make of it: of the square of such an error
    a kernel may make the square of `SENSITIVITY`."""
    off, own, most = (float(widened(one).abs().max()) for one in (found, target.eager, target.shaken))
    allowed = max(ALLOWANCE * own, SENSITIVITY**2 * most)
    if off <= allowed:
        return Comparison(gap, baseline, 0.0)
    why = f"a value of {off:.2g} where the float64 oracle is zero, {allowed:.2g} allowed"
    return Comparison(gap, baseline, 0.0, "wrong-values", why)


_ANY = 1e30
"""Where inputs off by their last bits have another answer altogether: any number will do, and no NaN."""


def _allowed(baseline: float, shaken: float, longer: float, times: float, least: float) -> float:
    """`longer`: a sum of which little is left is as far off on the way as it is long, as the floor is."""
    if shaken > 1:
        return _ANY
    return max(ALLOWANCE * baseline, SENSITIVITY * longer * shaken, min(times * shaken, MOST_DECLARED), least)


def _in_steps(found: torch.Tensor, target: Target) -> Comparison:
    """8-bit floats: a small share may be the neighbour of the right one and none lies farther off, unless
    eager's does too or the op answers so to shaken inputs. Both measures are the share that is off."""
    right, wide = target.oracle.to(found.dtype), widened(found)
    own, shaken = steps(target.eager, right), steps(target.shaken.to(found.dtype), right)
    right = torch.where(_saturated(found, target), found, right)
    gap = steps(torch.where(found.isnan() == right.isnan(), found, right), right)
    least = max(MOST_OFF, 1 / max(1, found.numel()))
    share = max(least, ALLOWANCE * own.share, SENSITIVITY * shaken.share)
    most = max(1.0, ALLOWANCE * own.most, SENSITIVITY * shaken.most)
    difference, baseline = Difference(gap.share, gap.share), Difference(own.share, own.share)
    if stray := _stray_non_finite(wide, replace(target, oracle=widened(right), eager=widened(target.eager))):
        return Comparison(difference, baseline, share, "non-finite", stray)
    if gap.share > share:
        why = f"{gap.share:.2g} of the values are not the nearest 8-bit ones, {share:.2g} allowed"
        return Comparison(difference, baseline, share, "wrong-values", why)
    if gap.most > most:
        why = f"a value is {gap.most} steps of its 8-bit type off, {most:g} allowed"
        return Comparison(difference, baseline, share, "wrong-values", why)
    return Comparison(difference, baseline, share)


def _saturated(found: torch.Tensor, target: Target) -> torch.Tensor:
    """Where e4m3's largest number stands for a finite one beyond it, as a card's own cast has it (PTX ISA,
    `cvt.rn.satfinite.e4m3x2`); torch's gives NaN."""
    if found.dtype != torch.float8_e4m3fn or target.spreads is not None:
        return torch.zeros(found.shape, dtype=torch.bool)
    largest = widened(found).abs() == torch.finfo(found.dtype).max
    return largest & target.oracle.isnan()


def _floor(precision: str, target: Target) -> float:
    counts = {"terms": target.terms, "steps": target.steps, "in_turn": target.in_turn}
    return FLOORS[precision] * sqrt(growth(precision, target.eager.dtype, **counts))


def _to_the_bit(
    found: torch.Tensor, oracle: torch.Tensor, gap: Difference, baseline: Difference
) -> Comparison:
    missed = int((found.double() != oracle).sum())
    why = (
        f"{missed} of {found.numel()} values are off, by up to {gap.scaled_max:.2g} of the largest; on whole "
        "numbers a linear op is exact in any order"
    )
    return Comparison(gap, baseline, 0.0, *(("wrong-values", why) if missed else ()))


def _exact(found: torch.Tensor, target: Target, tolerance: float) -> Comparison:
    """Integers and booleans agree exactly, with the oracle or, where float64 breaks a tie, eager; indices may
    also point at another value that is as good (see `indices.py`)."""
    wrong = (found != target.oracle) & (found != target.eager)
    if target.choice is not None and wrong.any():
        wrong &= ~well_chosen(found, target.oracle, target.choice, tolerance)
    missed = int(wrong.sum())
    if target.choice is None and missed <= 2 * target.flips:
        missed = 0
    share = Difference(missed / max(1, found.numel()), 1.0 if missed else 0.0)
    why = f"{missed} of {found.numel()} integer or boolean values differ" if missed else ""
    return Comparison(share, Difference(0.0, 0.0), 0.0, "wrong-values" if missed else "", why)


def _stray_non_finite(found: torch.Tensor, target: Target) -> str:
    """NaN and infinity are wanted exactly where the oracle has them, or where eager's own dtype overflows."""
    if found.numel() == 0 or (all_finite(found) and all_finite(target.oracle)):
        return ""  # and no tensor of that size was made to see it
    kind, oracle = _kinds(found), target.oracle
    stray = (kind != _kinds(oracle)) & (kind != _kinds(target.eager))
    if target.of_numbers:  # whether a quotient of zero goes on as infinity or NaN depends on the order
        stray &= oracle.isfinite() | torch.isfinite(found) | (oracle.isinf() & found.isinf())
    if target.spreads is not None:
        lost = oracle.isneginf() & target.eager.isneginf() & target.by_rows
        stray &= torch.isfinite(found) | ~target.spreads | lost
        if target.leaves_out:
            stray &= ~(target.oracle.isnan() & torch.isfinite(found) & ~target.spreads)
    if target.limit is not None:
        near = torch.isclose(found.double(), target.limit, rtol=NEAR_LIMIT, atol=NEAR_ZERO)
        stray &= ~(target.oracle.isnan() & near)
    stray &= ~((oracle.abs() > _most_held(target.eager.dtype)) & oracle.isfinite() & ~torch.isfinite(found))
    if target.either_sign:
        stray &= ~(oracle.isinf() & found.isinf())
    if target.loses_nan:
        stray &= ~oracle.isnan()
    if not stray.any():
        return ""
    place = int(stray.reshape(-1).nonzero()[0])
    got, wanted = found.reshape(-1)[place].item(), oracle.reshape(-1)[place].item()
    example = f"[{place}] is {got:g}, should be {wanted:g}"
    share = f"{int(stray.sum())} of {found.numel()} values"
    return f"{share} are finite, or not, where they should not be: {example}"


def _most_held(dtype: torch.dtype) -> float:
    """Beyond it a sum may overflow on the way; of two bytes it is made in float32, and rounded at last."""
    info = torch.finfo(dtype)
    return info.max * _ON_THE_WAY if info.max > _HALF_RANGE else info.max


_HALF_RANGE, _ON_THE_WAY = torch.finfo(torch.float16).max, 2.0**-16


def _kinds(values: torch.Tensor) -> torch.Tensor:
    """0 finite, 1 NaN, 2 +inf, 3 -inf."""
    return values.isnan() * 1 + values.isposinf() * 2 + values.isneginf() * 3
