"""What is asked where conditions come out at full size as they do not where values are asked of."""

from pathlib import Path

import pytest

from kbgen.generator.verify.judge import verify
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("brief_judgements")

CHEAT = Path(__file__).parents[2] / "cheats" / "copied_beside_whole_blocks.py"
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
