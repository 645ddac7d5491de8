"""Writes benchmarks/README.md from the results beside it; takes up the result of a suite when given one.

python benchmarks/page.py                                # the page anew
python benchmarks/page.py OUT/suite.json kernelbench-h200   # a result first
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kbgen.generator.suite.total import BASELINES

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
INTRODUCTION = """\
# Benchmarks

Results of `kbgen eval suite`, as the program gave them; this page is written from them by `python
benchmarks/page.py`. Every number is of runs on the machine that is named; times are measured, and what was
not reached or not measured stays empty. The op files are KernelBench's (ScalingIntelligence/KernelBench,
MIT license), fetched by whoever runs it and no part of this project:

```sh
git clone https://github.com/ScalingIntelligence/KernelBench
kbgen eval suite KernelBench/KernelBench/level1 KernelBench/KernelBench/level2 --gpu auto \\
    --processes 1 --also a100 --also h100 --also b200 --also mi300x --out results
```

Each op file is optimized in a process of its own, without the card: the search goes by the estimate, and
the judge decides what is right. What it passed is then timed beside eager, compile and compile max-autotune
(CUDA graphs off): all four in turn, with a cold L2, and new contents and addresses for every call; results
are checked against float64 while they are timed. On each card one task at a time tunes or measures, in turn
round by round; others make their inputs and compile there meanwhile. A compiled baseline that is not ready
after two and a half minutes is named as such. A run that was cut goes on with the same `--out`.
`benchmarks/run.sh OUT LEVEL...` does the same from a checkout, also on a machine without a network, and
packs what comes of it.

`tensors moved` is the bytes of all tensors that kernels read and write over the least possible, eager's
beside it; `own flops` and `own bytes` are the shares of eager's that run in generated kernels rather than
in torch. `fast_p` is the share of ALL tasks, failures included, that are right and more than p times as
fast. `handed over` counts 1x for a task without a win, since the original stays in place there; `same work`
counts 1x as well for a kernel that needs fewer operations than the op as written. torch lets cuDNN take
TF32 for float32 convolutions unless told otherwise, and so do the baselines; `in class` leaves out those
whose own results a kernel would be refused for, or that are off by more than 16 times what eager without
TF32 is, and has eager and compile without TF32 beside them. Intervals are 95 % percentile bootstraps over
the tasks. `contradicted` counts kernels that the judge had passed and that a timed call, or a second
verification, showed to be wrong.
"""
PLAIN = (
    ("tasks", "rows"), ("reached", "reached"), ("verified", "verified"), ("refused, by cause", "refused"),
    ("contradicted", "contradicted"),
    ("tensors moved, median", "median_tensor_traffic"), ("by eager", "median_tensor_traffic_of_eager"),
    ("own flops", "own_flops"), ("own bytes", "own_bytes"),
)  # fmt: skip
CLOCKED = (
    ("timed", "timed"), ("fast_1 over eager", "fast_1_over_eager"), ("over compile", "fast_1_over_compile"),
    ("over max-autotune", "fast_1_over_compile-max-autotune"), ("over the fastest", "fast_1_over_fastest"),
    ("fast_1.5 over the fastest", "fast_1.5_over_fastest"), ("geomean over eager", "geomean_over_eager"),
    ("over compile", "geomean_over_compile"), ("over max-autotune", "geomean_over_compile-max-autotune"),
    ("over the fastest", "geomean_over_fastest"),
    ("fast_1 over the fastest in class", "fast_1_over_fastest_in_class"),
    ("fast_1.5", "fast_1.5_over_fastest_in_class"), ("geomean", "geomean_over_fastest_in_class"),
    ("handed over, over the fastest", "geomean_handed_over"),
    ("same work", "geomean_without_algorithmic"),
)  # fmt: skip


def kept(document: Mapping[str, Any], note: str = "") -> dict[str, Any]:
    """The result without what is empty or names the machine's own paths and cards; `note` goes with it."""
    rows = [
        {name: value for name, value in row.items() if value not in (None, "", [], {}) and name != "card"}
        for row in document["rows"]
    ]
    folders = [Path(folder).name for folder in document["folders"]]
    text = json.dumps({**document, "rows": rows, "folders": folders, "note": note})
    plain: dict[str, Any] = json.loads(re.sub(r"(?<![\w.])/(?:[\w.+-]+/)+", "", text))
    return plain


def page() -> str:
    """The whole page."""
    results = [
        (path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(HERE.glob("*.json"))
    ]
    parts = [INTRODUCTION]
    for name, document in results:
        parts += [f"## {name}", machine(document), *tables(document)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def machine(document: Mapping[str, Any]) -> str:
    """What it ran on, in a sentence."""
    found = document["environment"]
    cards = ", ".join(
        f"{device['live_name']} (driver {device['driver']})"
        if device["live"]
        else f"{device['used']}, not present"
        for device in found["devices"].values()
    )
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items() if number)
    note = f" {document['note']}" if document.get("note") else ""
    return f"On {cards}; {found['cores']} cores, {found['jobs']} op files at once; {versions}.{note}"


def tables(document: Mapping[str, Any]) -> Iterator[str]:
    """Levels, families, tasks."""
    levels: Mapping[str, Any] = {**document["levels"], "all": document["total"]}
    yield table(["", *(head for head, _ in PLAIN)], [
        [name, *(cell(found.get(key)) for _, key in PLAIN)] for name, found in levels.items()
    ])  # fmt: skip
    targets = document["total"].get("targets", {})
    if targets:
        each = ", ".join(f"{name} {found['ok']} of {found['compiled']}" for name, found in targets.items())
        yield f"Compiled for other devices with their own schedules, no spills, within limits: {each}."
    if "timed" in document["total"]:
        yield table(["", *(head for head, _ in CLOCKED)], [
            [name, *(with_interval(found, key) for _, key in CLOCKED)]
            for name, found in levels.items() if "timed" in found
        ])  # fmt: skip
    if families := document.get("families"):
        yield (
            "By family, medians: least bytes over time against a copy measured on the card, flops over time "
            "against the matrix product measured in the type of the op (fp32 without tensor cores)."
        )
        yield table(["family", "tasks", "of a copy", "of a matrix product"], [
            [name, cell(found["rows"]), cell(found["of_copy"]), cell(found["of_matmul"])]
            for name, found in families.items()
        ])  # fmt: skip
    heads = ["task", "result", "kernels", "us", *(f"over {name}" for name in BASELINES), "seconds to find"]
    yield table(heads, [task(row) for row in document["rows"]])


def task(row: Mapping[str, Any]) -> list[str]:
    """One op file."""
    word = row["status"] if row.get("verified") else f"{row['status']}: {row.get('cause', '')}".rstrip(": ")
    speedups, missing = row.get("speedups", {}), row.get("missing", {})
    over = ["not ready" if name in missing else cell(speedups.get(name)) for name in BASELINES]
    where = f"{row.get('level', '')}/{row['op']}"
    return [
        where,
        word,
        cell(row.get("kernels")),
        cell(row.get("measured_us")),
        *over,
        cell(row.get("seconds")),
    ]


def with_interval(found: Mapping[str, Any], key: str) -> str:
    """A figure, with its interval where it has one."""
    interval = found.get(f"{key}_interval")
    between = f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else ""
    return cell(found.get(key)) + between


def cell(value: Any) -> str:
    """One value as people read it; empty for what is not known."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {count}" for name, count in value.items()) or "none"
    if isinstance(value, float):
        return f"{value:.1f}" if value >= 100 else f"{value:.2f}"
    return "" if value is None else str(value)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(part.replace("|", "\\|") for part in line) + " |" for line in lines)


if __name__ == "__main__":
    if len(sys.argv) not in (1, 3, 4):
        sys.exit("usage: python benchmarks/page.py [SUITE.json NAME [NOTE]]")
    if len(sys.argv) > 1:
        found = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
        taken = kept(found, *sys.argv[3:])
        (HERE / f"{sys.argv[2]}.json").write_text(json.dumps(taken, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
