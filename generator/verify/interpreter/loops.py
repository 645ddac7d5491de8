"""Gives a kernel's loop variables what they have on a card, where they are tensors: `.to`, a dtype, its bits.

As there, quotients are rounded towards zero, and 32 bits wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter as triton_interpreter

LOOP = "loop_variables_of_the_judge"
_HALF = 1 << 31


class LoopVariable(int):
    """An integer for all of Python, quick to reckon with, that becomes a tensor where it is cast."""

    dtype = tl.int32

    def to(self, dtype: Any, *_: Any, **__: Any) -> Any:
        return TritonSemantic(triton_interpreter.interpreter_builder).to_tensor(int(self)).to(dtype)

    def __neg__(self) -> LoopVariable:
        return type(self)(-int(self))


class WideLoopVariable(LoopVariable):
    """One that was counted in 64 bits."""

    dtype = tl.int64


def _wide(value: Any) -> bool:
    if isinstance(value, tl.tensor):
        return int(value.dtype.primitive_bitwidth) == 64
    plain = type(value) is int and not -_HALF <= value < _HALF
    return plain or isinstance(value, WideLoopVariable)


def _reckoning(reckon: Callable[[int, Any], Any]) -> Callable[[LoopVariable, Any], Any]:
    def method(self: LoopVariable, other: Any) -> Any:
        result = reckon(self, other)
        if type(result) is not int:
            return result
        if _wide(self) or _wide(other):
            return WideLoopVariable(result)
        return LoopVariable((result + _HALF) % (2 * _HALF) - _HALF)

    return method


def _quotient(one: int, other: int) -> int:
    """Rounded towards zero; Python rounds down."""
    return one // other if (one < 0) == (other < 0) else -(-one // other)


def _remainder(one: int, other: int) -> int:
    return one - other * _quotient(one, other)


_QUOTIENTS = {"floordiv": _quotient, "mod": _remainder}


def _of_numbers(name: str) -> Callable[[int, Any], Any]:
    """What `int` has under this name; quotients as a card takes them."""
    plain, swapped = getattr(int, name), name.startswith("__r") and name != "__rshift__"
    reckon = _QUOTIENTS.get(name.strip("_").removeprefix("r" if swapped else ""))

    def reckoned(one: int, other: Any) -> Any:
        if reckon is None or not isinstance(other, int):
            return plain(one, other)
        pair = (int(other), int(one)) if swapped else (int(one), int(other))
        return reckon(*pair)

    return reckoned


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    for _form in (f"__{_name}__", f"__r{_name}__"):
        setattr(LoopVariable, _form, _reckoning(_of_numbers(_form)))


def loop_variables(make: Callable[..., Any], *bounds: Any, **more: Any) -> Iterator[Any]:
    """The values of a `range` in a kernel, one after the other."""
    kind = WideLoopVariable if any(map(_wide, bounds)) else LoopVariable
    return (kind(value) if type(value) is int else value for value in make(*bounds, **more))


def trips(*bounds: Any) -> int:
    """How often a loop over a range with these bounds runs."""
    return len(range(*map(int, bounds)))
