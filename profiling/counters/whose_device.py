"""Finds the specification of the device that a launch ran on, from what the report says of it."""

from __future__ import annotations

from ... import KbgenError
from ...hardware_specs.spec import DeviceSpec, UnknownDevice, all_specs, find_spec
from .record import Launch


class NoDeviceError(KbgenError):
    """A report that does not say which device it was taken on."""


def device_of(launch: Launch) -> tuple[DeviceSpec, str]:
    """The device, and a remark where it was inferred: "" when the report names it.

    By its name; else, of the devices with its compiler target, the one with as many units as were counted,
    else the target's usual one. Raises NoDeviceError where the report says nothing that a specification has.
    """
    named = _known(launch.device_name)
    if named is not None:
        return named, ""
    said = " ".join(part for part in (launch.device_name, launch.arch) if part)
    usual = _known(launch.arch)
    if usual is None:
        found = f"says only {said!r} of its device" if said else "does not say which device it was taken on"
        raise NoDeviceError(
            f"the report {found}; name one with --gpu, for example --gpu h100 (`kbgen specs` lists them)."
        )
    units = launch.value("units")
    same = [spec for spec in all_specs() if spec.arch == usual.arch and spec.unit_count == units]
    spec = usual if usual in same or not same else same[0]
    counted = f" with {units:.0f} {spec.unit_name}s" if units else ""
    return spec, (
        f"the report names no device that kbgen has a sheet of ({said}{counted}): taken for {spec.name}, "
        "whose peaks may not be its own; --gpu names another."
    )


def _known(name: str | None) -> DeviceSpec | None:
    try:
        return find_spec(name) if name else None
    except UnknownDevice:
        return None
