"""Finds and reads device sheets: one YAML file per device, parsed when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import TypeAdapter, ValidationError

from .. import KbgenError
from .device import DeviceSpec
from .names import UnknownDevice, plain, resolve
from .schema import Conflict, Feature, Source
from .sheet_amd import AmdSheet
from .sheet_amd import neutral as neutral_amd
from .sheet_nvidia import NvidiaSheet
from .sheet_nvidia import neutral as neutral_nvidia

if TYPE_CHECKING:  # its place before Python 3.11 is another
    from importlib.resources.abc import Traversable

__all__ = [
    "DeviceSpec", "InvalidSheet", "UnknownDevice", "all_specs", "conflicts", "features", "find_spec",
    "sources",
]  # fmt: skip

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class InvalidSheet(KbgenError):  # noqa: N818 - named for what was found
    """A device sheet that does not read as one."""


def find_spec(name: str) -> DeviceSpec:
    """The device that `name` means: an id, an alias, a driver's name or a compiler target (see names.py).

    Raises UnknownDevice with the nearest names.
    """
    files_by_id = _files()
    return _load(name if name in files_by_id else resolve(name, _names()))


def all_specs() -> tuple[DeviceSpec, ...]:
    """Every device with a sheet, NVIDIA first, each vendor by architecture and name."""
    return tuple(_load(device_id) for device_id in _files())


@cache
def sources() -> Mapping[str, Source]:
    """What the keys in every section's `sources` stand for."""
    return TypeAdapter(dict[str, Source]).validate_python(_parse(_root() / "sources.yaml"))


@cache
def features() -> Mapping[str, Feature]:
    """What compiler targets can do, by the words that `DeviceSpec.features` and the corpus use."""
    return TypeAdapter(dict[str, Feature]).validate_python(_parse(_root() / "features.yaml"))


@cache
def conflicts() -> tuple[Conflict, ...]:
    """Figures that public sources disagree on, with the choice made and why."""
    return tuple(TypeAdapter(list[Conflict]).validate_python(_parse(_root() / "conflicts.yaml")))


@cache
def _load(device_id: str) -> DeviceSpec:
    return read_sheet(_raw(device_id), origin=_files()[device_id].name)


def read_sheet(raw: Mapping[str, Any], *, origin: str) -> DeviceSpec:
    """A parsed YAML document as a device, or InvalidSheet naming `origin` and the first key that is wrong.

    Its features are those of its compiler target and its own.
    """
    try:
        if raw.get("vendor") == "amd":
            device = neutral_amd(AmdSheet.model_validate(raw))
        else:
            device = neutral_nvidia(NvidiaSheet.model_validate(raw))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise InvalidSheet(f"{origin}: {place}: {first['msg']} (found {first['input']!r})") from None
    of_target = {name for name, feature in features().items() if device.arch in feature.targets}
    return replace(device, features=device.features | of_target)


@cache
def _files() -> Mapping[str, Traversable]:
    """Device id -> its file. The id is `<folder>-<file name>`, so one device is read without the others."""
    return {
        f"{vendor}-{sheet.name.removesuffix('.yaml')}": sheet
        for vendor in ("nvidia", "amd")
        for sheet in sorted((_root() / vendor).iterdir(), key=lambda entry: entry.name)
        if sheet.name.endswith(".yaml")
    }


@cache
def _names() -> Mapping[str, str]:
    """Plain name -> device id, over ids, product names, aliases and driver names."""
    names: dict[str, str] = {}
    for device_id in _files():
        raw = _raw(device_id)
        for name in (device_id, raw["name"], *raw["aliases"], *raw["device_names"]):
            names.setdefault(plain(name), device_id)
    return names


@cache
def _raw(device_id: str) -> dict[str, Any]:
    raw: dict[str, Any] = _parse(_files()[device_id])
    return raw


def _parse(file: Traversable) -> Any:
    return yaml.load(file.read_bytes(), Loader=_LOADER)


def _root() -> Traversable:
    return files("kbgen.hardware_specs")
