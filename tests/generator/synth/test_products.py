"""Products that fill no card, no matrix tile or no whole square: parts of sums, lanes, triangles, dies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kbgen.generator.writers.synth.foreseen import foreseen
from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program, read_program, write_program
from kbgen.generator.writers.synth.schedule import Schedule, start_schedule
from kbgen.generator.writers.synth.skeletons.rounding import CHAIN, longest_chain
from kbgen.generator.writers.synth.skeletons.split_product import joined_tile
from kbgen.generator.writers.synth.skeletons.zero_tiles import Triangle, triangle_of
from kbgen.generator.writers.synth.tiles import Tiles
from kbgen.generator.writers.synth.traffic import planned_bytes
from kbgen.generator.writers.synth.transforms.registry import TRANSFORMS
from kbgen.generator.writers.synth.transforms.site import Site
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.op import load_op
from kbgen.profiling.trace import trace

OP = """
import torch
rows, width, cols = {rows}, {width}, {cols}
class Model(torch.nn.Module):
    def forward(self, x, y):
        return {expression}
def get_inputs():
    return [torch.randn(rows, width{dtype}), torch.randn(width, cols{dtype})]
"""
MIB = 2**20


@pytest.fixture
def product(tmp_path: Path) -> Callable[..., Program]:
    """x (rows, width) by y (width, cols), fp32 or another type, and what is done with it."""

    def read(rows: int, width: int, cols: int, expression: str = "x @ y", dtype: str = "") -> Program:
        path = tmp_path / "op.py"
        told = f", dtype=torch.{dtype}" if dtype else ""
        path.write_text(OP.format(rows=rows, width=width, cols=cols, expression=expression, dtype=told))
        return read_program([trace(load_op(path))])

    return read


def _one(program: Program) -> Loops:
    (loops,) = program.loops.values()
    return loops


def _try(name: str, loops: Loops, device: str, schedule: Schedule | None = None) -> Schedule | str:
    return TRANSFORMS[name](schedule or start_schedule(loops), Site(loops, find_spec(device)))


def _done(name: str, loops: Loops, device: str, schedule: Schedule | None = None) -> Schedule:
    changed = _try(name, loops, device, schedule)
    assert isinstance(changed, Schedule), changed
    return changed


def test_few_tiles_and_a_long_sum_are_cut_into_parts(product: Callable[..., Program]) -> None:
    """256 x 256 results of 524288 terms: 128 tiles of 16 x 32 for 132 SMs, or larger ones in parts."""
    loops = _one(product(256, 524288, 256))
    split = _done("split-k", loops, "h200")
    tiles = Tiles(loops, find_spec("h200"))
    assert split.splits > 1
    assert split.rows * split.block > 16 * 32
    assert tiles.programs(split) >= 4 * 132
    assert split.choices[-1].why.startswith("without it there are 128 programs for 132 SMs; ")
    assert tiles.estimate_us(split) < tiles.estimate_us(replace(split, splits=1))
    assert _try("split-k", loops, "h200", split) == "done already"
    cut = replace(split, splits=1, stretch=512)
    assert _try("split-k", loops, "h200", cut) == (
        "factors that a kernel before cuts into parts are not summed in parts as well"
    )


def test_tiles_that_fill_the_card_and_short_sums_are_left_whole(product: Callable[..., Program]) -> None:
    many = _try("split-k", _one(product(4096, 4096, 4096)), "h200")
    assert isinstance(many, str)
    assert many.endswith("tiles fill 132 SMs without parts")
    short = _try("split-k", _one(product(64, 64, 64)), "h200")
    assert short == "parts of 64 terms are expected to save less than their join takes"


def test_parts_count_in_traffic_and_are_joined_by_a_second_kernel(product: Callable[..., Program]) -> None:
    program = product(256, 65536, 256)
    loops, spec = _one(program), find_spec("h200")
    split = replace(start_schedule(loops), splits=16)
    first, second = planned_bytes(loops, split, spec)
    parts = 16 * 256 * 256 * 4
    assert (first, second) == (2 * 64 * MIB + parts, parts + 256 * 256 * 4)
    assert [k.grid[0] for k in foreseen(loops, split, spec)] == [16 * 16, 64 * 4]
    assert joined_tile(split) == (4, 64)  # 16 parts of 256 results: 32 of them a thread
    source = write_program(program, {0: split}, "op")
    assert "acc_parts = torch.empty((16 * n_rows * n_cols,), dtype=torch.float32" in source
    assert source.index("def op_part_kernel(") < source.index("def op_kernel(")
    assert "atomic" not in source


@pytest.mark.parametrize(
    ("dtype", "width", "schedule", "longest"),
    [
        ("", 4096, {}, None),
        ("", 8192, {}, CHAIN),  # every term is one addition
        ("", 8192, {"splits": 2}, None),
        ("", 524288, {"dot": "bf16x6", "depth": 32}, CHAIN * 32),  # a step is one
        ("", 524288, {"dot": "bf16x6", "depth": 32, "splits": 64}, None),
        ("", 8192, {"lanes": True, "depth": 64}, None),
        ("bfloat16", 524288, {}, None),  # rounding of the factors is far larger
    ],
)
def test_chains_of_additions_end_before_rounding_shows(
    dtype: str, width: int, schedule: dict[str, object], longest: int | None, product: Callable[..., Program]
) -> None:
    loops = _one(product(32, width, 32, dtype=dtype))
    changed = replace(start_schedule(loops), **schedule)  # type: ignore[arg-type]
    assert longest_chain(loops, changed) == longest


def test_a_stretch_of_the_sum_has_sums_of_its_own(product: Callable[..., Program]) -> None:
    program = product(32, 8192, 32)
    source = write_program(program, {0: start_schedule(_one(program))}, "op")
    assert "for first in tl.range(0, n_k, STRETCH):" in source
    assert "acc_stretch = tl.dot(x, y, acc_stretch" in source
    assert "acc += acc_stretch" in source


def test_few_rows_are_added_up_by_lanes_where_padding_costs(product: Callable[..., Program]) -> None:
    """Vector units of an A100 do 16 rows for 4; the matrix units of 16-bit factors wait for memory anyway."""
    loops = _one(product(4, 4096, 14336))
    lanes = _done("skinny-gemm", loops, "a100")
    assert lanes.lanes
    assert lanes.rows == 4
    assert lanes.choices[-1].why.startswith("a side of 4 fills 4 of the 16 rows or columns of a matrix unit")
    assert _try("tf32x3-split", loops, "a100", lanes) == "lanes multiply fp32 factors as they are"
    assert _try("skinny-gemm", _one(product(16, 4096, 4096)), "a100") == (
        "16 rows or columns fill the tile of a matrix unit"
    )
    short = _one(product(8, 8192, 8192, dtype="float16"))
    assert _try("skinny-gemm", short, "h200") == "a tile padded to 16 is expected to take no more time"


def test_lanes_are_added_up_behind_the_loop(product: Callable[..., Program]) -> None:
    program = product(4, 256, 64, dtype="bfloat16")
    lanes = replace(start_schedule(_one(program)), rows=4, block=32, depth=32, lanes=True)
    source = write_program(program, {0: lanes}, "op")
    assert "acc_lanes += x.to(tl.float32)[:, None, :] * y.to(tl.float32).T[None, :, :]" in source
    assert "acc = tl.sum(acc_lanes, axis=2)" in source
    assert "tl.dot" not in source


def test_tiles_beyond_a_triangle_are_not_summed(product: Callable[..., Program]) -> None:
    program = product(4096, 4096, 4096, "torch.tril(x @ y, diagonal=-1)")
    loops = _one(program)
    assert triangle_of(loops) == Triangle(upper=False, shift=-1)
    half = _done("triangular-tiles", loops, "h200")
    tiles = Tiles(loops, find_spec("h200"))
    assert tiles.share_of_sums(half) == pytest.approx((64 + 1) / (2 * 64), rel=1e-3)
    assert tiles.estimate_us(half) < 0.55 * tiles.estimate_us(start_schedule(loops))
    source = write_program(program, {0: half}, "op")
    assert "k_end = tl.where(tile_col * BLOCK_N < tile_row * BLOCK_M + BLOCK_M - 1, n_k, 0)" in source
    whole = _one(product(64, 64, 64, "torch.tril(x @ y) + 1.0"))
    assert _try("triangular-tiles", whole, "h200") == "all results of the product are needed"


def test_tiles_of_zeros_are_looked_for_where_that_may_pay(product: Callable[..., Program]) -> None:
    program = product(4096, 4096, 4096, "torch.triu(x @ y)")
    loops = _one(program)
    marked = _done("zero-tile-skip", loops, "h200", _done("triangular-tiles", loops, "h200"))
    assert "to look takes 31 us" in marked.choices[-1].why  # 128 MiB at 4800 GB/s, and a launch
    first, _ = planned_bytes(loops, marked, find_spec("h200"))
    assert first == 128 * MIB
    assert len(foreseen(loops, marked, find_spec("h200"))) == 2
    source = write_program(program, {0: marked}, "op")
    assert "(triton.cdiv(n_rows, 64) * triton.cdiv(n_k, 32),), dtype=torch.int8" in source
    assert "counts = both | (left_mark > 1) | (right_mark > 1)" in source
    small = _one(product(32, 32, 32, "torch.triu(x @ y)"))
    assert str(_try("zero-tile-skip", small, "h200")).startswith("to look at the factors takes")
    plain = _one(product(4096, 4096, 4096))
    assert _try("zero-tile-skip", plain, "h200") == "nothing tells that factors have tiles of zeros"


def test_each_die_gets_neighbouring_tiles(example: Callable[[str], Program]) -> None:
    (loops,) = example("linear_gelu").loops.values()
    tile = Schedule("tiles", rows=128, block=256, depth=32, num_warps=4, num_stages=2)
    ordered = _done("xcd-program-order", loops, "mi300x", tile)
    assert ordered.dies == 8
    assert ordered.group > 1
    assert "8 dies with an L2 of 4 MiB each" in ordered.choices[-1].why
    assert _try("xcd-program-order", loops, "mi300x", ordered) == "done already"
    assert str(_try("xcd-program-order", loops, "h100", tile)).endswith("has one L2 for all its SMs")
    source = write_program(example("linear_gelu"), {0: ordered}, "op")
    assert "program = program // DIES + die * share + tl.minimum(die, longer)" in source


def test_tiles_are_dealt_to_dies_once_each() -> None:
    """The arithmetic of the kernel, for grids that dies divide and others."""
    for programs in (1, 7, 8, 100, 304):
        share, longer = divmod(programs, 8)
        found = [p // 8 + p % 8 * share + min(p % 8, longer) for p in range(programs)]
        assert sorted(found) == list(range(programs))


def test_a_batch_of_small_products_has_small_programs(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(
        "import torch\nbatch = 10000\nclass Model(torch.nn.Module):\n    def forward(self, x, y):\n"
        "        return torch.bmm(x, y)\ndef get_inputs():\n"
        "    return [torch.randn(batch, 16, 16), torch.randn(batch, 16, 16)]\n"
    )
    loops = _one(read_program([trace(load_op(path))]))
    chosen = _done("gemm-tile-choice", loops, "h200")
    assert (chosen.rows, chosen.block, chosen.num_warps) == (16, 16, 1)


def test_bytes_are_summed_as_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    made = "torch.randint(-128, 128, (64, 64), dtype=torch.int8)"
    path.write_text(
        "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x, y):\n"
        f"        return torch._int_mm(x, y)\ndef get_inputs():\n    return [{made}, {made}]\n"
    )
    program = read_program([trace(load_op(path))])
    loops = _one(program)
    split = replace(start_schedule(loops), splits=2)
    assert Tiles(loops, find_spec("h200")).rate(split) == "tensor_int8"
    assert _try("skinny-gemm", loops, "h200") == "64 rows or columns fill the tile of a matrix unit"
    source = write_program(program, {0: split}, "op")
    assert "acc = tl.dot(x, y, acc, out_dtype=tl.int32)" in source
    assert "acc_parts = torch.empty((2 * n_rows * n_cols,), dtype=torch.int32" in source
    assert longest_chain(loops, start_schedule(loops)) is None
