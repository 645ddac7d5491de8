"""What a card was measured to reach: the record of a calibration, where it is kept, and how it compares.

    calibration = stored("NVIDIA H200", 132)
    roof = with_ceilings(find_spec("h200"), calibration)  # for rooflines: measured where that was done

A ceiling is what the best code at hand reached, not a limit of physics: nothing is accused by it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

from .. import KbgenError
from ..hardware_specs.spec import DeviceSpec
from .probe import ClockState

SCHEMA = "kbgen-calibration/1"
OLD_DAYS = 90

USUAL_SHARE = {
    "dram_copy_gb_s": 0.90, "dram_read_gb_s": 0.93, "fp32": 0.77, "fp64": 0.90, "tensor_fp64": 0.90,
    "tensor_tf32": 0.82, "tensor_bf16": 0.79, "tensor_fp16": 0.76, "tensor_fp8": 0.73,
}  # fmt: skip
"""What large copies and the vendor's matrix products reach of the peak on the sheet, a few calls after a
rest: as measured on an H200 (driver 580, torch 2.11); copies reach 88 to 93 % on most cards. Where a sheet
has a reading of its own, that counts instead."""

_SUSTAINED = "_sustained"
_OFF = 0.10  # warned about: this far from what is usual
_SHEET_READINGS = {
    "dram_copy_gb_s": "copy_gb_s", "tensor_bf16": "bf16_gemm_tflops", "tensor_fp8": "fp8_gemm_tflops",
}  # fmt: skip
_DRAM = ("dram_copy_gb_s", "dram_read_gb_s")


class CalibrationError(KbgenError):
    """A calibration that cannot be kept or read, told in one sentence."""


@dataclass(frozen=True)
class Ceiling:
    """One thing measured: `value` in `unit` with its 95 % interval; `how` names the code that reached it.

    Keys: dram_copy_gb_s, dram_read_gb_s, l2_read_gb_s, launch_us, enqueue_us, special_gops, and the peaks of
    `DeviceSpec.peak_tflops` in TFLOP/s, each of a few calls after a rest, as kernels are timed;
    tensor_bf16_sustained is what is left of it under a power limit. `sm_mhz`, `throttle`: read right after.
    """

    key: str
    value: float
    unit: str
    low: float
    high: float
    samples: int
    how: str
    sm_mhz: int | None = None
    throttle: tuple[str, ...] = ()


@dataclass(frozen=True)
class Calibration:
    """One run on one card; `source` says what clock took it ("device-events", or "simulated")."""

    device: str
    arch: str
    unit_count: int
    driver: str | None
    runtime: str
    torch_version: str | None
    triton_version: str | None
    taken: str  # ISO date and time, UTC
    seconds: float
    source: str
    ceilings: tuple[Ceiling, ...]
    before: ClockState | None
    after: ClockState | None
    notes: tuple[str, ...] = ()

    def value(self, key: str) -> float | None:
        """The measured value of a key, None where it was not measured."""
        return next((found.value for found in self.ceilings if found.key == key), None)

    @property
    def throttle(self) -> tuple[str, ...]:
        """Why the card ran slower than asked while its ceilings were measured; a sustained load is meant to
        meet the power limit."""
        meant = (found for found in self.ceilings if not found.key.endswith(_SUSTAINED))
        return tuple(dict.fromkeys(reason for found in meant for reason in found.throttle))

    def age_days(self, today: date | None = None) -> int:
        now = today or datetime.now(timezone.utc).date()
        return (now - datetime.fromisoformat(self.taken).date()).days

    @property
    def label(self) -> str:
        """What to print beside a number that rests on it."""
        return f"measured {self.taken[:10]} on {self.device}, driver {self.driver or 'unknown'}"

    def to_json(self) -> dict[str, Any]:
        return {"schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Calibration:
        """The calibration that `to_json` wrote; KeyError, TypeError or ValueError for anything else."""
        if raw["schema"] != SCHEMA:
            raise ValueError(f"the schema is {raw['schema']!r}, not {SCHEMA!r}")
        fields = {name: value for name, value in raw.items() if name != "schema"}
        ceilings = tuple(Ceiling(**{**one, "throttle": tuple(one["throttle"])}) for one in raw["ceilings"])
        states = {name: _state(raw[name]) for name in ("before", "after")}
        return cls(**{**fields, **states, "ceilings": ceilings, "notes": tuple(raw["notes"])})


@dataclass(frozen=True)
class Compared:
    """A ceiling beside the sheet: `share` of the sheet's peak, `usual` what other cards of its kind reach of
    it (None where nobody says); `warning` is empty within 10 % of that."""

    key: str
    measured: float
    unit: str
    peak: float | None
    share: float | None
    usual: float | None
    warning: str = ""


def compare(calibration: Calibration, spec: DeviceSpec) -> tuple[Compared, ...]:
    """Every ceiling beside its peak on the sheet; a warning where it is not what such a card reaches."""
    return tuple(_compared(found, spec) for found in calibration.ceilings)


def _compared(found: Ceiling, spec: DeviceSpec) -> Compared:
    peak = spec.dram_gb_s if found.key in _DRAM else spec.peak_tflops.get(found.key)
    if peak is None:
        return Compared(found.key, found.value, found.unit, None, None, None)
    share, usual = found.value / peak, _usual(found.key, spec, peak)
    warning = ""
    if share > 1 + _OFF / 5:
        warning = f"{found.key} is {share:.0%} of the sheet's peak: the sheet or the card's name is wrong"
    elif usual is not None and abs(share / usual - 1) > _OFF:
        than = "less" if share < usual else "more"
        warning = f"{found.key} is {share:.0%} of peak, {than} than the usual {usual:.0%}"
        if found.throttle:
            warning += f" (the card was held back: {', '.join(found.throttle)})"
        elif share < usual:
            warning += ": look for a slice, a power or clock limit, or other work on the card"
    return Compared(found.key, found.value, found.unit, peak, share, usual, warning)


def _usual(key: str, spec: DeviceSpec, peak: float) -> float | None:
    read = spec.sheet.measured if spec.sheet.id == spec.id else None  # a sibling's sheet tells nothing
    figure = getattr(read, _SHEET_READINGS[key], None) if read and key in _SHEET_READINGS else None
    return figure / peak if figure else USUAL_SHARE.get(key)


def with_ceilings(spec: DeviceSpec, calibration: Calibration | None) -> DeviceSpec:
    """The device with what was measured in place of what its sheet promises; for rooflines alone."""
    if calibration is None:
        return spec
    peaks = {key: calibration.value(key) or peak for key, peak in spec.peak_tflops.items()}
    reached = [value for key in _DRAM if (value := calibration.value(key)) is not None]
    return replace(
        spec,
        peak_tflops=peaks,
        dram_gb_s=max(reached, default=spec.dram_gb_s),
        dram_copy_gb_s=calibration.value("dram_copy_gb_s") or spec.dram_copy_gb_s,
    )


def default_folder() -> Path:
    """`KBGEN_CALIBRATIONS`, else a folder of the user's data."""
    from platformdirs import user_data_path

    asked = os.environ.get("KBGEN_CALIBRATIONS")
    return Path(asked).expanduser() if asked else user_data_path("kbgen", appauthor=False) / "calibrations"


def keep(calibration: Calibration, folder: Path | None = None) -> Path:
    """Write it durably, in place of an older one of the same card; returns the file."""
    folder = folder or default_folder()
    path = folder / _file_name(calibration.device, calibration.unit_count)
    temporary = path.with_name(f".tmp-{uuid.uuid4().hex}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with temporary.open("x", encoding="utf-8") as file:
            json.dump(calibration.to_json(), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise CalibrationError(
            f"{path} cannot be written ({error.strerror}); set KBGEN_CALIBRATIONS to a folder you can write."
        ) from None
    return path


def stored(device: str, unit_count: int, folder: Path | None = None) -> Calibration | None:
    """The calibration of this card, None where there is none; CalibrationError for a file that is not one.

    The unit count is part of the name: a slice of a card (MIG, partition) has ceilings of its own.
    """
    path = (folder or default_folder()) / _file_name(device, unit_count)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return None
    try:
        return Calibration.from_json(json.loads(text))
    except (ValueError, KeyError, TypeError):
        raise CalibrationError(
            f"{path} does not read as a calibration; remove it and run `kbgen calibrate` again."
        ) from None


def _file_name(device: str, unit_count: int) -> str:
    return f"{re.sub(r'[^a-z0-9]+', '-', device.lower()).strip('-')}-{unit_count}-units.json"


def _state(raw: Mapping[str, Any] | None) -> ClockState | None:
    return None if raw is None else ClockState(**{**raw, "throttle": tuple(raw["throttle"])})
