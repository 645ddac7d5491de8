"""Programs that walk tiles of products, and warps with roles: where they are foreseen to help, what is
written, what the compilers make of it, and that results are right with more programs than tiles and fewer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.writers.synth.foreseen import foreseen
from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program, read_program, write_program
from kbgen.generator.writers.synth.schedule import Schedule
from kbgen.generator.writers.synth.tile_ends import ended_us
from kbgen.generator.writers.synth.tiles import Tiles
from kbgen.generator.writers.synth.tilings import works_of
from kbgen.generator.writers.synth.transforms.registry import MEND, TRANSFORMS
from kbgen.generator.writers.synth.transforms.site import Site
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.op import load_op
from kbgen.profiling.static import KernelReport, inspect
from kbgen.profiling.trace import trace

OP = """
import torch
batch, rows, width, cols = {batch}, {rows}, {width}, {cols}
class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.relu(x @ y)
def get_inputs():
    of = dict(dtype=torch.{dtype})
    return [torch.randn({first}rows, width, **of), torch.randn({first}width, cols, **of)]
"""
TILE = Schedule("tiles", rows=128, block=256, depth=64, num_warps=8, num_stages=3, descriptors=True)
SHORT = (8192, 512, 8192)
"""Rows, terms and columns of a product of 2048 such tiles, each of 8 steps."""

Product = Callable[..., Program]


@pytest.fixture
def product(tmp_path: Path) -> Product:
    """relu(x (rows, width) by y (width, cols)), one of them or a batch."""

    def read(rows: int, width: int, cols: int, *, batch: int = 0, dtype: str = "bfloat16") -> Program:
        sizes = {"batch": batch, "rows": rows, "width": width, "cols": cols, "dtype": dtype}
        path = tmp_path / "op.py"
        path.write_text(OP.format(**sizes, first="batch, " if batch else ""))
        return read_program([trace(load_op(path))])

    return read


def _one(program: Program) -> Loops:
    (loops,) = program.loops.values()
    return loops


def _try(name: str, loops: Loops, device: str, schedule: Schedule = TILE) -> Schedule | str:
    return TRANSFORMS[name](schedule, Site(loops, find_spec(device)))


def _done(name: str, loops: Loops, device: str, schedule: Schedule = TILE) -> Schedule:
    changed = _try(name, loops, device, schedule)
    assert isinstance(changed, Schedule), changed
    return changed


def test_many_short_tiles_are_walked(product: Product) -> None:
    loops = _one(product(*SHORT))
    walked = _done("persistent-tiles", loops, "h100")
    assert (walked.persistent, walked.num_stages) == (1, 3)
    assert walked.choices[-1].why == (
        "2048 tiles of 8 steps follow one another on 132 SMs; the first loads of one are under way while the "
        "results of the last leave, which is expected to save 9%"
    )
    assert [kernel.blocks for kernel in foreseen(loops, walked, find_spec("h100"))] == [132]
    assert _try("persistent-tiles", loops, "h100", walked) == "done already"
    assert _try("split-k", loops, "h100", walked) == (
        "split-k is not for tiles that programs walk or warps share out"
    )


def test_no_more_is_promised_than_was_measured(product: Product) -> None:
    """217 to 262 TFLOPS on Hopper for this very product (triton-lang/triton, pull request 5726)."""
    tiles = Tiles(_one(product(*SHORT)), find_spec("h100"))
    gain = ended_us(tiles, TILE) / ended_us(tiles, replace(TILE, persistent=1))
    assert 1.05 < gain < 262 / 217


def test_tiles_are_left_to_the_device_where_walks_save_nothing(product: Product) -> None:
    short = _one(product(*SHORT))
    small = replace(TILE, block=128)
    assert _try("persistent-tiles", short, "h100", small) == "2 programs on one SM fill each other's ends"
    assert _try("persistent-tiles", _one(product(1024, 512, 1024)), "h100") == (
        "32 tiles leave 132 SMs one each at most: no tile follows another"
    )
    long = str(_try("persistent-tiles", _one(product(4096, 8192, 4096)), "h100"))
    assert long.endswith("are expected to save 0.6%, less than 3%")
    assert _try("persistent-tiles", short, "h100", replace(TILE, num_stages=9)) == (
        "not one such tile fits on H100 SXM5 80GB"
    )
    one = replace(TILE, num_stages=1)
    assert str(_try("persistent-tiles", short, "h100", one)).startswith("with one step at a time nothing")
    for changes, word in (
        ({"splits": 2}, "are too few to be walked"),
        ({"triangle": True}, "take unequal times"),
        ({"lanes": True}, "under way at once"),
        ({"stretch": 512}, "a loop in a loop"),
        ({"descriptors": False}, "took 1.5 to 2.7 times as long on an H200"),
    ):
        refusal = _try("persistent-tiles", short, "h100", replace(TILE, **changes))  # type: ignore[arg-type]
        assert word in str(refusal)


def test_a_step_gives_way_where_results_need_its_memory(product: Product) -> None:
    """7 stages of 32 KiB leave no room for the 16 KiB of results beside them."""
    loops = _one(product(*SHORT))
    full = _done("pipelined-loop", loops, "h100", replace(TILE, block=128, num_stages=1))
    full = full.decide(full.choices[-1], num_stages=7)
    walked = _done("persistent-tiles", loops, "h100", full)
    assert walked.num_stages == 6
    assert "num_stages" not in [choice.name for choice in walked.choices]
    assert Tiles(loops, find_spec("h100")).shared_bytes(walked) == 6 * 256 * 64 * 2 + 128 * 128


def test_roles_are_for_loops_of_the_copy_engine(product: Product) -> None:
    loops = _one(product(4096, 4096, 4096))
    brought = replace(TILE, halves=True)
    roles = _done("warp-specialisation", loops, "b200", brought)
    assert (roles.roles, roles.halves) == (True, False)
    short = _one(product(*SHORT))
    assert _try("warp-specialisation", short, "b200", brought) == (
        "roles are expected to save 2.7%, less than 3%"
    )
    beside = _done("warp-specialisation", short, "b200", replace(brought, persistent=1))
    assert "results leave beside the next tile's products: expected to save" in beside.choices[-1].why
    assert _try("warp-specialisation", loops, "b200", roles) == "done already"
    by_threads = replace(TILE, descriptors=False)
    assert (
        _try("warp-specialisation", loops, "b200", by_threads)
        == "not all factors are brought by the copy engine"
    )
    for device, word in (
        ("a100", "A100-SXM4-80GB has no copy engine that a warp could be set apart for"),
        ("mi300x", "Instinct MI300X has no copy engine that a warp could be set apart for"),
        ("rtx5090", "take factors from registers of the warps that would wait"),
        ("h100", "on an H200 such roles, as Triton 3.6 makes them, took 1.7 to 2.2 times as long"),
    ):
        assert str(_try("warp-specialisation", loops, device, brought)).endswith(word)
    single = _one(product(*SHORT, dtype="float32"))
    assert str(_try("warp-specialisation", single, "b200", brought)).startswith("fp32 factors are multiplied")
    few = _one(product(16384, 256, 4096))
    assert _try("warp-specialisation", few, "b200", brought) == "4 steps are few for a pipeline of roles"


def test_halves_are_no_longer_told_of_a_tile_that_leaves_whole(product: Product) -> None:
    loops = _one(product(4096, 4096, 4096))
    start = replace(TILE, rows=64, block=64, num_stages=1, descriptors=False)
    chosen = _done("gemm-tile-choice", loops, "b200", start)
    staged = _done("pipelined-loop", loops, "b200", chosen)
    brought = _done("tma-bulk-copy", loops, "b200", staged)
    assert brought.halves
    roles = _done("warp-specialisation", loops, "b200", brought)
    assert "half of its columns" in chosen.choices[-1].why
    assert [choice.name for choice in roles.choices if "half of its columns" in choice.why] == []


def test_what_spills_with_roles_gets_a_smaller_tile(product: Product) -> None:
    """Results in halves would not compile."""
    loops = _one(product(*SHORT))
    mended = MEND[1](replace(TILE, roles=True, descriptors=True), Site(loops, find_spec("b200")))
    assert isinstance(mended, Schedule)
    assert (mended.rows, mended.block, mended.halves) == (128, 128, False)


def test_walks_count_all_tiles_and_launch_few_programs(product: Product) -> None:
    loops, spec = _one(product(*SHORT)), find_spec("h100")
    (work,) = works_of(loops, replace(TILE, persistent=2), spec)
    assert work is not None
    assert work.walked == 2048
    assert [k.blocks for k in foreseen(loops, replace(TILE, persistent=2), spec)] == [264]
    assert work.drain_us == pytest.approx(128 * 256 * 2 / (32 * 1980))


WALK = '''\
    """Programs that walk tiles of results: matmul, relu."""
    row_blocks = tl.cdiv(n_rows, BLOCK_M)
    col_blocks = tl.cdiv(n_cols, BLOCK_N)
    n_tiles = n_batch * row_blocks * col_blocks
    first_x_ptr = x_ptr
    first_y_ptr = y_ptr
    first_out_ptr = out_ptr
    for tile in tl.range(tl.program_id(0), n_tiles, tl.num_programs(0), flatten=True):
        share, longer = n_tiles // DIES, n_tiles % DIES
        die = tile % DIES
        tile = tile // DIES + die * share + tl.minimum(die, longer)
        batch = (tile // (row_blocks * col_blocks)).to(tl.int64)
        tile = tile % (row_blocks * col_blocks)
        tile_row, tile_col = tile // col_blocks, tile % col_blocks
        tile_row, tile_col = tl.swizzle2d(tile_row, tile_col, row_blocks, col_blocks, GROUP)
        rows = tile_row * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
        cols = tile_col * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
        row_mask = rows < n_rows
        col_mask = cols < n_cols
        x_ptr = first_x_ptr + batch * n_rows * n_k
        y_ptr = first_y_ptr + batch * n_cols * n_k
        out_ptr = first_out_ptr + batch * n_rows * n_cols
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for start in tl.range(0, n_k, BLOCK_K):
'''


def test_a_walk_is_written_as_reviewed(product: Product) -> None:
    program = product(300, 512, 700, batch=7)
    walked = replace(TILE, persistent=1, group=4, dies=8)
    source = write_program(program, {0: walked}, "op")
    assert WALK in source
    assert "units = torch.cuda.get_device_properties(x.device).multi_processor_count" in source
    assert "[(min(n_batch * triton.cdiv(n_rows, 128) * triton.cdiv(n_cols, 256), units),)](" in source
    two = write_program(program, {0: replace(walked, persistent=2)}, "op")
    assert "triton.cdiv(n_cols, 256), 2 * units),)](" in two


def test_roles_are_asked_of_one_loop(product: Product) -> None:
    program, roles = product(300, 512, 700), replace(TILE, roles=True, descriptors=True)
    alone = write_program(program, {0: roles}, "op")
    assert "for start in tl.range(0, n_k, BLOCK_K, warp_specialize=True):" in alone
    walked = write_program(program, {0: replace(roles, persistent=1)}, "op")
    assert "tl.num_programs(0), flatten=True, warp_specialize=True):" in walked
    assert "for start in tl.range(0, n_k, BLOCK_K):" in walked


def test_results_are_right_with_more_programs_than_tiles_and_with_fewer(
    zoo: Callable[[str], Program | str],
    interpret: Callable[[str, Mapping[str, str]], dict[str, dict[str, Any]]],
) -> None:
    """On a device of 3 units: 3 programs for 6 tiles, and 192."""
    program = zoo("linear_relu")
    assert isinstance(program, Program)
    small = replace(TILE, rows=16, block=16, depth=16, num_warps=4, group=2)
    plans = {str(many): {i: replace(small, persistent=many) for i in program.loops} for many in (1, 64)}
    sources = {many: write_program(program, plan, "op") for many, plan in plans.items()}
    found = interpret("linear_relu", sources)
    assert {many: one for many, one in found.items() if not one.get("worst", 1.0) < 3e-6} == {}


def _compiled(program: Program, schedule: Schedule, device: str, folder: Path) -> KernelReport:
    """What the target's compiler makes of it: no rejection, so no spill."""
    path = folder / f"{device}.py"
    path.write_text(write_program(program, {0: schedule}, "op"))
    report = inspect(path, program.op, find_spec(device), folder)
    assert report.rejections == ()
    (kernel,) = report.kernels
    return kernel


@pytest.mark.parametrize(
    ("device", "changes", "grid", "warps", "unit"),
    [
        ("a100", {}, 108, 4, "mma"),
        ("h100", {"descriptors": True}, 132, 4, "wgmma"),
        ("b200", {"descriptors": True, "roles": True, "rows": 128, "num_warps": 8}, 148, 12, "tcgen05"),
        ("mi300x", {"dies": 8}, 304, 4, "mfma"),
    ],
)
def test_walks_compile_without_spills(
    device: str, changes: dict[str, Any], grid: int, warps: int, unit: str, product: Product, tmp_path: Path
) -> None:
    """With roles a kernel has more warps than were asked for: those that load and those that multiply."""
    small = replace(TILE, rows=64, block=64, depth=32, num_warps=4, num_stages=2, persistent=1)
    kernel = _compiled(product(2048, 256, 2048), replace(small, **changes), device, tmp_path)
    assert (kernel.grid[0], kernel.num_warps) == (grid, warps)
    assert kernel.instructions[unit] > 0
