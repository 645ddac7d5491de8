"""Gives a kernel's loop variables what they have on a card, where they are tensors: `.to`, and a dtype."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter as triton_interpreter

LOOP = "loop_variables_of_the_judge"


class LoopVariable(int):
    """An integer for all of Python, quick to reckon with, that becomes a tensor where it is cast."""

    dtype = tl.int32

    def to(self, dtype: Any, *_: Any, **__: Any) -> Any:
        return TritonSemantic(triton_interpreter.interpreter_builder).to_tensor(int(self)).to(dtype)


def _reckoning(name: str) -> Callable[[LoopVariable, Any], Any]:
    reckon = getattr(int, name)

    def method(self: LoopVariable, other: Any) -> Any:
        result = reckon(self, other)
        return LoopVariable(result) if type(result) is int else result

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    for _form in (f"__{_name}__", f"__r{_name}__"):
        setattr(LoopVariable, _form, _reckoning(_form))


def loop_variables(values: Iterable[Any]) -> Iterator[Any]:
    """The values of a `range` in a kernel, one after the other."""
    return (LoopVariable(value) if type(value) is int else value for value in values)
