"""Give warps roles: some ask the copy engine for tiles of factors, some multiply them, some write results."""

from __future__ import annotations

import math
from dataclasses import replace

from ..schedule import Choice, Schedule
from ..tile_ends import ended_us
from ..tiles import Tiles
from .copy_engine import factors_of
from .site import Site
from .tile_choice import IN_HALVES

TRANSFORM = "warp-specialisation"
LEAST_GAIN = 0.03
"""Below it the estimate ranks no two kernels."""

LEAST_STEPS = 8
"""Steps of a tile from which the hand-over between roles is a small part of it."""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if schedule.roles:
        return "done already"
    tiles = Tiles(site.loops, site.spec)
    if (refusal := _of_device(tiles)) is not None:
        return refusal
    if (refusal := _unfit(schedule, site, tiles)) is not None:
        return refusal
    best = replace(schedule, roles=True, halves=False)
    before, after = ended_us(tiles, schedule), ended_us(tiles, best)
    if math.isinf(before):
        return f"not one such tile fits on {site.spec.name}"
    if after > (1 - LEAST_GAIN) * before:
        return f"roles are expected to save {max(0.0, 1 - after / before):.1%}, less than {LEAST_GAIN:.0%}"
    beside = ", and results leave beside the next tile's products" if schedule.persistent else ""
    why = (
        f"warps that load wait for nobody that multiplies{beside}: "
        f"expected to save {1 - after / before:.0%} of {before:.0f} us"
    )
    whole = replace(schedule, choices=tuple(_of_whole_tiles(choice) for choice in schedule.choices))
    choice = Choice("warps", "with roles", why, TRANSFORM)
    return whole.decide(choice, instead_of="results", roles=True, halves=False)


def _of_whole_tiles(choice: Choice) -> Choice:
    """A decision without the halves in which results left: with them a loop over tiles fails to compile."""
    return replace(choice, why=choice.why.removesuffix(IN_HALVES))


def _of_device(tiles: Tiles) -> str | None:
    """Why a device's compiler makes no roles of such a loop."""
    spec = tiles.spec
    if "tma" not in spec.features:
        return f"{spec.name} has no copy engine that a warp could be set apart for"
    if spec.unit_count is None or spec.clock_mhz is None:
        return f"the unit count or the clock of {spec.name} is not known"
    if "tcgen05" in spec.features:
        return None
    if "wgmma" in spec.features:
        return "on an H200 such roles, as Triton 3.6 makes them, took 1.7 to 2.2 times as long"
    return f"matrix units of {spec.name} take factors from registers of the warps that would wait"


def _unfit(schedule: Schedule, site: Site, tiles: Tiles) -> str | None:
    """Why the loop of such a schedule has nothing to hand over."""
    if tiles.dtype == "fp32":
        return (
            "fp32 factors are multiplied from registers, or cut into parts there, by the warps that load them"
        )
    if schedule.lanes or schedule.splits > 1 or schedule.triangle or schedule.marks:
        return "tiles that are skipped, cut into parts or added up by lanes have no loop of equal steps"
    copied, _ = factors_of(site)
    if not schedule.descriptors or any(one is None or one.taps or one.gathered for one in copied):
        return "not all factors are brought by the copy engine"
    if schedule.num_stages < 2:
        return "with one step at a time there is nothing to load ahead"
    steps = math.ceil(tiles.shape[3] / schedule.depth)
    if steps < LEAST_STEPS:
        return f"{steps} steps are few for a pipeline of roles"
    return None
