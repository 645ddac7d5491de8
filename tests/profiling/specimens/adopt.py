"""Takes from a run of measure.py what the tests keep: the columns that kbgen reads, a few rules.

python tests/profiling/specimens/adopt.py OUT tests/profiling/measured/h200

A run of some specimens takes the place of theirs alone; the others stay as they were.
"""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path

import yaml

from kbgen.profiling.counters.nvidia import wanted

MANIFEST = yaml.safe_load((Path(__file__).parent / "manifest.yaml").read_text())
_ABOUT = 11  # the columns that say which launch it is
_KEPT = ("launch__", "memory_", "derived__memory_", "device__attribute_display_name")
_WITH_DETAILS = (
    "copy_strided", "transpose_conflict", "spills", "barrier", "tail", "tiny_grid", "matmul_bf16", "fp64",
)  # fmt: skip
_LEFT_OUT = "Command line profiler metrics"  # the raw page has them


def main() -> None:
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    _raw(source / "raw.csv", target / "raw.csv")
    _details(source / "details.csv", target / "details.csv")
    before = target / "level_b.json"
    timed = json.loads(before.read_text()) if before.exists() else {}
    timed |= json.loads((source / "level_b.json").read_text())
    kept = {name: timed[name] for name in MANIFEST if name in timed}
    before.write_text(json.dumps(kept, indent=1) + "\n")
    shutil.copyfile(source / "machine.json", target / "machine.json")


def _raw(source: Path, target: Path) -> None:
    """The same page with fewer columns, in the manifest's order."""
    rows = _rows(source)
    kept = [
        place
        for place, name in enumerate(rows[0])
        if place < _ABOUT or name in wanted() or name.startswith(_KEPT)
    ]
    header, units, *fresh = ([row[place] for place in kept] for row in rows)
    old = _rows(target) if target.exists() else [header, units]
    assert old[:2] == [header, units], "the runs are of different tools; profile all specimens again"
    kernel = header.index("Kernel Name")
    found = {row[kernel]: row for row in (*old[2:], *fresh)}
    with target.open("w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
            [header, units, *(found[f"specimen_{name}"] for name in MANIFEST if f"specimen_{name}" in found)]
        )


def _rows(page: Path) -> list[list[str]]:
    """The header, the units and the launches of a raw page."""
    with page.open(newline="") as file:
        return [row for row in csv.reader(file) if len(row) > _ABOUT]


def _details(source: Path, target: Path) -> None:
    """The same page with fewer launches; a run that has none of them leaves what is there."""
    rows = list(csv.reader(source.open(newline="")))
    header = next(row for row in rows if row and row[0] == "ID")
    kernel, section = header.index("Kernel Name"), header.index("Section Name")
    chosen = {f"specimen_{name}" for name in _WITH_DETAILS}
    kept = [
        row
        for row in rows[rows.index(header) + 1 :]
        if len(row) > section and row[kernel] in chosen and row[section] != _LEFT_OUT
    ]
    if not kept and target.exists():
        return
    with target.open("w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header, *kept])


if __name__ == "__main__":
    main()
