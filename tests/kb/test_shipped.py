"""The shipped corpus is searchable at once, and its vectors belong to its present text."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kbgen.kb import shipped
from kbgen.kb.choice import Choice
from kbgen.kb.chunk import chunk
from kbgen.kb.embed import HashingEmbedder, Vectors
from kbgen.kb.library import Library
from kbgen.kb.minilm import NAME, WIDTH
from kbgen.kb.records import check

CORPUS = Path(__file__).parents[2] / "corpus"


class NothingToEmbed:
    """Stands in for MiniLM where every passage must already have its vector."""

    name, dim = NAME, WIDTH

    def embed(self, texts: list[str]) -> Vectors:
        raise AssertionError(f"embedded {len(texts)} texts that ship with their vectors")

    def embed_query(self, text: str) -> Vectors:
        return next(iter(shipped.ready_vectors(NAME).values()))


def test_the_vectors_are_those_of_the_present_corpus() -> None:
    with np.load(CORPUS / shipped.VECTORS, allow_pickle=False) as data:
        ids = set(data["ids"].tolist())
    stale = {passage.id for passage in shipped.corpus_passages()} ^ ids
    assert not stale, f"{len(stale)} passages differ: run 'make corpus' (python -m kbgen.kb.shipped)"


def test_a_fresh_library_embeds_no_page(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", choice=Choice(NothingToEmbed(), "test"))
    result = library.search("online softmax", kind="technique", k=40)
    assert result.mode == "hybrid"
    assert "online-softmax" in {hit.doc_id for hit in result.hits}
    assert sum(library.status()["vectors"].values()) == len(shipped.corpus_passages())
    assert library.verify() == {}


def test_shipped_vectors_are_unit_and_only_for_their_model() -> None:
    vectors = np.stack(list(shipped.ready_vectors(NAME).values()))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(vectors)), abs=1e-5)
    assert shipped.ready_vectors("hashing-256") == {}


def test_building_them_again_gives_the_same_file_and_embeds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = shipped.pages()[:20]
    monkeypatch.setattr(shipped, "pages", lambda: pages)
    count, file, first = len(shipped.corpus_passages()), tmp_path / "vectors.npz", b""
    for anew, embedded in ((False, count), (False, 0), (True, count)):
        assert shipped.build_vectors(HashingEmbedder(16), file, anew=anew) == (count, embedded)
        first = first or file.read_bytes()
        assert file.read_bytes() == first
    assert shipped.build_vectors(HashingEmbedder(32), file) == (count, count), "another model embeds all"


def test_only_passages_with_another_text_are_embedded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = shipped.pages()[:3]
    file, model = tmp_path / "vectors.npz", HashingEmbedder(16)
    monkeypatch.setattr(shipped, "pages", lambda: (first, second))
    shipped.build_vectors(model, file)
    changed = replace(first, body="## Elsewhere\n\nOther words.")
    monkeypatch.setattr(shipped, "pages", lambda: (changed, second, third))
    asks, kept = len(first.asks), len(chunk(second.id, second.title, second.body, second.asks))
    total, embedded = shipped.build_vectors(model, file)
    assert total - embedded == kept + asks
    with np.load(file) as data:
        texts = [shipped.embedding_text(passage) for passage in shipped.corpus_passages()]
        assert data["vectors"] == pytest.approx(model.embed(texts), abs=1e-3)


def test_a_new_corpus_replaces_the_old_one_at_the_next_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, choice = tmp_path / "library", Choice(HashingEmbedder(16), "test")
    monkeypatch.setattr(shipped, "corpus_hash", lambda: "old")
    pages = shipped.pages()[:3]
    monkeypatch.setattr(shipped, "pages", lambda: pages)
    assert {page.id for page in Library.open(root, choice=choice).pages()} == {page.id for page in pages}
    monkeypatch.setattr(shipped, "corpus_hash", lambda: "new")
    monkeypatch.setattr(shipped, "pages", lambda: pages[1:])
    library = Library.open(root, choice=choice)
    hits = library.search(f"{pages[0].title} {pages[1].title}", k=50).hits
    assert {hit.doc_id for hit in hits} == {page.id for page in pages[1:]}
    assert library.verify() == {}


def test_an_own_page_stands_in_for_a_shipped_one_until_it_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    page = shipped.pages()[0]
    monkeypatch.setattr(shipped, "corpus_hash", lambda: "one")
    monkeypatch.setattr(shipped, "pages", lambda: (page,))
    library = Library.open(tmp_path / "library", choice=Choice(HashingEmbedder(16), "test"))
    library.add(replace(page, origin="library", body="my own words"))
    assert [found.body for found in library.pages()] == ["my own words"]
    library.remove(page.id)
    assert library.pages() == (page,)


def test_every_section_of_every_page_is_within_reach() -> None:
    pages = {page.id: page for page in shipped.pages()}
    reached = {passage.doc_id for passage in shipped.corpus_passages()}
    assert reached == set(pages)


def test_shipped_episodes_are_runs_on_cards_and_name_shipped_techniques() -> None:
    cards = {page.id for page in shipped.pages() if page.kind == "technique"}
    assert shipped.episodes()
    for name, episode in shipped.episodes().items():
        check(episode)
        assert (CORPUS / "episodes" / f"{name}.json").is_file(), "a shipped episode is named by its content"
        assert episode.live
        assert episode.verified
        assert {step.technique for step in episode.steps} <= cards | {"shrink-tile"}
        assert any(step.evidence == "measured" for step in episode.steps)


def test_a_new_library_starts_from_what_was_measured_for_everybody(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", choice=Choice(HashingEmbedder(), "test"))
    assert library.records() == {}
    name, episode = next(iter(shipped.episodes().items()))
    assert library.episode(name) == episode
    assert name in {trial.episode_id for trial in library.graph().trials(episode.steps[0].technique)}
