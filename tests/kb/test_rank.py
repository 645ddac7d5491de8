"""Both rankings are added as shares, a question stands for its answer, and a page's passages support it."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from kbgen.kb.rank import SUPPORT, WORDS_WEIGH, Ranking, join, led
from kbgen.kb.snapshot import Snapshot


def snapshot(page_of: list[int], leads_to: list[int] | None = None) -> Snapshot:
    leads = leads_to or list(range(len(page_of)))
    return cast(Snapshot, SimpleNamespace(page_of=np.array(page_of), leads_to=np.array(leads)))


def test_a_question_stands_for_its_answer_where_it_is_better() -> None:
    ranking = led(snapshot([0, 0, 1], [0, 0, 2]), {1: 0.9, 2: 0.8, 0: 0.3}, 0.3)
    assert ranking.scores == {0: 0.9, 2: 0.8}
    assert ranking.through == {0: 1}
    assert ranking.rank(2) == "rank 2 of 2"


def test_what_a_ranking_did_not_give_has_the_least_that_it_gave() -> None:
    words, meaning = Ranking({0: 0.5}, least=0.1), Ranking({1: 0.6, 0: 0.4}, least=0.4)
    joined = join(snapshot([0, 1]), words, meaning)
    assert joined == {0: pytest.approx(0.4 + WORDS_WEIGH * 0.5), 1: pytest.approx(0.6 + WORDS_WEIGH * 0.1)}
    assert list(joined) == [0, 1]


def test_a_page_with_several_good_passages_comes_before_one_with_one() -> None:
    meaning = Ranking({0: 0.61, 1: 0.6, 2: 0.5, 3: 0.5})
    joined = join(snapshot([0, 1, 1, 1]), Ranking(), meaning)
    assert next(iter(joined)) == 1
    assert joined[1] == pytest.approx(0.6 + SUPPORT * 1.0)
