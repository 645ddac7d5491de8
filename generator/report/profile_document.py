"""Turns a profile into the document of `kbgen profile`, every reading included, to be saved and read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...profiling.classify import classify_launch
from ...profiling.counters.groups import KernelGroup, kernel_groups
from ...profiling.counters.record import CounterReport
from ...profiling.counters.whose_device import device_of
from .documents import diagnosis_document

if TYPE_CHECKING:
    from ...hardware_specs.device import DeviceSpec
    from ..gather import Gathered

Document = dict[str, Any]


def op_profile(found: Gathered) -> Document:
    """Graph, compiled code, timing and counters of a subject, as far as they were had, and the diagnosis."""
    traced, static, spec = found.profile.traced, found.profile.static, found.profile.spec
    return {
        "op": traced.op.name,
        "family": traced.family,
        "device": spec.id,
        "flops": traced.flops,
        "bytes_min": traced.bytes_min,
        "dtypes": traced.dtypes,
        "fingerprint": traced.fingerprint,
        "kernels": [{"name": kernel.name, "static": kernel} for kernel in static.kernels] if static else [],
        "rejections": static.rejections if static else [],
        "timing": found.profile.timing,
        "notes": found.profile.notes,
        "counters_refused": found.refused or None,
        "counted": _counted(found.counters, spec) if found.counters else [],
        "counters": found.counters,
        **diagnosis_document(found.diagnosis),
    }


def command_profile(command: str, report: CounterReport, spec: DeviceSpec | None) -> Document:
    """The kernels that a command launched; the bottlenecks at the top are those of the longest one."""
    counted = _counted(report, spec)
    first = counted[0] if counted else {}
    return {
        "op": command,
        "family": None,
        "device": spec.id if spec else None,
        "counted": counted,
        "counters": report,
        "notes": report.notes,
        **{key: first.get(key) for key in ("level", "bottlenecks", "undecided", "roofline")},
    }


def _counted(report: CounterReport, spec: DeviceSpec | None) -> list[Document]:
    return [_group(group, spec) for group in kernel_groups(report.launches)]


def _group(group: KernelGroup, spec: DeviceSpec | None) -> Document:
    spec = spec or device_of(group.typical)[0]
    return {
        "name": group.kernel,
        "launches": len(group.launches),
        "share": group.share,
        "time_us": group.time_us,
        "median_us": group.median_us,
        **diagnosis_document(classify_launch(group.typical, spec)),
    }
