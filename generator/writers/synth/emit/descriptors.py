"""Tiles copied whole by the card's copy engine: which loads allow it, and how kernel and wrapper say it."""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Load
from ..extent import Extent
from .index import Group, Indexer
from .kernel import Described, Kernel

IMPORT = "from triton.tools.tensor_descriptor import TensorDescriptor"

HELPER = '''
def tiles_of(tensor, sides, strides, tile, offset=0):
    """A descriptor of the tiles of a packed tensor; None where rows begin between 16-byte boundaries."""
    pitches = [step * tensor.element_size() for step in (offset, *strides[:-1])]
    if min(sides) < 1 or tensor.data_ptr() % 16 or any(pitch % 16 for pitch in pitches):
        return None
    return TensorDescriptor(tensor.view(-1)[offset:], sides, strides, tile)
'''
"""What a file says of its own once; kernels load by pointers where it gives None."""

MOST_DIMENSIONS = 5
"""Of a tensor that the copy engine cuts tiles from."""


@dataclass(frozen=True)
class Side:
    """One side of a tile: the group that it runs along, where it begins, the constant that is its length."""

    group: Group
    start: str
    length: str


@dataclass(frozen=True)
class Part:
    """One of `count` parts, one behind the other in a tensor: the variable that says which. Each is `runs` of
    `run` elements, which begin as many elements apart as the constant `pitch` of the kernel and the variable
    `pitched` of the wrapper say."""

    number: str
    runs: Extent
    run: Extent
    pitch: str
    pitched: str
    count: int


def copied(
    kernel: Kernel,
    indexer: Indexer,
    load: Load,
    tensor: str,
    sides: tuple[Side, Side],
    batch: Group | None,
    parts: Part | None = None,
) -> tuple[str, str] | None:
    """(descriptor, source of the tile) of a load; None where it is no box of the tensor as it lies there.

    The box has one direction for each side of the tile, one of which runs along neighbours in memory, and
    one for each axis of the batch that the tensor has; `parts` lie one behind the other.
    """
    if load.taps or load.gathered:
        return None
    index = indexer.resolved(load.index)
    walked = [indexer.walks(side.group, index) for side in sides]
    if any(
        len(found) != 1 or found[0][0] != s.group.variable for found, s in zip(walked, sides, strict=True)
    ):
        return None
    (_, first, rows), (_, second, cols) = (found[0] for found in walked)
    if first.is_one() == second.is_one():
        return None
    around = indexer.walks(batch, index) if batch else []
    known = {
        leaf for group in (*(s.group for s in sides), *([batch] if batch else [])) for leaf in group.leaves
    }
    if len(around) + 2 > MOST_DIMENSIONS or not {axis for axis, _ in index.terms} <= known:
        return None
    tile = [(sides[0].start, first, rows, sides[0].length), (sides[1].start, second, cols, sides[1].length)]
    if first.is_one():
        tile.reverse()
    if parts is not None:
        around.insert(0, (parts.number, parts.runs * parts.run, parts.run.like(parts.count)))
    starts = [*(f"{place}.to(tl.int32)" for place, _, _ in around), *(start for start, *_ in tile)]
    described = Described(
        tensor,
        (*(size for _, _, size in around), *(size for _, _, size, _ in tile)),
        (*(step for _, step, _ in around), *(step for _, step, _, _ in tile)),
        index.constant,
        (*("1" for _ in around), *(length for *_, length in tile)),
        pitch=(parts.run, parts.pitched) if parts is not None else None,
    )
    name = _named(kernel, described)
    source = f"{name}.load([{', '.join(starts)}])"
    if around:
        source += f".reshape({', '.join(length for *_, length in tile)})"
    return name, f"{source}.T" if first.is_one() else source


def _named(kernel: Kernel, described: Described) -> str:
    """The parameter for it; a tensor that is cut in two ways has two."""
    count, name = 1, f"{described.tensor}_tiles"
    while kernel.descriptors.setdefault(name, described) != described:
        count += 1
        name = f"{described.tensor}_tiles_{count}"
    return name
