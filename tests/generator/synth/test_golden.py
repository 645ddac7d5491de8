"""The generated files of every example, of a product and of windows for three devices: review sees a change.

KBGEN_UPDATE_GOLDEN=1 writes them anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kbgen.generator.writers.writer import Candidate

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden" / "synth"
REVIEWED = Path(__file__).parent / "reviewed"
NAMES = sorted(path.stem for folder in (ROOT / "examples", REVIEWED) for path in folder.glob("*.py"))
DEVICES = ("h100", "rtx4090", "mi300x")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_written_as_reviewed(
    name: str, device: str, candidate: Callable[[str, str], Candidate]
) -> None:
    expected = GOLDEN / f"{name}.{device}.expected"
    source = candidate(name, device).source
    if os.environ.get("KBGEN_UPDATE_GOLDEN"):
        expected.parent.mkdir(parents=True, exist_ok=True)
        expected.write_text(source, encoding="utf-8")
    assert source == expected.read_text(encoding="utf-8")


def test_no_expected_file_is_left_over() -> None:
    assert {p.name for p in GOLDEN.iterdir()} == {f"{n}.{d}.expected" for n in NAMES for d in DEVICES}
