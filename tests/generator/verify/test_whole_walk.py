"""What is asked where conditions come out at full size as nowhere where values are asked of, and beyond."""

from pathlib import Path

import pytest

from kbgen.generator.verify.judge import verify
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("brief_judgements")

CHEAT = Path(__file__).parents[2] / "cheats" / "copied_beside_whole_blocks.py"
CAPPED = CHEAT.with_name("partial_sums_beyond_256.py")
OP = Path(__file__).parent / "ops" / "softmax.py"
TEST = "if x.shape[1] % 1024:"


@pytest.mark.parametrize(
    ("test", "word", "cause", "told"),
    [
        (TEST, "failed", "wrong-values", "wide, normal, pitched, at last"),
        (
            "if x.numel() < 1 << 20:",
            "inconclusive",
            "unjudged-path",
            "small, normal, pitched, with `x.numel()",
        ),
    ],
)
def test_strides_that_are_ignored_at_full_size_alone_show(
    tmp_path: Path, test: str, word: str, cause: str, told: str
) -> None:
    text, candidate = CHEAT.read_text(), tmp_path / "candidate.py"
    assert TEST in text
    candidate.write_text(text.replace(TEST, test))
    verdict = verify(candidate, load_op(OP), None, scratch=tmp_path / "scratch", seed=5)
    assert (verdict.word, verdict.cause) == (word, cause)
    assert told in verdict.detail


@pytest.mark.parametrize(("all_of_them", "cause"), [(False, "hard-coded-shape"), (True, None)])
def test_who_adds_up_no_more_than_full_size_has_is_found_by_a_walk_beyond(
    tmp_path: Path, all_of_them: bool, cause: str | None
) -> None:
    text, candidate = CAPPED.read_text(), tmp_path / "candidate.py"
    made, taken = "max(blocks + 1, PARTS)", "PARTS2=PARTS"
    assert made in text
    assert taken in text
    if all_of_them:
        text = text.replace(made, f"triton.next_power_of_2({made})").replace(taken, "PARTS2=part.numel()")
    candidate.write_text(text)
    op = load_op(OP.with_name("clip_by_norm.py"))
    verdict = verify(candidate, op, None, scratch=tmp_path / "scratch", seed=5)
    assert verdict.cause == cause, verdict.detail
