"""Describes a live card that no sheet names: its limits by its attributes, its peaks by its calibration.

What neither tells comes from the nearest sheet: a sibling of the same compiler target, whose units are alike,
or the newest older target of the vendor. Every figure that is not the card's own is told in a sentence.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..hardware_specs.spec import DeviceSpec, all_specs
from .calibration import Calibration, with_ceilings
from .probe import LiveFacts

_LIMITS = ("warp_size", "registers_per_unit", "shared_bytes_per_unit", "shared_bytes_per_block")


def describe(facts: LiveFacts, calibration: Calibration | None) -> tuple[DeviceSpec, tuple[str, ...]] | None:
    """The card as a DeviceSpec with what had to be assumed; None where its memory bandwidth is not known by
    bus and clock or by calibration, or no sheet is of its vendor."""
    sibling = _sibling(facts)
    if sibling is None:
        return None
    read = facts.attributes
    bus_gb_s = _bus_gb_s(facts)
    peak_gb_s = bus_gb_s or _measured_gb_s(calibration)
    if peak_gb_s is None:
        return None
    threads = read.get("max_threads_per_unit")
    own: dict[str, Any] = {name: read[name] for name in _LIMITS if name in read}
    own |= {"max_warps_per_unit": threads // sibling.warp_size} if threads else {}
    clock_mhz = read.get("clock_mhz") or sibling.clock_mhz
    described = replace(
        sibling,
        id=re.sub(r"[^a-z0-9]+", "-", facts.name.lower()).strip("-"),
        name=facts.name,
        target=facts.arch if sibling.arch != facts.arch else sibling.target,
        aliases=(),
        device_names=(facts.name,),
        unit_count=facts.unit_count,
        l2_bytes=facts.l2_bytes or sibling.l2_bytes,
        memory_gb=facts.memory_bytes / 1e9,
        dram_gb_s=peak_gb_s,
        dram_copy_gb_s=None,
        dram_latency_ns=None,
        clock_mhz=clock_mhz,
        peak_tflops=_scaled_peaks(facts, sibling, clock_mhz),
        **own,
    )
    return with_ceilings(described, calibration), tuple(_assumed(facts, sibling, calibration, bus_gb_s))


def _sibling(facts: LiveFacts) -> DeviceSpec | None:
    """The sheet of the same target that is nearest in units and clock; else one of the next older target."""
    specs = [spec for spec in all_specs() if spec.vendor == facts.vendor]
    same = [spec for spec in specs if spec.arch == facts.arch]
    if same:
        clock = facts.attributes.get("clock_mhz", 0)
        return min(
            same,
            key=lambda spec: (
                abs((spec.unit_count or 0) - facts.unit_count),
                abs((spec.clock_mhz or 0) - clock),
            ),
        )
    older = [spec for spec in specs if _generation(spec.arch) <= _generation(facts.arch)]
    return max(older, key=lambda spec: _generation(spec.arch), default=None)


def _generation(arch: str) -> int:
    """sm_90 -> 90, gfx942 -> 0x942: larger is newer within a vendor's line."""
    return int(arch.removeprefix("sm_")) if arch.startswith("sm_") else int(arch.removeprefix("gfx"), 16)


def _bus_gb_s(facts: LiveFacts) -> float | None:
    """Peak DRAM bandwidth by bus width and memory clock, two transfers a clock."""
    clock, bits = facts.attributes.get("memory_clock_mhz"), facts.attributes.get("bus_bits")
    return clock * 1e6 * 2 * bits / 8 / 1e9 if clock and bits else None


def _measured_gb_s(calibration: Calibration | None) -> float | None:
    """What a read, or else a copy, was measured to reach."""
    if calibration is None:
        return None
    return calibration.value("dram_read_gb_s") or calibration.value("dram_copy_gb_s")


def _scaled_peaks(facts: LiveFacts, sibling: DeviceSpec, clock_mhz: int | None) -> dict[str, float]:
    """The sibling's rates per unit and clock, times this card's units and clock."""
    units = facts.unit_count / sibling.unit_count if sibling.unit_count else 1.0
    clock = clock_mhz / sibling.clock_mhz if clock_mhz and sibling.clock_mhz else 1.0
    return {key: peak * units * clock for key, peak in sibling.peak_tflops.items()}


def _assumed(
    facts: LiveFacts, sibling: DeviceSpec, calibration: Calibration | None, bus_gb_s: float | None
) -> list[str]:
    said = [
        f"no sheet names {facts.name}: limits by its own attributes, where they are silent and for rates "
        f"a unit and clock by {sibling.name} ({sibling.arch})"
    ]
    if sibling.arch != facts.arch:
        said.append(f"{facts.arch} itself has no sheet: its features are taken to be those of {sibling.arch}")
    if calibration is None:
        said.append("it is not calibrated: `kbgen calibrate` measures its ceilings in a minute")
    elif bus_gb_s is None:
        said.append("its bus does not tell its bandwidth: the measured one stands for the peak")
    return said
