"""Reads the profiles of known cause: self-made ones by their manifests, measured ones by their specimens'."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from ..hardware_specs.spec import DeviceSpec, find_spec
from ..profiling.counters.read import read_profile
from ..profiling.counters.record import Launch
from ..profiling.counters.whose_device import device_of
from ..profiling.facts import code_facts, time_facts, work_facts

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PREFIX = "specimen_"
_BITS = {"fp64": 64, "fp32": 32, "fp16": 16, "bf16": 16}


@dataclass(frozen=True)
class Labelled:
    """One launch with its label. `also` are classes that may come first as well, `contributors` those that
    must be found; `expected_b` comes first without counters, None where that is `expected` or nothing;
    `known` are facts from the compiled code and a clock."""

    name: str
    origin: str
    split: str
    launch: Launch
    spec: DeviceSpec
    expected: str
    why: str
    also: tuple[str, ...] = ()
    contributors: tuple[str, ...] = ()
    expected_b: str | None = None
    known: Mapping[str, float] = field(default_factory=dict)


class _Entry(BaseModel):
    """A profile of labelled/manifest.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    device: str
    split: str
    expected: str
    expected_b: str | None
    contributors: tuple[str, ...]
    provenance: str
    why: str
    timed: Mapping[str, Any]


class _Independent(BaseModel):
    """A profile of independent/labels.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    device: str
    split: str
    expected: str
    also: tuple[str, ...] = ()
    why: str


class _Specimen(BaseModel):
    """A kernel of specimens/manifest.yaml."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    expected: str
    also: tuple[str, ...] = ()
    level_b: str | None = None
    why: str = ""


def labelled_profiles(folder: Path) -> Iterator[Labelled]:
    """The self-made profiles of manifest.yaml and the published ones of samples.yaml; a published one that is
    not beside this checkout is left out."""
    own, published = (_entries(folder / name) for name in ("manifest.yaml", "samples.yaml"))
    for entry in (*own, *(entry for entry in published if (folder / entry.file).exists())):
        launch = read_profile(folder / entry.file).launches[0]
        spec = find_spec(entry.device)
        yield Labelled(
            Path(entry.file).stem, "labelled", entry.split, launch, spec, entry.expected, entry.why,
            contributors=entry.contributors, expected_b=entry.expected_b, known=_known(entry.timed, spec),
        )  # fmt: skip


def independent_profiles(folder: Path) -> Iterator[Labelled]:
    """The profiles of labels.yaml, by authors who had not seen the rules; nothing was timed beside them."""
    labels = folder / "labels.yaml"
    found = TypeAdapter(list[_Independent]).validate_python(_parsed(labels)) if labels.exists() else []
    for entry in found:
        spec = find_spec(entry.device)
        launch = read_profile(folder / entry.file, spec).launches[0]
        yield Labelled(
            Path(entry.file).stem,
            "independent",
            entry.split,
            launch,
            spec,
            entry.expected,
            entry.why,
            entry.also,
        )


def measured_profiles(root: Path) -> Iterator[Labelled]:
    """The specimens that were profiled on a card: measured/<card>/raw.csv, level_b.json beside it."""
    manifest = root / "specimens" / "manifest.yaml"
    if not manifest.exists():
        return
    specimens = TypeAdapter(dict[str, _Specimen]).validate_python(_parsed(manifest))
    for pages in sorted((root / "measured").glob("*/raw.csv")):
        beside = pages.with_name("level_b.json")
        timed = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else {}
        for launch in read_profile(pages).launches:
            name = launch.kernel.split("(")[0].removeprefix(_PREFIX)
            if name in specimens:
                spec = device_of(launch)[0]
                label = specimens[name]
                yield Labelled(
                    name, pages.parent.name, "measured", launch, spec, label.expected, label.why, label.also,
                    expected_b=label.level_b, known=_known(timed.get(name), spec),
                )  # fmt: skip


def _entries(file: Path) -> list[_Entry]:
    return TypeAdapter(list[_Entry]).validate_python(_parsed(file)) if file.exists() else []


def _parsed(file: Path) -> Any:
    """The YAML of a file."""
    return yaml.load(file.read_bytes(), Loader=_LOADER)


def _known(timed: Mapping[str, Any] | None, spec: DeviceSpec) -> dict[str, float]:
    """Facts of the compiled code and of a timing session without a profiler."""
    if not timed:
        return {}
    kind = str(timed.get("compute_kind") or "fp32")
    element = next((bits for name, bits in _BITS.items() if kind.endswith(name)), None)
    loads = {int(bits): int(count) for bits, count in (timed.get("load_bits") or {}).items()}
    found = code_facts(timed.get("instructions") or {}, int(timed["spill_bytes"]), loads, element)
    if timed.get("flops") is None or not timed.get("bytes_min") or not timed.get("time_us"):
        return found
    work = work_facts(float(timed["flops"]), float(timed["bytes_min"]), spec, kind)
    return found | work | time_facts(float(timed["time_us"]), work, launches=1)
