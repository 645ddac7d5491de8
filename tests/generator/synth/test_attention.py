"""Attention on a device: its tile, the keys it visits, what it refuses, and products of products."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kbgen.generator.writers.synth.attention_tiles import AttentionTiles
from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program
from kbgen.generator.writers.synth.schedule import Schedule, start_schedule
from kbgen.generator.writers.synth.traffic import planned_bytes, planned_flops
from kbgen.generator.writers.synth.transforms.inherent import inherent
from kbgen.generator.writers.synth.transforms.registry import MEND, TRANSFORMS
from kbgen.generator.writers.synth.transforms.site import Site
from kbgen.generator.writers.writer import Candidate
from kbgen.hardware_specs.spec import find_spec

BATCH, HEADS, TOKENS, HEAD_DIM = 8, 16, 2048, 128


@pytest.fixture
def causal(example: Callable[[str], Program]) -> Loops:
    (loops,) = example("attention").loops.values()
    return loops


def _tiled(loops: Loops, device: str) -> Schedule:
    changed = TRANSFORMS["flash-tiling"](start_schedule(loops), Site(loops, find_spec(device)))
    assert isinstance(changed, Schedule), changed
    return changed


@pytest.mark.parametrize("device", ["a100", "h100", "b200", "mi300x"])
def test_a_tile_fits_and_is_faster_by_the_model(device: str, causal: Loops) -> None:
    tiles, found = AttentionTiles(causal, find_spec(device)), _tiled(causal, device)
    assert tiles.estimate_us(found) < tiles.estimate_us(start_schedule(causal))
    assert tiles.shared_bytes(found) <= tiles.spec.shared_bytes_per_block
    assert tiles.resident(found) >= 1
    assert found.rows >= found.depth  # queries are read once, keys by every program


def test_scores_are_no_traffic(causal: Loops) -> None:
    """Queries, keys, values and results, in bf16; both products at full size."""
    once = 4 * BATCH * HEADS * TOKENS * HEAD_DIM * 2
    assert planned_bytes(causal, start_schedule(causal), find_spec("h100")) == (once,)
    products = 4 * BATCH * HEADS * TOKENS**2 * HEAD_DIM
    assert AttentionTiles(causal, find_spec("h100")).flops() == products
    assert planned_flops(causal) > 0


def test_keys_behind_a_query_are_not_visited(
    causal: Loops, candidate: Callable[[str, str], Candidate]
) -> None:
    assert "causal-tile-skip" in {choice.technique for choice in inherent(causal)}
    source = candidate("attention", "h100").source
    assert "last_key = tl.minimum(n_keys, (tile_row + 1) * BLOCK_M)" in source
    assert "for start in tl.range(0, whole_keys, BLOCK_K):" in source
    assert "for start in tl.range(whole_keys, last_key, BLOCK_K):" in source


def test_what_is_made_for_other_loops_says_so(causal: Loops) -> None:
    site, start = Site(causal, find_spec("h100")), start_schedule(causal)
    assert TRANSFORMS["gemm-tile-choice"](start, site) == "gemm-tile-choice is not for attention"
    tile = Schedule("rows", block=1024)
    assert TRANSFORMS["flash-tiling"](tile, site) == "there is no attention"


def test_a_spilling_tile_gives_up_stages_then_keys_then_queries(causal: Loops) -> None:
    _, mend = MEND
    site = Site(causal, find_spec("h100"))
    schedule: Schedule | str = Schedule("attention", block=128, rows=64, depth=64, inner=128, num_stages=2)
    seen = []
    while isinstance(schedule, Schedule):
        seen.append((schedule.num_stages, schedule.rows, schedule.depth))
        schedule = mend(schedule, site)
    assert seen[:4] == [(2, 64, 64), (1, 64, 64), (1, 64, 32), (1, 32, 32)]
    assert seen[-1] == (1, 16, 16)
    assert "as small as it gets" in schedule


def test_long_heads_are_summed_in_steps(sized: Callable[..., Program]) -> None:
    """1024 elements of a query are too many to hold; columns of the results are shared out."""
    loops = sized("attentions", tokens=64, head_dim=1024).loops
    starts = [start_schedule(found) for found in loops.values()]
    attention = [s for s in starts if s.layout == "attention"]
    assert attention
    assert {(s.one_tile, s.block, s.inner) for s in attention} == {(False, 256, 64)}


def test_products_in_fp32_stay_apart(sized: Callable[..., Program]) -> None:
    """They are multiplied from registers, of which two products at once leave none."""
    loops = sized("linear_between", rows=8, width=48, hidden=64).loops.values()
    assert [start_schedule(found).layout for found in loops] == ["tiles", "tiles"]
