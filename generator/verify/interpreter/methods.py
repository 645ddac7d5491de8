"""Lets operators and methods in kernels do what compiled code does, where the interpreter loses its way.

A constant of the file to the left of a block (`LOG2E * x`) wraps what comes out into a constant again, where
the compiler asks the block for its reverse operator. And the methods `x.exp()`, `x.sqrt()` and their like are
bound before Triton marks their functions as its own, so that the interpreter passes them by.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from triton.language import core

_OPERATORS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift",
    "lt", "le", "gt", "ge", "eq", "ne",
)  # fmt: skip
"""Those that a block has a reverse of."""


def mend_methods() -> None:
    """Patch Triton's classes in this process; there is no way back, so only a child process does this."""
    for name in _OPERATORS:
        own = getattr(core.constexpr, f"__{name}__")
        setattr(core.constexpr, f"__{name}__", _giving_way(own, f"__r{name}__"))
    for member in vars(core.tensor).values():
        if inspect.isfunction(member) and "_semantic" in inspect.signature(member).parameters:
            setattr(member, core.TRITON_BUILTIN, True)


def _giving_way(own: Callable[[Any, Any], Any], reverse: str) -> Callable[[Any, Any], Any]:
    def operated(constant: Any, other: Any) -> Any:
        if isinstance(other, core.tensor):
            return getattr(other, reverse)(constant)
        return own(constant, other)

    return operated
