"""Writes a result as the one JSON document that other programs may parse, with its schema key first."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def dumps(command: str, document: Mapping[str, Any]) -> str:
    """`document` as JSON under the schema `kbgen/<command>/1`; a number that is not finite becomes null."""
    schema = {"schema": f"kbgen/{command}/1"}
    return json.dumps(schema | plain(document) | schema, indent=2, allow_nan=False, ensure_ascii=False)


def write(path: Path, command: str, document: Mapping[str, Any]) -> None:
    """Write the document to `path`; a reader sees the old file or the whole new one."""
    part = path.with_name(path.name + ".part")
    part.write_text(dumps(command, document) + "\n", encoding="utf-8")
    os.replace(part, path)


def plain(value: Any) -> Any:
    """Dataclasses, mappings, sequences, sets and paths as what JSON knows; sets come out sorted."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in a JSON document; give its numbers or its text")
