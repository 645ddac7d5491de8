"""A row without a time says why in words."""

from __future__ import annotations

from dataclasses import replace

from kbgen.generator.suite.row import UNCONFIRMED, Row
from kbgen.generator.suite.unfinished import explained

ROW = Row("scale", "h100", "unmeasured", 1.0, "", "l", verified=True, kernel="k.py")


def test_what_was_not_timed_says_why() -> None:
    assert explained(ROW, live=False, cut=False).reason == "nothing was timed: h100 is not in this machine"
    assert explained(ROW, live=True, cut=True).reason == "the time of the suite was over while it was timed"
    waited = explained(ROW, live=True, cut=False)
    assert waited.reason == "the time of the suite was over before its turn on the card"
    unsure = replace(ROW, status=UNCONFIRMED, reason="2x")
    assert (
        explained(unsure, live=True, cut=False).reason
        == "2x; the time of the suite was over before it was verified again"
    )


def test_what_has_a_reason_keeps_it() -> None:
    told = replace(ROW, reason="the card was full")
    assert explained(told, live=True, cut=True) == told
    won = replace(ROW, status="win")
    assert explained(won, live=True, cut=False) == won
