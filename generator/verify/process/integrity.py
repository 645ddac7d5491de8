"""Notices when candidate code has replaced or changed what the judge, the clock or torch itself relies on.

    before = snapshot()                 # before any of the candidate's code has run
    ...
    changed_since(before)               # [] or ["torch.nn.modules.module.Module.__call__", ...]

Covered are all functions of kbgen's own modules, the built-ins, timers, serialisers, NumPy's and torch's
functions, torch's tensor and module classes, Triton's interpreter and the clocks of a card: by identity and,
where Python code can be changed in place, by bytecode, defaults and closure. Further: names added to a
guarded class; global hooks, tracers and modes; operators of ATen that were given another implementation; and
the settings that decide in which precision torch computes.
"""

from __future__ import annotations

import builtins
import gc
import hmac
import io
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy
import torch
import torch.library
import triton
import triton.testing
from torch import nn
from torch.nn.modules import module as module_hooks
from triton.runtime import interpreter

Snapshot = dict[str, tuple[object, ...]]

_KEPT_BY_PYTHON = ("__dict__", "__weakref__", "__doc__", "__annotations__", "__slotnames__", "_abc_impl")
_OWN = __name__.partition(".")[0]
_CLASSES: tuple[type, ...] = (
    nn.Module,
    nn.Parameter,
    torch.Tensor,
    torch.cuda.Event,
    torch.cuda.Stream,
    triton.JITFunction,
    triton.runtime.Autotuner,
    interpreter.GridExecutor,
    interpreter.InterpretedFunction,
    interpreter.InterpreterBuilder,
    json.JSONEncoder,
    json.JSONDecoder,
    hmac.HMAC,
)
_MODULES: tuple[ModuleType, ...] = (
    builtins,
    gc,
    hmac,
    io,
    interpreter,
    json,
    numpy,
    os,
    random,
    sys,
    time,
    torch,
    torch.autograd,
    torch.cuda,
    torch.linalg,
    torch.nn.functional,
    torch.serialization,
    torch.special,
    torch.testing,
    triton.testing,
)
_SETTINGS: dict[str, Callable[[], object]] = {
    "the default dtype": torch.get_default_dtype,
    "the default device": lambda: str(torch.get_default_device()),
    "the precision of float32 matrix products": torch.get_float32_matmul_precision,
    "torch.backends.cuda.matmul.allow_tf32": lambda: torch.backends.cuda.matmul.allow_tf32,
    "torch.backends.cudnn.allow_tf32": lambda: torch.backends.cudnn.allow_tf32,
    "torch.backends.cudnn.benchmark": lambda: torch.backends.cudnn.benchmark,
    "deterministic algorithms": torch.are_deterministic_algorithms_enabled,
    "the grad mode": torch.is_grad_enabled,
    "the number of threads": torch.get_num_threads,
}
_STATE: dict[str, Callable[[], object]] = {
    **_SETTINGS,
    "the tracing function": sys.gettrace,
    "the profiling function": sys.getprofile,
    "the import hooks": lambda: (*sys.meta_path, *sys.path_hooks),
    "the garbage collector's callbacks": lambda: tuple(gc.callbacks),
    "the stack of torch function modes": torch._C._len_torch_function_stack,
    "the stack of torch dispatch modes": torch._C._len_torch_dispatch_stack,
    "operators of ATen": lambda: frozenset(filter(_computes, torch.library._impls)),
}


def _computes(implementation: str) -> bool:
    """An ATen operator's code for real tensors; those for shapes alone are registered lazily by torch."""
    return implementation.startswith("aten/") and not implementation.endswith("/Meta")


def snapshot() -> Snapshot:
    """What every guarded name stands for now; holds the objects, so that no identity is used twice."""
    found: Snapshot = {}
    for module in (*_MODULES, *_own_modules()):
        found[f"sys.modules[{module.__name__!r}]"] = (sys.modules.get(module.__name__),)
        for name, value in tuple(vars(module).items()):
            if isinstance(value, type) and value.__module__.partition(".")[0] == _OWN:
                found.update(_of_class(value))
            elif callable(value):
                found[f"{module.__name__}.{name}"] = _parts(value)
    for guarded in (*_CLASSES, *_layers()):
        found.update(_of_class(guarded))
    for name, read in (*_STATE.items(), *_module_hooks()):
        value = read()
        found[name] = value if isinstance(value, tuple) else (value,)
    return found


def changed_since(before: Snapshot) -> list[str]:
    """Names that stand for something else than in `before`, or were added to a guarded class."""
    now = snapshot()
    changed = [name for name, parts in before.items() if not _same(parts, now.get(name, ()))]
    classes = {name for name in before if name.startswith("class ")}
    return changed + [name for name in now.keys() - before.keys() if name.partition("::")[0] in classes]


def _same(before: tuple[object, ...], now: tuple[object, ...]) -> bool:
    return len(before) == len(now) and all(
        old is new or (type(old) in (str, int, bool, frozenset) and old == new)
        for old, new in zip(before, now, strict=True)
    )


def _own_modules() -> Iterator[ModuleType]:
    for name, module in tuple(sys.modules.items()):
        if name.partition(".")[0] == _OWN and isinstance(module, ModuleType):
            yield module
    yield sys.modules["__main__"]


def _layers() -> Iterator[type]:
    """Every layer that torch ships: what reference models are made of."""
    for value in vars(nn.modules).values():
        if isinstance(value, type) and issubclass(value, nn.Module):
            yield value


def _of_class(guarded: type) -> Snapshot:
    label = f"class {guarded.__module__}.{guarded.__qualname__}"
    found: Snapshot = {label: guarded.__mro__}
    for name, value in tuple(vars(guarded).items()):
        if name not in _KEPT_BY_PYTHON:
            found[f"{label}::{name}"] = _parts(value)
    return found


def _parts(value: Any) -> tuple[object, ...]:
    """The object, and what can be exchanged inside it while it stays the same object."""
    inner = value.fget if isinstance(value, property) else value
    inner = inner.__func__ if isinstance(inner, (classmethod, staticmethod, MethodType)) else inner
    if not isinstance(inner, FunctionType):
        return (value,)
    cells = inner.__closure__ or ()
    keywords = tuple((inner.__kwdefaults__ or {}).values())
    return value, inner.__code__, *(inner.__defaults__ or ()), *keywords, *map(_held, cells)


def _held(cell: Any) -> object:
    """What a closure holds; a function is named by its code, a changing value by its type."""
    try:
        held = cell.cell_contents
    except ValueError:
        return None
    return held.__code__ if isinstance(held, FunctionType) else type(held)


def _module_hooks() -> Iterator[tuple[str, Callable[[], object]]]:
    for name, value in vars(module_hooks).items():
        if name.startswith("_global_") and isinstance(value, dict):
            yield f"global module hooks {name}", partial(_values, value)


def _values(held: dict[Any, object]) -> object:
    return tuple(held.values())
