"""Medians and ratios of medians with their bootstrap intervals.

Percentile bootstrap, 95 %, 2000 resamples (Efron and Tibshirani, An Introduction to the Bootstrap, ch. 13).
Rounds of an interleaved run are resampled whole: a drift that hits every subject of a round cancels in the
ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_RESAMPLES = 2000
_PERCENTILES = (2.5, 97.5)


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


def median(samples: Sequence[float], seed: int = 0) -> Estimate:
    """The median of independent samples."""
    values = np.asarray(samples, dtype=float)
    return _estimate(float(np.median(values)), _medians(values, _indices(len(values), seed)))


def ratio_to_fastest(
    candidate: Sequence[float], baselines: Sequence[Sequence[float]], seed: int = 0
) -> Estimate:
    """Median of the fastest baseline over the median of the candidate; above 1 the candidate is faster.

    All sequences hold one time per round. The fastest is chosen anew in each resample, so the luck of a close
    race between baselines counts against the candidate and not for it.
    """
    own = np.asarray(candidate, dtype=float)
    others = np.asarray(baselines, dtype=float)
    index = _indices(len(own), seed)
    fastest = np.min([_medians(other, index) for other in others], axis=0)
    value = float(np.median(others, axis=1).min() / np.median(own))
    return _estimate(value, fastest / _medians(own, index))


def relative_standard_error(samples: Sequence[float]) -> float:
    """Standard error of the mean as a share of it; infinite for fewer than two samples."""
    if len(samples) < 2:
        return float("inf")
    values = np.asarray(samples, dtype=float)
    return float(values.std(ddof=1) / np.sqrt(len(values)) / values.mean())


def _indices(count: int, seed: int) -> Indices:
    return np.random.default_rng(seed).integers(0, count, size=(_RESAMPLES, count))


def _medians(values: Array, index: Indices) -> Array:
    """The median of each resample; sorting 16-bit ranks is ten times as fast as np.median of the values."""
    order = np.argsort(values)
    ranks = np.empty(len(values), np.uint16)
    ranks[order] = np.arange(len(values), dtype=np.uint16)
    drawn = np.sort(ranks[index], axis=1)
    low, high = (len(values) - 1) // 2, len(values) // 2
    middle: Array = (values[order[drawn[:, low]]] + values[order[drawn[:, high]]]) / 2
    return middle


def _estimate(value: float, draws: Array) -> Estimate:
    low, high = np.percentile(draws, _PERCENTILES)
    return Estimate(value, float(low), float(high))
