"""Reciprocal rank fusion: joins rankings whose scores cannot be compared."""

from collections.abc import Sequence

RANK_OFFSET = 60  # the constant of Cormack, Clarke and Buettcher, SIGIR 2009; damps the lead of a first place


def fuse(rankings: Sequence[Sequence[str]], weights: Sequence[float] = ()) -> dict[str, float]:
    """Id -> sum over `rankings` of weight / (60 + rank), best first; ranks start at 1, ties go by id."""
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + weight / (RANK_OFFSET + rank)
    return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))
