"""Libraries for the tests of this room: the hashing embedder, no shipped corpus, a folder of their own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from kbgen.kb import shipped
from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder
from kbgen.kb.library import Library
from kbgen.kb.page import Page
from kbgen.kb.records import Episode, EpisodeStep

settings.register_profile(
    "kb", deadline=None, max_examples=50
)  # the first example pays for the import of llama-index
settings.load_profile("kb")


@pytest.fixture
def no_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "pages", lambda: ())
    monkeypatch.setattr(shipped, "corpus_hash", lambda: "none")


@pytest.fixture
def open_library(tmp_path: Path, no_corpus: None) -> Callable[[], Library]:
    """Opens the same folder again and again, as later commands would."""
    return lambda: Library.open(tmp_path / "library", choice=Choice(HashingEmbedder(), "test"))


@pytest.fixture
def library(open_library: Callable[[], Library]) -> Library:
    return open_library()


@pytest.fixture
def make_page() -> Callable[..., Page]:
    def make(page_id: str, body: str, **fields: object) -> Page:
        defaults = {"kind": "technique", "title": page_id.replace("-", " "), "origin": "library"}
        return Page(id=page_id, body=body, **{**defaults, **fields})

    return make


@pytest.fixture
def make_episode() -> Callable[..., Episode]:
    def make(*steps: EpisodeStep, **fields: object) -> Episode:
        defaults: dict[str, object] = {
            "op_name": "rmsnorm", "family": "norm", "fingerprint": "f0", "device_id": "nvidia-h100-sxm5",
            "arch": "sm_90", "vendor": "nvidia", "live": True, "driver": "580.65", "torch_version": "2.13.0",
            "triton_version": "3.7.1", "kbgen_version": "0.1.0", "precision": "fp32", "status": "no-win",
            "verified": True, "speedup": None, "source": "", "created": "2026-01-31T12:00:00+00:00",
            "bottlenecks": ("dram_bandwidth",),
        }  # fmt: skip
        return Episode(steps=steps, **{**defaults, **fields})

    return make


@pytest.fixture
def make_step() -> Callable[..., EpisodeStep]:
    def make(technique: str = "row-program-fusion", outcome: str = "helped", **fields: object) -> EpisodeStep:
        defaults: dict[str, object] = {
            "transform": technique, "parent": None, "evidence": "measured", "effect": None, "reason": "",
        }  # fmt: skip
        return EpisodeStep(technique=technique, outcome=outcome, **{**defaults, **fields})

    return make
