"""The best of a row stand a power of two apart, whatever it is cut into and however many are asked for."""

from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.inputs.families import IN_A_STRAND, LATE_PEAKS
from kbgen.generator.verify.inputs.strands import best_in_one_strand
from kbgen.generator.verify.stages.further import with_lone_peaks
from kbgen.generator.verify.stages.settings import settings, uncrowded
from kbgen.profiling.op import load_op


@pytest.mark.parametrize("length", [1, 2, 100, 1000, 1024])
def test_all_that_are_asked_for_stand_in_one_strand(length: int) -> None:
    drawn = best_in_one_strand(torch.empty(3, length), torch.Generator().manual_seed(3))
    assert drawn.shape == (3, length)
    order = drawn.argsort(-1, descending=True)
    for strands in (2, 8, 64):
        best = order[:, : length // strands]
        apart = (best - best[:, :1]) % length  # of strands that begin where the best stands
        assert bool((apart % strands == 0).all())


def test_a_number_alone_has_no_strands() -> None:
    assert best_in_one_strand(torch.empty(()), torch.Generator()).shape == ()


def test_rows_that_may_be_refused_are_asked_for_beside_the_longest_others() -> None:
    op = load_op(Path(__file__).parent / "ops" / "ndcg_k.py")
    for body, longest in (("n = 8192", ["beyond"]), ("raise ValueError(n)", ["wide", "beyond"])):
        text = f"if n > 8192:\n    {body}\n"
        cases = with_lone_peaks(uncrowded(settings(op, "as-is", 1, source=text)), 1, text)
        for family in (LATE_PEAKS, IN_A_STRAND):
            assert [case.setting.name for case in cases if case.family == family] == longest
