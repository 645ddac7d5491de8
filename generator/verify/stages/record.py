"""Gathers what a verdict carries besides its word: how it was reached, and how to reach it again."""

from __future__ import annotations

import hashlib
import platform
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from .... import __version__
from ....hardware_specs.spec import DeviceSpec, find_spec
from ....profiling.op import Op
from ....profiling.sandbox import Limits
from ..text.scan import Scan
from ..verdict import OPEN_CAUSES, Cause, Failed, Fault, Inconclusive, Passed


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
    limits: Limits
    scan: Scan = field(default_factory=Scan)
    fields: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    @contextmanager
    def clock(self, stage: str) -> Iterator[None]:
        """Add the wall time of the block to what `stage` took."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - begun

    def note_precision(self, own: str, chosen: str) -> None:
        if chosen != own:
            self.labels.add("precision-changed")
        self.notes.append(f"errors are judged as {chosen}")
        if own == "bf16":
            self.notes.append("bf16 arithmetic is emulated exactly (round to nearest even) on bf16 inputs")

    def passed(self) -> Passed:
        return Passed(**self._common())

    def concluded(self, fault: Fault) -> Failed | Inconclusive:
        """A failure, unless the fault is the judge's own: then nothing is known."""
        return (
            self.inconclusive(fault.cause, fault.detail) if fault.cause in OPEN_CAUSES else self.failed(fault)
        )

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
            "seconds": {
                **{name: round(value, 3) for name, value in self.seconds.items()},
                "total": round(time.monotonic() - self.started, 3),
            },
            "versions": versions(),
            "replay": {
                "command": self._command(),
                "candidate": str(self.candidate),
                "candidate_sha256": digest(self.source),
                "candidate_source": self.source,
                "op": str(self.op.path),
                "op_sha256": digest(self.op.source),
                "op_source": self.op.source,
                "overrides": dict(self.op.overrides),
                "device": self.spec.id if self.spec else None,
                "precision": self.precision,
                "mode": self.mode,
                "seed": self.seed,
                "allowed_calls": list(self.allowed_calls),
                "limits": asdict(self.limits),
            },
        }

    def _command(self) -> str:
        """The command line that asks the same, with seeds of its own."""
        words = ["kbgen", "verify", str(self.op.path), str(self.candidate), "--precision", self.precision]
        words += ["--gpu", self.spec.id] if self.spec else []
        words += ["--mode", self.mode] if self.mode != "as-is" else []
        words += [
            word for name, value in self.op.overrides.items() for word in ("--set", f"{name}={value!r}")
        ]
        words += [word for name in self.allowed_calls for word in ("--allow", name)]
        return shlex.join(words)


UNNAMED = "nvidia-h100-sxm5"
"""The device that wrappers are told of where no target was named."""


def device_answers(spec: DeviceSpec | None) -> dict[str, Any]:
    """What the interpreted wrapper is told about its device; `properties` are what torch's own would hold."""
    card = spec or find_spec(UNNAMED)
    nvidia = card.vendor == "nvidia"
    major, minor = divmod(int(card.triton_target[1]), 10) if nvidia else (9, 4)
    return {
        "arch": card.arch,
        "properties": {
            "name": card.device_names[0],
            "major": major,
            "minor": minor,
            "multi_processor_count": card.unit_count or 1,
            "warp_size": card.warp_size,
            "total_memory": int(card.memory_gb * 1e9),
            "L2_cache_size": card.l2_bytes,
            "clock_rate": 1000 * (card.clock_mhz or 1000),  # kHz
            "regs_per_multiprocessor": card.registers_per_unit,
            "max_threads_per_multi_processor": card.max_warps_per_unit * card.warp_size,
            "max_threads_per_block": card.max_threads_per_block,
            "shared_memory_per_block": min(48 << 10, card.shared_bytes_per_block),
            "shared_memory_per_block_optin": card.shared_bytes_per_block,
            "shared_memory_per_multiprocessor": card.shared_bytes_per_unit,
            "gcnArchName": card.device_names[0] if nvidia else card.arch,
            "is_integrated": 0,
            "is_multi_gpu_board": 0,
            "pci_bus_id": 27,
            "pci_device_id": 0,
            "pci_domain_id": 0,
            "uuid": "4f1c9a52-7d3e-4b86-a0c5-2e8f6d917b34",
        },
    }


def versions() -> dict[str, str]:
    """What an answer may depend on besides the files."""
    return {
        "kbgen": __version__,
        "torch": torch.__version__,
        "triton": _triton_version(),
        "python": platform.python_version(),
    }


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _triton_version() -> str:
    try:
        return version("triton")
    except PackageNotFoundError:
        return "not installed"
