"""Names how well the accesses of a launch use what they move: sectors, banks, caches, places far away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...hardware_specs.spec import DeviceSpec
from .record import Launch

Found = Iterator[tuple[str, float]]

_FEW_SECTORS = 2.0  # sectors a request: below, lanes read one address, or neighbours of two bytes
_WIDEST_LOAD, _NARROWEST_LOAD = 16, 4  # bytes of a lane
_BACKGROUND_SECTORS = 32_768  # in system memory, of every launch under ncu: up to 30 000 seen on an H200
_COALESCED_PCT = 75.0
_WIDE, _SAME = (
    (0.5, 0.75),
    0.002,
)  # shares of extra wavefronts that lanes of 8 and 16 bytes take by themselves


def access_facts(launch: Launch, spec: DeviceSpec | None, found: Mapping[str, float]) -> Found:
    """How well accesses use what they move."""
    asked, ideal = launch.value("sectors_global"), launch.value("sectors_global_ideal")
    excess = None if not asked or ideal is None else max(0.0, 1 - ideal / asked)
    loaded, stored = launch.value("ld_bytes_per_sector"), launch.value("st_bytes_per_sector")
    if loaded:
        yield "ld_bytes_per_sector", loaded
    if stored:
        yield "st_bytes_per_sector", stored
    if excess is None and loaded and not _is_broadcast(launch):
        excess = max(0.0, 1 - loaded / 32)
        stored = None  # how much of the traffic they are nobody counted
    if excess is not None:
        yield "excess_sectors_pct", 100 * excess
        if (hit := found.get("l1_hit")) is not None:
            yield "waste_to_l2", _past_the_l1(excess, loaded, stored, hit / 100)
    elif (beyond := _beyond_the_widest_load(launch)) is not None:
        yield "excess_sectors_pct", 100 * beyond
        yield "waste_to_l2", beyond
    if (conflicts := _conflicts(launch)) is not None:
        yield "conflicts_per_wavefront", conflicts
    if sectors := launch.value("l2_sectors"):
        if (crossing := launch.value("l2_sectors_fabric")) is not None:
            yield "fabric_pct", 100 * crossing / sectors
        if (remote := launch.value("l2_sectors_sysmem")) is not None:
            yield "sysmem_pct", 100 * max(0.0, remote - _BACKGROUND_SECTORS) / sectors
        returned, silent = launch.value("l2_atomics"), launch.value("l2_reductions")
        if (launch.arch or "").startswith("gfx"):
            silent = 0.0  # AMD counts both kinds as one
        if returned is not None and silent is not None:
            yield "atomic_sectors_pct", 100 * (returned + silent) / sectors


def _past_the_l1(excess: float, loaded: float | None, stored: float | None, hit: float) -> float:
    """Which share of the excess reaches the L2: what loads waste the L1 may hold, stores go through it."""
    parts = [excess * (1 - hit)]
    if loaded and stored:
        parts = [min(excess, 1 - loaded / 32) * (1 - hit), min(excess, 1 - stored / 32)]
    return max(parts)


def _conflicts(launch: Launch) -> float | None:
    """Bank conflicts over wavefronts; the worse of loads and stores where only these were counted.

    Nsight Compute counts every wavefront beyond one a request, the two of 8-byte and the four of 16-byte
    lanes among them (measured on an H200: consecutive 16-byte loads read 75.0 %). A share of loads or stores
    that is exactly one half or three quarters is taken for their width.
    """
    ratios, wide = {}, 0.0
    for kind in ("", "ld_", "st_"):
        conflicts = launch.value(f"shared_{kind}conflicts")
        wavefronts = launch.value(f"shared_{kind}wavefronts")
        if conflicts is not None and wavefronts is not None:
            ratio = conflicts / wavefronts if wavefronts else 0.0
            if kind and any(abs(ratio - width) < _SAME for width in _WIDE):
                wide, ratio = wide + conflicts, 0.0
            ratios[kind] = ratio
    conflicts, wavefronts = launch.value("shared_conflicts"), launch.value("shared_wavefronts")
    if conflicts is not None and wavefronts:
        return max(0.0, conflicts - wide) / wavefronts
    return ratios[""] if "" in ratios else max(ratios.values(), default=None)


def _beyond_the_widest_load(launch: Launch) -> float | None:
    """The share of bytes from the L2 that no load of a lane can have asked for: at least that much is waste.
    0 where accesses are shown to share their requests; None in between, where the loads' type decides."""
    per_lane, coalescing = launch.value("ld_bytes_per_lane"), launch.value("coalescing_pct")
    if per_lane is not None and per_lane > _WIDEST_LOAD:
        return 1 - _WIDEST_LOAD / per_lane
    if (coalescing is not None and coalescing >= _COALESCED_PCT) or (
        per_lane is not None and per_lane <= _NARROWEST_LOAD
    ):
        return 0.0
    return None


def _is_broadcast(launch: Launch) -> bool:
    """Whether all lanes of a load read one address: few useful bytes of a sector, and no harm in it."""
    sectors, requests = launch.value("ld_sectors"), launch.value("ld_requests")
    return bool(requests) and sectors is not None and sectors / (requests or 1) < _FEW_SECTORS
