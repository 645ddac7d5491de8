"""Tells which of several shapes has most of something: the longest rows, the most places in a row."""

from __future__ import annotations

import math

import torch

from ....profiling.op import Op
from ..inputs.integers import is_whole
from ..inputs.places import rises
from ..inputs.setting import Setting


def columns(op: Op) -> int:
    """Of the first input."""
    shapes = op.footprint().inputs
    return shapes[0][-1] if shapes and shapes[0] else 0


def most_rows(setting: Setting) -> int:
    """Of the first input: all its axes but the last."""
    shapes = setting.op.footprint().inputs
    return math.prod(shapes[0][:-1]) if shapes else 0


def longest_column(which: int, setting: Setting) -> int:
    """The longest axis but the last, of one input by its turn."""
    shapes = setting.op.footprint().inputs
    return max(shapes[which][:-1], default=0) if which < len(shapes) else 0


def longest_row(setting: Setting) -> int:
    """Of any input."""
    shapes = setting.op.footprint().inputs
    return max((shape[-1] for shape in shapes if shape), default=0)


def longest_axis(setting: Setting) -> int:
    """Of any input."""
    return max((size for shape in setting.op.footprint().inputs for size in shape), default=0)


def most_places(setting: Setting) -> int:
    """Integers in a row of any input, or in all of it where it has no rows."""
    return max((one.shape[-1] for one in setting.shipped if is_whole(one)), default=0)


def longest_division(setting: Setting) -> int:
    """What rising integers among the inputs divide: elements up to the last of them."""
    return max((int(one[-1]) for one in setting.shipped if rises(one)), default=0)


def longest_length(setting: Setting) -> int:
    """What lengths among the inputs take an axis whole with."""
    return max(setting.lengths.values(), default=0)


def input_bytes(setting: Setting) -> int:
    return sum(one.nbytes for one in setting.shipped if isinstance(one, torch.Tensor))
