"""A cheat of each rule, and one of each cause, is refused for the cause that its own header names.

`kbgen eval judge` (`make judge`) puts all of them before the judge, in two hours on two cores.
"""

from pathlib import Path

import pytest

from kbgen.generator.exhibits import PASSED, Exhibit, one_of_each, read_exhibits
from kbgen.generator.verify.verdict import Failed, Inconclusive

CHEATS = read_exhibits(Path(__file__).parents[2] / "cheats", Path(__file__).parent / "ops")


def test_there_are_cheats_of_many_kinds_over_many_ops() -> None:
    assert len(CHEATS) >= 100
    assert len({cheat.op_path for cheat in CHEATS}) >= 10
    assert len({cheat.kind for cheat in CHEATS}) >= 25
    assert all(cheat.kind and cheat.expected != PASSED for cheat in CHEATS)


@pytest.mark.usefixtures("brief_judgements")
@pytest.mark.parametrize("cheat", one_of_each(CHEATS), ids=lambda cheat: cheat.path.stem)
def test_cheat_is_refused_for_its_own_cause(cheat: Exhibit, tmp_path: Path) -> None:
    verdict = cheat.judge(tmp_path)
    assert isinstance(verdict, Failed | Inconclusive), f"{cheat.path.stem} passed"
    assert verdict.cause == cheat.expected, verdict.detail
    assert verdict.detail
