"""Ranks passages by words and by meaning within the boundaries of a query, and joins both rankings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .snapshot import Mask, Snapshot

POOL = 200  # candidates each ranking gives, at least
WORDS_WEIGH = 0.8  # weight of the share of a query's words beside the cosine; chosen on the dev split
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
    scores = np.where(mask, snapshot.lexical.scores(text), np.float32(0))
    places = np.flatnonzero(scores)
    least = 0.0
    if pool < len(places):
        least = float(np.partition(scores[places], -pool)[-pool])
        places = np.flatnonzero(scores >= least)
    best = places[np.argsort(-scores[places], kind="stable")][:pool]
    return led(snapshot, {int(place): float(scores[place]) for place in best}, least)


def join(snapshot: Snapshot, words: Ranking, meaning: Ranking) -> dict[int, float]:
    """Place -> score over both rankings, best first, ties by place.

    Both scores are shares (of the words asked for, of the same direction), so they are added; and a page with
    several good passages is likelier to be about it.
    """
    found = dict.fromkeys((*meaning.scores, *words.scores))
    total = {
        place: meaning.scores.get(place, meaning.least) + WORDS_WEIGH * words.scores.get(place, words.least)
        for place in found
    }
    page_of = dict(zip(total, snapshot.page_of[list(total)].tolist() if total else [], strict=True))
    by_page: dict[int, list[float]] = {}
    for place in sorted(total, key=lambda place: (-total[place], place))[:SUPPORTING]:
        by_page.setdefault(page_of[place], []).append(total[place])
    support = {page: SUPPORT * sum(best[1:SUPPORTERS]) for page, best in by_page.items()}
    joined = {place: score + support.get(page_of[place], 0.0) for place, score in total.items()}
    return dict(sorted(joined.items(), key=lambda pair: (-pair[1], pair[0])))
