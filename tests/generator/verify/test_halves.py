"""Which calls of a judgement a second process makes, and that a verdict is the same without one."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from kbgen.generator.verify import judge
from kbgen.generator.verify.inputs.setting import Case
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.halves import second_half
from kbgen.generator.verify.stages.settings import settings
from kbgen.generator.verify.text import scan
from kbgen.generator.verify.verdict import Failed, Verdict
from kbgen.profiling.op import load_op

OPS, TESTS = Path(__file__).parent / "ops", Path(__file__).parents[2]
OP, HONEST = OPS / "softmax.py", (TESTS / "honest" / "softmax_row.py").read_text()


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return plan(settings(load_op(OP), "as-is", 3, source=HONEST), 3)


def processors(count: int, patched: pytest.MonkeyPatch) -> None:
    patched.setattr(os, "sched_getaffinity", lambda _: set(range(count)))


def test_the_first_shape_stays_and_the_second_goes(cases: list[Case]) -> None:
    chosen = second_half(cases, HONEST)
    assert cases[0].step.shape not in chosen
    assert cases[1].step.shape in chosen
    assert len(set(chosen)) == len(chosen) < len({case.step.shape for case in cases})


def test_where_calls_hang_together_one_process_makes_them(cases: list[Case]) -> None:
    assert second_half(cases, "@triton.autotune(configs=[], key=[])") == []
    assert second_half(cases, "import triton.language as tl\nx = tl.multiple_of(x, 16)") == []


def test_few_calls_are_shared_where_they_are_long(cases: list[Case]) -> None:
    few = cases[:2]
    assert second_half(few, HONEST) == []
    inputs = [torch.empty(1 << 20)]
    assert second_half([replace(one, step=replace(one.step, inputs=inputs)) for one in few], HONEST)


def judged(candidate: Path, op: Path, folder: Path) -> Verdict:
    return judge.verify(candidate, load_op(op), None, scratch=folder, seed=11)


@pytest.mark.parametrize(
    ("candidate", "op"),
    [("honest/rowsum_through_scratch", "rowsum"), ("cheats/unstable_softmax", "softmax")],
)
@pytest.mark.usefixtures("quick_judgements")
def test_a_verdict_is_the_same_in_one_process(
    candidate: str, op: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = TESTS / f"{candidate}.py", OPS / f"{op}.py"
    processors(2, monkeypatch)
    in_two = judged(*given, tmp_path / "two")
    assert list((tmp_path / "two").glob("progress_of_the_other"))
    processors(1, monkeypatch)
    in_one = judged(*given, tmp_path / "one")
    assert not list((tmp_path / "one").glob("progress_of_the_other"))
    assert (in_two.word, in_two.labels, in_two.notes) == (in_one.word, in_one.labels, in_one.notes)
    told = [[(case.name, case.outcome, case.oracle_error) for case in one.cases] for one in (in_two, in_one)]
    assert told[0] == told[1]
    if isinstance(in_two, Failed):
        assert isinstance(in_one, Failed)
        assert (in_two.cause, in_two.detail) == (in_one.cause, in_one.detail)


def test_as_the_second_dies_so_does_the_judgement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the second shape alone, in a call that the verdict names."""
    processors(2, monkeypatch)
    lenient = scan.scan(HONEST)
    monkeypatch.setattr(judge, "scan", lambda *_: lenient)
    dying = HONEST.replace(
        "        rows, columns = x.shape\n", "        rows, columns = x.shape\n        DIE\n"
    )
    candidate = tmp_path / "candidate.py"
    others = "columns < 1000 and columns not in (1, 33, 65)"  # which other shapes have
    odd = f"if columns % 2 and {others}:\n            os.abort()"
    candidate.write_text(f"import os\n{dying}".replace("DIE", odd))
    found = judged(candidate, OP, tmp_path / "scratch")
    assert isinstance(found, Failed)
    assert found.cause == "crashed"
    assert "SIGABRT" in found.detail
    assert "during the case: odd, normal" in found.detail
