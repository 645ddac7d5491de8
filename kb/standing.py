"""The standing of a passage: what a search must know of it to keep its boundaries, without its text."""

import json
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Standing:
    """What filters need to know about a passage; many passages share one."""

    kind: str
    vendor: str
    archs: tuple[str, ...]
    requires: tuple[str, ...] = ()
    toolchain: tuple[str, ...] = ()
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A passage without its text; `leads_to` as there."""

    id: str
    page_id: str
    standing: Standing
    leads_to: str = ""


@lru_cache(maxsize=4096)
def standing(kind: str, vendor: str, archs: str, limits: str) -> Standing:
    """A standing from the catalog's columns; `archs` and `limits` are JSON."""
    requires, toolchain, superseded = json.loads(limits)
    return Standing(
        kind, vendor, tuple(json.loads(archs)), tuple(requires), tuple(toolchain), bool(superseded)
    )
