"""Measures how far one tensor is from another, however large both are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from .eight_bits import is_eight_bits, widened

BLOCK = 1 << 26
"""Elements that are compared at a time."""

_Pair = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Difference:
    """`relative_l2` and `scaled_max` (largest error over largest value) of one output against the oracle."""

    relative_l2: float
    scaled_max: float

    @property
    def worst(self) -> float:
        return max(self.relative_l2, self.scaled_max)


def difference(found: torch.Tensor, oracle: torch.Tensor) -> Difference:
    """Both measures over the finite part; an all-zero oracle leaves only exact zeros at error 0.

    Taken in blocks, so that tensors of several GB need no more of them beside.
    """
    if found.numel() == 0:
        return Difference(0.0, 0.0)
    if found.numel() <= BLOCK:
        norms, largest = _sizes(found, oracle)
        return Difference(_ratio(*norms), _ratio(*largest))
    flat, right = found.reshape(-1), oracle.reshape(-1)
    starts = range(0, found.numel(), BLOCK)
    taken = [_sizes(flat[at : at + BLOCK], right[at : at + BLOCK]) for at in starts]
    gap_norms, norms = (torch.stack(each).norm() for each in zip(*(pair for pair, _ in taken), strict=True))
    gaps, values = (torch.stack(each).max() for each in zip(*(pair for _, pair in taken), strict=True))
    return Difference(_ratio(gap_norms, norms), _ratio(gaps, values))


_ALIKE = 1e-9


def alike_but_for_size(small: torch.Tensor, usual: torch.Tensor) -> bool:
    """Equal, or equal once both have a largest value of one."""
    if not small.is_floating_point() or small.numel() == 0:
        return torch.equal(small, usual)
    sizes = [one.abs().max() for one in (small, usual)]
    if not all(0.0 < float(size) < float("inf") for size in sizes):
        return False
    return bool(((small / sizes[0] - usual / sizes[1]).abs() <= _ALIKE).all())


def tells_apart(some: Sequence[torch.Tensor], others: Sequence[torch.Tensor]) -> bool:
    """Whether all are numbers, and of those that float some are far from the others."""
    pairs = [pair for pair in zip(some, others, strict=True) if pair[0].is_floating_point()]
    numbers = all(bool(widened(one).isfinite().all()) for one, _ in pairs)
    return numbers and any(difference(one, other).worst > _APART for one, other in pairs)


_APART = 0.5


def _sizes(found: torch.Tensor, oracle: torch.Tensor) -> tuple[_Pair, _Pair]:
    """Of the error and of the oracle, where both are finite: the norms, and the largest magnitudes."""
    found, oracle = widened(found), widened(oracle)
    if all_finite(found) and all_finite(oracle):
        pair = found.double() - oracle, oracle
        norms, largest = [one.norm() for one in pair], [one.norm(torch.inf) for one in pair]
        return (norms[0], norms[1]), (largest[0], largest[1])
    gap = torch.where(torch.isfinite(oracle) & torch.isfinite(found), found.double() - oracle, 0.0)
    finite = torch.where(torch.isfinite(oracle), oracle, 0.0)
    return (gap.norm(), finite.norm()), (gap.abs().max(), finite.abs().max())


def all_finite(values: torch.Tensor) -> bool:
    """Of one value at least; NaN passes through both ends."""
    return all(bool(end.isfinite()) for end in values.aminmax())


def _ratio(error: torch.Tensor, size: torch.Tensor) -> float:
    if float(error) == 0.0:
        return 0.0
    return float(error / size) if float(size) > 0.0 else float("inf")


def farther(right: torch.Tensor, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Of two answers that are a little off, each value of whichever is farther from the `right` one."""
    if not right.is_floating_point() or is_eight_bits(right) or one.shape != other.shape:
        return one
    return torch.where((other - right).abs() > (one - right).abs(), other, one)
