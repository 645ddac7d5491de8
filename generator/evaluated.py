"""Evaluates a candidate for the target: by what the writer foresees, then by what the compiler says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..hardware_specs.spec import DeviceSpec
from ..profiling.compile_cache import CompileCache
from ..profiling.dots import works
from ..profiling.roofline import Estimate, estimate_us
from ..profiling.static import StaticReport, inspect
from .writers.writer import Candidate, Request


@dataclass(frozen=True)
class Evaluated:
    """A candidate with what the offline compile says of it; `estimate` is None where it was rejected."""

    candidate: Candidate
    path: Path
    static: StaticReport
    estimate: Estimate | None


def compiled(
    candidate: Candidate, request: Request, scratch: Path, cache: CompileCache | None = None
) -> Evaluated:
    """The candidate as a file, with what the target's compiler and the estimate say of it."""
    folder = scratch / candidate.id
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{request.op.name}_optimized.py"
    path.write_text(candidate.source, encoding="utf-8")
    static = inspect(path, request.op, request.spec, folder, cache)
    return Evaluated(candidate, path, static, estimate_of(candidate, static, request.spec))


def estimate_of(candidate: Candidate, static: StaticReport, spec: DeviceSpec) -> Estimate | None:
    if not static.ok or not static.kernels:
        return None
    planned = candidate.bytes_per_kernel or (0.0,)
    traffic = list(planned) if len(planned) == len(static.kernels) else sum(planned)
    products = candidate.products or works(static.kernels, candidate.flops, spec)
    return estimate_us(traffic, candidate.flops, static.kernels, spec, products=products)


def foreseen_us(candidate: Candidate, spec: DeviceSpec) -> float | None:
    """The same estimate before any compiler ran, by what the writer expects its kernels to take of the
    card; None where it expects nothing."""
    if not candidate.foreseen:
        return None
    static = StaticReport(spec.arch, candidate.foreseen, ())
    estimate = estimate_of(candidate, static, spec)
    return estimate.total_us if estimate else None
