"""Add up products of few rows or columns lane by lane, where a matrix tile would be mostly padding."""

from __future__ import annotations

from dataclasses import replace

from ..schedule import LEAST_DOT, Choice, Schedule
from ..tiles import Tiles
from . import split_k, tile_choice
from .site import Site

TRANSFORM = "skinny-gemm"
LEAST_GAIN = 0.1


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if site.loops.tiling.holds:
        return "what is reduced stays in its tile"
    if schedule.lanes:
        return "done already"
    spec = site.spec
    if spec.unit_count is None or spec.clock_mhz is None:
        return f"the unit count or the clock of {spec.name} is not known"
    tiles = Tiles(site.loops, spec)
    narrow = min(tiles.shape[1:3])
    if narrow >= LEAST_DOT:
        return f"{narrow} rows or columns fill the tile of a matrix unit"
    if tiles.dtype not in ("fp32", "fp16", "bf16"):
        return f"lanes add up no {tiles.dtype}"
    plain = replace(
        schedule, lanes=True, dot="ieee", stretch=0, descriptors=False, halves=False, num_stages=1, group=1
    )
    found = tile_choice.alternatives(replace(plain, rows=1, block=1, depth=1, num_warps=1), site)
    if not found:
        return "no tile of lanes is expected to run here"
    before = min(split_k.expected_us(tiles, s) for s in split_k.ways(schedule, site, tiles))
    after = min(split_k.expected_us(tiles, s) for s in split_k.ways(found[0], site, tiles))
    if after > (1 - LEAST_GAIN) * before:
        return f"a tile padded to {LEAST_DOT} is expected to take no more time"
    why = (
        f"a side of {narrow} fills {narrow} of the {LEAST_DOT} rows or columns of a matrix unit; "
        "every lane multiplies what it loads, and lanes are added up once, behind the loop"
    )
    return found[0].decide(Choice("products", "lane by lane", why, TRANSFORM))
