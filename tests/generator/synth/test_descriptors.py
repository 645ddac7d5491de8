"""Tiles of the copy engine, fp32 products of parts, results in halves: who decides and what is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program, write_program
from kbgen.generator.writers.synth.schedule import Schedule, start_schedule
from kbgen.generator.writers.synth.skeletons.parts import cut_factors
from kbgen.generator.writers.synth.tiles import Tiles
from kbgen.generator.writers.synth.traffic import planned_bytes
from kbgen.generator.writers.synth.transforms.registry import TRANSFORMS
from kbgen.generator.writers.synth.transforms.site import Site
from kbgen.hardware_specs.spec import find_spec

Read = Callable[..., Program]
TILE = Schedule("tiles", rows=128, block=256, depth=64, num_warps=8, num_stages=3)


def _try(name: str, schedule: Schedule, loops: Loops, device: str = "h200") -> Schedule | str:
    return TRANSFORMS[name](schedule, Site(loops, find_spec(device)))


def _decided(name: str, schedule: Schedule, loops: Loops, device: str = "h200") -> Schedule:
    changed = _try(name, schedule, loops, device)
    assert isinstance(changed, Schedule), changed
    return changed


def _square(sized: Read, side: int = 4096) -> Program:
    """relu(x W^T + b) in fp32."""
    return sized("linear_relu", rows=side, width=side, hidden=side)


def test_the_copy_engine_is_asked_where_there_is_one(example: Callable[[str], Program], sized: Read) -> None:
    (linear,) = example("linear_gelu").loops.values()
    brought = _decided("tma-bulk-copy", TILE, linear)
    assert brought.descriptors
    assert brought.choices[-1].why.startswith("128 x 64 elements are one copy in place of 1024 accesses")
    assert _try("tma-bulk-copy", brought, linear) == "done already"
    assert _try("tma-bulk-copy", TILE, linear, "a100") == "A100-SXM4-80GB has no engine that copies tiles"
    (single,) = _square(sized, 64).loops.values()
    assert _try("tma-bulk-copy", TILE, single) == (
        "fp32 factors are multiplied from registers, to which no engine copies"
    )


def test_a_tile_is_copied_or_loaded(example: Callable[[str], Program]) -> None:
    """Where rows begin between 16-byte boundaries there is no descriptor, and pointers do it."""
    program = example("linear_gelu")
    source = write_program(program, {0: replace(TILE, descriptors=True, halves=True)}, "linear_gelu")
    assert "from triton.tools.tensor_descriptor import TensorDescriptor" in source
    assert "weight_tiles = tiles_of(weight, (n_cols, n_k), (n_k, 1), (256, 64))" in source
    assert "weight = weight_tiles.load([tile_col * BLOCK_N, start]).T" in source
    assert "weight = tl.load(weight_ptr + right_ks + cols * n_k" in source
    assert "acc = acc_halves[half]" in source


def test_nothing_of_descriptors_is_written_without_them(example: Callable[[str], Program]) -> None:
    source = write_program(example("linear_gelu"), {0: TILE}, "linear_gelu")
    assert "escriptor" not in source
    assert "halves" not in source


def test_large_fp32_products_are_of_parts_cut_before(sized: Read) -> None:
    (loops,) = _square(sized).loops.values()
    cut = _decided("tf32x3-split", start_schedule(loops), loops)
    assert (cut.dot, cut.stretch, cut.descriptors) == ("bf16x6", 512, True)
    assert (cut.rows, cut.block, cut.depth) == (128, 128, 64)
    assert "120 TFLOP/s of parts that a kernel before cuts in" in cut.choices[-1].why
    assert _try("gemm-tile-choice", cut, loops) == "no tile does better than 128 x 128 x 64"


def test_a_product_that_fills_no_card_is_not_cut_before(sized: Read) -> None:
    (loops,) = _square(sized, 1024).loops.values()
    split = _decided("tf32x3-split", start_schedule(loops), loops)
    assert (split.dot, split.stretch) == ("tf32x3", 0)


def test_six_products_in_the_loop_are_left_alone_where_they_compile_to_nothing(sized: Read) -> None:
    found = [_try("tf32x3-split", start_schedule(s), s, "b200") for s in sized("products").loops.values()]
    assert {s.dot for s in found if isinstance(s, Schedule) and not s.stretch} <= {"tf32x3"}


def test_cut_parts_count_in_traffic_and_work(sized: Read) -> None:
    """Ten bytes an element of x and W; six products at 0.73 of the peak; one part of each factor a step."""
    (loops,) = _square(sized).loops.values()
    spec, cut = find_spec("h200"), replace(TILE, block=128, num_stages=4, dot="bf16x6", stretch=512)
    first, second = planned_bytes(loops, cut, spec)
    assert first == 10 * 2 * 4096**2
    assert second > 2 * 4 * 4096**2
    tiles = Tiles(loops, spec)
    assert tiles.shared_bytes(cut) == 4 * 2 * 128 * 64 * 2
    work = tiles.work(cut)
    assert work is not None
    assert work.rate == "tensor_bf16"
    assert work.step_flops == pytest.approx(2 * 128 * 128 * 64 * 6 / 0.73)


def test_parts_are_of_factors_that_nothing_else_reads(sized: Read, example: Callable[[str], Program]) -> None:
    (linear,) = _square(sized, 64).loops.values()
    assert set(cut_factors(linear) or {}) == {"x", "p_up_weight"}
    (gated,) = sized("gated_mlp").loops.values()
    assert cut_factors(gated) is None  # two products share their sums' registers
    (short,) = example("linear_gelu").loops.values()
    assert cut_factors(short) is None  # bf16 as it is


def test_parts_are_summed_in_stretches(sized: Read) -> None:
    program = _square(sized, 64)
    cut = replace(TILE, rows=16, block=16, depth=16, dot="bf16x6", stretch=32, descriptors=True)
    source = write_program(program, {0: cut}, "linear_relu")
    assert source.index("def linear_relu_parts_kernel(") < source.index("def linear_relu_kernel(")
    assert "for first in tl.range(0, n_k, STRETCH):" in source
    assert "for step in tl.range(0, 6 * steps):" in source
    assert "x_pitch = triton.cdiv(x_run, 8) * 8" in source  # runs begin at 16-byte boundaries
    assert "x_parts = torch.empty((3, x_runs, x_pitch), dtype=torch.bfloat16, device=" in source
    assert "[left_part.to(tl.int32), tile_row * BLOCK_M, start]" in source


def test_a_slice_of_a_tensor_is_not_cut(sized: Read) -> None:
    """What is cut is a tensor from end to end."""
    (loops,) = sized("sliced_factors").loops.values()
    assert loops.tiling is not None
    assert cut_factors(loops) is None
