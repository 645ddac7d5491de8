"""Numbers that forward makes of sizes, such as one over the root of a length: found again from the sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from ..builder import Builder
from ..expr import SizeOf
from ..extent import Extent
from ..space import CannotFuseError
from ..traces import Varies

_NEAR = 1e-12
"""Relative difference of two ways to compute the same number in double precision."""


def number_from_sizes(builder: Builder, given: Varies, sizes: Iterable[Extent]) -> int:
    """A constant that changes with the shapes as a function of one size, or a multiple of one (a scale by the
    root of a length with a number merged into it, say); raises where none fits all."""
    moving = [size for size in sizes if size.literal is None and min(size.values) > 0]
    found = [
        (size, build, times)
        for size in moving
        for function, build in _FORMS
        if (times := _multiple(given.values, [function(n) for n in size.values])) is not None
    ]
    for size, build, times in sorted(found, key=lambda one: one[2] != 1.0):
        made = build(builder, size)
        return made if times == 1.0 else builder.apply("mul", made, builder.number(times, "fp32"))
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


def _multiple(values: Sequence[float], of: Sequence[float]) -> float | None:
    """The one number that all `values` are times `of`, 1 where they are equal."""
    ratios = [value / one for value, one in zip(values, of, strict=True)]
    if not all(math.isclose(ratio, ratios[0], rel_tol=_NEAR) for ratio in ratios):
        return None
    return 1.0 if math.isclose(ratios[0], 1.0, rel_tol=_NEAR) else ratios[0]


_FORMS: tuple[tuple[Callable[[int], float], Callable[[Builder, Extent], int]], ...] = (
    (lambda n: 1 / math.sqrt(n), inverse_root),
    (math.sqrt, root),
    (lambda n: 1 / n, _inverse),
)
"""What people make of a size, and how a kernel makes it again."""
