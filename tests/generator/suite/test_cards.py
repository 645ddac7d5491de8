"""A card is held by one at a time, and only those that the caller may see are taken."""

import fcntl
import os
from pathlib import Path

import pytest

from kbgen.generator.suite import cards
from kbgen.generator.suite.cards import VISIBLE, lock_of, variables
from kbgen.generator.turn import turn


def test_a_card_has_one_lock_for_all(tmp_path: Path) -> None:
    path = lock_of("GPU-x", tmp_path)
    assert path == lock_of("GPU-x", tmp_path)
    assert path.exists()
    with turn(str(path)), path.open() as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_lock_that_another_user_made_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lock_of("GPU-x", tmp_path / "cards")
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o7777) == (0o644, 0o1777)

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    for name in ("touch", "chmod", "mkdir"):
        monkeypatch.setattr(Path, name, refused)
    assert lock_of("GPU-x", tmp_path / "cards") == path
    with pytest.raises(cards.CardLockError, match="take turns on the card"):
        lock_of("GPU-y", tmp_path / "cards")


def test_a_turn_ends_with_its_block_and_can_be_taken_again(tmp_path: Path) -> None:
    path = str(lock_of("GPU-x", tmp_path))
    for _ in range(2):
        with turn(path):
            pass
    with pytest.raises(ZeroDivisionError), turn(path):
        _ = 1 / 0
    with turn(path), turn(None):
        pass


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
