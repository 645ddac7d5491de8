"""Reads a launch's arguments: the tensors among them, its grid, and what tells it from one of other sizes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
import triton.language as tl
from torch import nn
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import TensorHandle
from triton.tools.tensor_descriptor import TensorDescriptor


def grid_of(executor: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """The grid as the host asks for it, where it is a function, with the host's own values."""
    if not callable(executor.grid):
        return tuple(executor.grid)
    kept = {name: value for name, value in kwargs.items() if name in executor.arg_names}
    return tuple(executor.grid(inspect.getcallargs(executor.fn, *args, **kept)))


def floats_as_tensors(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What the interpreter makes of an argument, with floating numbers as a compiled kernel gets them: as
    tensors of one float32, which have `.to` and widen a block of half precision."""

    def converted(value: Any) -> Any:
        if not isinstance(value, float):
            return convert(value)
        return tl.tensor(TensorHandle(np.array([value], np.float32), tl.float32), tl.float32)

    return converted


def patching_names(patch: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Lets the interpreter find Triton's functions under names of the file's own too: `triton_cast = tl.cast`
    holds the compiler's, which asks for the compiler where the interpreter runs it."""

    def patched(function: Any) -> Any:
        scope, names = patch(function), _Names(function.__globals__)
        for name, value in list(function.__globals__.items()):
            if tl.core.is_builtin(value):
                builder = triton_interpreter.interpreter_builder
                triton_interpreter._patch_attr(names, name, value, builder, scope)
        return scope

    return patched


class _Names:
    """A module's names as attributes."""

    def __init__(self, names: dict[str, Any]) -> None:
        object.__setattr__(self, "__dict__", names)


def sizes_of(named: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells a launch from one of other sizes."""
    numbers = tuple(value for value in named.values() if isinstance(value, int))
    return numbers, tuple(tuple(tensor.shape) for _, tensor in tensors_in(named))


def labels(inputs: Sequence[Any], model: nn.Module) -> dict[str, torch.Tensor]:
    """A call's inputs by their places, and what the model holds by its paths."""
    tensors = ((place, one) for place, one in enumerate(inputs) if isinstance(one, torch.Tensor))
    return {**{f"input {place}": one for place, one in tensors}, **model.state_dict()}


def programs(launch: str) -> int:
    """How many a launch has that a report names: `kernel[2, 2, 1]`; one for a launch that was left out."""
    return math.prod(int(one) for one in launch.partition("[")[2].rstrip("]").split(",") if one)


def tensors_in(named: Mapping[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors among a launch's arguments, descriptors and tuples opened."""
    for name, value in named.items():
        if isinstance(value, TensorDescriptor):
            yield name, value.base
        elif isinstance(value, tuple | list):
            yield from tensors_in({f"{name}[{place}]": part for place, part in enumerate(value)})
        elif isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(getattr(value, "base", None), torch.Tensor):
            yield name, value.base
