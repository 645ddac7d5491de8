"""Programs that stay on their unit: each walks tiles of products a grid apart, down to the last one.

The loop over tiles and the one over the summed direction are flattened into one, so that the loads of the
next tile are under way while the results of this one leave. How many units there are is asked of the device
at every call.
"""

from __future__ import annotations

from ..emit.kernel import Kernel
from ..extent import product
from ..schedule import Schedule
from .job import Job

LOOP = "for tile in tl.range(tl.program_id(0), n_tiles, tl.num_programs(0), flatten=True"


def first_tile(kernel: Kernel, walked: Job | None) -> tuple[str, str]:
    """The variables that number a program's tile and count all of them; where programs walk tiles, what is
    written from here on is the body of the loop over them."""
    if walked is None:
        kernel.line("program = tl.program_id(0)")
        return "program", "tl.num_programs(0)"
    tiling, (buffer, _) = walked.loops.tiling, walked.loops.region.buffers[0]
    device = f"{walked.tensors[buffer]}.device"
    kernel.made["units"] = f"torch.cuda.get_device_properties({device}).multi_processor_count"
    tiles = kernel.grid.removeprefix("(").removesuffix(",)")
    programs = "units" if walked.schedule.persistent == 1 else f"{walked.schedule.persistent} * units"
    kernel.grid = f"(min({tiles}, {programs}),)"
    batches = ""
    if tiling is not None and tiling.batch:
        batches = f"{kernel.size('n_batch', product((a.size for a in tiling.batch), walked.loops.one))} * "
    kernel.line(f"n_tiles = {batches}row_blocks * col_blocks")
    kernel.line(f"{LOOP}{_roles(walked.schedule)}):")
    kernel.depth += 1
    return "tile", "n_tiles"


def of_steps(schedule: Schedule) -> str:
    """What the loop over the steps of a sum is told: nothing where the one over tiles is told it."""
    return "" if schedule.persistent else _roles(schedule)


def _roles(schedule: Schedule) -> str:
    return ", warp_specialize=True" if schedule.roles else ""


def move_pointer(job: Job, kernel: Kernel, tensor: str, by: str) -> None:
    """Move the pointer of a tensor for one tile: from where it was before the walk, if there is one."""
    pointer = kernel.pointer(tensor)
    if not job.schedule.persistent:
        kernel.line(f"{pointer} += {by}")
        return
    first = f"first_{pointer}"
    while first in {f"{name}_ptr" for name in job.tensors.values()}:
        first = f"first_{first}"
    walk = next(place for place, (_, line) in enumerate(kernel.lines) if line.startswith(LOOP))
    kernel.lines.insert(walk, (kernel.depth - 1, f"{first} = {pointer}"))
    kernel.line(f"{pointer} = {first} + {by}")
