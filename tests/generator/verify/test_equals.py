"""Of equals torch promises no order where it takes the largest few or sorts: what stands at their places may
be any of them."""

from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from kbgen.generator.verify.comparison.equals import left_open
from kbgen.generator.verify.comparison.right import right_answer
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.stages.answers import Answers
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"

IN_ORDER = """import torch


class Model(torch.nn.Module):
    def forward(self, x, ids):
        return x[torch.argsort(ids)]


def get_inputs():
    return [torch.randn(48, 16), torch.randint(0, 6, (48,))]
"""


class Places(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        stable, other = (torch.sort(x, dim=0, descending=True, stable=one).indices for one in (True, False))
        return x.topk(2, 0).indices, stable, other, x.kthvalue(2, 0).indices, torch.argsort(-x, 0)


def placed(last: bool) -> list[list[int]]:
    x = torch.tensor([[1.0, 0.0], [3.0, 1.0], [1.0, 2.0], [torch.nan, 4.0], [1.0, 5.0]])
    found = Reference(Places(), "as-is").with_equals([x], {}, last, 0.0)
    return [one[..., 0].tolist() for one in found.outputs]


def test_of_equals_the_first_or_the_last_are_taken_where_torch_leaves_that_open() -> None:
    assert placed(last=False) == [[3, 1], [3, 1, 0, 2, 4], [3, 1, 0, 2, 4], 0, [1, 0, 2, 4, 3]]
    assert placed(last=True) == [[3, 1], [3, 1, 0, 2, 4], [3, 1, 4, 2, 0], 4, [1, 4, 2, 0, 3]]


def test_computed_numbers_that_rounding_cannot_tell_apart_are_equals_too() -> None:
    class Largest(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.sigmoid(x).topk(1).indices + x.topk(1).indices

    given, reference = [torch.tensor([3.0, 3.0 + 2**-20, 1.0])], Reference(Largest(), "as-is")
    found = [reference.with_equals(given, {}, last, 2**-20).outputs[0].item() for last in (False, True)]
    assert found == [0 + 1, 1 + 1]


def asked(path: Path, *families: str) -> dict[str, object]:
    """Of calls of these families, in which outputs the order of equals shows; of dropped ones, why."""
    answers, found = Answers(), {}
    for number, case in enumerate(plan(settings(load_op(path), "as-is", 5), 5)):
        if case.family in families or number == 0:
            answers.find(number, case)
            known = answers.known.get(number)
            found[case.family] = answers.dropped[number] if known is None else set(known.left_open)
    return found


def test_what_stands_at_places_of_equals_is_not_asked_and_all_else_is() -> None:
    usual = {"as shipped": set(), "normal": set()}
    assert asked(OPS / "rows_of_the_best.py", "normal", "zeros in 0") == {**usual, "zeros in 0": {1}}
    assert asked(OPS / "router_of_groups.py", "normal") == usual


def test_places_that_others_before_them_were_chosen_by_are_not_asked_either() -> None:
    case = plan(settings(load_op(OPS / "router_of_groups.py"), "as-is", 5), 5)[0]
    state = {name: torch.zeros_like(one) for name, one in case.step.state.items()}
    level = replace(case, inputs=[torch.zeros(4, 32)], step=replace(case.step, state=state))
    assert left_open(right_answer(level, state), "fp32", first=True) == {1}


def test_an_op_whose_own_inputs_are_full_of_equals_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(IN_ORDER)
    assert "order of equals" in str(asked(path)["as shipped"])
