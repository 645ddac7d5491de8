"""Several processes on one library, some killed in the middle: nothing that was acknowledged is lost."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder
from kbgen.kb.library import Library

WRITER = Path(__file__).with_name("writer.py")


def start(root: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WRITER), str(root), name, str(count)], stdout=subprocess.PIPE, text=True
    )


def acknowledged(process: subprocess.Popen[str]) -> list[str]:
    """Names the process printed; a last line cut by the kill was not printed whole and does not count."""
    output, _ = process.communicate(timeout=120)
    return [line for line in output.split("\n")[:-1] if line]


def assert_whole(root: Path, names: list[str]) -> None:
    library = Library.open(root, choice=Choice(HashingEmbedder(32), "test"))
    assert [name for name in names if not (root / name).is_file()] == []
    assert len(library.records()) >= sum(name.startswith("records/") for name in names)
    unharmed = {name: fault for name, fault in library.verify().items() if fault != "not in the manifest"}
    assert unharmed == {}
    for name in names:
        if name.startswith("documents/"):
            page_id = Path(name).stem
            hit = library.search(page_id.replace("-", "topic"), k=1).hits[0]
            assert hit.doc_id == page_id
            assert "words" in hit.why
            assert "meaning" in hit.why


def test_writers_at_once_lose_nothing_and_each_finds_its_own_at_once(tmp_path: Path, no_corpus: None) -> None:
    root = tmp_path / "library"
    writers = [start(root, name, 12) for name in ("ant", "bee")]
    names = [name for writer in writers for name in acknowledged(writer)]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert len(names) == 48
    assert_whole(root, names)


def test_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path, no_corpus: None) -> None:
    """KBGEN_KILLS sets how often a writer is killed; a release is tried with 200."""
    root = tmp_path / "library"
    rng = random.Random(7)
    names: list[str] = []
    kills = int(os.environ.get("KBGEN_KILLS", "5"))
    for turn in range(kills):
        writer = start(root, f"fly{turn}x", 10_000)
        assert writer.stdout is not None
        names.append(writer.stdout.readline().strip())
        time.sleep(rng.uniform(0.0, 1.5))
        writer.kill()
        names += acknowledged(writer)
        assert writer.returncode == -9
    assert len(names) >= kills
    assert_whole(root, names)


@pytest.mark.parametrize("turn", range(2))
def test_a_killed_writer_does_not_block_the_next(tmp_path: Path, no_corpus: None, turn: int) -> None:
    root = tmp_path / "library"
    victim, heir = start(root, "gnat", 10_000), start(root, "wasp", 6)
    assert victim.stdout is not None
    names = [victim.stdout.readline().strip()]
    time.sleep(0.3 * turn)
    victim.kill()
    names += acknowledged(victim) + acknowledged(heir)
    assert heir.returncode == 0
    assert_whole(root, names)
