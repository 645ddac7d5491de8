"""A card is held by one at a time, and only those that the caller may see are taken."""

import os
from pathlib import Path

import pytest
from filelock import FileLock

from kbgen.generator.suite import cards
from kbgen.generator.suite.cards import VISIBLE, any_card, variables


def test_the_first_free_card_is_held_and_then_free_again(tmp_path: Path) -> None:
    with any_card(("a", "b"), tmp_path) as first, any_card(("a", "b"), tmp_path) as second:
        assert (first, second) == ("a", "b")
    with any_card(("a", "b"), tmp_path) as again:
        assert again == "a"


def test_who_finds_no_free_card_waits_for_one(tmp_path: Path) -> None:
    other = FileLock(tmp_path / "a.lock")
    other.acquire()
    rests: list[float] = []

    def rest(seconds: float) -> None:
        rests.append(seconds)
        if len(rests) == 3:
            other.release()

    with any_card(("a",), tmp_path, rest) as card:
        assert (card, len(rests)) == ("a", 3)


@pytest.mark.parametrize(
    ("visible", "left"),
    [
        (None, ["GPU-x", "GPU-y"]),
        ("1", ["GPU-y"]),
        ("GPU-x", ["GPU-x"]),
        ("", []),
        ("0, 1", ["GPU-x", "GPU-y"]),
    ],
)
def test_cards_that_the_environment_hides_stay_out_of_it(visible: str | None, left: list[str]) -> None:
    assert cards._left(["GPU-x", "GPU-y"], visible) == left


def test_variables_hold_for_a_block_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VISIBLE, raising=False)
    monkeypatch.setenv("KBGEN_KEPT", "before")
    with variables({VISIBLE: "GPU-x", "KBGEN_KEPT": "inside"}):
        assert (os.environ[VISIBLE], os.environ["KBGEN_KEPT"]) == ("GPU-x", "inside")
    assert VISIBLE not in os.environ
    assert os.environ["KBGEN_KEPT"] == "before"
