"""What a call returned, before its values."""

import pytest
import torch
from torch.utils._pytree import tree_flatten

from kbgen.generator.verify.comparison.form import broadcast, wrong_form
from kbgen.generator.verify.process.exchange import StepReport
from kbgen.generator.verify.reference.oracle import Ran


def right(*outputs: torch.Tensor, tree: str = "*") -> Ran:
    return Ran(list(outputs), tree, {}, [], frozenset())


@pytest.mark.parametrize(
    ("found", "cause", "words"),
    [
        ([torch.ones(2, 3)], None, ""),
        ([torch.ones(3, 2)], "wrong-shape", "output 0 is [3, 2], should be [2, 3]"),
        ([torch.ones(2, 3).half()], "wrong-dtype", "torch.float16, should be torch.float32"),
        ([torch.ones(2, 3)] * 2, "wrong-structure", "it returns one tensor"),
    ],
)
def test_the_first_difference_is_told(found: list[torch.Tensor], cause: str | None, words: str) -> None:
    wrong = wrong_form(StepReport("ok", tree="*"), found, right(torch.zeros(2, 3)))
    assert (wrong and wrong[0]) == cause
    assert words in (wrong[1] if wrong else "")


@pytest.mark.parametrize(("kind", "fits"), [("tuple", True), ("topk", True), ("list", False)])
def test_a_plain_tuple_stands_for_a_named_one(kind: str, fits: bool) -> None:
    pair = [torch.ones(2), torch.ones(2)]
    found = f"TreeSpec({kind}, None, [*,\n  *])"
    asked = right(*pair, tree=str(tree_flatten(torch.ones(2, 2).topk(1))[1]))
    wrong = wrong_form(StepReport("ok", tree=found), pair, asked)
    assert (wrong is None) is fits
    assert fits or wrong == ("wrong-structure", "it returns a list of 2, the reference a topk of 2")


def test_a_subclass_is_no_plain_tensor() -> None:
    wrong = wrong_form(StepReport("ok", tree="*", odd_outputs=("Later",)), [], right(torch.zeros(2)))
    assert wrong == ("wrong-structure", "it returns a Later, not a plain tensor")


def test_what_has_one_element_where_the_reference_has_more_would_be_broadcast() -> None:
    """A token before no others, to which the reference adds positions of all."""
    assert broadcast([torch.ones(7, 1, 3)], right(torch.ones(7, 5, 3)))
    assert not broadcast([torch.ones(7, 5, 3)], right(torch.ones(7, 5, 3)))
    assert not broadcast([torch.ones(7, 2, 3)], right(torch.ones(7, 5, 3)))
    assert not broadcast([torch.ones(1, 3)], right(torch.ones(7, 5, 3)))
