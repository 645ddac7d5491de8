"""A candidate that turns hostile: refused by its text, and contained where its text tells nothing."""

import time
from dataclasses import replace
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


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A child has been started before: the limits below are for what a candidate does, and not for how long
    this machine takes to import torch."""
    folder = tmp_path_factory.mktemp("warm")
    with pytest.MonkeyPatch.context() as patched:
        assert _judged("exit_at_once", folder, patched, replace(LIMITS, cpu_s=60)).cause == "exited"


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("name", CONTAINED)
def test_it_is_contained_when_it_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.monotonic()
    verdict = _judged(name, tmp_path, monkeypatch, LIMITS)
    assert verdict.cause == CONTAINED[name], verdict.detail
    assert time.monotonic() - started < LIMITS.wall_s + 5


def _judged(name: str, folder: Path, patched: pytest.MonkeyPatch, limits: Limits) -> Failed:
    """The verdict on what only runs because its text was not looked at."""
    lenient = scan.scan(HONEST)
    patched.setattr(judge, "scan", lambda *_: lenient)
    candidate = turned_hostile(name, folder)
    verdict = judge.verify(candidate, load_op(OP), None, scratch=folder / "scratch", limits=limits)
    assert isinstance(verdict, Failed)
    return verdict
