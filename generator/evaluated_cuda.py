"""Evaluates a candidate in CUDA C++: what NVRTC says of it, and that nothing but the card can verify it."""

from __future__ import annotations

from pathlib import Path

from .. import KbgenError
from ..profiling.cuda_static import inspect_cuda
from ..profiling.device import Device
from ..profiling.static import StaticReport
from .evaluated import Evaluated
from .prompts.standing import standing_of_cuda
from .writers.writer import Candidate, Request

ON_THE_CARD_ALONE = (
    "it is in CUDA C++, which nothing but the card itself can verify, and the card is not here"
)


class NeedsCardError(KbgenError):
    """Kernels in CUDA C++ are asked for where none could be verified."""


def check_card(device: Device) -> None:
    """Refuse to pay for answers of which none could stand."""
    if device.spec.vendor != "nvidia":
        raise NeedsCardError(f"{device.spec.name} does not run CUDA C++; leave out --language cuda.")
    if not device.live:
        raise NeedsCardError(
            f"kernels in CUDA C++ are verified on the card alone, and {device.spec.name} is not here: ask by "
            "'kbgen prompt --language cuda', see what compiles by 'kbgen verify', or leave --language out."
        )


def compiled_cuda(candidate: Candidate, request: Request, device: Device, scratch: Path) -> Evaluated:
    """The candidate as a file. Its launches are not known, so there are no kernel reports and no estimate.
    One that spills goes back to its writer as any other does, though to the judge that is no fault."""
    folder = scratch / candidate.id
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{request.op.name}_optimized.py"
    path.write_text(candidate.source, encoding="utf-8")
    if not device.live:
        return Evaluated(candidate, path, StaticReport(request.spec.arch, (), (ON_THE_CARD_ALONE,)), None)
    report = inspect_cuda(candidate.source, request.spec, folder)
    refused = (*report.rejections, *report.spills)
    return Evaluated(candidate, path, StaticReport(request.spec.arch, (), refused), None)


def cuda_standing(found: Evaluated, request: Request) -> str:
    """How it stands, in words for a prompt; compiled again, which takes half a second."""
    return standing_of_cuda(inspect_cuda(found.candidate.source, request.spec, found.path.parent))
