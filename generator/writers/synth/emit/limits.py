"""Lines of a wrapper that refuse shapes its schedule was not made for, instead of computing them wrongly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from torch import fx

from ..expr import Load
from ..extent import Extent
from ..loops import LoopAxis, Loops, Tiling
from ..schedule import Schedule, held_sides
from ..skeletons.frame import is_wide

LONGEST_COUNT, LONGEST_LIST, LONGEST_CHAIN = 20, 58, 88
Inputs = Sequence[tuple[str, fx.Node]]


def limits(name: str, loops: Loops, schedule: Schedule, inputs: Inputs) -> list[str]:
    """Checks of the wrapper `name`, after its sizes are known."""
    columns, found = schedule.layout == "columns", []
    if schedule.layout == "attention" and schedule.one_tile:
        message = f"{name} holds queries of at most {schedule.inner} elements, got {{n_inner}}"
        found = [f"if n_inner > {schedule.inner}:", f'    raise ValueError(f"{message}")']
    elif schedule.one_tile:
        most, length = (schedule.depth, "n_rows") if columns else (schedule.block, "n_cols")
        what = "column" if columns else "row"
        message = f"{name} holds a {what} of at most {most} elements, got {{{length}}}"
        found = [f"if {length} > {most}:", f'    raise ValueError(f"{message}")']
    elif loops.tiling is not None and loops.tiling.holds:
        found = _held(name, loops.tiling, packed=schedule.layout == "convolution")
    if schedule.layout == "tiles" and schedule.stretch:
        found = [*found, *_empty(name, inputs)]
    if is_wide(loops) or (schedule.layout == "rows" and len(loops.reduced) < 2):
        return found
    count, what = _indexed(loops, schedule, inputs)
    if len(count) > LONGEST_COUNT:
        found, count = [*found, f"most = {count}"], "most"
    message = f"{name} indexes {what}with 32 bits, got {{{count}}} elements"
    return [*found, f"if {count} >= 2**31:", f'    raise ValueError(f"{message}")']


def _held(name: str, tiling: Tiling, *, packed: bool) -> list[str]:
    """What is reduced in tiles may be no longer than they are; over packed factors these are all rows."""
    found: list[str] = []
    count = "n_" if packed else "n_held_"
    sides = zip(("rows", "cols"), (tiling.held_rows, tiling.held_cols), held_sides(tiling), strict=True)
    for word, axes, most in sides:
        if any(axis.size.literal is None for axis in axes):
            message = f"{name} reduces at most {most} elements in a tile, got {{{count}{word}}}"
            found += [f"if {count}{word} > {most}:", f'    raise ValueError(f"{message}")']
    return found


def _empty(name: str, inputs: Inputs) -> list[str]:
    """No copy engine brings tiles of a tensor without elements."""
    counts = [f"{tensor}.numel()" for tensor, _ in inputs]
    least = f"min({', '.join(counts)})" if len(counts) > 1 else counts[0]
    return [f"if {least} < 1:", f'    raise ValueError("{name} multiplies tensors with elements, got none")']


def squares(
    name: str, loops: Loops, inputs: Inputs, shape: Callable[[fx.Node], Sequence[Extent]]
) -> list[str]:
    """Checks that sides which windows slide over are equal where they were in every trace: one size stands
    for all of them. `inputs` begin with the tensors that the region reads."""
    nodes = loops.region.builder.nodes
    windows = {n.buffer: len(n.taps) for n in nodes if isinstance(n, Load) and n.taps}
    found: list[str] = []
    for (buffer, node), (word, _) in zip(loops.region.buffers, inputs, strict=False):
        sizes = shape(node)
        sides = range(len(sizes) - windows.get(buffer, 0), len(sizes))
        for _, equal in groupby(sides, key=sizes.__getitem__):
            if len(texts := [f"{word}.shape[{d}]" for d in equal]) > 1:
                wrong = " != ".join(texts) if len(texts) == 2 else f"not {' == '.join(texts)}"
                message = f"{name} is written for equal sides, got {{tuple({word}.shape)}}"
                found += [f"if {wrong}:", f'    raise ValueError(f"{message}")']
    return found


def _chains(texts: Sequence[str]) -> Iterator[str]:
    """The first beside each of the others, several in a row where they fit."""
    first, *others = texts
    while others:
        line = f"{first} == {others.pop(0)}"
        while others and len(line) + len(others[0]) < LONGEST_CHAIN:
            line += f" == {others.pop(0)}"
        yield line


def equal_sizes(name: str, inputs: Inputs, shape: Callable[[fx.Node], Sequence[Extent]]) -> list[str]:
    """Checks that sizes of the factors of products are equal where they were in every trace: one of them
    stands for all, and other tensors would be read wrongly."""
    alike: dict[Extent, list[str]] = {}
    for word, node in inputs:
        for d, size in enumerate(shape(node)):
            if not size.is_one():
                alike.setdefault(size, []).append(f"{word}.shape[{d}]")
    equal = [line for texts in alike.values() for line in _chains(texts)]
    if not equal:
        return []
    words = dict.fromkeys(text.split(".")[0] for line in equal for text in line.split(" == "))
    condition = f"not {equal[0]}" if len(equal) == 1 else f"not all(({', '.join(equal)}))"
    if len(equal) == 1 and equal[0].count(" == ") == 1:
        condition = equal[0].replace("==", "!=")
    listed = f"{{[tuple(t.shape) for t in ({', '.join(words)})]}}"
    if len(listed) > LONGEST_LIST:
        listed = f"{{tuple({next(iter(words))}.shape)}} and others"
    message = f"sizes of {name} do not agree: {listed}"
    return [f"if {condition}:", f'    raise ValueError(f"{message}")']


def _indexed(loops: Loops, schedule: Schedule, inputs: Inputs) -> tuple[str, str]:
    """What 32-bit variables run over, as source and in words; rows and batches are counted in 64 bits."""
    if schedule.layout == "rows" and loops.packed is not None:
        return "n_cols", "a row "
    if schedule.layout == "columns" and _is_one_block(loops):
        return "n_rows * n_cols", "a batch entry "
    if schedule.layout in ("tiles", "attention", "window"):
        tensors = [f"{name}.numel()" for name, node in inputs if node.meta["val"].dim() > 1]
        return f"max({', '.join([*tensors, *_results(loops, schedule)])})", "a tensor "
    name, largest = max(inputs, key=lambda item: int(item[1].meta["val"].numel()))
    if schedule.layout == "flat" and loops.rows.full > largest.meta["val"].numel():
        return "n_elements", ""
    return f"{name}.numel()", ""


def _results(loops: Loops, schedule: Schedule) -> list[str]:
    """What counts the results of products and windows, and the places on each side of held tiles."""
    if loops.tiling is None or not loops.tiling.holds:
        if schedule.layout == "window":
            return ["n_batch * n_cols" if schedule.nested else "n_elements"]
        return ["n_rows * n_cols"]
    tiling, space = loops.tiling, loops.region.builder.space
    kept_rows, kept_cols = ["n_rows"] * bool(tiling.kept_rows), ["n_cols"] * bool(tiling.kept_cols)
    rows = kept_rows + _held_count("n_held_rows", tiling.held_rows)
    cols = kept_cols + _held_count("n_held_cols", tiling.held_cols)
    held = {leaf for axis in (*tiling.held_rows, *tiling.held_cols) for leaf in axis.leaves}
    seen = {a for s in loops.region.stores for a, _ in space.resolve(s.index).terms} & held
    results = [*rows, *cols] if seen else [*kept_rows, *kept_cols]
    return [" * ".join(names) for names in (rows, cols, results)]


def _held_count(name: str, axes: tuple[LoopAxis, ...]) -> list[str]:
    """The count of what a tile holds of one side, a number where that is the same in every call."""
    if not axes:
        return []
    counts = [axis.size.literal for axis in axes]
    known = [count for count in counts if count is not None]
    return [str(math.prod(known)) if len(known) == len(counts) else name]


def _is_one_block(loops: Loops) -> bool:
    """Whether the rows and columns of a batch entry lie one behind the other."""
    width, index = loops.kept[-1], loops.reference
    if len(loops.reduced) != 1 or loops.coefficient(index, width) != loops.one:
        return False
    return loops.coefficient(index, loops.reduced[0]) == width.size
