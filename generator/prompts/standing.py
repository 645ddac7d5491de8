"""Says how a kernel stands: what its compiled code takes of the card, what holds it back, its time."""

from __future__ import annotations

from collections.abc import Mapping

from ...hardware_specs.spec import DeviceSpec
from ...profiling.classify import Diagnosis
from ...profiling.cuda_static import CudaKernel, CudaReport
from ...profiling.static import KernelReport, StaticReport


def standing(static: StaticReport, spec: DeviceSpec, diagnosis: Diagnosis | None, time: str = "") -> str:
    """Sentences for a prompt, one kernel a line; `time` is told as it is given."""
    lines = ["How it stands on the card, by its compiled code:"]
    lines += [_kernel(one, spec) for one in static.kernels]
    lines += [f"- {found.evidence}" for found in diagnosis.bottlenecks] if diagnosis else []
    return "\n".join([*lines, f"- {time}"] if time else lines)


def standing_of_cuda(report: CudaReport) -> str:
    """The same of kernels in CUDA C++, whose launches are not known."""
    lines = ["How it stands on the card, by its compiled code:", *map(_cuda_kernel, report.kernels)]
    lines += [f"- {said}" for said in report.spills]
    return "\n".join([*lines, f"- {report.unknown}"] if report.unknown else lines)


def _cuda_kernel(one: CudaKernel) -> str:
    held = one.occupancy
    occupied = f"; occupancy {held.fraction:.0%} at {one.most_threads} threads a block" if held else ""
    return (
        f"- `{one.name}`: {one.registers} registers, {one.shared_bytes} bytes of shared memory"
        f"{occupied}{_accesses(one.load_bits, one.store_bits)}"
    )


def _kernel(one: KernelReport, spec: DeviceSpec) -> str:
    grid = " x ".join(str(size) for size in one.grid if size != 1) or "1"
    waves = f", {one.waves:.1f} waves" if one.waves else ""
    repeated = f", launched {one.launches} times" if one.launches > 1 else ""
    return (
        f"- `{one.name}`: {grid} blocks of {one.num_warps} warps{waves}{repeated}; {one.registers} "
        f"registers, {one.shared_bytes} bytes of shared memory; occupancy {one.occupancy.fraction:.0%} of "
        f"the {spec.unit_name}, limited by {one.occupancy.limiter}{_accesses(one.load_bits, one.store_bits)}"
    )


def _accesses(loads: Mapping[int, int], stores: Mapping[int, int]) -> str:
    widths = "; ".join(
        f"{what} {', '.join(f'{count} of {bits} bit' for bits, count in counts.items())}"
        for what, counts in (("loads", loads), ("stores", stores))
        if counts
    )
    return f"; accesses a lane: {widths}" if widths else ""
