"""Compares what a candidate keeps between calls, before a call and after it: what never settles may count.

A candidate may keep grids, workspaces and packed tables. It may not remember how often it was called, by
whatever means: then it can be right for as long as anyone looks. So once a shape was called, a further call
must leave everything that the file and the instance hold as it was: numbers, containers, attributes,
closures. Of a kept tensor only those elements have to stay that the call relied on, that is, read before it
had written them; a workspace may hold anything.
"""

from __future__ import annotations

import functools
import gc
from collections import deque
from collections.abc import Iterator, Mapping, Set
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import nn

from .memory import Memory

_MOST = 20_000
"""Objects to look at; what holds more than this is taken for growing."""

_PLAIN = (int, float, complex, str, bytes, bytearray, bool, type(None), torch.dtype, torch.device)
_TRITON_S_OWN = {"nargs", "rewriter", "rewritten_fn"}
"""Attributes of kernels and tuners in which Triton itself keeps what it works on."""

_BY_PYTHON = {
    "__dict__", "__weakref__", "__doc__", "__module__", "__builtins__", "__spec__", "__loader__",
    "__globals__",
}  # fmt: skip


class Kept:
    """Everything that outlives a call, as it stands now: `tokens` by the path to it, `tensors` apart."""

    def __init__(self, names: Mapping[str, Any], model: nn.Module) -> None:
        """`names` are those that the file defines."""
        self.tokens: dict[str, object] = {}
        self.tensors: dict[str, torch.Tensor] = {}
        self._state = {id(value) for value in model.state_dict(keep_vars=True).values()}
        self._seen: dict[int, Any] = {}
        self._own = type(model).__module__
        for name, value in names.items():
            if not isinstance(value, ModuleType) and name not in _BY_PYTHON:
                self._take(name, value)
        self._take("self", model)
        self.contents = {path: tensor.detach().clone() for path, tensor in self.tensors.items()}

    def changed_by_a_call(self, now: Kept, memory: Memory) -> tuple[str, ...]:
        """Paths to what is not as it was; `memory` saw which kept elements the call relied on."""
        paths = [path for path in now.tokens if self.tokens.get(path) != now.tokens[path]]
        paths += [path for path in self.tokens if path not in now.tokens]
        paths += [path for path in self.tensors if path in now.tensors and self._relied(path, now, memory)]
        return tuple(dict.fromkeys(paths))

    def _relied(self, path: str, now: Kept, memory: Memory) -> bool:
        """Whether elements of the tensor at `path` changed that the call had read before it wrote them."""
        tensor, was, became = self.tensors[path], self.contents[path], now.contents[path]
        extent = memory.extents.get(tensor.data_ptr())
        if extent is None or extent.relied is None or not extent.relied.any():
            return False
        if tensor.data_ptr() != now.tensors[path].data_ptr() or was.shape != became.shape:
            return not torch.equal(was, became)
        lanes = extent.lanes(extent.relied, tensor)
        moved = (was != became).numpy() & ~(was.isnan() & became.isnan()).numpy()
        return bool((moved & lanes).any())

    def _take(self, path: str, value: Any) -> None:
        if type(value) in _PLAIN:
            self.tokens[path] = repr(value)
            return
        if id(value) in self._seen:
            return
        if len(self._seen) >= _MOST:
            self.tokens[path] = object()
            return
        self._seen[id(value)] = value  # held, so that no other object gets its identity meanwhile
        for name, inner in self._inside(path, value):
            self._take(f"{path}{name}", inner)

    def _inside(self, path: str, value: Any) -> Iterator[tuple[str, Any]]:
        self.tokens[path] = type(value).__qualname__
        if isinstance(value, torch.Tensor):
            yield from self._tensor(path, value)
        elif isinstance(value, _PLAIN):
            yield "|value|", _as(_PLAIN, value).__repr__(value)
        elif isinstance(value, Mapping):
            items = tuple(_as((dict, type(value)), value).items(value))
            yield "|len|", len(items)
            for key, inner in items:
                yield f"[{_named(key)}]", inner
                yield f"|key {_named(key)}|", key
        elif isinstance(value, Set):
            members = tuple(_as((set, frozenset, type(value)), value).__iter__(value))
            yield "|members|", repr(sorted(map(_named, members)))
            yield from _by_identity(members)
        elif isinstance(value, list | tuple | deque):
            members = tuple(_as((list, tuple, deque), value).__iter__(value))
            yield "|len|", len(members)
            yield from ((f"[{place}]", inner) for place, inner in enumerate(members))
        elif isinstance(value, Iterator):
            self.tokens[path] = object()  # its place is its own secret
        elif isinstance(value, FunctionType):
            yield from self._function(value)
        elif isinstance(value, MethodType):
            yield from ((".__func__", value.__func__), (".__self__", value.__self__))
        elif isinstance(value, staticmethod | classmethod):
            yield "", value.__func__
        elif isinstance(value, property):
            yield from ((".fget", value.fget), (".fset", value.fset))
        elif isinstance(value, functools.partial):
            yield from ((".func", value.func), (".args", value.args), (".keywords", value.keywords))
        elif not isinstance(value, type) and callable(getattr(value, "cache_info", None)):
            yield "|cached|", value.cache_info().currsize
            yield from _held(value)
        elif not hasattr(value, "__dict__"):
            yield from _held(value)
        if not isinstance(value, type) or value.__module__ == self._own:
            yield from self._attributes(value)

    def _tensor(self, path: str, value: torch.Tensor) -> Iterator[tuple[str, Any]]:
        yield "|form|", f"{value.dtype}{tuple(value.shape)}{value.stride()}{value.requires_grad}"
        yield "|place|", f"{value.storage_offset()} of {value.untyped_storage().nbytes()}"
        if value.is_leaf and value.grad is not None:
            yield ".grad", value.grad
        if id(value) not in self._state:
            self.tensors[path] = value

    def _function(self, value: FunctionType) -> Iterator[tuple[str, Any]]:
        yield "|code|", id(value.__code__)
        if value.__module__ != self._own:
            return
        yield from ((f"({place})", one) for place, one in enumerate(value.__defaults__ or ()))
        yield from ((f"({name}=)", one) for name, one in (value.__kwdefaults__ or {}).items())
        for place, cell in enumerate(value.__closure__ or ()):
            try:
                yield f"|cell {place}|", cell.cell_contents
            except ValueError:  # not filled yet
                continue

    def _attributes(self, value: Any) -> Iterator[tuple[str, Any]]:
        names = tuple(getattr(value, "__dict__", {}).items())
        slots = tuple(getattr(type(value), "__slots__", ()))
        own = isinstance(value, type) or type(value).__module__ == self._own
        for name, inner in names:
            if name not in _BY_PYTHON and not (not own and name in _TRITON_S_OWN):
                yield f".{name}", inner
        for name in slots if own else ():
            if hasattr(value, name):
                yield f".{name}", getattr(value, name)


def _held(value: Any) -> Iterator[tuple[str, Any]]:
    """What an object of C refers to and no attribute shows: a bound method's list, a view's dictionary, the
    results in a cache."""
    own = getattr(value, "__dict__", None)
    found = (one for one in gc.get_referents(value) if one is not own)
    yield from _by_identity(tuple(one for one in found if not isinstance(one, type | ModuleType)))


def _by_identity(members: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """Paths for what stands in no order; an object that has gone would be missed under its own."""
    for one in members:
        if not isinstance(one, _PLAIN):
            yield f"|held {id(one)}|", one


def _as(kinds: tuple[Any, ...], value: Any) -> Any:
    """The first of `kinds` that `value` is of, so that what a child of it overrides is not asked."""
    return next(kind for kind in kinds if isinstance(value, kind))


def _named(key: Any) -> str:
    return repr(key) if isinstance(key, (*_PLAIN, tuple)) else type(key).__qualname__


def unsettled_message(paths: tuple[str, ...]) -> str:
    """The change in words, without the marks that only tell paths apart."""
    told = [path.split("|")[0] for path in paths]
    more = f" and {len(set(told)) - 1} more" if len(set(told)) > 1 else ""
    return f"every call changes {told[0]}{more}, so what it does after many calls is not known"
