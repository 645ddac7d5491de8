"""Finds constants of an op that part another into groups: channels of a group norm, say."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .footprint import Footprint

Measured = Callable[[Mapping[str, Any]], Footprint | None]


def grouped(sizes: Mapping[str, int], measured: Measured) -> Iterator[tuple[str, str]]:
    """Pairs of a size and the number of groups it is parted into at full size: what goes in, what is held
    and what comes out is the same with half as many, and something on the way is not. A size is one that
    parameters or buffers have (nobody means groups that end inside of one), and of several that are alike
    those which the file cannot have one longer."""
    usual = measured({})
    for name, count in sizes.items():
        if usual is None or count < 2 or count % 2:
            continue
        half = measured({name: count // 2})
        if half is None or not _alike(usual, half):
            continue
        parted = [
            other
            for other, size in sizes.items()
            if size > count and size % count == 0 and any(size in shape for shape in usual.state)
        ]
        indivisible = [other for other in parted if measured({other: sizes[other] + 1}) is None]
        yield from ((other, name) for other in indivisible or parted)


def _alike(usual: Footprint, half: Footprint) -> bool:
    outside = [(one.inputs, one.state, one.outputs, one.signature) for one in (usual, half)]
    on_the_way = [[call.results for call in one.calls] for one in (usual, half)]
    return outside[0] == outside[1] and on_the_way[0] != on_the_way[1]
