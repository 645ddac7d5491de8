"""Puts a phantom in the place of memory below the interpreter: loads give a constant, stores go nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import TensorHandle

from .blocks import active, item_bytes_of
from .extent import Addresses
from .phantom import Phantom
from .promises import Promises, callers, doubtful
from .run_over import counted, cut_off, few_bits, multiplied, wraps


def imagining(kind: type[Any], phantom: Phantom, promises: Promises) -> type[Any]:
    """A builder of that kind."""

    class Imagining(kind):  # type: ignore[misc]
        def create_masked_load(self, ptrs: Any, mask: Any, other: Any, *_: Any, **__: Any) -> TensorHandle:
            addresses, item_bytes = _lanes(ptrs, mask)
            phantom.load(addresses, item_bytes)
            if doubtful(ptrs, mask):
                promises.look(ptrs, mask)
            element = ptrs.get_element_ty()
            dtype = triton_interpreter._get_np_dtype(element)
            content = abs(phantom.content) if dtype.kind in "iub" else phantom.content
            phantom.steered = phantom.steered or element.is_int() or element.is_ptr()
            index = phantom.index_at(addresses, ptrs.data) if dtype.kind in "iu" else None
            held = np.full(np.shape(ptrs.data), content if index is None else index, dtype)
            if mask is not None and other is not None:
                held = np.where(mask.data, held, other.data).astype(dtype, copy=False)
            return TensorHandle(held, element)

        def create_masked_store(self, ptrs: Any, value: Any, mask: Any, *_: Any) -> None:
            phantom.store(*_lanes(ptrs, mask))
            if doubtful(ptrs, mask):
                promises.look(ptrs, mask)

        def create_add(self, lhs: Any, rhs: Any) -> TensorHandle:
            found: TensorHandle = super().create_add(lhs, rhs)
            if few_bits(found):
                phantom.add_narrow(wraps(lhs, rhs, found))
            return found

        def create_mul(self, lhs: Any, rhs: Any) -> TensorHandle:
            found: TensorHandle = super().create_mul(lhs, rhs)
            if few_bits(found):
                phantom.keep_narrow(next(callers(), None), multiplied(lhs, rhs, found))
            return found

        def create_int_cast(self, src: Any, dst_type: Any, is_signed: bool) -> TensorHandle:
            found: TensorHandle = super().create_int_cast(src, dst_type, is_signed)
            if few_bits(found):
                phantom.keep_narrow(next(callers(), None), cut_off(src, found))
            return found

        def create_atomic_rmw(self, op: Any, ptr: Any, val: Any, mask: Any, *_: Any) -> TensorHandle:
            phantom.atomic(*_lanes(ptr, mask))
            phantom.count(int(np.ravel(ptr.data)[0]), *counted(op, ptr, val, mask))
            one = val.dtype.scalar.is_int() and np.size(ptr.data) == 1
            phantom.takes_tickets = phantom.takes_tickets or one
            found = abs(phantom.content) if phantom.ticket is None or not one else phantom.ticket
            return TensorHandle(np.full_like(val.data, found), val.dtype.scalar)

        def create_atomic_cas(self, ptr: Any, cmp: Any, val: Any, *_: Any) -> TensorHandle:
            phantom.atomic(*_lanes(ptr, None))
            return TensorHandle(np.copy(cmp.data), cmp.dtype.scalar)  # whoever waits is let through

    return Imagining


def _lanes(ptrs: Any, mask: Any) -> tuple[Addresses, int]:
    return (np.ravel(ptrs.data), item_bytes_of(ptrs)) if mask is None else active(ptrs, mask)[:2]
