"""The largest of many scores, found without sorting them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

STEP = 16  # every so manieth score is looked at first
SPARE = 1.5  # how many more than asked for the sample aims at


def top(scores: NDArray[np.float32], count: int) -> NDArray[Any]:
    """The places of the `count` largest scores in ascending order, with all that equal the least of them;
    every place where there are fewer.

    A sample tells about how large they are, so that few are compared exactly.
    """
    if count >= len(scores):
        return np.arange(len(scores))
    wanted = round(SPARE * count / STEP) + 1
    sample = scores[::STEP]
    if wanted < len(sample):
        near = np.flatnonzero(scores >= np.partition(sample, -wanted)[-wanted])
        if len(near) >= count:
            among = scores[near]
            kept: NDArray[Any] = near[among >= np.partition(among, -count)[-count]]
            return kept
    return np.flatnonzero(scores >= np.partition(scores, -count)[-count])
