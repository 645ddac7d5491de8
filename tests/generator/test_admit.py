"""What was judged is told as far as it holds: a card that contradicts the judge is believed."""

import pytest

from kbgen.generator.admit import Judged
from kbgen.generator.decision import Benchmark, Label
from kbgen.generator.verify.verdict import Inconclusive, Passed
from kbgen.profiling.clock import MEASURED


@pytest.mark.parametrize(
    ("label", "verified"), [("win", True), ("no-win", True), ("inconclusive", True), ("failed", False)]
)
def test_a_kernel_that_fails_on_the_card_is_not_verified(label: Label, verified: bool) -> None:
    timed = Benchmark(label, "", MEASURED, processes=3)
    assert Judged("inconclusive", "", verdict=Passed(), benchmark=timed).verified is verified


def test_only_a_passing_verdict_is_verified() -> None:
    assert Judged("unmeasured", "", verdict=Passed()).verified
    assert not Judged("inconclusive", "", verdict=Inconclusive(cause="timeout", detail="")).verified
    assert not Judged("declined", "").verified
