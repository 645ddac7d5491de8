"""Programs that stay on their unit: each walks tiles of products a grid apart, down to the last one.

The loop over tiles and the one over the summed direction are flattened into one, so that the loads of the next
tile are under way while the results of this one leave. How many units there are is asked of the device at every
call.
"""

from __future__ import annotations

from ..emit.kernel import Kernel
from ..extent import product
from ..schedule import Schedule
from .job import Job

LOOP = "for tile in tl.range(tl.program_id(0), n_tiles, tl.num_programs(0), flatten=True"


def walk_tiles(job: Job, kernel: Kernel) -> None:
    """Open the loop over the tiles that the grid counts; what is written from here on is its body."""
    tiling, (buffer, _) = job.loops.tiling, job.loops.region.buffers[0]
    device = f"{job.tensors[buffer]}.device"
    kernel.made["units"] = f"torch.cuda.get_device_properties({device}).multi_processor_count"
    tiles = kernel.grid.removeprefix("(").removesuffix(",)")
    programs = "units" if job.schedule.persistent == 1 else f"{job.schedule.persistent} * units"
    kernel.grid = f"(min({tiles}, {programs}),)"
    batches = ""
    if tiling is not None and tiling.batch:
        batches = f"{kernel.size('n_batch', product((a.size for a in tiling.batch), job.loops.one))} * "
    kernel.line(f"n_tiles = {batches}row_blocks * col_blocks")
    kernel.line(f"{LOOP}{specialised(job.schedule)}):")
    kernel.depth += 1


def specialised(schedule: Schedule) -> str:
    """What tells a loop that its loads and its products are for different warps."""
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
