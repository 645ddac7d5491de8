"""Rankings are joined by rank, ties fall the same way everywhere."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.kb.fuse import RANK_OFFSET, fuse

RANKING = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_scores_are_sums_of_reciprocal_ranks() -> None:
    assert fuse([["a", "b"], ["b"]]) == pytest.approx(
        {"b": 1 / (RANK_OFFSET + 2) + 1 / (RANK_OFFSET + 1), "a": 1 / (RANK_OFFSET + 1)}
    )


@given(st.lists(RANKING, max_size=4))
def test_nothing_is_lost_or_invented_and_the_best_stands_first(rankings: list[list[str]]) -> None:
    fused = fuse(rankings)
    assert set(fused) == {item for ranking in rankings for item in ranking}
    assert list(fused.values()) == sorted(fused.values(), reverse=True)


@given(RANKING, RANKING)
def test_the_order_of_the_rankings_does_not_matter(one: list[str], other: list[str]) -> None:
    assert list(fuse([one, other])) == list(fuse([other, one]))


@given(RANKING)
def test_agreement_keeps_the_order(ranking: list[str]) -> None:
    assert list(fuse([ranking, ranking])) == ranking


def test_ties_go_by_id() -> None:
    assert all(list(fuse([[name] for name in names])) == ["a", "b", "c"] for names in permutations("abc"))
