"""Strategies are told how their moves came out: what each tries, in which order, and when it ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest
from click import Choice

from kbgen import KbgenError
from kbgen.cli import optimize
from kbgen.generator.job import OptimizeRequest
from kbgen.generator.strategies.advised import advised
from kbgen.generator.strategies.bandit import bandit
from kbgen.generator.strategies.beam import BRANCHES, WIDTH, beam
from kbgen.generator.strategies.choose import STRATEGIES, choose_strategy
from kbgen.generator.strategies.strategy import Knowledge, Move, Result, Strategy, expected
from kbgen.retrieval.seen import Seen

Gains = Mapping[tuple[str, str], float]
"""Parent and technique to what the technique gives there; what is not named does not apply."""


def walked(
    strategy: Strategy, knowledge: Knowledge, gains: Gains, rejected: tuple[str, ...] = ()
) -> list[Move]:
    """Every move of a search whose kernels are named after the techniques that made them."""
    moves = strategy("", knowledge)
    asked: list[Move] = []
    try:
        batch = next(moves)
        while True:
            asked += batch
            assert len(asked) < 200, "the search does not end"
            batch = moves.send([_result(move, gains, rejected) for move in batch])
    except StopIteration:
        return asked


def _result(move: Move, gains: Gains, rejected: tuple[str, ...]) -> Result:
    gain = gains.get((move.parent, f"{move.transform}{move.variant or ''}"))
    if gain is None:
        return Result(move, None, "declined")
    child = f"{move.parent}{move.transform}{move.variant or ''}"
    if child in rejected:
        return Result(move, None, "rejected")
    outcome = "helped" if gain > 1 else "hurt" if gain < 1 else "neutral"
    return Result(move, child, outcome, gain, gain > 1)


def names(moves: list[Move]) -> list[str]:
    return [f"{m.parent}+{m.transform}{m.variant or ''}" for m in moves]


def test_advised_takes_what_helps_and_returns_to_what_did_not_apply() -> None:
    gains = {("", "b"): 1.5, ("b", "a"): 1.2, ("b", "c"): 0.9}
    assert names(walked(advised, Knowledge("abc"), gains)) == ["+a", "+b", "b+c", "b+a"]


def test_advised_tries_variants_until_one_compiles_and_all_of_them_by_the_clock() -> None:
    gains = {("", "a"): 1.1, ("", "a1"): 1.3, ("", "a2"): 1.2}
    assert names(walked(advised, Knowledge("a"), gains)) == ["+a"]
    assert names(walked(advised, Knowledge("a"), gains, ("a",))) == ["+a", "+a1"]
    gains |= {("a1", "b"): 1.1}
    by_clock = walked(advised, Knowledge("ab", measured=True), gains)
    applied = [m for m in by_clock if (m.parent, f"{m.transform}{m.variant or ''}") in gains]
    assert names(applied) == ["+a", "+a1", "+a2", "a1+b"]


def test_bandit_pulls_what_gained_before_first() -> None:
    gains = {("", "a"): 1.01, ("", "b"): 1.01, ("", "c"): 1.01}
    assert names(walked(bandit, Knowledge("abc", seen={"c": Seen(1.0, math.log(1.8))}), gains))[0] == "+c"
    assert names(walked(bandit, Knowledge("abc"), gains))[0] == "+a"


def test_bandit_leaves_masked_arms_alone() -> None:
    gains = {("", "a"): 1.2, ("", "b"): 0.9, ("", "c"): 1.0}
    knowledge = Knowledge("abc", headroom={"a": 1.01, "b": 1.5})
    assert sorted(names(walked(bandit, knowledge, gains))) == ["+b", "+c"]
    by_clock = names(walked(bandit, replace(knowledge, measured=True), gains | {("", "a"): 0.9}))
    assert by_clock[-1].startswith("+a")


def test_what_was_seen_outweighs_the_place_in_the_advice_by_what_it_weighs() -> None:
    seen = {"b": Seen(0.1, math.log(2)), "c": Seen(3.0, math.log(2))}
    gains = expected("abc", seen)
    assert gains["c"] > gains["b"] > gains["a"]
    assert gains["c"] < math.log(2)
    assert expected("abc", {"a": Seen(2.0, math.log(0.5))})["a"] < 0


def test_bandit_prefers_what_is_foreseen_to_gain() -> None:
    gains = {("", "a"): 0.9, ("", "b"): 0.9, ("", "c"): 0.9}
    knowledge = Knowledge("abc", foreseen={"a": 0.8, "b": 1.4, "c": 1.1})
    assert names(walked(bandit, knowledge, gains)) == ["+b", "+c", "+a"]


def test_bandit_ends_where_no_arm_gains() -> None:
    gains = {("", "a"): 1.0, ("", "b"): 0.5}
    assert sorted(names(walked(bandit, Knowledge("ab"), gains))) == ["+a", "+b"]


def test_beam_passes_through_what_gains_nothing() -> None:
    gains = {("", "a"): 0.98, ("a", "b"): 2.0}
    assert "a+b" in names(walked(beam, Knowledge("ab"), gains))
    assert "a+b" not in names(walked(advised, Knowledge("ab"), gains))


def test_beam_asks_for_the_moves_of_a_round_together() -> None:
    moves = beam("", Knowledge("abcde"))
    first = next(moves)
    assert len(first) == BRANCHES
    second = moves.send([Result(m, m.transform, "neutral", 1.0) for m in first])
    assert len({m.parent for m in second}) == WIDTH


@pytest.mark.parametrize("name", STRATEGIES)
def test_equal_outcomes_give_equal_moves(name: str) -> None:
    gains = {("", t): 1 + i / 10 for i, t in enumerate("abcd")} | {("d", "a"): 1.1, ("c", "b"): 0.9}
    one, other = (walked(STRATEGIES[name], Knowledge("abcd"), gains) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("name", STRATEGIES)
def test_nothing_known_and_nothing_applies_ends_at_once(name: str) -> None:
    assert walked(STRATEGIES[name], Knowledge(()), {}) == []
    assert len(walked(STRATEGIES[name], Knowledge("ab"), {})) == 2


def test_an_unknown_strategy_is_told() -> None:
    with pytest.raises(KbgenError, match="hill is no search strategy; there are advised, bandit, beam"):
        choose_strategy("hill")


def test_what_is_searched_with_unless_asked_is_one_thing() -> None:
    asked = next(option for option in optimize.params if option.name == "strategy")
    assert asked.default == OptimizeRequest.strategy
    assert isinstance(asked.type, Choice)
    assert [*asked.type.choices] == [*STRATEGIES]
