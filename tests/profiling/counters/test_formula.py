"""A formula is arithmetic; what it lacks it does not make up."""

from __future__ import annotations

import pytest

from kbgen.profiling.counters.formula import BadFormula, evaluate, operands


@pytest.mark.parametrize(
    "formula",
    [
        "__import__('os')",
        "a.b",
        "a[0]",
        "a ** 9",
        "'text'",
        "max(a)",
        "abs(a)",
        "a if b else c",
        "a +",
        "max(a, b=c)",
    ],
)
def test_a_formula_is_arithmetic_and_nothing_else(formula: str) -> None:
    with pytest.raises(BadFormula):
        evaluate(formula, lambda name: 1.0)


def test_one_unknown_makes_all_unknown() -> None:
    known = {"a": 6.0, "b": 3.0, "zero": 0.0}
    assert evaluate("max(a, 2 * b) / (a - b)", known.get) == 2
    assert evaluate("a / zero", known.get) is evaluate("max(a, c)", known.get) is None
    assert operands("max(b, a) / b") == ("b", "a")
