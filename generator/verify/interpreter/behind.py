"""Follows single values that a program loads behind its own store, of which all lanes but one know an old
one.

    count = tl.load(counts + value)            (vLLM's moe_align_block_size, in a loop of one program)
    tl.store(counts + value, count + 1)

One lane stores a single value, and no barrier lets the others wait for it. That does no harm as long as what
they loaded goes into further single stores alone, which the same lane makes, in order. It does where the
value becomes part of a block, steers a loop or a branch, or goes into an atomic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import TensorHandle


def follow(handle: TensorHandle, told: str, note: Callable[[str], None]) -> None:
    """From now on `note` hears what is `told` if anyone but a single store makes use of `handle`."""
    handle.behind = (told, note)
    builder = triton_interpreter.interpreter_builder
    if not getattr(builder, "follows", False):
        builder.__class__ = _following(type(builder))


def steers(handle: Any) -> None:
    """A value decides where a program goes on."""
    if hasattr(handle, "behind"):
        _tell(handle)


def steering(patch_tensor: Callable[..., None]) -> Callable[..., None]:
    """Lets loops and branches say which tensors they go by."""

    def patched(tensor: Any, *scope: Any) -> None:
        patch_tensor(tensor, *scope)
        for name in ("__bool__", "__index__"):
            setattr(tensor, name, _noticing(getattr(tensor, name)))

    return patched


def _noticing(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def noticed(tensor: Any) -> Any:
        steers(tensor.handle)
        return method(tensor)

    return noticed


def _tell(handle: TensorHandle) -> None:
    told, note = handle.behind
    note(told)


def _behind(args: Any) -> Iterator[TensorHandle]:
    for one in args:
        if isinstance(one, list | tuple):
            yield from _behind(one)
        elif hasattr(one, "behind"):
            yield one


def _following(kind: type[Any]) -> type[Any]:
    """The builder of this process once such a value was loaded."""

    def followed(name: str, operate: Callable[..., Any]) -> Callable[..., Any]:
        stores, atomic = name.endswith("store"), "atomic" in name

        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = operate(self, *args, **kwargs)
            for handle in _behind(args):
                single = _single(result) if isinstance(result, TensorHandle) else stores and _single(args[0])
                if atomic or not single:
                    _tell(handle)
                elif isinstance(result, TensorHandle):
                    result.behind = handle.behind
            return result

        return method

    class Following(kind):  # type: ignore[misc]
        follows = True

    for name in dir(kind):
        if name.startswith("create_"):
            setattr(Following, name, followed(name, getattr(kind, name)))
    return Following


def _single(handle: Any) -> bool:
    return bool(handle.data.size == 1)
