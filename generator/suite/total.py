"""What the rows of a suite amount to: counts, shares and means, by level and in all, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

import numpy as np

from .row import NOT_REACHED, Row, refused

FAST = (1.0, 1.5)
"""The p of fast_p."""

BASELINES = ("eager", "compile", "compile-max-autotune")
PRODUCTS = ("matmul", "conv", "attention", "mixed")
"""Families held against the peak of matrix products; all others against a copy."""

_RESAMPLES = 2000
_PERCENTILES = (2.5, 97.5)


def by_level(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """The totals of each level, in the order of the rows."""
    levels = dict.fromkeys(row.level for row in rows)
    return {level: total([row for row in rows if row.level == level]) for level in levels}


def total(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts are of all rows, where a failure stays in the denominator, and so does what was not reached.
    Traffic, shares, spills and targets are those of verified rows. What nobody counted is None, and so is
    every count of kernels where no row was reached."""
    by_status: dict[str, int] = {}
    for row in rows:
        by_status[row.status] = by_status.get(row.status, 0) + 1
    found_at = [row.best_at for row in rows if row.best_at]
    good = [row for row in rows if row.verified]
    reached = sum(row.status != NOT_REACHED for row in rows)

    def of_reached(count: int) -> int | None:
        return count if reached else None

    return {
        "rows": len(rows),
        "reached": reached,
        "verified": of_reached(len(good)),
        "by_status": by_status,
        "refused": refused(rows),
        "contradicted": sum(bool(r.contradicted) for r in rows) if any(r.timed for r in rows) else None,
        "one_kernel": of_reached(sum(row.kernels == 1 for row in rows)),
        "nothing_left_to_torch": of_reached(sum(not row.left_to_torch for row in good)),
        "traffic_at_most_1.05": of_reached(
            sum(r.traffic_ratio is not None and r.traffic_ratio <= 1.05 for r in rows)
        ),
        "median_tensor_traffic": _median(row.tensor_traffic for row in good),
        "median_tensor_traffic_of_eager": _median(
            row.eager_bytes / row.least_bytes for row in good if row.eager_bytes and row.least_bytes
        ),
        "median_tile_traffic": _median(row.traffic_ratio for row in good),
        "own_flops": _own(good, lambda row: row.flops, lambda row: row.torch_flops),
        "own_bytes": _own(good, lambda row: row.eager_bytes, lambda row: row.torch_bytes),
        "without_spills": of_reached(sum(row.verified and row.spill_bytes == 0 for row in rows)),
        "targets": _targets(good),
        "mean_candidates_to_best": fmean(found_at) if found_at else None,
        "seconds": _spread(row.seconds for row in rows if row.status != NOT_REACHED),
        "cpu_seconds": _spread(row.cpu_seconds for row in rows),
        "peak_memory_bytes": _spread(row.peak_memory_bytes for row in rows),
        **(on_card(rows) if any(row.timed or row.measured_us for row in rows) else {}),
    }


def on_card(rows: Sequence[Row]) -> dict[str, Any]:
    """KernelBench's fast_p (the share of all rows that are right and faster than p times a baseline), and
    geometric means with 95 % bootstrap intervals over the rows: against each baseline over what was timed
    beside it, and of what is handed over, where a row without a win keeps the original, 1x; of that also
    where a kernel that needs fewer operations than the op as written counts as none. "In class" leaves out
    baselines that are less exact than the op asks."""
    count = len(rows)
    right = [row for row in rows if row.verified and row.measured_us]
    shares = {
        f"fast_{p:g}_over_{name}": sum(row.speedups.get(name, 0.0) > p for row in right) / count
        for name in BASELINES
        for p in FAST
    }
    fastest = {
        f"fast_{p:g}_over_fastest": sum(min(row.speedups.values(), default=0.0) > p for row in right) / count
        for p in FAST
    }
    in_class = [gain for row in right if (gain := _in_class(row)) is not None]
    fastest_of_all = [min(row.speedups.values()) for row in right if row.speedups]
    handed = [row.speedup if row.status == "win" and row.speedup else 1.0 for row in rows]
    same_work = [1.0 if row.algorithmic else gain for row, gain in zip(rows, handed, strict=True)]
    over = {name: [row.speedups[name] for row in right if name in row.speedups] for name in BASELINES}
    return {
        "timed": len(right),
        **shares,
        **fastest,
        **{f"fast_{p:g}_over_fastest_in_class": sum(gain > p for gain in in_class) / count for p in FAST},
        "geomean_over_fastest": geomean(fastest_of_all)[0] if fastest_of_all else None,
        "geomean_over_fastest_interval": geomean(fastest_of_all)[1] if fastest_of_all else None,
        "geomean_handed_over": geomean(handed)[0],
        "geomean_handed_over_interval": geomean(handed)[1],
        "geomean_without_algorithmic": geomean(same_work)[0],
        "geomean_without_algorithmic_interval": geomean(same_work)[1],
        "geomean_over_fastest_in_class": geomean(in_class)[0] if in_class else None,
        "geomean_over_fastest_in_class_interval": geomean(in_class)[1] if in_class else None,
        **{f"geomean_over_{name}": geomean(found)[0] for name, found in over.items() if found},
        **{f"geomean_over_{name}_interval": geomean(found)[1] for name, found in over.items() if found},
        "baselines_missing": {
            name: missing for name in BASELINES if (missing := sum(name in row.missing for row in rows))
        },
    }


def _in_class(row: Row) -> float | None:
    """The speedup over the fastest baseline that is as exact as the op asks; None where none is."""
    return row.speedup_in_class if row.off_class else min(row.speedups.values(), default=None)


def geomean(ratios: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """The geometric mean of one ratio or more, and its 95 % percentile bootstrap interval over the rows."""
    logs = np.log(np.asarray(ratios, dtype=float))
    index = np.random.default_rng(0).integers(0, len(logs), size=(_RESAMPLES, len(logs)))
    low, high = np.percentile(logs[index].mean(axis=1), _PERCENTILES)
    return math.exp(float(logs.mean())), (math.exp(float(low)), math.exp(float(high)))


def by_family(rows: Sequence[Row], ceilings: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """How near each family of timed kernels comes to what the card was measured to reach: least bytes over
    time against a copy, flops over time against the matrix product of its type; None without a ceiling."""
    timed = [row for row in rows if row.verified and row.measured_us]
    families: dict[str, list[Row]] = {}
    for row in timed:
        families.setdefault(row.family, []).append(row)
    return {
        family: {
            "rows": len(members),
            "of_copy": _median(_share_of_copy(row, ceilings) for row in members),
            "of_matmul": (
                _median(_share_of_matmul(row, ceilings) for row in members) if family in PRODUCTS else None
            ),
        }
        for family, members in sorted(families.items())
    }


def _share_of_copy(row: Row, ceilings: Mapping[str, float]) -> float | None:
    peak = ceilings.get("dram_copy_gb_s")
    if not peak or row.least_bytes is None or not row.measured_us:
        return None
    return row.least_bytes / (row.measured_us * 1e3) / peak


def _share_of_matmul(row: Row, ceilings: Mapping[str, float]) -> float | None:
    eight = dict.fromkeys(("float8_e4m3fn", "float8_e5m2"), "tensor_fp8")
    key = {"bfloat16": "tensor_bf16", "float16": "tensor_fp16", **eight}.get(row.dtype, "fp32")
    peak = ceilings.get(key)
    if not peak or row.flops is None or not row.measured_us:
        return None
    return row.flops / (row.measured_us * 1e6) / peak


def _own(
    rows: Sequence[Row], whole: Callable[[Row], float | None], theirs: Callable[[Row], float | None]
) -> float | None:
    """The share that kernels of our own do, summed over the rows; None where nothing was counted."""
    pairs = [
        (w, min(t, w)) for row in rows if (w := whole(row)) is not None and (t := theirs(row)) is not None
    ]
    everything = sum(w for w, _ in pairs)
    return 1 - sum(t for _, t in pairs) / everything if everything else None


def _targets(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """By further device: how many verified rows were compiled there, and how many without a complaint."""
    names = dict.fromkeys(name for row in rows for name in row.targets)
    return {
        name: {
            "compiled": sum(name in row.targets for row in rows),
            "ok": sum(bool(row.targets.get(name, {}).get("ok")) for row in rows),
        }
        for name in names
    }


def _spread(values: Any) -> dict[str, float] | None:
    """Median, 90th percentile and largest; None where nothing was measured."""
    known = [float(value) for value in values if value is not None]
    if not known:
        return None
    return {"median": median(known), "p90": float(np.percentile(known, 90)), "most": max(known)}


def _median(values: Any) -> float | None:
    known = [float(value) for value in values if value is not None]
    return median(known) if known else None
