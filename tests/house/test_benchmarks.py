"""The page of results is what the results beside it say, and names no machine's own paths."""

from __future__ import annotations

import json
import runpy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kbgen.generator.suite.row import Row
from kbgen.generator.suite.total import by_level, total

ROOT = Path(__file__).parents[2]
PAGE: dict[str, Any] = runpy.run_path(str(ROOT / "benchmarks" / "page.py"))

WON = Row(
    "1_a", "h200", "win", 12.0, "", "level1", verified=True, kernels=1, measured_us=1234.5,
    speedups={"eager": 3.0, "compile": 1.5}, speedup=1.5, timing_seconds=9.0, card="GPU-of-somebody",
    missing={"compile-max-autotune": "not ready after 60 s"},
)  # fmt: skip
LOST = replace(
    Row("2_b", "h200", "error", 0.5, "/home/me/level1/2_b.py has no class Model", "level1"), cause="error"
)


def document() -> dict[str, Any]:
    rows = [WON, LOST]
    return {
        "folders": ["/home/me/level1"], "rows": [asdict(row) for row in rows], "total": total(rows),
        "levels": by_level(rows), "families": {}, "ceilings": {}, "seconds": 1.0,
        "environment": {
            "devices": {"auto": {"live": True, "live_name": "Card", "driver": "1.2", "used": "h200"}},
            "versions": {"torch": "2.11"}, "cores": 16, "jobs": 4,
        },
    }  # fmt: skip


def test_the_page_is_written_from_the_results_beside_it() -> None:
    written = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert written == PAGE["page"](), "run `python benchmarks/page.py`"


def test_what_is_kept_names_no_path_and_no_card() -> None:
    text = json.dumps(PAGE["kept"](document()))
    assert "/home" not in text
    assert "GPU-of-somebody" not in text
    assert "2_b.py has no class Model" in text


def test_times_shares_and_gaps_stand_in_the_tables() -> None:
    document_ = PAGE["kept"](document())
    said = "\n".join([PAGE["machine"](document_), *PAGE["tables"](document_)])
    assert "On Card (driver 1.2); 16 cores, 4 op files at once; torch 2.11." in said
    assert "| level1/1_a | win | 1 | 1234.5 | 3.00 | 1.50 | not ready | 12.00 |" in said
    assert "| level1/2_b | error: error | 0 |  |  |  |  | 0.50 |" in said
    assert "1.22 [1.00, 1.50]" in said  # the geometric mean of 1.5x and the original
