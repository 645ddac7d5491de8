"""Sizes that are whole tiles where full size's are, within what an interpreter gets through."""

from pathlib import Path

from kbgen.generator.verify.shapes.whole_tiles import whole_tiles
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"


def test_each_size_is_a_multiple_of_its_own_power_of_two() -> None:
    op = load_op(OPS / "relu.py", {"ROWS": 96 * 7, "COLUMNS": 4096})
    assert whole_tiles(op, {"ROWS": 21, "COLUMNS": 100}, 1 << 20) == {"ROWS": 32, "COLUMNS": 256}


def test_what_saves_most_is_halved_first() -> None:
    op = load_op(OPS / "bmm.py", {"BATCH": 64, "ROWS": 512, "DEPTH": 512, "COLUMNS": 512})
    small = {"BATCH": 4, "ROWS": 32, "DEPTH": 32, "COLUMNS": 32}
    found = whole_tiles(op, small, 1 << 20)
    assert found is not None
    assert found["BATCH"] == 2  # in each of the three tensors; a side of the product is in two
    assert min(found[name] for name in ("ROWS", "DEPTH", "COLUMNS")) >= 128


def test_none_where_nothing_fits_or_nothing_is_new() -> None:
    op = load_op(OPS / "relu.py")
    assert whole_tiles(op, {"ROWS": 64, "COLUMNS": 256}, 1) is None
    assert whole_tiles(op, {"ROWS": 256, "COLUMNS": 256}, 1 << 20) is None
    assert whole_tiles(op, {}, 1 << 20) is None
