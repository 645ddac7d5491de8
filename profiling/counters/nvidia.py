"""Reads nvidia.yaml: which metrics of Nsight Compute give a key, on which chips, and how they are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

from .units import unit
from .vocabulary import vocabulary


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Parts(_Strict):
    """How a key follows from other metrics of the same launch; exactly one is given."""

    sum: tuple[str, ...] = ()
    product: tuple[str, ...] = ()
    difference: tuple[str, ...] = ()


class Entry(_Strict):
    """One canonical key in the tool's words; the header of nvidia.yaml says what each field means."""

    names: tuple[str, ...]
    per_family: Mapping[str, tuple[str, ...]] = {}
    by: Literal["chip", "tool"] = "chip"
    shown: tuple[str, ...] = ()
    parts: Parts | None = None


class Stall(_Strict):
    waiting: str = ""
    absent_on: tuple[str, ...] = ()


class Stalls(_Strict):
    pattern: str
    reasons: Mapping[str, Stall]


class Told(_Strict):
    names: tuple[str, ...]
    pattern: str
    largest_over: str | None = None


class MetricMap(_Strict):
    """nvidia.yaml as it stands."""

    families: Mapping[str, tuple[str, ...]]
    quick: tuple[str, ...]
    sections: tuple[str, ...]
    keys: Mapping[str, Entry]
    stalls: Stalls
    shown_as: Mapping[str, str]
    pipes: Mapping[str, str]
    told: tuple[Told, ...]


@lru_cache(maxsize=1)
def metric_map() -> MetricMap:
    text = (files("kbgen.profiling.counters") / "nvidia.yaml").read_text(encoding="utf-8")
    return MetricMap.model_validate(yaml.safe_load(text))


def family(arch: str | None) -> str | None:
    """The family of a compiler target ("sm_90", "sm_90a"), None for one the map does not know."""
    target = re.sub(r"(?<=\d)[af]$", "", arch or "")
    return next((name for name, targets in metric_map().families.items() if target in targets), None)


@lru_cache(maxsize=4096)
def metric_names(key: str, family: str | None = None) -> tuple[str, ...]:
    """The metrics that give `key`, in order of preference; () where no chip of the family counts it.

    Without a family: the names that hold on most, then those of single families. Raises KeyError for a key
    that is not NVIDIA's.
    """
    mapped = metric_map()
    if key.startswith("stall_"):
        reason = mapped.stalls.reasons[key.removeprefix("stall_")]
        return (
            () if family in reason.absent_on else (mapped.stalls.pattern.format(reason=key[len("stall_") :]),)
        )
    entry = mapped.keys[key]
    if family is not None:
        return entry.per_family.get(family, entry.names)
    return tuple(
        dict.fromkeys([*entry.names, *(name for names in entry.per_family.values() for name in names)])
    )


def keys() -> tuple[str, ...]:
    """Every canonical key that NVIDIA's tool can give."""
    mapped = metric_map()
    return (*mapped.keys, *(f"stall_{reason}" for reason in mapped.stalls.reasons))


def quick() -> tuple[str, ...]:
    """The twelve keys of a search loop: time, speed of light, occupancy, issue, one stall, bytes."""
    return metric_map().quick


def full() -> tuple[str, ...]:
    """Every key that diagnosis reads."""
    return keys()


def asked(of: tuple[str, ...], family: str | None) -> tuple[str, ...]:
    """The metrics to name to `ncu --metrics` for these keys on this family; what the tool computes by itself
    comes with `sections()` and is not named."""
    mapped = metric_map()
    counted = (key for key in of if key not in mapped.keys or mapped.keys[key].by == "chip")
    return tuple(dict.fromkeys(name for key in counted for name in metric_names(key, family)[:1]))


def sections() -> tuple[str, ...]:
    """The sections that bring what the tool computes by itself, with the rules that speak of it."""
    return metric_map().sections


@lru_cache(maxsize=1)
def wanted() -> Mapping[str, str]:
    """Every metric that some key is read or computed from, with the unit in which it is kept. Differences are
    of what rules tell: pages that show the metrics show the result too, and give a part the wrong unit."""
    table: dict[str, str] = {}
    for key, entry in metric_map().keys.items():
        if entry.parts is not None:
            table |= dict.fromkeys(entry.parts.sum, vocabulary()[key].unit)
            table |= dict.fromkeys(entry.parts.product, "")
    for key in keys():
        table |= dict.fromkeys(metric_names(key), vocabulary()[key].unit)
    return table


@lru_cache(maxsize=1)
def _displayed() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Display name -> the metrics it may mean, each with the dimension of its unit."""
    table: dict[str, tuple[tuple[str, str], ...]] = {
        shown: ((name, _dimension(wanted()[name])),) for shown, name in metric_map().shown_as.items()
    }
    for key, entry in metric_map().keys.items():
        for shown in entry.shown:
            dimension = _dimension(vocabulary()[key].unit)
            table[shown] = (*table.get(shown, ()), (entry.names[0], dimension))
    return table


def _dimension(spelling: str) -> str:
    known = unit(spelling)
    return known.dimension if known else ""


def named(label: str, unit_spelling: str) -> str | None:
    """The metric that a row of any page is about: `label` is its name or what the details page shows for it,
    and the unit decides between two that are shown alike. None for what no key needs."""
    if label in wanted():
        return label
    known = unit(unit_spelling)
    for name, dimension in _displayed().get(label, ()):
        if known is not None and known.dimension == dimension:
            return name
    return None
