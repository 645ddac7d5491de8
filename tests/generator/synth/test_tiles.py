"""Matrix products on a device: what every transform decides about their tiles, and why it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program
from kbgen.generator.writers.synth.schedule import Schedule, start_schedule
from kbgen.generator.writers.synth.tiles import Tiles
from kbgen.generator.writers.synth.traffic import planned_bytes
from kbgen.generator.writers.synth.transforms.registry import MEND, TRANSFORMS
from kbgen.generator.writers.synth.transforms.site import Site
from kbgen.hardware_specs.spec import find_spec

STEPS = ("gemm-tile-choice", "pipelined-loop", "grouped-program-order")
OF_PRODUCTS = (
    "tf32x3-split", "tma-bulk-copy", "split-k", "skinny-gemm", "triangular-tiles", "zero-tile-skip",
    "xcd-program-order", "persistent-tiles", "warp-specialisation",
)  # fmt: skip
TOKENS, WIDTH, HIDDEN = 4096, 4096, 11008
MIB = 2**20
TILE = Schedule("tiles", rows=128, block=128, depth=64, num_warps=8, num_stages=3)


@pytest.fixture
def linear(example: Callable[[str], Program]) -> Loops:
    """x (TOKENS, WIDTH) by weight (HIDDEN, WIDTH), bias and GELU, in bf16."""
    (loops,) = example("linear_gelu").loops.values()
    return loops


@pytest.fixture
def gated(sized: Callable[..., Program]) -> Loops:
    """Two products of 4096 x 4096 x 4096 in fp32 that share their left factor."""
    (loops,) = sized("gated_mlp", rows=4096, width=4096, hidden=4096).loops.values()
    return loops


def _try(name: str, schedule: Schedule, loops: Loops, device: str) -> Schedule | str:
    return TRANSFORMS[name](schedule, Site(loops, find_spec(device)))


def _steps(loops: Loops, device: str) -> Schedule:
    schedule = start_schedule(loops)
    for name in STEPS:
        changed = _try(name, schedule, loops, device)
        assert isinstance(changed, Schedule), changed
        schedule = changed
    return schedule


@pytest.mark.parametrize(
    ("device", "tile", "warps", "stages", "group"),
    [
        ("h100", (128, 256, 64), 8, 3, 16),  # sums of warp groups: 128 a thread
        ("a100", (128, 128, 32), 8, 3, 16),  # 64 sums a thread beside the fragments
        ("mi300x", (128, 256, 32), 4, 2, 32),  # the next step waits in registers
    ],
)
def test_tile_stages_and_order_of_a_bf16_product(
    device: str, tile: tuple[int, int, int], warps: int, stages: int, group: int, linear: Loops
) -> None:
    schedule = _steps(linear, device)
    assert (schedule.rows, schedule.block, schedule.depth) == tile
    assert (schedule.num_warps, schedule.num_stages, schedule.group) == (warps, stages, group)
    assert schedule.dot == "ieee"
    assert [c.technique for c in schedule.choices] == list(STEPS)


def test_reasons_hold_the_figures_of_the_choice(linear: Loops) -> None:
    """1376 tiles of 128 x 256, one on each of 132 SMs; 128 x 256 / (128 + 256) products an element."""
    tile, stages, group = (c.why for c in _steps(linear, "h100").choices)
    assert tile == (
        "1376 of them make 10 waves; a step does 85 multiply-adds for each element it reads; "
        "what follows is done for half of its columns at a time"
    )
    assert stages == "3 steps of 49152 bytes are under way while one is multiplied"
    assert group.endswith("share factors in the L2: 204 MiB of them come from memory instead of 978")


def test_what_is_chosen_is_not_chosen_again(linear: Loops) -> None:
    schedule = _steps(linear, "h100")
    assert [_try(name, schedule, linear, "h100") for name in STEPS] == [
        "no tile does better than 128 x 256 x 64", "done already", "done already",
    ]  # fmt: skip


def test_a_small_product_gets_small_tiles_and_no_order(sized: Callable[..., Program]) -> None:
    """64 x 64 results would keep one SM of 132 busy."""
    (loops,) = sized("gated_mlp", rows=64, width=128, hidden=64).loops.values()
    chosen = _try("gemm-tile-choice", start_schedule(loops), loops, "h100")
    assert isinstance(chosen, Schedule)
    assert (chosen.rows, chosen.block) == (16, 16)
    assert _try("grouped-program-order", start_schedule(loops), loops, "h100") == (
        "the 0 MiB of factors that come from memory are as few in any order"
    )


@pytest.mark.parametrize("name", STEPS)
def test_a_card_without_known_units_is_not_guessed_at(name: str, linear: Loops) -> None:
    refusal = _try(name, start_schedule(linear), linear, "b300")
    assert isinstance(refusal, str)
    assert "of B300 SXM 288GB (Blackwell Ultra) is not known" in refusal


@pytest.mark.parametrize("name", [*STEPS[::2], *OF_PRODUCTS])
def test_only_products_have_tiles(name: str, example: Callable[[str], Program]) -> None:
    (loops,) = example("swiglu").loops.values()
    assert _try(name, start_schedule(loops), loops, "h100") == "there is no matrix product"


@pytest.mark.parametrize("name", sorted({*TRANSFORMS} - {*STEPS, *OF_PRODUCTS, "implicit-gemm"}))
def test_what_is_made_for_rows_leaves_tiles_and_windows_alone(
    name: str, linear: Loops, example: Callable[[str], Program]
) -> None:
    (pool,) = example("max_pool2d").loops.values()
    assert _try(name, start_schedule(linear), linear, "h100") == f"{name} is not for matrix products"
    assert _try(name, start_schedule(pool), pool, "h100") == f"{name} is not for windows"


@pytest.mark.parametrize(
    ("device", "refusal"),
    [
        ("rtx4090", "products of parts are expected to reach 13 TFLOP/s here, fp32 ones 27"),
        ("t4", "Tesla T4 has no TF32 units"),
        ("mi300x", "Triton has no TF32 products for this vendor"),
    ],
)
def test_fp32_factors_are_split_only_where_that_is_faster(device: str, refusal: str, gated: Loops) -> None:
    assert _try("tf32x3-split", start_schedule(gated), gated, device) == refusal


def test_fp32_factors_are_split_once_and_short_ones_never(gated: Loops, linear: Loops) -> None:
    """A weight lies along the summed direction: TF32 units take it, vector units take twice the time."""
    split = _try("tf32x3-split", start_schedule(gated), gated, "h200")
    assert isinstance(split, Schedule)
    assert split.dot == "tf32x3"
    assert "78 TFLOP/s on matrix units and 22 on the vector units" in split.choices[-1].why
    assert _try("tf32x3-split", split, gated, "h200") == "done already"
    assert _try("tf32x3-split", start_schedule(linear), linear, "h200") == (
        "bf16 factors go to the matrix units as they are"
    )


def test_factors_across_the_summed_direction_become_six_products(sized: Callable[..., Program]) -> None:
    """A x B with both row after row: TF32 units would turn B in registers."""
    seen = {}
    for loops in sized("products").loops.values():
        split = _try("tf32x3-split", start_schedule(loops), loops, "h200")
        if isinstance(split, Schedule):
            seen[Tiles(loops, find_spec("h200")).along] = split.dot
    assert seen[(True, True)] == "tf32x3"
    assert seen[(True, False)] == "bf16x6"


def test_stages_give_way_to_neighbours(gated: Loops) -> None:
    start = replace(start_schedule(gated), rows=64, block=32, num_warps=2)
    assert _try("pipelined-loop", start, gated, "h100") == (
        "more steps under way take the shared memory that neighbours need"
    )


def test_memory_and_units_of_a_tile(linear: Loops, gated: Loops) -> None:
    """(128 + 128) x 64 bf16 a step, three of them; on AMD the third waits in registers."""
    tiles = Tiles(linear, find_spec("h200"))
    assert tiles.shape == (1, TOKENS, HIDDEN, WIDTH)
    assert tiles.step_bytes(TILE) == 32768
    assert tiles.shared_bytes(TILE) == 3 * 32768
    assert Tiles(linear, find_spec("mi300x")).shared_bytes(TILE) == 2 * 32768
    assert (tiles.programs(TILE), tiles.resident(TILE)) == (32 * 86, 2)
    assert tiles.estimate_us(TILE) == pytest.approx(737, rel=0.15)  # measured on an H200
    both = Tiles(gated, find_spec("h200"))
    assert both.factors == (1, 2)
    assert both.step_bytes(TILE) == (128 + 2 * 128) * 64 * 4


def test_a_tile_that_does_not_fit_takes_forever(linear: Loops) -> None:
    tiles = Tiles(linear, find_spec("rtx4090"))
    assert tiles.estimate_us(replace(TILE, num_stages=4)) == float("inf")  # 128 KiB of 99
    assert tiles.estimate_us(replace(TILE, num_stages=2)) < float("inf")


def test_groups_read_the_factors_in_fewer_bands(linear: Loops) -> None:
    """x is 32 MiB, the weight 86 MiB in an L2 of 50: it comes anew for every band of 128 rows.

    264 tiles run at once, three rows of 86 of them without groups; 16 rows make two bands; with 32 rows all
    of x would have to stay in the L2 and does not, so that it comes once for every 264 tiles.
    """
    tiles = Tiles(linear, find_spec("h100"))
    read = {g: tiles.read_bytes(replace(TILE, group=g)) / MIB for g in (1, 3, 16, 32)}
    assert read == {1: 32 + 11 * 86, 3: 32 + 11 * 86, 16: 32 + 2 * 86, 32: 11 * 32 + 86}


def test_factors_that_stay_in_the_l2_are_read_once(sized: Callable[..., Program]) -> None:
    (loops,) = sized("gated_mlp", rows=1024, width=512, hidden=1024).loops.values()
    spec = find_spec("h100")
    tiles = Tiles(loops, spec)
    assert tiles.factor_bytes() == (2 * MIB, 4 * MIB)
    assert {tiles.read_bytes(replace(TILE, group=g)) for g in (1, 4, 8)} == {6 * MIB}
    assert planned_bytes(loops, TILE, spec) == (6 * MIB + 1024 * 1024 * 4,)


def test_mending_a_tile_ends(linear: Loops) -> None:
    """Steps first, then halves of the results, then warps, then the wider side, down to 16 x 16."""
    site = Site(linear, find_spec("h100"))
    schedule = replace(TILE, block=256, num_warps=4, num_stages=6)
    seen = []
    while not isinstance(changed := MEND[1](schedule, site), str):
        seen.append((changed.rows, changed.block, changed.num_warps, changed.num_stages))
        schedule = changed
    assert seen[:3] == [(128, 256, 4, 5), (128, 256, 4, 4), (128, 256, 4, 4)]
    assert seen[3:5] == [(128, 256, 8, 4), (128, 128, 8, 4)]
    assert schedule.halves
    assert changed == "a tile of 16 x 16 is as small as it gets"
