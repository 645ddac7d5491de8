"""Sizes with one axis as at full size are within what an interpreter gets through."""

from pathlib import Path

from kbgen.generator.verify.cases import rows_of
from kbgen.generator.verify.full_axes import full_axes
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"


def test_each_axis_in_turn_is_as_at_full_size_those_with_few_rows_first() -> None:
    op = load_op(OPS / "relu.py")
    found = full_axes(op, {"ROWS": 21, "COLUMNS": 100})
    assert list(found) == ["COLUMNS", "ROWS"]
    assert found["COLUMNS"]["COLUMNS"] == op.constants["COLUMNS"]
    assert found["ROWS"]["ROWS"] == op.constants["ROWS"]
    sizes = [op.with_overrides(one) for one in found.values()]
    assert all(one.footprint().total_bytes <= 1 << 20 for one in sizes)
    assert rows_of(sizes[0]) < rows_of(sizes[1])


def test_an_axis_that_is_too_long_or_was_not_cut_is_left_out() -> None:
    op = load_op(OPS / "relu.py", {"ROWS": 1 << 20, "COLUMNS": 64})
    assert full_axes(op, {"ROWS": 32, "COLUMNS": 64}) == {}
