"""Writes the labelled profiles and their manifest from the scenario files.

    python tests/profiling/labelled/make.py

The files that it leaves are committed: a test checks that they are what the scenarios say.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from kbgen.hardware_specs.device import DeviceSpec
from kbgen.hardware_specs.spec import find_spec

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE))

import amd_card  # noqa: E402
import formats  # noqa: E402
import nvidia_card  # noqa: E402

TOOLS = {
    "raw": "ncu --page raw --csv",
    "details": "ncu --page details --csv",
    "text": "ncu text report",
    "rocprofv3": "rocprofv3 --output-format csv",
    "rocprof-compute": "rocprof-compute profile folder",
}


def scenarios() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every scenario with its name, those of another author last."""
    for file in ("nvidia.yaml", "amd.yaml", "blind.yaml"):
        yield from yaml.safe_load((HERE / file).read_text(encoding="utf-8")).items()


def write_all(folder: Path) -> list[dict[str, Any]]:
    """Writes every profile below `folder` and gives the manifest's entries."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for name, told in scenarios():
        spec = find_spec(told["gpu"])
        card = nvidia_card if spec.vendor == "nvidia" else amd_card
        path = formats.write(
            folder / name, told["form"], told["kernel"], told, card.counted(told, spec), spec
        )
        entries.append(
            {
                "file": f"{folder.name}/{path.name}",
                "device": spec.id,
                "split": told.get("split", "dev"),
                "expected": told["label"],
                "expected_b": told.get("label_b"),
                "contributors": told["contributors"],
                "provenance": f"self-made in the format of {TOOLS[told['form']]}",
                "why": told["why"],
                "timed": without_profiler(told, spec),
            }
        )
    return entries


def without_profiler(told: Mapping[str, Any], spec: DeviceSpec) -> dict[str, Any]:
    """What a clock, the compiler and the task tell of the same kernel: useful bytes, flops, instructions that
    are in its code because the units which do them are busy."""
    useful = (
        told["read_mb"] * told.get("ld_bytes", 32) / 32 + told["write_mb"] * told.get("st_bytes", 32) / 32
    )
    if told.get("broadcast") or told.get("tma"):
        useful = told["read_mb"] + told["write_mb"]
    matrix, mix = told.get("tensor", told.get("mfma", 0)), told.get("mix", {})
    double = told.get("fp64", mix.get("fp64", 0))
    single = told.get("fma", told.get("valu", 0) * mix.get("fp32", 0) / 100)
    kind, share = ("fp64", double) if double > single else ("fp32", single)
    if matrix:
        kind, share = told.get("products", "tensor_bf16"), matrix
    return {
        "time_us": told["us"],
        "spill_bytes": told.get("scratch", 64 if told.get("local") else 0),
        "instructions": {
            "mma": 32 if matrix else 0,
            "fp64": 16 if double else 0,
            "atomic": 1 if told.get("atomics") else 0,
        },
        "flops": round(share / 100 * spec.peak_tflops[kind] * 1e6 * told["us"]),
        "bytes_min": round(useful * 1e6),
        "compute_kind": kind,
    }


def main() -> None:
    """Writes the folder and the manifest beside this file."""
    entries = write_all(HERE / "profiles")
    head = (
        "# Written by make.py from nvidia.yaml, amd.yaml, blind.yaml. expected: the class that comes first;\n"
        "# contributors: classes that must be found beside it; timed: what is known without a profiler.\n"
    )
    text = yaml.safe_dump(entries, sort_keys=False, width=200, allow_unicode=True)
    (HERE / "manifest.yaml").write_text(head + text, encoding="utf-8")


if __name__ == "__main__":
    main()
