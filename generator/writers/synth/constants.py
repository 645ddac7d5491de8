"""Numbers as elements of a type, and as Python source."""

from __future__ import annotations

import math

from .dtypes import is_float
from .space import CannotFuseError


def literal(value: float | int | bool) -> str:
    if isinstance(value, float):
        if value != value:
            return 'float("nan")'
        if value in (float("inf"), float("-inf")):
            return 'float("inf")' if value > 0 else '-float("inf")'
    return repr(value)


def converted(value: float | int | bool, dtype: str) -> float | int | bool:
    """A number as an element of the type; integers drop their fraction, as torch casts."""
    if is_float(dtype):
        return float(value)
    if dtype == "int1":
        return bool(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise CannotFuseError(f"{value} as an integer is not defined")
    return int(value)
