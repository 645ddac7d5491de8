"""Sizes of which the larger one is always the same are given to each other's axes once."""

from pathlib import Path

from kbgen.generator.verify.shapes.exchanged import EXCHANGED, exchanged
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.further import further
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op
from kbgen.profiling.shapes import ShapeSet

OPS = Path(__file__).parent / "ops"


def test_keys_have_more_heads_than_queries_once() -> None:
    op = load_op(OPS / "rotary_qk.py")
    sizes = next(one.op.constants for one in settings(op, "as-is", 0) if one.name == EXCHANGED)
    assert int(sizes["KV_HEADS"]) > int(sizes["Q_HEADS"])  # type: ignore[call-overload]
    assert sizes["HEAD_DIM"] == op.constants["HEAD_DIM"]  # of which the constructor is told


def test_heads_that_one_block_takes_as_shipped_are_many_once() -> None:
    op = load_op(OPS / "rope_positions.py")
    found = {one.name: one.op.constants for one in settings(op, "as-is", 0)}
    assert max(int(sizes["HEADS"]) for sizes in found.values()) > 32  # type: ignore[call-overload]
    assert found[EXCHANGED]["HEADS"] == op.constants["HEADS"]  # it stands between the two that change places
    assert found[f"{EXCHANGED} HEADS"]["HEADS"] == found["small"]["TOKENS"]


def test_nothing_is_exchanged_where_either_order_is_judged() -> None:
    op = load_op(OPS / "rotary_qk.py")
    small = op.shape_sets(1 << 20)[0]
    names = ["BATCH", "SEQ", "Q_HEADS", "KV_HEADS"]
    orders = [dict(zip(order, range(9, 13), strict=True)) for order in (names, names[::-1])]
    shown = [ShapeSet("rising or falling", order, 1, True, "") for order in orders]
    assert exchanged(op, [small], 1 << 30)
    assert not exchanged(op, [small, *shown], 1 << 30)


def test_rows_that_a_constructor_is_told_of_stay() -> None:
    for name, asked in (("kv_append", False), ("softmax", True)):
        found = settings(load_op(OPS / f"{name}.py"), "as-is", 0)
        more = further(found, plan(found, 1), 1, "", "fp32")
        assert any(case.name.endswith(", one row") for case in more) is asked, name
