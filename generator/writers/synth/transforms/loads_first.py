"""Ask for all that a held row needs before its first reduction, whose barrier no later load can pass."""

from __future__ import annotations

from ..expr import Load
from ..schedule import Choice, Schedule
from ..skeletons.rowwise import read_by_reductions
from .site import Site

TRANSFORM = "loads-first"


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout != "rows" or not schedule.one_tile:
        return "rows are not held whole"
    if schedule.loads_first or schedule.persistent:
        return "done already" if schedule.loads_first else "programs that stay have loaded it before any row"
    late = _read_late(site)
    if not late:
        return "nothing is read after the reductions that is not read before them"
    why = f"{' and '.join(late)} {'is' if len(late) == 1 else 'are'} under way while the row is reduced"
    return schedule.decide(Choice("loads", "first", why, TRANSFORM), loads_first=True)


def _read_late(site: Site) -> list[str]:
    """Tensors that only what follows the reductions reads."""
    region = site.loops.region
    builder, reduced = region.builder, read_by_reductions(region)
    numbers = builder.walk([store.value for store in region.stores])
    found = [builder.nodes[number] for number in numbers if number not in reduced]
    names = (node.buffer.removeprefix("p_") for node in found if isinstance(node, Load))
    return list(dict.fromkeys(names))
