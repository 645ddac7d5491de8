"""Tells how much of a call a vendor's library does: what its engineers tuned is seldom beaten by much."""

from __future__ import annotations

from collections.abc import Sequence

from .counters.origin import origin
from .kernel_log import KernelSpan

_OF_TORCH = "PyTorch"


def of_a_library(kernel: str) -> bool:
    """Whether a kernel with this name comes out of a library other than torch and its compiler."""
    library = origin(kernel).library
    return library is not None and not library.startswith(_OF_TORCH)


def library_share(calls: Sequence[Sequence[KernelSpan]]) -> float | None:
    """The share of the kernels' time over all calls that is a library's; None where no kernel was seen."""
    total = sum(span.duration_us for call in calls for span in call)
    own = sum(span.duration_us for call in calls for span in call if of_a_library(span.name))
    return own / total if total > 0 else None
