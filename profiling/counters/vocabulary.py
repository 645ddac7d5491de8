"""Reads vocabulary.yaml: the canonical keys that every importer fills and every rule reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict


class Key(BaseModel):
    """What a canonical key means and the unit its readings are in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    unit: str
    meaning: str


@lru_cache(maxsize=1)
def vocabulary() -> Mapping[str, Key]:
    """The canonical keys in the order of the file."""
    text = (files("kbgen.profiling.counters") / "vocabulary.yaml").read_text(encoding="utf-8")
    return {name: Key.model_validate(entry) for name, entry in yaml.safe_load(text)["keys"].items()}
