"""Finds out what a wrong result is the right result of, so that a refusal names its true cause."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from ..inputs.large_integers import IN_32_BITS
from ..reference.budget import FLOORS
from ..reference.eight_bits import same, widened
from ..reference.measures import difference
from ..verdict import Cause
from .controls import accepted, bf16_twin
from .right import Answer, right_answer

Finding = tuple[Cause, str]

_STILL_ROUNDING = 0.2
"""An error above this is called wrong, whatever the bfloat16 twin makes."""

_WIDESPREAD = 0.01
"""Rounding is off nearly everywhere; what is off in a smaller share of the elements is left out instead."""

_MOST_ALONE = 8
"""Entries of the state that are tried as the only stale one."""


def explain(
    outputs: list[torch.Tensor],
    answer: Answer,
    earlier: Sequence[Answer],
    precision: str,
    right_before: bool = False,
    rounds: bool = True,
) -> Finding | None:
    """The most specific reading of `outputs`, given the answers to earlier calls; None if just wrong.

    Who was `right_before` on usual values returns no constant and rounds nothing: digits that are lost on
    others were lost by a difference. Nor is it for the precision of who never `rounds` to fewer bits that a
    formula is nearly right.
    """
    always: tuple[Callable[[], Finding | None], ...] = (
        lambda: _an_input(outputs, answer),
        lambda: _an_earlier_answer(outputs, answer, earlier, precision),
        lambda: _other_weights(outputs, answer, earlier, precision),
    )
    flat, low = (lambda: _flat(outputs, answer)), (lambda: _low_precision(outputs, answer, precision))
    tests = always if right_before else (flat, *always, *([low] if rounds else []))
    return next((finding for test in tests if (finding := test()) is not None), None)


def _flat(outputs: list[torch.Tensor], answer: Answer) -> Finding | None:
    if all(_is_flat(right) for right in answer.oracle.outputs) or any(
        output.numel() < 2 for output in outputs
    ):
        return None
    if all(not output.any() for output in outputs):
        return "zeros", "it returns zeros"
    if all(map(_is_flat, outputs)):
        return "constant", "it returns one constant"
    return None


def _is_flat(output: torch.Tensor) -> bool:
    return output.numel() == 0 or bool((output == output.reshape(-1)[0]).all())


def _an_input(outputs: list[torch.Tensor], answer: Answer) -> Finding | None:
    for place, value in enumerate(answer.case.inputs):
        if (
            isinstance(value, torch.Tensor)
            and not _is_flat(value)  # everyone who gives zeros gives one of zeros
            and all(_equal(out, value) for out in outputs)
        ):
            return "input-returned", f"it returns input {place} unchanged"
    return None


def _an_earlier_answer(
    outputs: list[torch.Tensor], answer: Answer, earlier: Sequence[Answer], precision: str
) -> Finding | None:
    for old in earlier if answer.case.family != IN_32_BITS else ():  # which an earlier call's are alike in
        if all(_is_flat(one) or not bool(one.isfinite().any()) for one in old.oracle.outputs):
            continue  # of zeros alone, say, or NaN: everyone's are like it
        same = old.case.setting is answer.case.setting and _tells(old, answer)
        if same and accepted(outputs, old, precision) and _nearer(outputs, old, answer):
            told = f"its result is that of an earlier call ({old.case.name})"
            return "stale-output", f"{told}, kept, or by taking one for the other"
    return None


_TELLING = 8
"""Truths in which two answers must differ, so that nobody gives one of them by chance."""


def _tells(old: Answer, answer: Answer) -> bool:
    """Whether the old answer can be recognised: numbers, or truths enough that are others now."""
    pairs = list(zip(old.oracle.outputs, answer.oracle.outputs, strict=True))
    if any(now.dtype != torch.bool for _, now in pairs):
        return True
    return sum(int((was != now).sum()) for was, now in pairs if was.shape == now.shape) >= _TELLING


def _other_weights(
    outputs: list[torch.Tensor], answer: Answer, earlier: Sequence[Answer], precision: str
) -> Finding | None:
    setting, case = answer.case.setting, answer.case
    if not case.step.state:
        return None
    now, shipped = case.step.state, setting.state
    before = [old.case.step.state for old in earlier if old.case.setting is setting]
    alone = [*before[-1:], shipped]  # one entry of these, and the others as they are now
    states = [shipped, *before]
    states += [
        {**now, name: one[name]} for one in alone for name in list(now)[:_MOST_ALONE] if one[name].any()
    ]
    for state in states:
        if all(same(value, case.step.state[name]) for name, value in state.items()):
            continue
        stale = right_answer(case, state)
        if accepted(outputs, stale, precision) and _nearer(outputs, stale, answer):
            return "stale-weights", "it returns the result for weights that have been changed in place since"
    return None


_MUCH = 0.1
"""Of the distance to the right result, what may be left to another one that is to explain it."""


def _nearer(outputs: list[torch.Tensor], other: Answer, answer: Answer) -> bool:
    """Whether an output is much nearer to the `other` result than to the right one: where these are alike, a
    row of equal values normalised with whatever weights, say, neither explains an error; nor where all that
    tells them apart is which numbers overflow."""
    pairs = zip(outputs, other.oracle.outputs, answer.oracle.outputs, strict=True)
    return any(
        _much_nearer(widened(found), mistaken, right)
        if found.is_floating_point()
        else not torch.equal(found, right)
        for found, mistaken, right in pairs
        if not same(mistaken, right)
    )


def _much_nearer(found: torch.Tensor, mistaken: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether it is so in what is finite in all three."""
    finite = found.isfinite() & mistaken.isfinite() & right.isfinite()
    found, mistaken, right = found[finite], mistaken[finite], right[finite]
    if torch.equal(mistaken, right):
        return False
    return difference(found, mistaken).worst <= _MUCH * difference(found, right).worst


def _low_precision(outputs: list[torch.Tensor], answer: Answer, precision: str) -> Finding | None:
    """Whether the error is one that a lower class makes: its floor or, for bfloat16, the op's own twin's."""
    worst = _worst(outputs, answer)
    if worst == float("inf") or _systematic(outputs, answer):
        return None
    if _share_off(outputs, answer, FLOORS[precision]) < _WIDESPREAD:
        return None
    twin = bf16_twin(answer)
    twins = _worst(twin, answer) if twin is not None else 0.0
    for lower in ("tf32", "bf16"):
        limit = FLOORS[lower] if lower == "tf32" else max(FLOORS[lower], min(2 * twins, _STILL_ROUNDING))
        if FLOORS[lower] > FLOORS[precision] and worst <= limit:
            return (
                "low-precision",
                f"it is right only to {worst:.1g}, as {lower} would be; {precision} was asked for",
            )
    return None


_SAME_RATIO = 0.2
"""What may be left of an error, once the multiple of the right values in it is taken off, for a formula's
fault: of truncated TF32 operands, the most lopsided of roundings, more than a third is left."""

_ROW = 8
"""Elements that a row must have for its errors to be compared with each other."""


def _systematic(outputs: list[torch.Tensor], answer: Answer) -> bool:
    """Whether every row, or all of a short-rowed output, is off by one factor: a divisor, an epsilon."""
    return all(
        _one_factor(found.double(), oracle)
        for found, oracle in zip(outputs, answer.oracle.outputs, strict=True)
        if oracle.is_floating_point() and not torch.equal(found.double(), oracle)
    )


def _one_factor(found: torch.Tensor, oracle: torch.Tensor) -> bool:
    length = oracle.shape[-1] if oracle.ndim > 1 and oracle.shape[-1] >= _ROW else max(1, oracle.numel())
    right = torch.where(torch.isfinite(oracle), oracle, 0.0).reshape(-1, length)
    off = torch.where(torch.isfinite(oracle), found - oracle, 0.0).reshape(-1, length)
    factors = (off * right).sum(-1, keepdim=True) / (right * right).sum(-1, keepdim=True).clamp_min(1e-300)
    return length >= _ROW and bool((off - factors * right).norm() < _SAME_RATIO * off.norm())


def _share_off(outputs: list[torch.Tensor], answer: Answer, floor: float) -> float:
    """The share of all elements that are off by more than `floor` of their output's root mean square."""
    off = total = 0
    for found, oracle in zip(outputs, answer.oracle.outputs, strict=True):
        known = torch.isfinite(oracle)
        scale = oracle[known].double().square().mean().sqrt().item() if known.any() else 0.0
        off += int(((found.double() - oracle.double()).abs() > floor * scale)[known].sum())
        total += found.numel()
    return off / max(total, 1)


def _worst(outputs: list[torch.Tensor], answer: Answer) -> float:
    """The largest error, infinite where an output is not finite or not a floating one and differs."""
    pairs = list(zip(outputs, answer.oracle.outputs, strict=True))
    if any(
        not torch.equal(torch.isfinite(widened(found)), torch.isfinite(oracle)) for found, oracle in pairs
    ):
        return float("inf")
    if any(not oracle.is_floating_point() and not torch.equal(found, oracle) for found, oracle in pairs):
        return float("inf")
    floating = [(found, oracle) for found, oracle in pairs if oracle.is_floating_point()]
    return max((difference(found, oracle).worst for found, oracle in floating), default=float("inf"))


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and same(one, other)
