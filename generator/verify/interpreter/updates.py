"""Atomic updates that Triton's interpreter does not know: of bfloat16, and of a descriptor's block.

Sums of bfloat16 are rounded one by one, as a card's are. A descriptor updates its tensor by as many atomics
as its block has elements inside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

from .lowfloat import bf16_to_f32, f32_to_bf16
from .violations import NotFollowedError


class UpdatingBuilder(InterpreterBuilder):  # type: ignore[misc]
    """Also says of what it does not have that the interpreter lacks it, which is no fault of a kernel."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("create_", "get_", "new_", "set_")):
            raise NotFollowedError(f"Triton's interpreter has no {name}")
        raise AttributeError(name)

    def create_atomic_rmw(
        self, op: Any, ptr: TensorHandle, val: TensorHandle, mask: TensorHandle, sem: Any, scope: Any
    ) -> TensorHandle:
        if ptr.get_element_ty() != tl.bfloat16:
            return super().create_atomic_rmw(op, ptr, val, mask, sem, scope)
        found = _bf16_added(*np.broadcast_arrays(ptr.data, val.data, mask.data))
        return TensorHandle(found, tl.bfloat16)

    def create_descriptor_reduce(self, kind: Any, desc: Any, value: TensorHandle, indices: Any) -> Any:
        pointers, mask = desc.materialize_pointers(indices)
        element, name = pointers.get_element_ty(), str(kind).rsplit(".", 1)[-1]
        if element.is_floating():
            if name != "ADD":
                raise NotFollowedError(f"a descriptor's {name} of {element} is not emulated")
            name = "FADD"
        elif element.is_int_unsigned() and name in ("MIN", "MAX"):
            name = f"U{name}"
        order = ir.MEM_SEMANTIC.RELAXED, ir.MEM_SYNC_SCOPE.GPU
        return self.create_atomic_rmw(getattr(ir.ATOMIC_OP, name), pointers, value, mask, *order)


def _bf16_added(addresses: Any, values: Any, mask: Any) -> Any:
    """Add to what stands at each address, in the order of lanes where several share one; what each found."""
    memory, found = triton_interpreter._interpreter, np.zeros(values.size, np.uint16)
    flat, added = np.ravel(addresses), np.ravel(values)
    waiting = np.flatnonzero(mask)
    while waiting.size:
        _, first = np.unique(flat[waiting], return_index=True)
        lanes = waiting[first]
        everywhere, places = np.ones(lanes.shape, np.bool_), np.ascontiguousarray(flat[lanes])
        found[lanes] = memory.load(places, everywhere, np.zeros(lanes.shape, np.uint16), np.dtype(np.uint16))
        sums = bf16_to_f32(found[lanes]) + bf16_to_f32(added[lanes])
        memory.store(places, f32_to_bf16(sums), everywhere)
        waiting = np.delete(waiting, first)
    return found.reshape(values.shape)
