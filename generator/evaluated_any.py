"""Evaluates a candidate in the language it is written in: compiles it, then weighs what the judge passed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..profiling.cuda_source import is_cuda
from ..profiling.device import Device
from .counted import counted_bytes
from .evaluated import Evaluated, compiled, estimate_of
from .evaluated_cuda import compiled_cuda
from .verify.verdict import Verdict
from .writers.writer import Candidate, Request


def compiled_any(candidate: Candidate, request: Request, device: Device, scratch: Path) -> Evaluated:
    """The candidate as a file, with what the compiler of its language says of it."""
    if is_cuda(candidate.source):
        return compiled_cuda(candidate, request, device, scratch)
    return compiled(candidate, request, scratch)


def weighed(found: Evaluated, verdict: Verdict, request: Request) -> Evaluated:
    """With the traffic that the judge counted, else the least there is, and the estimate that follows from
    it; of CUDA C++, whose kernels are not watched, nothing is estimated."""
    if is_cuda(found.candidate.source):
        return found
    counted = counted_bytes(verdict, request.traced, request.spec.l2_bytes)
    moved = counted or float(request.traced.bytes_min)
    candidate = replace(found.candidate, bytes_per_kernel=(moved,))
    return replace(found, candidate=candidate, estimate=estimate_of(candidate, found.static, request.spec))
