"""What a suite gives: its rows, what they amount to, and what they were made on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .row import Row
from .total import by_family, by_level, total


@dataclass(frozen=True)
class SuiteResult:
    """The rows in the order of the files; `ceilings` is what the card was measured to reach, by key, and
    `environment` the devices and the versions of this run: of the last one, where several made the rows."""

    folders: tuple[str, ...]
    settings: Mapping[str, Any]
    rows: tuple[Row, ...]
    seconds: float
    ceilings: Mapping[str, float]
    environment: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {
            "folders": list(self.folders),
            **self.settings,
            "rows": [asdict(row) for row in self.rows],
            "total": total(self.rows),
            "levels": by_level(self.rows),
            "families": by_family(self.rows, self.ceilings),
            "ceilings": dict(self.ceilings),
            "environment": dict(self.environment),
            "seconds": self.seconds,
        }
