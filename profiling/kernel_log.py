"""Reads which kernels a call launched from the trace that torch's profiler writes: name, grid, stream.

The profiler's events carry no grid; the Chrome trace it exports does, for CUDA (CUPTI) and HIP (roctracer).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ON_THE_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


@dataclass(frozen=True)
class KernelSpan:
    """One kernel (or copy) as the profiler saw it, in microseconds; the start is relative to whatever the
    profiler counts from. Grid and block are None for copies and where the profiler does not tell."""

    name: str
    stream: int
    start_us: float
    duration_us: float
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None

    @property
    def launch(self) -> str:
        """What must be the same in every call: "softmax_kernel 4096x1x1 blocks of 128x1x1"."""
        if self.grid is None:
            return self.name
        blocks = f"{self.name} {_times(self.grid)} blocks"
        return f"{blocks} of {_times(self.block)}" if self.block else blocks


def read_trace(path: Path) -> tuple[KernelSpan, ...]:
    """The kernels and copies of an exported trace, in order of their start."""
    return spans(json.loads(path.read_text(errors="replace")))


def spans(trace: Mapping[str, Any]) -> tuple[KernelSpan, ...]:
    """The same, of a trace that was read already."""
    events = [event for event in trace["traceEvents"] if event.get("cat") in _ON_THE_DEVICE]
    return tuple(sorted(map(_span, events), key=lambda span: span.start_us))


def from_json(raw: Mapping[str, Any]) -> KernelSpan:
    """The span that `dataclasses.asdict` wrote."""
    return KernelSpan(**{**raw, "grid": _sizes(raw["grid"]), "block": _sizes(raw["block"])})


def signature(launches: Sequence[KernelSpan]) -> tuple[str, ...]:
    """What a call launches, whatever the order: kernels with their grids, and how many ran on each stream."""
    per_stream = sorted(Counter(launch.stream for launch in launches).values(), reverse=True)
    streams = [f"streams of {per_stream} kernels"] if len(per_stream) > 1 else []
    return (*sorted(launch.launch for launch in launches), *streams)


def _span(event: Mapping[str, Any]) -> KernelSpan:
    told = event.get("args", {})
    return KernelSpan(
        name=event["name"],
        stream=int(told.get("stream", event.get("tid", 0))),
        start_us=float(event["ts"]),
        duration_us=float(event["dur"]),
        grid=_sizes(told.get("grid")),
        block=_sizes(told.get("block")),
    )


def _sizes(found: Sequence[int] | None) -> tuple[int, ...] | None:
    return tuple(int(size) for size in found) if found else None


def _times(sizes: Sequence[int] | None) -> str:
    return "x".join(map(str, sizes or ()))
