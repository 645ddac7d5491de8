"""Advice on many kernels embeds their questions together, and searches for equal ones once."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from kbgen.kb import shipped
from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder, Vectors
from kbgen.kb.library import Library
from kbgen.kb.page import Page
from kbgen.retrieval.pace import measure


class Counting(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.alone: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(len(texts))
        return super().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        self.alone.append(text)
        row: Vectors = super().embed([text])[0]
        return row


def test_questions_of_a_report_are_embedded_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "pages", lambda: ())
    monkeypatch.setattr(shipped, "corpus_hash", lambda: "none")
    embedder = Counting()
    with Library.open(tmp_path / "library", choice=Choice(embedder, "test")) as library:
        for name in ("dram_bandwidth", "barrier", "memory_latency"):
            page_id = name.replace("_", "-")
            library.add(
                Page(
                    id=page_id, kind="technique", title=name, body="How.", origin="library", addresses=(name,)
                )
            )
        found = measure(library, 40)
    assert found.kernels == 40
    assert found.searches < found.questions <= 40
    assert embedder.batches[-1] == found.searches
    assert embedder.alone == ["warm up"]
    assert found.advise_s > 0
