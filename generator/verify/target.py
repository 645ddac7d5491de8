"""Holds a candidate against what the target's own compiler made of it: the interpreter is not the card.

The offline compile at full size (`profiling/static.py`) says what the interpreter cannot: whether it
compiles, whether a block fits, which tensor-core modes are in the code, and which kernels full size launches
at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...hardware_specs.spec import DeviceSpec
from ...profiling.static import KernelReport, StaticReport
from .process.exchange import StepReport
from .verdict import Fault

_MOST_THREADS = 1024
"""In a block, on every device of both vendors (CUDA C++ Programming Guide, technical specifications; HIP's
hardware features)."""


def target_fault(
    static: StaticReport, spec: DeviceSpec, precision: str, reports: Sequence[StepReport]
) -> Fault | None:
    """What its compiled code has against it; spills are a matter of speed and only reported."""
    if static.rejections and not static.kernels and "does not compile" not in static.rejections[0]:
        return Fault("unsupported", f"its code for {spec.name} is not known: {static.rejections[0]}")
    broken = next((text for text in static.rejections if "does not compile" in text), None)
    if broken is not None:
        return Fault("does-not-compile", broken)
    for kernel in static.kernels:
        if kernel.num_warps * spec.warp_size > _MOST_THREADS:
            threads = kernel.num_warps * spec.warp_size
            return Fault(
                "over-limit",
                f"{kernel.name} asks for {threads} threads a block; {spec.name} has {_MOST_THREADS}",
            )
        if kernel.shared_bytes > spec.shared_bytes_per_block:
            return Fault(
                "over-limit",
                f"{kernel.name} asks for {kernel.shared_bytes} bytes of shared memory a block; "
                f"{spec.name} has {spec.shared_bytes_per_block}",
            )
        if not kernel.occupancy.fits:
            return Fault(
                "over-limit",
                f"{kernel.name} fits on no {spec.unit_name} of {spec.name}: "
                f"{kernel.occupancy.limiter} allow no block",
            )
    return _idle(static, reports) or _hidden_tf32(static, precision, reports)


def _idle(static: StaticReport, reports: Sequence[StepReport]) -> Fault | None:
    """A kernel that stores where it is interpreted, and whose code stores nothing: triton 3.7.1 makes an
    empty one of `tl.dot(..., input_precision="bf16x6")` for sm_100, and calls that a success."""
    if not any(stored for report in reports for _, _, stored, _ in report.traffic.values()):
        return None
    for kernel in static.kernels:
        found = kernel.store_bits or kernel.outside_bits or {*kernel.instructions} & {"atomic", "tma"}
        if not found:
            told = f"compiled for {static.arch}, {kernel.name} holds no store to global memory"
            return Fault("does-not-compile", f"{told}, though it stores where it is interpreted")
    return None


def _hidden_tf32(static: StaticReport, precision: str, reports: Sequence[StepReport]) -> Fault | None:
    """TF32 instructions in the code where no judged call used a mode that is made of them."""
    emulated = {mode for report in reports for mode in report.dot_precisions}
    if precision not in ("fp32", "fp64") or emulated & {"tf32", "tf32x3"}:
        return None
    kernel = next((one for one in static.kernels if one.instructions.get("tf32")), None)
    if kernel is None:
        return None
    return Fault(
        "low-precision",
        f"compiled for {static.arch} at full size, {kernel.name} multiplies in TF32, and no judged call did",
    )


def unjudged(static: StaticReport, reports: Sequence[StepReport]) -> Fault | None:
    """Kernels that full size launches and no judged call did: a path of which nothing is known."""
    seen = {launch.split("[")[0] for report in reports for launch in report.launches}
    strange = sorted({kernel.name for kernel in static.kernels} - seen)
    if not strange:
        return None
    return Fault(
        "unjudged-path", f"at full size it launches {', '.join(strange)}, which no judged call launched"
    )


def compiled_document(static: StaticReport, spec: DeviceSpec) -> dict[str, Any]:
    """The evidence as it stands in the verdict."""
    return {
        "device": spec.id,
        "arch": static.arch,
        "kernels": [_kernel(kernel) for kernel in static.kernels],
        "complaints": list(static.rejections),
    }


def _kernel(kernel: KernelReport) -> dict[str, Any]:
    kept = ("name", "registers", "spill_bytes", "shared_bytes", "num_warps", "config")
    return {name: getattr(kernel, name) for name in kept} | {
        "tensor_core": {name: count for name, count in kernel.instructions.items() if name in _MATRIX}
    }


_MATRIX = ("mma", "wgmma", "tcgen05", "mfma", "wmma", "tf32")
