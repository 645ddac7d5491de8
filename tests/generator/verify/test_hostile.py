"""A candidate that turns hostile: refused by its text, and contained where its text tells nothing."""

import time
from pathlib import Path

import pytest

from kbgen.generator.verify import judge
from kbgen.generator.verify.text import scan
from kbgen.generator.verify.verdict import Failed
from kbgen.profiling.op import load_op
from kbgen.profiling.sandbox import Limits

TESTS = Path(__file__).parents[2]
OP = Path(__file__).parent / "ops" / "softmax.py"
HONEST = (TESTS / "honest" / "softmax_row.py").read_text()
HOSTILE = sorted((TESTS / "hostile").glob("*.py"))
CONTAINED = {
    "allocate_40_gb": "not-loadable",
    "exit_at_once": "exited",
    "forge_on_descriptors": "tampering",
    "fork_bomb": "crashed",
}
SILENT = {"allocate_40_gb", "spin"}  # an allocation and a loop, as in any program
LIMITS = Limits(wall_s=30.0, cpu_s=3, memory_bytes=8 << 30, file_bytes=64 << 20, processes=8)


def turned_hostile(name: str, folder: Path) -> Path:
    """An honest kernel file that does the act while it is loaded."""
    path = folder / f"{name}.py"
    path.write_text(f"{HONEST}\n{(TESTS / 'hostile' / path.name).read_text()}\nact({{}})\n")
    return path


@pytest.mark.parametrize("file", HOSTILE, ids=lambda path: path.stem)
def test_its_text_is_refused(file: Path, tmp_path: Path) -> None:
    found = scan.scan(turned_hostile(file.stem, tmp_path).read_text())
    assert (found.fault is None) == (file.stem in SILENT)


@pytest.mark.parametrize("name", CONTAINED)
def test_it_is_contained_when_it_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lenient = scan.scan(HONEST)
    monkeypatch.setattr(judge, "scan", lambda *_: lenient)
    started = time.monotonic()
    verdict = judge.verify(
        turned_hostile(name, tmp_path), load_op(OP), None, scratch=tmp_path / "scratch", limits=LIMITS
    )
    assert isinstance(verdict, Failed)
    assert verdict.cause == CONTAINED[name], verdict.detail
    assert time.monotonic() - started < LIMITS.wall_s + 5
