"""Numbers that forward makes of sizes, such as one over the root of a length: found again from the sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from ..builder import Builder
from ..expr import SizeOf
from ..extent import Extent
from ..space import CannotFuseError
from ..traces import Varies

_NEAR = 1e-12
"""Relative difference of two ways to compute the same number in double precision."""


def number_from_sizes(builder: Builder, given: Varies, sizes: Iterable[Extent]) -> int:
    """A constant that changes with the shapes as a function of one size; raises where none fits all."""
    for size in sizes:
        for function, build in _FORMS:
            pairs = zip(given.values, size.values, strict=True)
            if size.literal is None and all(_near(value, function, n) for value, n in pairs):
                return build(builder, size)
    raise CannotFuseError(
        f"the constant {given.values[0]} follows from the shapes in a way that is not derived"
    )


def inverse_root(builder: Builder, size: Extent) -> int:
    """1 / sqrt(size)."""
    return builder.apply("div", builder.number(1.0, "fp32"), root(builder, size), hint="scale")


def root(builder: Builder, size: Extent) -> int:
    """sqrt(size); the size becomes a float first, as Triton's root takes no other."""
    wide = builder.apply("mul", builder.add(SizeOf(size, "fp32")), builder.number(1.0, "fp32"))
    return builder.apply("sqrt", wide)


def _inverse(builder: Builder, size: Extent) -> int:
    return builder.apply("div", builder.number(1.0, "fp32"), builder.add(SizeOf(size, "fp32")))


def _near(value: float, function: Callable[[int], float], n: int) -> bool:
    return n > 0 and math.isclose(value, function(n), rel_tol=_NEAR)


_FORMS: tuple[tuple[Callable[[int], float], Callable[[Builder, Extent], int]], ...] = (
    (lambda n: 1 / math.sqrt(n), inverse_root),
    (math.sqrt, root),
    (lambda n: 1 / n, _inverse),
)
"""What people make of a size, and how a kernel makes it again."""
