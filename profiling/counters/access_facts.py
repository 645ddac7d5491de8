"""Names how well the accesses of a launch use what they move: sectors, banks, caches, places far away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...hardware_specs.spec import DeviceSpec
from .record import Launch

Found = Iterator[tuple[str, float]]

_FEW_SECTORS = 2.0  # sectors a request: below, lanes read one address, or neighbours of two bytes
_WIDEST_LOAD, _NARROWEST_LOAD = 16, 4  # bytes of a lane
_COALESCED_PCT = 75.0


def access_facts(launch: Launch, spec: DeviceSpec | None, found: Mapping[str, float]) -> Found:
    """How well accesses use what they move."""
    asked, ideal = launch.value("sectors_global"), launch.value("sectors_global_ideal")
    excess = None if not asked or ideal is None else max(0.0, 1 - ideal / asked)
    wasted = [] if excess is None else [excess]
    for key in ("ld_bytes_per_sector", "st_bytes_per_sector"):
        useful = launch.value(key)
        if useful and not (key.startswith("ld") and _is_broadcast(launch)):
            yield key, useful
            if excess is None:
                wasted.append(max(0.0, 1 - useful / 32))
    if wasted:
        yield "excess_sectors_pct", 100 * max(wasted)
        if (hit := found.get("l1_hit")) is not None:
            yield "waste_to_l2", max(wasted) * (1 - hit / 100)
    elif (beyond := _beyond_the_widest_load(launch)) is not None:
        yield "excess_sectors_pct", 100 * beyond
        yield "waste_to_l2", beyond
    if (conflicts := _conflicts(launch)) is not None:
        yield "conflicts_per_wavefront", conflicts
    if sectors := launch.value("l2_sectors"):
        for key, name in (("l2_sectors_fabric", "fabric_pct"), ("l2_sectors_sysmem", "sysmem_pct")):
            if (part := launch.value(key)) is not None:
                yield name, 100 * part / sectors
        returned, silent = launch.value("l2_atomics"), launch.value("l2_reductions")
        if (launch.arch or "").startswith("gfx"):
            silent = 0.0  # AMD counts both kinds as one
        if returned is not None and silent is not None:
            yield "atomic_sectors_pct", 100 * (returned + silent) / sectors


def _conflicts(launch: Launch) -> float | None:
    """Bank conflicts over wavefronts; the worse of loads and stores where only these were counted."""
    ratios = {}
    for kind in ("", "ld_", "st_"):
        conflicts = launch.value(f"shared_{kind}conflicts")
        wavefronts = launch.value(f"shared_{kind}wavefronts")
        if conflicts is not None and wavefronts is not None:
            ratios[kind] = conflicts / wavefronts if wavefronts else 0.0
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
