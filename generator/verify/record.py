"""Gathers what a verdict carries besides its word: how it was reached, and how to reach it again."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from ... import __version__
from ...hardware_specs.spec import DeviceSpec
from ...profiling.op import Op
from .review import Fault
from .scan import Scan
from .verdict import Cause, Failed, Inconclusive, Passed


@dataclass
class Record:
    """What every verdict of one judgement carries, filled in as it becomes known."""

    candidate: Path
    source: str
    op: Op
    spec: DeviceSpec | None
    precision: str
    mode: str
    seed: int
    allowed_calls: tuple[str, ...]
    scan: Scan = field(default_factory=Scan)
    fields: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def passed(self) -> Passed:
        return Passed(**self._common())

    def failed(self, fault: Fault) -> Failed:
        return Failed(cause=fault.cause, detail=fault.detail, **self._common())

    def inconclusive(self, cause: Cause, detail: str) -> Inconclusive:
        self.labels.add("degenerate" if cause == "degenerate" else "inconclusive")
        return Inconclusive(cause=cause, detail=detail, **self._common())

    def _common(self) -> dict[str, Any]:
        labels = (
            self.labels | ({"library-call"} if self.scan.library_calls else set()) | set(self.scan.labels)
        )
        return {
            **self.fields,
            "labels": tuple(sorted(labels)),
            "notes": tuple(self.notes),
            "library_calls": self.scan.library_calls,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "versions": {
                "kbgen": __version__,
                "torch": torch.__version__,
                "triton": _triton_version(),
                "python": platform.python_version(),
            },
            "replay": {
                "candidate": str(self.candidate),
                "candidate_sha256": _digest(self.source),
                "op": str(self.op.path),
                "op_sha256": _digest(self.op.source),
                "overrides": dict(self.op.overrides),
                "device": self.spec.id if self.spec else None,
                "precision": self.precision,
                "mode": self.mode,
                "seed": self.seed,
                "allowed_calls": list(self.allowed_calls),
            },
        }


def device_answers(spec: DeviceSpec | None) -> dict[str, Any]:
    """What the interpreted wrapper is told about its device; an H100's answers where no target was named."""
    if spec is None:
        return {
            "arch": "sm_90",
            "name": "interpreter",
            "unit_count": 132,
            "warp_size": 32,
            "shared_bytes_per_block": 232448,
            "capability": (9, 0),
        }
    level = int(spec.triton_target[1]) if spec.vendor == "nvidia" else 90
    return {
        "arch": spec.arch,
        "name": spec.name,
        "unit_count": spec.unit_count or 1,
        "warp_size": spec.warp_size,
        "shared_bytes_per_block": spec.shared_bytes_per_block,
        "capability": divmod(level, 10),
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _triton_version() -> str:
    try:
        return version("triton")
    except PackageNotFoundError:
        return "not installed"
