"""Reductions and scans as a card takes them: in trees, and with bfloat16 as numbers, not as bit patterns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter

from .behind import steers
from .lowfloat import f32_to_bf16
from .numerics import is_bf16, plain, scalar


class TreeReduce(triton_interpreter.ReduceOps):  # type: ignore[misc]
    """Reductions that know bfloat16, and combine slices as a tree, as warps do, not one by one."""

    def sum(self, input: Any) -> Any:
        """In pairs along any axis: numpy adds one after another along all but the last. Integers wrap, where
        numpy would take wider ones."""
        values = plain(input.handle)
        own = values.dtype if values.dtype.kind in "iu" else None
        if self.axis is None:
            return self._tensor(np.sum(values, dtype=own, keepdims=self.keep_dims), input.dtype)
        total = np.sum(np.ascontiguousarray(np.moveaxis(values, self.axis, -1)), axis=-1, dtype=own)
        return self._tensor(np.expand_dims(total, self.axis) if self.keep_dims else total, input.dtype)

    def min_max(self, input: Any, val_reduce_op: Any, idx_reduce_op: Any = None) -> Any:
        """NaN never reaches this as a bfloat16: Triton widens bfloat16 before it compares."""
        with np.errstate(all="ignore"):
            return super().min_max(input, val_reduce_op, idx_reduce_op)

    def generic_reduce(self, input: Any) -> Any:
        axis, ndim = self.axis, len(input[0].handle.data.shape)
        arrays = [arg.handle.data for arg in input]
        if axis is None:
            axis, arrays = 0, [array.reshape(-1) for array in arrays]
        slices = [np.moveaxis(array, axis, 0) for array in arrays]
        types = [arg.dtype for arg in input]
        while (count := slices[0].shape[0]) > 1:
            half = count // 2
            joined = _combined(
                self, [part[:half] for part in slices], [part[half : 2 * half] for part in slices], types
            )
            odd = [part[2 * half :] for part in slices]
            slices = [np.concatenate([new, rest]) for new, rest in zip(joined, odd, strict=True)]
        return [self._reduced(part[0], axis, ndim, dtype) for part, dtype in zip(slices, types, strict=True)]

    def _reduced(self, data: Any, axis: int, ndim: int, dtype: Any) -> Any:
        if self.keep_dims:
            data = data.reshape((1,) * ndim) if self.axis is None else np.expand_dims(data, axis)
        return self.to_tensor(data if getattr(data, "shape", ()) else data.item(), dtype)

    def _tensor(self, values: Any, dtype: Any) -> Any:
        if scalar(dtype) == tl.bfloat16:
            values = f32_to_bf16(np.asarray(values))
        return self.to_tensor(values if getattr(values, "shape", ()) else values.item(), dtype)


def waiting(kind: type[Any], wait: Callable[[], None]) -> type[Any]:
    """The reductions or scans of `kind`: across all warps of a program, where they take a whole block,
    which `wait` is told of."""

    class Waiting(kind):  # type: ignore[misc]
        def apply(self, input: Any) -> Any:
            first = input[0] if isinstance(input, tuple) else input
            for one in input if isinstance(input, tuple) else (input,):
                steers(one.handle)
            if self.axis is None or len(first.shape) == 1:
                wait()
            return super().apply(input)

    return Waiting


def _combined(scan: Any, left: list[Any], right: list[Any], types: list[Any]) -> list[Any]:
    """What the kernel's own function makes of two slices of each operand."""
    operands = [
        scan.to_tensor(part, dtype) for side in (left, right) for part, dtype in zip(side, types, strict=True)
    ]
    result = scan.combine_fn.rewrite()(*operands)  # as every kernel is, with the judge's watches in it
    results = result if isinstance(result, tuple) else (result,)
    shape = left[0].shape
    values = [one.handle.data if isinstance(one, tl.tensor) else one for one in results]
    return [np.broadcast_to(value, shape) for value in values]


class TreeScan(triton_interpreter.ScanOps):  # type: ignore[misc]
    """Prefix sums and products that know bfloat16; other scans combine pairs of pairs, as warps do, and not
    one element after another: a function that is not associative shows."""

    def generic_scan(self, input: Any) -> Any:
        slices = [np.moveaxis(arg.handle.data, self.axis, 0) for arg in input]
        types = [arg.dtype for arg in input]
        prefixes = self._prefixes(slices, types)
        return [
            self.to_tensor(np.ascontiguousarray(np.moveaxis(part, 0, self.axis)), dtype)
            for part, dtype in zip(prefixes, types, strict=True)
        ]

    def _prefixes(self, slices: list[Any], types: list[Any]) -> list[Any]:
        """Of pairs first; an element at an even place follows the pairs before it. Lengths: powers of two."""
        if slices[0].shape[0] == 1:
            return slices
        evens, odds = [part[::2] for part in slices], [part[1::2] for part in slices]
        pairs = self._prefixes(_combined(self, evens, odds, types), types)
        later = [np.roll(part, -1, axis=0) for part in evens]
        between = _combined(self, pairs, later, types)
        found = [np.array(part) for part in slices]
        for place, part in enumerate(found):
            part[1::2], part[2::2] = pairs[place], between[place][:-1]
        return found

    def cumsum(self, input: Any) -> Any:
        return [self._scanned(np.cumsum, input)]

    def cumprod(self, input: Any) -> Any:
        return [self._scanned(np.cumprod, input)]

    def _scanned(self, op: Callable[..., Any], input: Any) -> Any:
        values = op(plain(input.handle), axis=self.axis)
        return self.to_tensor(f32_to_bf16(values) if is_bf16(input.handle) else values, input.dtype)
