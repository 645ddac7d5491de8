"""Launch only as many programs as run at once; each walks over rows and keeps the weights in registers."""

from __future__ import annotations

from ..expr import Load
from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "persistent-programs"
LEAST_WAVES = 4
REGISTERS = 48  # assumed for the number of resident blocks; the offline compile says what it is


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout != "rows" or not schedule.one_tile or schedule.rows > 1:
        return "only programs that hold one whole row are made persistent"
    units = site.spec.unit_count
    if schedule.persistent or units is None:
        return "done already" if schedule.persistent else f"the unit count of {site.spec.name} is not known"
    shared = _row_independent(site)
    if not shared:
        return "no tensor is read alike by every row"
    by_registers = site.spec.registers_per_unit // (REGISTERS * schedule.num_warps * site.spec.warp_size)
    resident = max(
        1,
        min(by_registers, site.spec.max_warps_per_unit // schedule.num_warps, site.spec.max_blocks_per_unit),
    )
    programs = units * resident
    if site.loops.rows.full < LEAST_WAVES * programs:
        return f"{site.loops.rows.full} rows are fewer than {LEAST_WAVES} waves of {programs} programs"
    why = (
        f"{units} {site.spec.unit_name}s hold {resident} blocks of {schedule.num_warps} warps each; "
        f"{' and '.join(shared)} {'is' if len(shared) == 1 else 'are'} loaded once a program"
    )
    choice = Choice("programs", str(programs), why, TRANSFORM)
    return schedule.decide(choice, instead_of="loads", persistent=programs, loads_first=False)


def _row_independent(site: Site) -> list[str]:
    b = site.loops.region.builder
    kept = set(site.loops.region.kept_axes)
    found = []
    for number in b.walk([s.value for s in site.loops.region.stores]):
        node = b.nodes[number]
        if isinstance(node, Load) and b.free_axes(number) and not b.free_axes(number) & kept:
            found.append(node.buffer.removeprefix("p_"))
    return found
