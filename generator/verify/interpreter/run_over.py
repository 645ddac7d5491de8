"""Notes counts and places that run over: integers of 8 and 16 bits, and floats past what they can count.

A counter of 8 bits is right at every judged size and zero again after 256 rounds; one of float32 stays where
it is at 2^24. What is loaded at full size is not known, but that it may all be ones, or all the same, is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

_NARROW = {tl.int8, tl.uint8, tl.int16, tl.uint16}
_EXACT_TO = {tl.float32: 1 << 24, tl.float16: 1 << 11}
"""Up to where each holds every whole number (IEEE 754)."""


def few_bits(found: TensorHandle) -> bool:
    """Whether it holds integers of 8 or 16 bits."""
    return bool(found.data.dtype.itemsize <= 2 and found.dtype.scalar in _NARROW)


def wraps(lhs: TensorHandle, rhs: TensorHandle, found: TensorHandle) -> bool:
    """Whether a sum that goes up by one, or by nothing, runs over: a count, then, and no reckoning that is
    meant to."""
    left, right = lhs.data.astype(np.int64), rhs.data.astype(np.int64)
    steps = np.minimum(abs(left), abs(right)) <= 1
    return bool((steps & (left + right != found.data)).any())


def cut_off(src: TensorHandle, found: TensorHandle) -> bool:
    """Whether a cast to few bits loses some: of places, then, which sizes lead to. Of those below zero it
    keeps the bits if it has a number for them, as of -1 for all of them."""
    was, least = src.data.astype(np.int64), -(1 << (8 * found.data.dtype.itemsize - 1))
    return bool(np.where(was < 0, was < least, was != found.data).any())


def multiplied(lhs: TensorHandle, rhs: TensorHandle, found: TensorHandle) -> bool:
    """Whether a product of few bits is another than that of the numbers."""
    return bool((lhs.data.astype(np.int64) * rhs.data.astype(np.int64) != found.data).any())


def counted(op: Any, ptr: TensorHandle, val: TensorHandle, mask: TensorHandle) -> tuple[float, int]:
    """The most that an atomic addition of whole numbers adds to one floating address, and up to where its
    type counts; nothing for any other atomic."""
    most = _EXACT_TO.get(val.dtype.scalar, 0)
    addresses, values, lanes = np.broadcast_arrays(ptr.data, val.data, mask.data)
    lanes = lanes.astype(np.bool_)
    addresses, values = addresses[lanes], values[lanes]
    if not most or not str(op).endswith("FADD") or not values.size:
        return 0.0, 0
    if (values < 0).any() or (values != np.floor(values)).any():
        return 0.0, 0
    _, places = np.unique(addresses, return_inverse=True)
    return float(np.bincount(places.reshape(-1), values).max()), most
