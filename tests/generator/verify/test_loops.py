"""Loop variables reckon as a card does: 32 bits that wrap, quotients towards zero."""

import pytest

from kbgen.generator.verify.interpreter.loops import LoopVariable, WideLoopVariable, loop_variables


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (LoopVariable(-7) // 2, -3),
        (LoopVariable(-7) % 2, -1),
        (LoopVariable(7) // -2, -3),
        (7 // LoopVariable(-2), -3),
        (-7 % LoopVariable(4), -3),
        (LoopVariable(7) // 2, 3),
        (7 % LoopVariable(4), 3),
        (LoopVariable(9) >> 1, 4),
        (9 >> LoopVariable(1), 4),
        (5 - LoopVariable(7), -2),
        (LoopVariable(1 << 20) * 4096, 0),
        (LoopVariable(1 << 30) + LoopVariable(1 << 30), -(1 << 31)),
        (WideLoopVariable(1 << 20) * 4096, 1 << 32),
        (LoopVariable(1) + (1 << 40), (1 << 40) + 1),
    ],
)
def test_numbers_are_those_of_a_card(found: int, expected: int) -> None:
    assert found == expected
    assert isinstance(found, LoopVariable)


def test_bounds_of_64_bits_are_counted_in_64_bits() -> None:
    assert [type(one) for one in loop_variables(range, 2)] == [LoopVariable] * 2
    assert [type(one) for one in loop_variables(range, 1 << 40, (1 << 40) + 1)] == [WideLoopVariable]
    assert type(LoopVariable(1) * 2.5) is float
