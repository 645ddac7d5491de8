"""Says which right answers are no use for judging by: mostly undefined, overflown, or too ill-conditioned."""

from __future__ import annotations

import torch

from .budget import difference, too_ill_conditioned
from .controls import Answer
from .families import ASTRONOMICAL, ENORMOUS, INFINITE


def why_dropped(answer: Answer, precision: str, first: bool) -> str:
    """The reason in words, empty for one to judge by; the `first` case stays however ill-conditioned."""
    if _mostly_undefined(answer.oracle.outputs):
        return "the reference itself is mostly non-finite here"
    if not first and any(too_ill_conditioned(one, precision) for one in answer.targets()):
        return f"rounding to {precision} changes the right answer too much here"
    if answer.case.family in (ENORMOUS, ASTRONOMICAL) and _overflows(answer):
        return "the reference overflows in its own dtype here"
    if answer.case.family == INFINITE and answer.oracle.multiplies:
        return "products of infinity and zero are undefined, and may be left out"
    if answer.case.family == INFINITE and all(map(_constant, answer.oracle.outputs)):
        return "where it is defined, the reference is constant here"
    return ""


def _mostly_undefined(outputs: list[torch.Tensor]) -> bool:
    floating = [output for output in outputs if output.is_floating_point() and output.numel()]
    return bool(floating) and all(float(torch.isfinite(output).float().mean()) < 0.5 for output in floating)


def _constant(output: torch.Tensor) -> bool:
    known = output[torch.isfinite(output)]
    return known.numel() == 0 or bool((known == known[0]).all())


_USELESS = 0.5
"""A relative error of no more use: torch's bfloat16 attention gives zeros where its scores overflow."""


def _overflows(answer: Answer) -> bool:
    """Whether eager is infinite or NaN where float64 is not, or makes something else of its overflow."""
    pairs = zip(answer.eager.outputs, answer.oracle.outputs, strict=True)
    return any(
        bool((~torch.isfinite(own) & torch.isfinite(right)).any())
        or (right.is_floating_point() and difference(own, right).worst >= _USELESS)
        for own, right in pairs
    )
