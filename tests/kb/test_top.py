"""The largest scores are found exactly, whatever the sample says."""

import numpy as np
import pytest

from kbgen.kb.top import top


@pytest.mark.parametrize("count", [1, 5, 200, 999, 1000, 5000])
@pytest.mark.parametrize("shape", ["spread", "front", "few values", "falling"])
def test_all_scores_as_large_as_the_least_of_them_are_found(shape: str, count: int) -> None:
    chance = np.random.default_rng(7)
    scores = chance.random(5000, dtype=np.float32)
    if shape == "front":  # all large ones together, where the sample hardly looks
        scores[100:115] += 10
    elif shape == "few values":
        scores = np.round(scores * 3).astype(np.float32)
    elif shape == "falling":
        scores = -np.sort(-scores)
    least = np.sort(scores)[-min(count, len(scores))]
    assert top(scores, count).tolist() == np.flatnonzero(scores >= least).tolist()
