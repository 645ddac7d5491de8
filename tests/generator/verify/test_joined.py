"""`and`, `or` and `not` in kernels, as Triton's compiler has them."""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from kbgen.generator.verify.interpreter.joined import JOINED, NEGATED, Joining, joined, negated


def block(*values: bool) -> Any:
    kind = tl.block_type(tl.int1, [len(values)])
    return tl.tensor(TensorHandle(np.array(values), tl.int1), kind)


def one(value: bool) -> Any:
    return tl.tensor(TensorHandle(np.array([value]), tl.int1), tl.int1)


def never() -> Any:
    raise AssertionError("a constant has decided")


@pytest.mark.parametrize(
    ("both", "values", "expected"),
    [
        (
            True,
            (block(True, True, False, False), block(True, False, False, True)),
            [True, False, False, False],
        ),
        (
            False,
            (block(True, True, False, False), block(True, False, False, True)),
            [True, True, False, True],
        ),
        (True, (block(True, False), True, block(True, True)), [True, False]),
        (True, (one(False), block(True, True)), [False, False]),
        (False, (tl.constexpr(False), block(True, False)), [True, False]),
        (True, (one(True), one(False)), [False]),
    ],
)
def test_blocks_are_joined_element_by_element(both: bool, values: Any, expected: list[bool]) -> None:
    found = joined(both, *(lambda value=value: value for value in values))
    assert found.handle.data.tolist() == expected


@pytest.mark.parametrize(
    ("both", "makes", "expected"),
    [
        (True, (lambda: False, never), False),
        (False, (lambda: 7, never), 7),
        (True, (lambda: 7, lambda: 8), 8),
        (False, (lambda: 0, lambda: None), None),
    ],
)
def test_constants_decide(both: bool, makes: tuple[Callable[[], Any], ...], expected: Any) -> None:
    assert joined(both, *makes) is expected


def test_a_block_is_negated_element_by_element() -> None:
    assert negated(block(True, False)).handle.data.tolist() == [False, True]
    assert negated(0) is True


def test_the_text_calls_for_it() -> None:
    tree = Joining().visit(ast.parse("a and not b or c", mode="eval"))
    names: dict[str, Any] = {JOINED: joined, NEGATED: negated, "a": 1, "b": 0, "c": never}
    assert eval(compile(tree, "", "eval"), names) is True
