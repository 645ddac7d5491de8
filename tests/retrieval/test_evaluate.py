"""The measure of retrieval is right on a case small enough to do by hand, and its judged set is whole."""

import math
from pathlib import Path

import pytest

from kbgen.corpus.document import shipped
from kbgen.kb.library import Library
from kbgen.kb.page import Page
from kbgen.retrieval.evaluate import (
    Judged,
    JudgedError,
    evaluate,
    judged_here,
    read_judged,
)

STYLES = {
    "question", "keywords", "metric", "instruction", "error", "stall", "symptom", "profile", "code", "cross",
}  # fmt: skip


def test_the_judged_set_has_ten_styles_and_names_pages_that_exist() -> None:
    judged = read_judged(judged_here())
    assert len(judged) >= 200
    assert {one.style for one in judged} == STYLES
    for style in STYLES:
        assert {one.split for one in judged if one.style == style} == {"dev", "test"}
        assert sum(one.style == style for one in judged) >= 20
    assert {page for one in judged for page in one.pages} <= {page.id for page in shipped()}
    assert len({one.query for one in judged}) == len(judged)


@pytest.mark.parametrize(("name", "least"), [("heldout.tsv", 80), ("heldout2.tsv", 36), ("heldout3.tsv", 34)])
def test_a_held_out_set_has_the_same_styles_and_no_query_of_the_judged_one(name: str, least: int) -> None:
    heldout = read_judged(judged_here(name))
    assert len(heldout) >= least
    assert {one.style for one in heldout} == STYLES
    assert {page for one in heldout for page in one.pages} <= {page.id for page in shipped()}
    assert not {one.query for one in heldout} & {one.query for one in read_judged(judged_here())}


def test_development_queries_are_none_that_search_is_measured_by() -> None:
    developed = read_judged(judged_here("dev.tsv"))
    assert len(developed) >= 60
    assert {one.split for one in developed} == {"dev"}
    assert {page for one in developed for page in one.pages} <= {page.id for page in shipped()}
    measured = {one.query for one in read_judged(judged_here()) if one.split == "test"}
    held_out = ("heldout.tsv", "heldout2.tsv", "heldout3.tsv")
    measured |= {one.query for name in held_out for one in read_judged(judged_here(name))}
    assert not {one.query for one in developed} & measured


def ask(library: Library, text: str, *pages: str, device: str = "") -> Judged:
    return Judged("words", "dev", device, pages, text)


def test_scores_by_hand(library: Library) -> None:
    judged = [
        ask(library, "warpgroup products", "wgmma"),
        ask(library, "swizzle chiplet order", "no-such-page", "swizzle"),
        ask(library, "persistence of L2 lines", "no-such-page"),
    ]
    found = evaluate(library, judged)
    score = found.scores["lexical only"]["all"]
    assert (score.queries, score.hit_1, score.hit_3, score.mrr) == (
        3,
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )
    half = 1 / (1 + 1 / math.log2(3))
    assert score.ndcg == pytest.approx((1 + half) / 3)
    assert [one.pages for one, _ in found.missed] == [("no-such-page",)]
    assert set(found.scores) == {"dense only", "lexical only", "hybrid", "hybrid + filters"}


def test_what_a_device_must_not_be_given_is_counted_and_the_filters_prevent_it(library: Library) -> None:
    body = "## Products\n\nIssue tcgen05.mma for the bandwidth."
    library.add(Page(id="guide", kind="document", title="Guide", body=body, origin="library"))
    found = evaluate(
        library, [ask(library, "dram bandwidth products tcgen05", "vector-width", device="h100")]
    )
    assert found.scores["hybrid"]["all"].wrong_architecture >= 2
    assert found.scores["hybrid + filters"]["all"].wrong_architecture == 0


def test_a_file_that_is_not_judged_queries_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("words\t-\tpage\n")
    with pytest.raises(JudgedError, match=r"a\.tsv:1: expected style"):
        read_judged(tmp_path / "a.tsv")
    with pytest.raises(JudgedError, match="cannot be read"):
        read_judged(tmp_path / "none.tsv")
