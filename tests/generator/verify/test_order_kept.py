"""Rows that an op file always draws in order stay in order."""

import torch

from kbgen.generator.verify.inputs.domain import in_order, within
from kbgen.profiling.build import Input


def drawn(turn: int) -> list[Input]:
    draw = torch.Generator().manual_seed(turn)
    rows = [torch.randn(2, 2, generator=draw) for _ in range(2)]
    return [rows[0].sort(-1).values, rows[1], torch.arange(4)]


def test_rows_that_rise_in_every_draw_are_found_however_short() -> None:
    assert in_order(drawn) == {0}
    assert in_order(lambda turn: [torch.ones(4, 4)]) == frozenset()


def test_long_rows_that_rise_in_the_first_draws_alone_are_in_no_order() -> None:
    rises: Input = torch.arange(1025.0).repeat(2, 1)
    assert in_order(lambda turn: [rises if turn < 6 else rises.flip(1)]) == frozenset()
    assert in_order(lambda turn: [rises]) == {0}


def test_rows_of_integers_are_in_order_too_and_a_lone_one_is_looked_at_for_itself() -> None:
    assert in_order(lambda turn: [torch.arange(20).reshape(4, 5), torch.arange(20)]) == {0}
    falls = torch.tensor([[5, 4, 3], [2, 1, 0]], dtype=torch.uint8)  # whose differences wrap
    assert in_order(lambda turn: [falls]) == frozenset()


def test_what_is_drawn_for_them_is_sorted_and_nothing_else_is() -> None:
    values: list[Input] = [torch.tensor([[3.0, 1.0, 2.0]]), torch.tensor([[3.0, 1.0, 2.0]])]
    found = within("any", values, values, frozenset([0]))
    assert torch.as_tensor(found[0]).tolist() == [[1.0, 2.0, 3.0]]
    assert found[1] is values[1]
