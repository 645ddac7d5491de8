"""Lines of a wrapper that no call reached."""

from pathlib import Path

import pytest

from kbgen.generator.verify.coverage import Reached, unreached

HEAD = "def kernel(x):\n    return x\n"


def lines(body: str, *calls: tuple[int, ...], folder: Path) -> list[int]:
    """What is left of `def forward(x): body` after `calls`."""
    source = HEAD + "def forward(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    file = folder / "candidate.py"
    scope: dict[str, object] = {}
    exec(compile(source, str(file), "exec"), scope)
    reached = Reached()
    reached.follow(str(file))
    with reached.watching():
        for call in calls:
            scope["forward"](*call)  # type: ignore[operator]
    return unreached(source, reached.lines[str(file)])


def test_a_branch_that_nobody_entered_is_named(tmp_path: Path) -> None:
    body = "if x > 1000:\n    x = 0\nreturn x"
    assert lines(body, (5,), folder=tmp_path) == [5]
    assert lines(body, (5,), (2000,), folder=tmp_path) == []


@pytest.mark.parametrize(
    "body",
    [
        "if x > 1000:\n    raise ValueError(x)\nreturn x",
        "if x > 1000:\n    text = 'too large'\n    raise ValueError(text)\nreturn x",
        "'''What it does.'''\nassert x < 1000\nreturn x",
        "return (\n    x +\n    1\n)",
    ],
)
def test_refusals_and_words_are_no_work(body: str, tmp_path: Path) -> None:
    assert lines(body, (5,), folder=tmp_path) == []


def test_a_function_that_never_ran_is_not_looked_into(tmp_path: Path) -> None:
    assert lines("def spare():\n    return 1\nreturn x", (5,), folder=tmp_path) == []
