"""Counts along a stretched axis are as large as can be there; lengths that rise by chance divide nothing."""

from pathlib import Path

import torch

from kbgen.generator.verify.inputs.families import LATE_PEAKS, NAN_IN_A_PART
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"


def test_an_odd_count_of_all_pixels_and_a_history_of_one_token_are_asked_for() -> None:
    asked = {
        "level_hist": ("three times PIXELS", "one number"),
        "sampling_penalties": ("a thousand of HISTORY", "one place, full lengths"),
    }
    for op, (shape, family) in asked.items():
        planned = plan(settings(load_op(OPS / f"{op}.py"), "as-is", 3), 3)
        (case,) = (one for one in planned if one.name == f"{shape}, as shipped, {family}")
        (whole,) = (
            one
            for one in case.inputs
            if isinstance(one, torch.Tensor) and one.dtype == torch.int64 and one.ndim > 1
        )
        counts = [row.bincount().max() for row in whole]
        assert max(counts) >= whole.shape[1] - 1 > 999
        assert family != "one number" or whole.shape[1] % 2


def test_lengths_that_rise_are_no_offsets() -> None:
    op = load_op(OPS / "alibi_attention.py")
    planned = [one for seed in range(2) for one in plan(settings(op, "as-is", seed), seed)]
    assert NAN_IN_A_PART not in {one.family for one in planned}


def test_a_late_score_is_far_ahead_where_rows_are_stretched_and_exponentials_taken() -> None:
    cases = plan(settings(load_op(OPS / "sinkhorn_steps.py"), "as-is", 1), 1)
    asked = {case.setting.name for case in cases if case.family == LATE_PEAKS}
    assert "a thousand of JOBS" in asked
    assert "a thousand of WORKERS" not in asked
