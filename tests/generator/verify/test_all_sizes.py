"""Branches of helpers that no size leads to, by trying them all."""

import ast

import pytest

from kbgen.generator.verify.text.all_sizes import never

POOL = """
def size_of(n, kernel, stride, padding):
    size = -(-(n + 2 * padding - kernel) // stride) + 1
    if (size - 1) * stride >= n + padding:
        size -= 1
    return size

sizes = size_of(H, {0}), size_of(W, {0})
"""


def left(text: str) -> list[str]:
    tree = ast.parse(text)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    found = never(tree, function)
    return [ast.unparse(one) for one in ast.walk(function) if id(one) in found]


@pytest.mark.parametrize(("window", "unused"), [("3, 2, 1", ["size -= 1"]), ("2, 3, 1", [])])
def test_a_last_window_that_begins_outside_is_there_for_some_windows_alone(
    window: str, unused: list[str]
) -> None:
    assert left(POOL.format(window)) == unused


def test_of_windows_that_differ_nothing_is_known() -> None:
    assert left(POOL.format("k, s, 1")) == []


@pytest.mark.parametrize(
    "condition",
    [
        "n > 100000",  # beyond what is tried
        "n > 8 * 8 * 8 * 8 * 8",
        "n * 8 % 7 == 3",
        "n < 0",
        "n * n - 9 * n + 20 == 0",
        "rows(n) > 2",  # of somebody else's
        "n / 2 > 2",  # no whole numbers
        "table[n]",
        "n == m",
    ],
)
def test_what_a_size_leads_to_or_what_is_not_known_stays(condition: str) -> None:
    assert left(f"def pick(n):\n    if {condition}:\n        n = 0\n    return n") == []


def test_what_no_number_does_is_found() -> None:
    assert left("def pick(n):\n    if n * 2 % 2 == 1 or n > max(n, 3):\n        n = 0\n    return n") == [
        "n = 0"
    ]


def test_another_max_is_not_the_one_that_is_known() -> None:
    text = "def pick(n):\n    if n > max(n, 3):\n        n = 0\n    return n\n"
    assert left(text + "max = min") == []
    assert left(text + "def max(a, b): return 0") == []
