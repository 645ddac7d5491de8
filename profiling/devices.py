"""Shows a live card beside its sheet: what the driver says, how it is set up, and what was measured of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..hardware_specs.spec import DeviceSpec
from .calibration import OLD_DAYS, Calibration, Compared, compare
from .device import Device, detect
from .probe import LiveFacts, Probe, SystemProbe
from .settings import CardSettings, read_settings

_TOLERANCE = 0.02
_NORMAL_PARTITION = ("SPX", "NPS1")


@dataclass(frozen=True)
class Line:
    """One figure of the card and of its sheet, None where that side does not tell; `remark` is empty where
    they agree."""

    what: str
    unit: str
    live: float | None
    table: float | None
    remark: str = ""


@dataclass(frozen=True)
class CardReport:
    """The card of this machine. `calibration_age_days` is None without a calibration; `warnings` are
    sentences on what makes its numbers differ from those of other cards of its name."""

    device: Device
    lines: tuple[Line, ...]
    settings: CardSettings | None
    compared: tuple[Compared, ...]
    calibration_age_days: int | None
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The keys of `Device.to_json`, and the rest under names of its own."""
        return {
            **self.device.to_json(),
            "lines": [asdict(line) for line in self.lines],
            "settings": asdict(self.settings) if self.settings else None,
            "calibration": self.device.calibration.to_json() if self.device.calibration else None,
            "compared": [asdict(one) for one in self.compared],
            "calibration_age_days": self.calibration_age_days,
            "warnings": list(self.warnings),
        }


def survey(
    probe: Probe | None = None, calibrations: Path | None = None, settings: CardSettings | None = None
) -> CardReport:
    """The card that torch would run on; DeviceError where there is none, or it cannot be described."""
    probe = probe or SystemProbe()
    settings = settings or read_settings()
    device, facts = detect("auto", probe, calibrations), probe.facts()
    calibration = device.calibration
    compared = compare(calibration, device.spec) if calibration else ()
    return CardReport(
        device=device,
        lines=tuple(_lines(facts, settings, device.spec)),
        settings=settings,
        compared=compared,
        calibration_age_days=calibration.age_days() if calibration else None,
        warnings=(*device.warnings, *_warnings(settings, device, calibration), *_outliers(compared)),
    )


def _lines(facts: LiveFacts, settings: CardSettings | None, spec: DeviceSpec) -> list[Line]:
    read = facts.attributes
    clock, bits = read.get("memory_clock_mhz"), read.get("bus_bits")
    threads = read.get("max_threads_per_unit")
    rows: list[tuple[str, str, float | None, float | None]] = [
        ("units", spec.unit_name, facts.unit_count, spec.unit_count),
        ("memory", "GB", facts.memory_bytes / 1e9, spec.memory_gb),
        ("L2", "MiB", _mib(facts.l2_bytes), _mib(spec.l2_bytes)),
        ("DRAM by bus and clock", "GB/s", clock * 2 * bits / 8e3 if clock and bits else None, spec.dram_gb_s),
        ("top clock", "MHz", read.get("clock_mhz"), spec.clock_mhz),
        ("warps a unit", "warps", threads // spec.warp_size if threads else None, spec.max_warps_per_unit),
        ("registers a unit", "registers", read.get("registers_per_unit"), spec.registers_per_unit),
        ("shared memory a unit", "byte", read.get("shared_bytes_per_unit"), spec.shared_bytes_per_unit),
        ("shared memory a block", "byte", read.get("shared_bytes_per_block"), spec.shared_bytes_per_block),
        ("power limit", "W", settings.power_limit_w if settings else None, _tdp_w(spec)),
    ]  # fmt: skip
    return [Line(what, unit, live, table, _remark(live, table)) for what, unit, live, table in rows]


def _remark(live: float | None, table: float | None) -> str:
    if live is None or table is None or abs(live / table - 1) <= _TOLERANCE:
        return ""
    return f"{live / table - 1:+.0%}"


def _mib(count: int | None) -> float | None:
    return None if count is None else count / 2**20


def _tdp_w(spec: DeviceSpec) -> float | None:
    """The sheet's, where the sheet is the card's own and not a sibling's."""
    return spec.sheet.power_w.tdp if spec.sheet.id == spec.id else None


def _warnings(settings: CardSettings | None, device: Device, calibration: Calibration | None) -> list[str]:
    said = []
    if settings and settings.mig:
        said.append("MIG is on: this is a slice of the card, with units, bandwidth and counters of its own")
    if settings and settings.partition and settings.partition != _NORMAL_PARTITION:
        said.append(
            f"the card is partitioned ({', '.join(settings.partition)}): its sheet is the whole card's"
        )
    limit, default = (settings.power_limit_w, settings.default_power_limit_w) if settings else (None, None)
    if limit and default and limit < default * (1 - _TOLERANCE):
        said.append(
            f"the power limit is {limit:.0f} W, by default it is {default:.0f} W: expect lower clocks"
        )
    if device.clocks and device.clocks.throttle:
        said.append(f"the card runs slower than asked: {', '.join(device.clocks.throttle)}")
    said += _calibration_warnings(device, calibration)
    return said


def _calibration_warnings(device: Device, calibration: Calibration | None) -> list[str]:
    if calibration is None:
        return ["not calibrated: `kbgen calibrate` measures its ceilings in a minute"]
    said = []
    if calibration.age_days() > OLD_DAYS:
        said.append(f"the calibration is {calibration.age_days()} days old: repeat `kbgen calibrate`")
    if calibration.driver != device.driver:
        said.append(f"it was calibrated under driver {calibration.driver}, this is {device.driver}")
    if calibration.throttle:
        said.append(f"it was held back while it was calibrated: {', '.join(calibration.throttle)}")
    return said


def _outliers(compared: tuple[Compared, ...]) -> list[str]:
    return [one.warning for one in compared if one.warning]
