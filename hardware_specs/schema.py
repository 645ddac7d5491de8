"""The shape of the YAML files, read strictly: what all device sheets share, features, sources and conflicts.

A sheet keeps its vendor's own words (SM or CU, shared memory or LDS), one section per list of sources, the
unit in every key: KiB and MiB are powers of two, GB powers of ten. `sheet_nvidia.py` and `sheet_amd.py` hold
the vendor's sections and turn a sheet into the vendor-neutral `DeviceSpec`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]
Confidence = Literal["high", "medium", "low"]


class Strict(BaseModel):
    """No unknown key, no coercion, no change after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Section(Strict):
    """Numbers that share their sources; `sources` are keys of sources.yaml."""

    sources: list[str] = Field(min_length=1)
    note: str | None = None
    confidence: Confidence | None = None


class Features(Section):
    """`own` are features that this device has and others of its target may lack."""

    own: list[str]
    mma_shapes: list[str]


class Feature(Strict):
    """One entry of features.yaml; `targets` are compiler targets without the suffix a."""

    meaning: str
    targets: list[str] = Field(min_length=1)
    sources: list[str] = Field(min_length=1)


class Power(Section):
    tdp: Count


class Measured(Section):
    """Readings from real cards, by others; never a datasheet figure."""

    bf16_gemm_tflops: Positive | None = None
    fp8_gemm_tflops: Positive | None = None
    copy_gb_s: Positive | None = None
    dram_latency_clocks: Count | None = None
    total_memory_bytes: Count | None = None
    total_memory_mib: Count | None = None
    l2_reported_mib: Positive | None = None
    persisting_l2_mb: Positive | None = None
    max_portable_cluster_blocks: Count | None = None


class Sheet(Strict):
    """What the two vendors' sheets share."""

    format: Literal["kbgen-hardware/1"] = Field(alias="schema")
    id: str
    name: str
    architecture: str
    target: str
    device_names: list[str] = Field(min_length=1)
    aliases: list[str]
    power_w: Power
    features: Features
    measured: Measured | None = None
    notes: list[str] = []


class Source(Strict):
    """One entry of sources.yaml; `read` says how its figures were read if not from the page itself."""

    title: str
    url: str | None
    kind: str
    licence: str | None = None
    gives: str | None = None
    read: str | None = None


class Reading(Strict):
    """One published value and who prints it: keys of sources.yaml, or `where` for other places."""

    value: float | int | str
    sources: list[str] = []
    where: str | None = None


class Conflict(Strict):
    """A figure that public sources disagree on, and the choice made."""

    devices: list[str] = Field(min_length=1)
    field: str
    seen: list[Reading] = Field(min_length=1)
    chosen: float | int | str | None
    why: str
