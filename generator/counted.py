"""Tells what a kernel of unknown making moves through DRAM, from what the judge counted at a small shape."""

from __future__ import annotations

from ..profiling.trace import TracedOp, trace
from .verify.verdict import Verdict


def counted_bytes(verdict: Verdict, traced: TracedOp, l2_bytes: int) -> float | None:
    """Bytes of one call, scaled by the least that op moves here and there; None where nothing was counted.

    A tensor that L2 holds at full size counts once however often it is read, a larger one each time: a guess
    that ranks kernels and claims no measurement.
    """
    shape = verdict.shapes.get(verdict.traffic_case.split(",")[0])
    if shape is None or not verdict.traffic:
        return None
    small = trace(traced.op.with_overrides(shape), traced.mode)
    if not small.bytes_min:
        return None
    scale, moved = traced.bytes_min / small.bytes_min, 0
    for seen in verdict.traffic.values():
        fits = max(seen.load_unique, seen.store_unique) * scale <= l2_bytes
        moved += seen.load_unique + seen.store_unique if fits else seen.load_issued + seen.store_issued
    return moved * scale
