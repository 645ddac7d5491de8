"""Which programs of a grid a walk looks at: some of each kind, last or not along each axis."""

from __future__ import annotations

FEW = 2
"""Programs of a kind that are looked at before anything is claimed."""


def kinds_of(size: int, samples: int) -> list[tuple[int, list[int]]]:
    """The last place of an axis and the others, each as how many there are and which are looked at."""
    if size == 1:
        return [(1, [0])]
    others = sorted({(size - 1) * turn // samples for turn in range(samples)})
    return [(size - 1, others), (1, [size - 1])]


def looked_at(axes: list[list[int]]) -> list[tuple[int, ...]]:
    """The corners of what is looked at along each axis, and its middle; not their product. Where many are
    looked at, also those at the beginning of all axes but one, which may say what a program does."""
    longest, first = max(len(places) for places in axes), [places[0] for places in axes]
    found = [tuple(places[min(turn, len(places) - 1)] for places in axes) for turn in range(longest)]
    if longest > FEW:
        found += [
            (*first[:axis], place, *first[axis + 1 :]) for axis, places in enumerate(axes) for place in places
        ]
    return list(dict.fromkeys(found))
