"""The impostors: each is what it says, and an op that lets one pass is found out."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch

from kbgen.generator.verify.comparison.controls import IMPOSTORS, run_controls
from kbgen.generator.verify.comparison.right import Answer, right_answer
from kbgen.generator.verify.inputs.setting import Case
from kbgen.generator.verify.process.layout import ROWS
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"


def answers(
    name: str, each_layout: bool = False, family: str | None = None, **sizes: int
) -> Iterator[Answer]:
    """To every call, to the first of each layout, or to those of a family."""
    cases: list[Case] = plan(settings(load_op(OPS / f"{name}.py", sizes), "as-is", 3), 3)
    if each_layout:
        cases = list({case.step.layout: case for case in reversed(cases)}.values())
    asked = (case for case in cases if not case.step.ghost and family in (None, case.family))
    return (right_answer(case, case.step.state) for case in asked)


def test_a_row_sum_refuses_every_impostor_that_applies() -> None:
    found = run_controls([*answers("rowsum")], "fp32")
    assert found == {
        "zeros": "rejected", "constant": "rejected", "other seed": "rejected",
        "other weights": "n/a: the op has no weights, or they have no part in the outputs",
        "identity": "n/a: no input has the output's shape and dtype",
        "bf16 twin": "rejected", "partial": "rejected", "unread tail": "rejected",
    }  # fmt: skip


def test_an_image_that_keeps_its_size_here_and_there_is_no_proof_against_identity() -> None:
    usual = [*answers("resize", family="normal")]
    assert [one for one in usual if IMPOSTORS["identity"](one) is not None]
    assert run_controls(usual, "fp32")["identity"] == "rejected"


def test_an_op_that_is_always_zero_lets_them_pass() -> None:
    found = run_controls([*answers("degenerate")], "fp32")
    assert {"zeros", "constant", "partial"} <= {name for name, word in found.items() if word == "passed"}


def test_inputs_that_have_no_part_in_the_outputs_tell_nothing_and_weights_do() -> None:
    found = run_controls([*answers("class_token", each_layout=True)], "fp32")
    assert found["other seed"] == "n/a: every draw of the inputs is the same, or has no part in the outputs"
    assert found["other weights"] == found["zeros"] == found["constant"] == "rejected"


def test_outputs_that_only_look_alike_do_not_pass_for_independent_of_the_inputs() -> None:
    """Nothing drawn is above a million, but what is would be seen."""
    answer = next(answers("far_threshold", each_layout=True))
    assert IMPOSTORS["other seed"](answer) is not None


def test_a_single_value_is_shaken_until_it_shows_what_it_answers_to() -> None:
    """One draw in twenty or so leaves a sum that cancels nearly where it was."""
    setting = settings(load_op(OPS / "sum_of_product.py"), "as-is", 3)[0]
    for case in plan([setting], 3)[:6]:
        answer = right_answer(case, case.step.state)
        right, eager = answer.oracle.outputs[0], answer.eager.outputs[0]
        draws = [setting.reference.shaken(case.inputs, case.step.state, draw).outputs[0] for draw in range(4)]
        off = (answer.shaken.outputs[0] - right).abs()
        assert right.numel() >= 8 or all((off >= (one - right).abs()).all() for one in draws)
        assert eager.shape == right.shape


def test_integers_have_no_low_precision_twin() -> None:
    assert run_controls([*answers("bits")], "fp32")["bf16 twin"].startswith("n/a")


def test_signs_have_no_low_precision_twin() -> None:
    assert run_controls([*answers("feature_hash")], "fp32")["bf16 twin"].startswith("n/a")


def test_the_unread_tail_differs_from_the_right_answer_only_there() -> None:
    answer = next(answers("rowsum"))
    outputs = IMPOSTORS["unread tail"](answer)
    x = answer.case.inputs[0]
    assert isinstance(x, torch.Tensor)
    assert outputs is not None
    width = x.shape[-1]
    torch.testing.assert_close(outputs[0], x[:, : width - max(1, width // 64)].sum(-1))


def test_a_tail_that_the_op_does_not_read_itself_is_taken_for_longer() -> None:
    answer = next(answers("garch_variance", STEPS=12))
    outputs = IMPOSTORS["unread tail"](answer)
    assert outputs is not None
    assert torch.equal(outputs[0][..., :-1], answer.eager.outputs[0][..., :-1])
    assert not torch.equal(outputs[0][..., -1], answer.eager.outputs[0][..., -1])


def test_a_tail_that_makes_no_difference_is_no_control_in_any_layout() -> None:
    """The oracle adds in another order where an input lies channels last than in its copy without a tail."""
    found = run_controls([*answers("pool_beside_tail", each_layout=True)], "fp32")
    assert found["unread tail"] == "n/a: no floating input's tail makes a difference"


def test_of_a_table_of_one_row_the_look_up_is_the_table_and_tells_nothing() -> None:
    usual = plan(settings(load_op(OPS / "embedding_huge.py"), "as-is", 3)[:1], 3)[0]
    inputs = [torch.randn(1, 8), torch.zeros(1, dtype=torch.int32)]
    step = replace(usual.step, inputs=inputs, layout=ROWS)
    single = right_answer(replace(usual, inputs=inputs, other_inputs=inputs, step=step), step.state)
    assert IMPOSTORS["identity"](single) is not None
    found = run_controls([right_answer(usual, usual.step.state), single], "fp32")
    assert (found["identity"].split(":")[0], found["zeros"]) == ("n/a", "rejected")
