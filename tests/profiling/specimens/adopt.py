"""Takes from a run of measure.py what the tests keep: the columns that kbgen reads, a few rules.

python tests/profiling/specimens/adopt.py OUT tests/profiling/measured/h200
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
    timed = json.loads((source / "level_b.json").read_text())
    kept = {name: timed[name] for name in MANIFEST if name in timed}
    (target / "level_b.json").write_text(json.dumps(kept, indent=1) + "\n")
    shutil.copyfile(source / "machine.json", target / "machine.json")


def _raw(source: Path, target: Path) -> None:
    """The same page with fewer columns."""
    rows = list(csv.reader(source.open(newline="")))
    known = {f"specimen_{name}" for name in MANIFEST}
    kept = [
        place
        for place, name in enumerate(rows[0])
        if place < _ABOUT or name in wanted() or name.startswith(_KEPT)
    ]
    with target.open("w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
            [row[place] for place in kept]
            for row in rows
            if row and (row in rows[:2] or row[rows[0].index("Kernel Name")] in known)
        )


def _details(source: Path, target: Path) -> None:
    """The same page with fewer launches."""
    rows = list(csv.reader(source.open(newline="")))
    header = next(row for row in rows if row and row[0] == "ID")
    kernel, section = header.index("Kernel Name"), header.index("Section Name")
    chosen = {f"specimen_{name}" for name in _WITH_DETAILS}
    with target.open("w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(header)
        for row in rows[rows.index(header) + 1 :]:
            if len(row) > section and row[kernel] in chosen and row[section] != _LEFT_OUT:
                writer.writerow(row)


if __name__ == "__main__":
    main()
