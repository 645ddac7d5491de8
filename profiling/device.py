"""Decides which card a run is for, and whether that card is here to be measured."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import KbgenError
from ..hardware_specs.spec import DeviceSpec, UnknownDevice, find_spec
from .calibration import Calibration, CalibrationError, stored, with_ceilings
from .probe import ClockState, LiveFacts, NoCardError, Probe, SystemProbe, installed
from .unknown import describe

_MEMORY_TOLERANCE = 0.12  # sheets print 80 GB for 80 GiB (7 % more), ECC and drivers take some back


class DeviceError(KbgenError):
    """No card to run for; the sentence says which name to give."""


@dataclass(frozen=True)
class Device:
    """The card that a run is for. `live` means it is in this machine and torch can run on it; nothing is
    measured on a device that is not live."""

    asked: str
    spec: DeviceSpec
    live: bool
    live_name: str | None
    driver: str | None
    runtime: str | None
    torch_version: str | None
    triton_version: str | None
    clocks: ClockState | None
    reason: str  # why it is not live; empty when it is
    warnings: tuple[str, ...]
    calibration: Calibration | None = None  # what this very card was measured to reach

    @property
    def roof(self) -> DeviceSpec:
        """The device with measured ceilings where there are any: for rooflines, never to accuse by."""
        return with_ceilings(self.spec, self.calibration)

    @property
    def ceilings(self) -> str:
        """Where the numbers of `roof` come from, to print beside them."""
        return self.calibration.label if self.calibration else "specification"

    @property
    def arch(self) -> str:
        """The compiler's target, such as `sm_90` or `gfx942`."""
        return self.spec.arch

    def to_json(self) -> dict[str, Any]:
        """The keys `asked`, `used` and `live` are a promise to programs that read reports."""
        return {
            "asked": self.asked,
            "used": self.spec.id,
            "live": self.live,
            "live_name": self.live_name,
            "arch": self.arch,
            "driver": self.driver,
            "runtime": self.runtime,
            "torch": self.torch_version,
            "triton": self.triton_version,
            "clocks": asdict(self.clocks) if self.clocks else None,
            "ceilings": self.ceilings,
            "reason": self.reason,
            "warnings": list(self.warnings),
        }


def detect(asked: str = "auto", probe: Probe | None = None, calibrations: Path | None = None) -> Device:
    """The live card for "auto"; else the named one, live when it is the card in this machine.

    A live card that no sheet names is described by its attributes and its calibration. Raises UnknownDevice
    for a name that means nothing, DeviceError for "auto" without a card.
    """
    probe = probe or SystemProbe()
    facts, reason = _live_facts(probe)
    if facts is None:
        if asked.strip().lower() == "auto":
            raise DeviceError(f"{reason}: name the target with --gpu, for example --gpu h100")
        return _target_only(asked, find_spec(asked), reason)
    if asked.strip().lower() in ("auto", facts.name.lower()) or _is_architecture(asked, facts):
        return _live(asked, facts, probe, calibrations)
    spec = find_spec(asked)
    if _known_spec(facts) == spec:
        return _live(asked, facts, probe, calibrations)
    return _target_only(asked, spec, f"the card here is {facts.name}, not {spec.name}")


def check_facts(facts: LiveFacts, spec: DeviceSpec) -> tuple[str, ...]:
    """Where the live card disagrees with its table row: a slice (MIG, partition), a variant, or a wrong
    table."""
    found = []
    if spec.unit_count is not None and facts.unit_count != spec.unit_count:
        found.append(
            f"the card reports {facts.unit_count} units, the table says {spec.unit_count}: "
            "waves and peaks from the table do not hold for it (a MIG slice or another variant?)"
        )
    if abs(facts.memory_bytes / 1e9 / spec.memory_gb - 1) > _MEMORY_TOLERANCE:
        found.append(
            f"the card reports {facts.memory_bytes / 1e9:.0f} GB of memory, "
            f"the table says {spec.memory_gb:.0f} GB"
        )
    if facts.arch != spec.arch:
        found.append(f"the card reports architecture {facts.arch}, the table says {spec.arch}")
    return tuple(found)


def _live_facts(probe: Probe) -> tuple[LiveFacts | None, str]:
    try:
        return probe.facts(), ""
    except NoCardError as error:
        return None, str(error)


def _known_spec(facts: LiveFacts) -> DeviceSpec | None:
    try:
        return find_spec(facts.name)
    except UnknownDevice:
        return None


def _is_architecture(asked: str, facts: LiveFacts) -> bool:
    """ "sm_90" asks for whatever is here with that architecture, rather than for the table's first such
    device."""
    return asked.strip().lower().rstrip("a") == facts.arch


def _live(asked: str, facts: LiveFacts, probe: Probe, folder: Path | None) -> Device:
    calibration, spoilt = _calibration(facts, folder)
    spec = _known_spec(facts)
    warnings = check_facts(facts, spec) if spec else ()
    if spec is None:
        described = describe(facts, calibration)
        if described is None:
            raise DeviceError(
                f"the card here calls itself {facts.name!r} ({facts.arch}), which no specification file "
                "names, and its bandwidth is not known: run `kbgen calibrate`, or give the nearest known one "
                "with --gpu, for example --gpu h100"
            )
        spec, warnings = described
    return Device(
        asked=asked,
        spec=spec,
        live=True,
        live_name=facts.name,
        driver=facts.driver,
        runtime=facts.runtime,
        torch_version=installed("torch"),
        triton_version=installed("triton"),
        clocks=probe.clocks(),
        reason="",
        warnings=(*warnings, *spoilt),
        calibration=calibration,
    )


def _calibration(facts: LiveFacts, folder: Path | None) -> tuple[Calibration | None, tuple[str, ...]]:
    """What is stored of this card; a spoilt file is told of, and counts as none."""
    try:
        return stored(facts.name, facts.unit_count, folder), ()
    except CalibrationError as error:
        return None, (str(error),)


def _target_only(asked: str, spec: DeviceSpec, reason: str) -> Device:
    return Device(
        asked=asked,
        spec=spec,
        live=False,
        live_name=None,
        driver=None,
        runtime=None,
        torch_version=installed("torch"),
        triton_version=installed("triton"),
        clocks=None,
        reason=reason,
        warnings=(),
    )
