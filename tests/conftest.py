"""What every test stands on: runs that repeat, and a library that is indexed once for all of them."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
import torch
from filelock import FileLock
from hypothesis import settings

settings.register_profile("repeats", deadline=None, derandomize=True)  # no example by chance, no clock
settings.load_profile("repeats")


@pytest.fixture(autouse=True)
def _draws_that_repeat(request: pytest.FixtureRequest) -> Iterator[None]:
    """The seeds that the product takes from the system, and torch's draws, follow from the test's own name.

    So a test that judges or times with fresh seeds has the same ones in every run, whichever tests ran before
    it in the same process. Tokens stay secret.
    """
    dice = random.Random(request.node.nodeid)
    torch.manual_seed(dice.getrandbits(63))
    with patch("secrets.randbelow", dice.randrange), patch("secrets.randbits", dice.getrandbits):
        yield


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the compilers said is kept for this run, by all of its workers, and never in the user's cache."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("KBGEN_CACHE", str(shared / "cache"))
        yield


@pytest.fixture(scope="session")
def indexed_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the shipped pages alone, indexed by the hashing embedder; to be copied, never used.

    All workers of a run share it.
    """
    from kbgen.kb.choice import Choice
    from kbgen.kb.embed import HashingEmbedder
    from kbgen.kb.library import Library

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made = shared / "indexed"
    with FileLock(shared / "indexed.lock"):
        if not made.exists():
            part = shared / "indexed.part"
            with Library.open(part, choice=Choice(HashingEmbedder(), "test")) as library:
                library.index(lambda done, of: None)
            part.rename(made)
    return made


@pytest.fixture
def brief_judgements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of calls left to choice, and of full size, only what a second holds, for tests of something else than
    what the judge finds."""
    monkeypatch.setattr("kbgen.generator.verify.judgement.PATIENCE_S", 1.0)
    monkeypatch.setattr("kbgen.generator.verify.stages.full_values._LONGEST_S", 1.0)


@pytest.fixture
def quick_judgements(brief_judgements: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """And at the first few shapes alone, for tests of what becomes of a verdict."""
    for longer in ("stretched", "thousands", "one_past"):
        monkeypatch.setattr(f"kbgen.generator.verify.stages.settings.{longer}", lambda *given: [])


@pytest.fixture
def fresh_library(indexed_library: Path, tmp_path: Path) -> Path:
    """A copy of it for one test: what a library is once it has been searched for the first time."""
    return Path(shutil.copytree(indexed_library, tmp_path / "library"))
