"""A reranker reads the first hits again where the user names one, and only there."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from kbgen.kb.library import Library
from kbgen.kb.page import Page
from kbgen.kb.rerank import named, reranked


class LongestFirst:
    name = "longest-first"

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        assert question == "lanes diverge"
        return [float(len(text)) for text in texts]


def test_hits_are_ordered_anew_and_say_so(library: Library, make_page: Callable[..., Page]) -> None:
    library.add(make_page("short", "## Lanes\n\nlanes diverge"))
    library.add(
        make_page("long", "## Lanes\n\nlanes may well take other ways and then diverge from each other")
    )
    plain = library.search("lanes diverge", k=2).hits
    assert [hit.doc_id for hit in plain] == ["short", "long"]
    library.reranker = LongestFirst()
    (first,) = library.search("lanes diverge", k=1).hits
    assert first.doc_id == "long"
    assert first.why.endswith("longest-first put it from 2 to 1")
    outdated = [replace(plain[1], superseded_by="newer"), plain[0]]
    assert [hit.doc_id for hit in reranked(outdated, "lanes diverge", LongestFirst())] == ["short", "long"]


def test_none_is_the_default_and_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KBGEN_RERANKER", raising=False)
    assert named(None) is None
    monkeypatch.setenv("KBGEN_RERANKER", "none")
    assert named("some/model") is None
