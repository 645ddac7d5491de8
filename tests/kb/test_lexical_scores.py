"""A lexical score is the share of what a query's words could score, so that queries of any length compare."""

from pathlib import Path

import numpy as np
import pytest

from kbgen.kb.lexical import LexicalIndex, write
from kbgen.kb.tokens import stem

TEXTS = ("barrier", "barrier and a long tale of other things entirely", "spills of registers", "")


@pytest.fixture
def index(tmp_path: Path) -> LexicalIndex:
    write(tmp_path, TEXTS)
    return LexicalIndex(tmp_path)


def test_scores_lie_between_none_of_the_words_and_all_of_them(index: LexicalIndex) -> None:
    one = index.scores("barrier")
    assert 1 > one[0] > one[1] > 0 == one[2] == one[3]
    assert index.scores("barrier spills")[0] < one[0]
    assert not index.scores("nothing known here").any()
    assert not np.isnan(index.scores("")).any()
    assert (index.rarity(stem("barrier")), index.rarity("unheard")) == (2, 0)


def test_repeated_and_small_words_count_nothing(index: LexicalIndex) -> None:
    assert np.array_equal(index.scores("barrier"), index.scores("why is the barrier a barrier"))
