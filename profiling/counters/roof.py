"""Places a launch under the roofline by what was counted: its bytes and flops, at the clocks it ran at."""

from __future__ import annotations

from ...hardware_specs.spec import DeviceSpec
from ..roofline import Roofline
from .record import Launch

_TENSOR_USED_PCT = 5.0


def counted_roofline(launch: Launch, spec: DeviceSpec | None) -> Roofline | None:
    """The least time for the bytes moved and the flops done on the vector units; None where they were not
    counted, on an unknown device, and for kernels of the matrix units, whose flops nothing counts.

    Bandwidth: the profiler's own peak (bytes per second over its share of peak), which is at the observed
    memory clock; the sheet's where it gives none. Arithmetic: the sheet's peak at the observed clock.
    """
    duration, moved, work = launch.value("duration"), _moved(launch), _flops(launch)
    if spec is None or not duration or not moved or work is None:
        return None
    if (launch.value("pipe_tensor") or 0.0) >= _TENSOR_USED_PCT:
        return None
    flops, kind = work
    if kind not in spec.peak_tflops:
        return None
    rate, share, clock = (launch.value(key) for key in ("dram_bytes_s", "dram_pct", "sm_clock"))
    gb_s = rate / share / 1e7 if rate and share else spec.dram_gb_s
    tflops = spec.peak_tflops[kind] * (clock / 1e6 / spec.clock_mhz if clock and spec.clock_mhz else 1.0)
    return Roofline(
        memory_us=moved / gb_s * 1e-3,
        compute_us=flops / tflops * 1e-6,
        peak_tflops=tflops,
        peak_kind=kind,
        intensity=flops / moved,
        ridge=tflops * 1e3 / gb_s,
    )


def _moved(launch: Launch) -> float | None:
    """Bytes between L2 and DRAM."""
    read, written = launch.value("dram_read"), launch.value("dram_write")
    if read is not None and written is not None:
        return read + written
    rate, duration = launch.value("dram_bytes_s"), launch.value("duration")
    return None if rate is None or duration is None else rate * duration / 1e9


def _flops(launch: Launch) -> tuple[float, str] | None:
    """Flops of the wider type that did any, and its rate; None where a part of them was not counted."""
    for kind, names in (("fp64", ("dadd", "dmul", "dfma")), ("fp32", ("fadd", "fmul", "ffma"))):
        added, multiplied, fused = (launch.value(name) for name in names)
        if added is None or multiplied is None or fused is None:
            continue
        if (flops := added + multiplied + 2 * fused) > 0 or kind == "fp32":
            return flops, kind
    return None
