"""fp32 products as six of bf16 parts: a kernel cuts the factors, the next multiplies on matrix units.

An fp32 number is the sum of three of bf16; of the nine products of parts the six that count are taken one
after another, the smallest first. Matrix units round their sums towards zero, so that the sum of a stretch
goes to the rest in registers before that shows. In the parts every run of neighbours begins at a 16-byte
boundary, whatever its length, so that the copy engine can bring their tiles.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace

from ..emit.descriptors import Part
from ..emit.index import Group
from ..emit.kernel import Kernel
from ..emit.text import Text
from ..emit.values import Values
from ..expr import Contract, Load
from ..extent import Extent, product
from ..loops import LoopAxis, Loops
from ..schedule import next_power_of_two
from ..space import Affine
from .factors import Factors, only_loaded
from .job import Job

PARTS, PRODUCTS = 3, 6
CUT_BLOCK = 2048
"""Elements that a program of the first kernel cuts."""

LEAST_WIDTH = 256
"""Of them that lie side by side, where there are so many."""

ALIGNED = 8
"""Elements of bf16 between two 16-byte boundaries."""


@dataclass(frozen=True)
class Cut:
    """A tensor that is cut: `runs` of them one behind the other, of `run` neighbours in memory each, along
    which a side of tiles lies."""

    runs: Extent
    run: Extent

    @property
    def elements(self) -> Extent:
        return self.runs * self.run


def cut_factors(loops: Loops) -> dict[str, Cut] | None:
    """The tensors whose parts are multiplied; None where a region is not one product of two whole fp32
    tensors as they lie in memory, which nothing else in it reads."""
    builder = loops.region.builder
    nodes = [builder.nodes[n] for n in builder.walk([s.value for s in loops.region.stores])]
    products = [node for node in nodes if isinstance(node, Contract)]
    if loops.tiling is None or loops.tiling.inner or len(products) != 1:
        return None
    if not loops.tiling.kept_rows or not loops.tiling.kept_cols:
        return None
    found = [only_loaded(builder, n) for n in (products[0].left, products[0].right)]
    if any(f is None or f.taps or f.gathered or f.dtype != "fp32" for f in found):
        return None
    names = {f.buffer for f in found if f is not None}
    if sum(isinstance(node, Load) and node.buffer in names for node in nodes) > len(found):
        return None
    runs = {name: _cut(loops, name) for name in sorted(names)}
    cut = {name: found for name, found in runs.items() if found is not None}
    return (
        cut if len(cut) == len(names) and all(_fills(loops, n, c.elements) for n, c in cut.items()) else None
    )


def _cut(loops: Loops, buffer: str) -> Cut | None:
    """A tensor as runs along one side of its tiles; None where neighbours in memory are of none."""
    if (tiling := loops.tiling) is None:
        return None
    index = loops.region.builder.space.resolve(_load(loops, buffer).index)
    for axes in (tiling.rows, tiling.cols, tiling.depth):
        if (run := _run(loops, axes, index)) is not None:
            return Cut(_elements(loops, buffer) // run, run)
    return None


def _run(loops: Loops, axes: tuple[LoopAxis, ...], index: Affine) -> Extent | None:
    """The length of a side that an index walks place after place."""
    length = loops.one
    for axis in reversed(axes):
        if loops.coefficient(index, axis) != length:
            return None
        length = length * axis.size
    return length if axes else None


def _fills(loops: Loops, buffer: str, size: Extent) -> bool:
    """Whether the tensor is so many elements, and its index reaches just these at every size traced."""
    held = {name: int(node.meta["val"].numel()) for name, node in loops.region.buffers}
    index = loops.region.builder.space.resolve(_load(loops, buffer).index)
    reach = index.constant + 1
    for axis, step in index.terms:
        reach = reach + (loops.region.builder.space.sizes[axis] - 1) * step
    return held[buffer] == size.full and reach == size


def _elements(loops: Loops, buffer: str) -> Extent:
    """The size of a tensor that every axis of its index walks once."""
    space = loops.region.builder.space
    axes = [axis for axis, _ in space.resolve(_load(loops, buffer).index).terms]
    return product((space.sizes[axis] for axis in axes), loops.one)


def _load(loops: Loops, buffer: str) -> Load:
    builder = loops.region.builder
    nodes = (builder.nodes[n] for n in builder.walk([s.value for s in loops.region.stores]))
    return next(node for node in nodes if isinstance(node, Load) and node.buffer == buffer)


def cut_job(job: Job) -> Job:
    """The same region over the parts of its factors."""
    cut = cut_factors(job.loops) or {}
    return replace(job, tensors={**job.tensors, **{name: f"{job.tensors[name]}_parts" for name in cut}})


def cut_kernel(job: Job) -> tuple[Kernel, list[tuple[str, str]]]:
    """The kernel that cuts both factors, and the tensors of their parts."""
    kernel = Kernel(
        f"{job.name}_parts_kernel",
        "One tile of a factor a program: each number becomes three of bf16, of which it is the sum.",
    )
    cuts = {job.tensors[name]: cut for name, cut in (cut_factors(job.loops) or {}).items()}
    kernel.line("tile = tl.program_id(0)")
    first, *others = cuts
    if others:
        runs, run, width = _sides(kernel, first, cuts[first])
        kernel.line(f"ahead = tl.cdiv({runs}, {_runs_of(cuts[first])}) * tl.cdiv({run}, {width})")
    for tensor, cut in cuts.items():
        header = "if tile < ahead:" if tensor == first else "else:"
        with kernel.block(header) if others else nullcontext():
            if tensor != first:
                kernel.line("tile -= ahead")
            _cut_tile(kernel, tensor, cut)
    kernel.grid = f"({' + '.join(f'{tensor}_blocks' for tensor in cuts)},)"
    return kernel, [(f"{tensor}_parts", "bf16") for tensor in cuts]


def _sides(kernel: Kernel, tensor: str, cut: Cut) -> tuple[str, str, str]:
    """What says how many runs there are, how long each is, and how much of it a program cuts."""
    runs, run = kernel.size(f"{tensor}_runs", cut.runs), kernel.size(f"{tensor}_run", cut.run)
    return runs, run, kernel.constant(f"{tensor}_WIDTH", str(_width(cut.run.full)))


def _runs_of(cut: Cut) -> int:
    """Runs that a program cuts."""
    return CUT_BLOCK // _width(cut.run.full)


def _cut_tile(kernel: Kernel, tensor: str, cut: Cut) -> None:
    """The lines for a tile of one tensor: so many runs, as much of each as fits."""
    (runs, run, width), at_once = _sides(kernel, tensor, cut), _runs_of(cut)
    pitch = pitch_of(kernel, tensor)
    kernel.line(f"across = tl.cdiv({run}, {width})")
    kernel.line(f"rows = (tile // across).to(tl.int64) * {at_once} + tl.arange(0, {at_once})[:, None]")
    kernel.line(f"cols = tile % across * {width} + tl.arange(0, {width})[None, :]")
    kernel.line(f"inside = (rows < {runs}) & (cols < {run})")
    kernel.line(f"number = tl.load({kernel.pointer(tensor)} + rows * {run} + cols, mask=inside, other=0.0)")
    kernel.line(f"kept = (rows < {runs}) & (cols < {pitch})")
    kernel.line(f"target = rows * {pitch} + cols")
    kernel.line(f"apart = tl.cast({runs}, tl.int64) * {pitch}")
    store_parts(kernel, f"{tensor}_parts", "target", "kept", "apart")
    kernel.made[f"{tensor}_pitch"] = f"triton.cdiv({tensor}_run, {ALIGNED}) * {ALIGNED}"
    down = f"triton.cdiv({tensor}_runs, {at_once})" if at_once > 1 else f"{tensor}_runs"
    kernel.made[f"{tensor}_blocks"] = f"{down} * triton.cdiv({tensor}_run, {{{width}}})"
    kernel.shapes[f"{tensor}_parts"] = f"({PARTS}, {tensor}_runs, {tensor}_pitch)"


def _width(run: int) -> int:
    """Elements of a run that a program cuts: of the widths that read long stretches those that leave the
    fewest lanes beyond the run's end, and of these the narrowest: short runs then take fewer programs."""
    if run <= LEAST_WIDTH:
        return next_power_of_two(run)
    widths = (CUT_BLOCK >> halvings for halvings in range((CUT_BLOCK // LEAST_WIDTH).bit_length()))
    return min(widths, key=lambda width: (-(-run // width) * width, width))


def pitch_of(kernel: Kernel, tensor: str) -> str:
    """The constant that is the distance of two runs of a tensor's parts, which the wrapper works out."""
    return kernel.constant(f"{tensor}_PITCH", f"{tensor}_pitch")


def store_parts(kernel: Kernel, tensor: str, offsets: str, mask: str, count: str, parts: int = PARTS) -> None:
    """Write the variable `number` to a tensor, as so many parts that lie `count` elements apart."""
    pointer = kernel.pointer(tensor)
    if parts == 1:
        kernel.line(f"tl.store({pointer} + {offsets}, number, mask={mask})")
        return
    kernel.line("first = number.to(tl.bfloat16)")
    kernel.line("wide = first.to(tl.float32)")
    kernel.line('rest = tl.where(tl.abs(wide) < float("inf"), number - wide, 0.0)')
    kernel.line("second = rest.to(tl.bfloat16)")
    kernel.line("third = (rest - second.to(tl.float32)).to(tl.bfloat16)")
    for part, behind in (("first", ""), ("second", f" + {count}"), ("third", f" + {count} + {count}")):
        kernel.line(f"tl.store({pointer} + {offsets}{behind}, {part}, mask={mask})")


def _part(job: Job, kernel: Kernel, number: int, which: str) -> Part:
    """The part of a factor that a step multiplies, as its descriptor and its pointers find it."""
    load = only_loaded(job.loops.region.builder, number)
    if load is None:
        raise ValueError("parts of a factor that is computed")
    cut = (cut_factors(job.loops) or {})[load.buffer]
    tensor = job.tensors[load.buffer].removesuffix("_parts")
    return Part(which, cut.runs, cut.run, pitch_of(kernel, tensor), f"{tensor}_pitch", PARTS)


def choose_parts(kernel: Kernel) -> None:
    """Which part of each factor the variable `product` multiplies, the smallest product first."""
    one, other = "((product == 2) | (product == 3))", "((product == 2) | (product == 4))"
    kernel.line(f"left_part = tl.where(product == 0, 2, tl.where({one}, 1, 0))")
    kernel.line(f"right_part = tl.where(product == 1, 2, tl.where({other}, 1, 0))")


def sums_of_parts(
    job: Job,
    kernel: Kernel,
    factors: tuple[Factors, Factors],
    results: Values,
    down: Group,
    span: tuple[str, str],
) -> dict[str, int]:
    """The loops over stretches of the summed direction and over the six products; see the file."""
    builder = job.loops.region.builder
    nodes = builder.walk([s.value for s in job.loops.region.stores])
    number, node = next((n, c) for n in nodes if isinstance(c := builder.nodes[n], Contract))
    left, right = (
        replace(f, part=_part(job, kernel, n, f"{side}_part"))
        for f, n, side in zip(factors, (node.left, node.right), ("left", "right"), strict=True)
    )
    name = results.fresh(builder.hints.get(number, "acc"))
    kernel.constant("STRETCH", str(job.schedule.stretch))
    kernel.line(f"{name} = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
    begin, end = span
    with kernel.block(f"for first in tl.range({begin}, {end}, STRETCH):"):
        kernel.line(f"steps = tl.cdiv(tl.minimum({end} - first, STRETCH), BLOCK_K)")
        kernel.line("stretch = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
        with kernel.block(f"for step in tl.range(0, {PRODUCTS} * steps):"):
            kernel.line("product = step // steps")
            kernel.line("start = first + step % steps * BLOCK_K")
            choose_parts(kernel)
            kernel.line("left_ks = start + tl.arange(0, BLOCK_K)[None, :]")
            kernel.line("right_ks = start + tl.arange(0, BLOCK_K)[:, None]")
            kernel.line("left_ks_mask = left_ks < n_k")
            kernel.line("right_ks_mask = right_ks < n_k")
            kernel.line("left_mask = row_mask & left_ks_mask")
            kernel.line("right_mask = right_ks_mask & col_mask")
            kernel.line(f"stretch = tl.dot({left.named(node.left)}, {right.named(node.right)}, stretch)")
        kernel.line(f"{name} += stretch")
    results.define(number, Text(name))
    return {name: number}
