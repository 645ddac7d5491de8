"""Ranks passages by words and by meaning within the boundaries of a query, and joins both rankings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .snapshot import Mask, Snapshot
from .top import top

POOL = 200  # candidates each ranking gives, at least
WORDS_WEIGH = 1.0  # weight of the share of a query's words beside the cosine; chosen on the dev split
SUPPORT, SUPPORTERS = 0.1, 4  # what a page's second to fourth passage add to each of its passages,
SUPPORTING = 60  # as far as they are among so many of the best


@dataclass(frozen=True)
class Ranking:
    """Place of a passage -> score, best first; `least` is the most that a passage not given can have.

    `through` is the place of the question that a passage was found by, where it was.
    """

    scores: Mapping[int, float] = field(default_factory=dict)
    through: Mapping[int, int] = field(default_factory=dict)
    least: float = 0.0

    def rank(self, place: int) -> str:
        return f"rank {list(self.scores).index(place) + 1} of {len(self.scores)}"


def led(snapshot: Snapshot, ranked: Mapping[int, float], least: float) -> Ranking:
    """`ranked` with the passages that questions lead to in place of the questions, each where it is best."""
    scores: dict[int, float] = {}
    through: dict[int, int] = {}
    answers = snapshot.leads_to[list(ranked)].tolist() if ranked else []
    for (place, score), answer in zip(ranked.items(), answers, strict=True):
        if answer not in scores:
            scores[answer] = score
            if answer != place:
                through[answer] = place
    return Ranking(scores, through, least)


def by_words(snapshot: Snapshot, text: str, mask: Mask, k: int) -> Ranking:
    """BM25 ranking of the passages that `mask` admits; ties go by place."""
    if snapshot.lexical is None:
        return Ranking()
    pool = max(POOL, 4 * k)
    scores = snapshot.lexical.scores(text)
    scores[~mask] = 0
    places = top(scores, pool)
    places = places[scores[places] > 0]
    least = float(scores[places].min()) if pool < np.count_nonzero(scores) else 0.0
    best = places[np.argsort(-scores[places], kind="stable")][:pool]
    return led(snapshot, dict(zip(best.tolist(), scores[best].tolist(), strict=True)), least)


def join(snapshot: Snapshot, words: Ranking, meaning: Ranking) -> dict[int, float]:
    """Place -> score over both rankings, best first, ties by place.

    Both scores are shares (of the words asked for, of the same direction), so they are added; and a page with
    several good passages is likelier to be about it.
    """
    places = np.unique(np.array([*meaning.scores, *words.scores], dtype=np.int64))
    total = _spread(meaning, places) + WORDS_WEIGH * _spread(words, places)
    page_of = snapshot.page_of[places]
    by_page: dict[int, list[float]] = {}
    for at in np.argsort(-total, kind="stable")[:SUPPORTING].tolist():
        by_page.setdefault(int(page_of[at]), []).append(float(total[at]))
    for page, best in by_page.items():
        total[page_of == page] += SUPPORT * sum(best[1:SUPPORTERS])
    order = np.argsort(-total, kind="stable")
    return dict(zip(places[order].tolist(), total[order].tolist(), strict=True))


def _spread(ranking: Ranking, places: NDArray[np.int64]) -> NDArray[np.float64]:
    """A ranking's scores at `places`, which are ascending and hold all of its own."""
    scores = np.full(len(places), ranking.least)
    own = np.searchsorted(places, np.array([*ranking.scores], dtype=np.int64))
    scores[own] = [*ranking.scores.values()]
    return scores
