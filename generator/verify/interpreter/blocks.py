"""Reads a block of pointers as the interpreter has it: addresses, bytes at each, which lanes are active."""

from __future__ import annotations

import numpy as np
from triton.runtime.interpreter import TensorHandle

from .extent import Addresses
from .lanes import Mask


def active(ptrs: TensorHandle, mask: TensorHandle) -> tuple[Addresses, int, Mask]:
    """The addresses that are not masked off, the bytes at each, and the mask."""
    addresses, lanes = ptrs.data, np.asarray(mask.data)
    if addresses.shape != lanes.shape:
        addresses, lanes = np.broadcast_arrays(addresses, lanes)
    lanes = lanes.astype(np.bool_, copy=False)
    return addresses[lanes], item_bytes_of(ptrs), lanes


def backwards(block: TensorHandle) -> TensorHandle:
    """Its lanes from the last to the first."""
    return TensorHandle(np.ascontiguousarray(np.flip(block.data)), block.dtype)


def item_bytes_of(ptrs: TensorHandle) -> int:
    """At least one: truths are stored in bytes."""
    return max(1, int(ptrs.get_element_ty().primitive_bitwidth) // 8)
