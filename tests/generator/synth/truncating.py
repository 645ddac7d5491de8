"""Matrix units as Hopper's are known to add: a few products at a time, aligned to the largest and cut off.

The sum of an accumulator and of sixteen products keeps two bits below the last one of a float32 at the scale
of the largest of them, and is cut to 24 bits, towards zero. It foretells the errors of convolutions of parts
that were measured on an H200: 2.4e-6 for 3.3e-6, 2.9e-6 for 3.1e-6, and 0.4e-6 for 0.3e-6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kbgen.generator.verify.interpreter import numerics

AT_ONCE, BELOW = 16, 2
"""Products of bf16 that are added in one go, and bits that are kept below the last one of a float32."""

FLOAT_BITS = 24


class Units:
    """Whether products of bf16 are added so; where not, they are exact as the judge has them."""

    def __init__(self) -> None:
        self.truncate = False
        self._exact = numerics.ExactBuilder.create_dot

    def install(self) -> None:
        units, exact = self, self._exact

        def create_dot(builder: Any, a: Any, b: Any, d: Any, precision: Any, most: int) -> Any:
            if not (units.truncate and numerics.is_bf16(a)):
                return exact(builder, a, b, d, precision, most)
            added = chain(*(numerics.plain(x).astype(np.float64) for x in (a, b, d)))
            return numerics.TensorHandle(added, d.dtype.scalar)

        numerics.ExactBuilder.create_dot = create_dot


def chain(left: Any, right: Any, total: Any) -> Any:
    """`total` (m, n) and the products of `left` (m, k) and `right` (k, n), in float32."""
    for first in range(0, left.shape[1], AT_ONCE):
        step = slice(first, first + AT_ONCE)
        terms = np.concatenate([total[None], (left[:, step, None] * right[None, step]).swapaxes(0, 1)])
        _, largest = np.frexp(np.abs(terms).max(axis=0))
        unit = np.ldexp(1.0, largest - FLOAT_BITS - BELOW)
        number, scale = np.frexp((np.trunc(terms / unit) * unit).sum(axis=0))
        total = np.ldexp(np.trunc(np.ldexp(number, FLOAT_BITS)), scale - FLOAT_BITS)
    return total.astype(np.float32)
