"""fp32 products as six of bf16 parts: a kernel cuts the factors, the next multiplies on matrix units.

An fp32 number is the sum of three of bf16; of the nine products of parts the six that count are taken one
after another, the smallest first. Matrix units round their sums towards zero, so that the sum of a stretch
goes to the rest in registers before that shows.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

from ..emit.descriptors import Part
from ..emit.index import Group
from ..emit.kernel import Kernel
from ..emit.text import Text
from ..emit.values import Values
from ..expr import Contract, Load
from ..extent import Extent, product
from ..loops import Loops
from .factors import Factors, only_loaded
from .job import Job

PARTS, PRODUCTS = 3, 6
CUT_BLOCK = 2048
"""Elements that a program of the first kernel cuts."""


def cut_factors(loops: Loops) -> dict[str, Extent] | None:
    """The tensors whose parts are multiplied, with their sizes; None where a region is not one product of two
    whole fp32 tensors as they lie in memory, which nothing else in it reads."""
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
    sizes = {name: _elements(loops, name) for name in sorted(names)}
    return sizes if all(_fills(loops, name, size) for name, size in sizes.items()) else None


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
    cut = {job.tensors[name]: size for name, size in (cut_factors(job.loops) or {}).items()}
    kernel.constant("BLOCK", str(CUT_BLOCK))
    kernel.line("offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)")
    for number, (tensor, size) in enumerate(cut.items()):
        count = kernel.size(f"{tensor}_elements", size)
        header = f"if tl.program_id(1) == {number}:" if len(cut) > 1 else ""
        source = kernel.pointer(tensor)
        with kernel.block(header) if header else nullcontext():
            kernel.line(f"mask = offsets < {count}")
            kernel.line(f"number = tl.load({source} + offsets, mask=mask, other=0.0)")
            store_parts(kernel, f"{tensor}_parts", "offsets", "mask", count)
    sizes = ", ".join(f"{{{tensor}_elements}}" for tensor in cut)
    most = f"max({sizes})" if len(cut) > 1 else sizes
    kernel.grid = f"(triton.cdiv({most}, {{BLOCK}}), {len(cut)})"
    return kernel, [(f"{tensor}_parts", "bf16") for tensor in cut]


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
    elements = _elements(job.loops, load.buffer)
    tensor = job.tensors[load.buffer].removesuffix("_parts")
    return Part(which, elements, kernel.size(f"{tensor}_elements", elements), PARTS)


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
