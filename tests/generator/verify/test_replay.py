"""A verdict repeats from its own JSON, and says what has changed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kbgen.cli import cli
from kbgen.generator.verify.judge import verify
from kbgen.generator.verify.replay import ReplayError, replay
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("quick_judgements")

TESTS = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an op, a candidate, and the verdict on it as the command writes it."""
    folder = tmp_path_factory.mktemp("judged")
    (folder / "op.py").write_text((TESTS / "generator" / "verify" / "ops" / "rowsum.py").read_text())
    source = (TESTS / "honest" / "add_flat.py").read_text()
    (folder / "kernel.py").write_text(source)
    op = load_op(folder / "op.py")
    verdict = verify(folder / "kernel.py", op, None, scratch=folder / "scratch", seed=5)
    (folder / "verdict.json").write_text(json.dumps(verdict.to_json()))
    return folder


def test_the_same_files_give_the_same_verdict(judged: Path, tmp_path: Path) -> None:
    again = replay(judged / "verdict.json", tmp_path)
    assert again.same
    assert again.differences == ()
    assert again.changed == ()
    assert again.verdict.replay["seed"] == 5


def test_it_repeats_without_the_files_and_says_so(judged: Path, tmp_path: Path) -> None:
    document = json.loads((judged / "verdict.json").read_text())
    document["replay"]["candidate"] = str(tmp_path / "gone.py")
    document["versions"]["torch"] = "1.0"
    moved = tmp_path / "verdict.json"
    moved.write_text(json.dumps({"status": "declined", "verdict": document}))
    again = replay(moved, tmp_path / "scratch")
    assert again.same
    assert any("no longer there" in text for text in again.changed)
    assert any(text.startswith("torch was 1.0") for text in again.changed)


def test_another_answer_is_told(judged: Path, tmp_path: Path) -> None:
    document = json.loads((judged / "verdict.json").read_text())
    document |= {"verdict": "passed", "cause": None, "detail": ""}
    (tmp_path / "verdict.json").write_text(json.dumps(document))
    again = replay(tmp_path / "verdict.json", tmp_path / "scratch")
    assert not again.same
    assert "the verdict was passed" in again.differences[0]
    assert again.to_json()["replayed"]["same"] is False


@pytest.mark.parametrize("text", ["no json", "[]", '{"verdict": "passed"}'])
def test_what_is_no_verdict_is_refused_in_words(text: str, tmp_path: Path) -> None:
    (tmp_path / "verdict.json").write_text(text)
    with pytest.raises(ReplayError, match="give what"):
        replay(tmp_path / "verdict.json", tmp_path)


@pytest.mark.parametrize("words", [[], ["op.py"], ["op.py", "kernel.py", "--replay", "verdict.json"]])
def test_the_command_wants_files_or_a_verdict(words: list[str]) -> None:
    assert CliRunner().invoke(cli, ["verify", *words]).exit_code == 2
