"""Tells which axes of an op's inputs one constant makes, whatever others are as long by chance."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch

from ....profiling.literals import SMALLEST_BESIDE_NAMES
from ....profiling.op import Op, OpError

Axis = tuple[int, int]
"""A tensor's place among those that go in, and the axis of it."""


@dataclass(frozen=True)
class Axes:
    """Those that each constant moves; none are known without an op file."""

    moved: Sequence[frozenset[Axis]] = ()

    def along(self, tensor: int, axis: int) -> frozenset[Axis] | None:
        """What moves with an axis, whichever of the constants that make it changes; None where none does."""
        moved = [one for one in self.moved if (tensor, axis) in one]
        return frozenset.intersection(*moved) if moved else None

    def writes_out(self, tensor: int, axis: int, length: int) -> bool:
        """Whether the op file writes the length of an axis out beside named sizes, so that it stays."""
        return bool(self.moved) and self.along(tensor, axis) is None and length < SMALLEST_BESIDE_NAMES


UNKNOWN = Axes()


def in_proportion(tensors: Sequence[torch.Tensor], moved: Collection[Axis] | None) -> bool:
    """Whether twice as much along all of them is what a constant twice as large makes: not where one of them
    is longer than another by one."""
    lengths = [tensors[tensor].shape[axis] for tensor, axis in moved or ()]
    return all(length % max(1, min(lengths)) == 0 for length in lengths)


def axes_of(op: Op) -> Axes:
    free = op.text.free()
    sizes = {name: size for name, size in op.constants.items() if name in free and type(size) is int}
    return Axes([moved for name, size in sizes.items() if (moved := _moved(op, name, size))])


def _moved(op: Op, name: str, size: int) -> frozenset[Axis]:
    """By twice as much, or one more where the reference does not take that."""
    for other in (2 * size, size + 1):
        with contextlib.suppress(OpError):
            shapes = zip(
                op.footprint().inputs, op.with_overrides({name: other}).footprint().inputs, strict=True
            )
            return frozenset(
                (tensor, axis)
                for tensor, (was, now) in enumerate(shapes)
                for axis, (before, after) in enumerate(zip(was, now, strict=True))
                if before != after
            )
    return frozenset()
