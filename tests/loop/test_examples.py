"""Every example walks the whole road at small shapes, devices taking turns; `make bench` has all pairs."""

import ast
import shutil
from pathlib import Path

import pytest

from kbgen.generator.loop import OptimizeRequest, optimize
from kbgen.kb.library import Library
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("quick_judgements")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
GPUS = ("h100", "rtx4090", "mi300x")
SMALL_BYTES = 1 << 17
TURNS = [(path, GPUS[turn % len(GPUS)]) for turn, path in enumerate(EXAMPLES)]


@pytest.fixture(scope="module")
def library(indexed_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(indexed_library, tmp_path_factory.mktemp("examples") / "library"))


@pytest.mark.parametrize(("path", "gpu"), TURNS, ids=[f"{path.stem}-{gpu}" for path, gpu in TURNS])
def test_an_example_ends_verified_compiled_and_recorded(
    path: Path, gpu: str, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_EMBEDDER", "hashing")
    small = load_op(path).shape_sets(SMALL_BYTES)[0].overrides
    result = optimize(
        OptimizeRequest(path, gpu=gpu, overrides=small, max_candidates=2, library=library, out=tmp_path)
    )
    assert (result.status, result.verified) == ("unmeasured", True), result.reason
    assert result.speedup is None
    assert not result.left_to_torch
    assert all(k["static"]["spill_bytes"] == 0 for k in result.kernels)
    assert (
        result.kernels[0]["static"]["arch"] == {"h100": "sm_90", "rtx4090": "sm_89", "mi300x": "gfx942"}[gpu]
    )
    source = Path(result.candidate_path or "").read_text()
    assert "ModelNew" in {n.name for n in ast.parse(source).body if isinstance(n, ast.ClassDef)}
    with Library.open(library) as opened:
        episode = opened.records()[result.recorded or ""]
    assert (episode.status, episode.verified, episode.speedup) == ("unmeasured", True, None)
    assert episode.source == source
