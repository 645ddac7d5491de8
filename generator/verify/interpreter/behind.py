"""Follows single values that need not be what was loaded: a program loads them behind its own store, of which
all lanes but one know an old one, or another program stores them.

    count = tl.load(counts + value)            (vLLM's moe_align_block_size, in a loop of one program)
    tl.store(counts + value, count + 1)

One lane stores a single value, and no barrier lets the others wait for it. That does no harm as long as what
they loaded goes into further single stores alone, which the same lane makes, in order. It does where the
value becomes part of a block, steers a loop or a branch, or goes into an atomic. What another program stores
(`tl.store(count, tl.load(count) + 1, mask=program == 0)`) does none as long as this one stores none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import TensorHandle


def follow(handle: TensorHandle, told: str, note: Callable[[str], None], stored: bool) -> None:
    """From now on `note` hears what is `told` if use is made of `handle`; `stored`: a single store of it is
    none."""
    handle.behind = (told, note, stored)
    builder = triton_interpreter.interpreter_builder
    if not getattr(builder, "follows", False):
        builder.__class__ = _following(type(builder))


def steers(handle: Any) -> None:
    """A value decides where a program goes on, or goes where nobody follows it."""
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
    told, note, _ = handle.behind
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
                if isinstance(result, TensorHandle) and _single(result) and not atomic:
                    result.behind = handle.behind
                elif not (stores and _single(args[0]) and (handle.behind[2] or _left_out(*args[2:3]))):
                    _tell(handle)
            return result

        return method

    class Following(kind):  # type: ignore[misc]
        follows = True

    for name in dir(kind):
        if name.startswith("create_"):
            setattr(Following, name, followed(name, getattr(kind, name)))
    return Following


def _left_out(mask: Any = None) -> bool:
    """Whether a store stores nothing, whatever its mask was made of beside its lanes."""
    return isinstance(mask, TensorHandle) and not hasattr(mask, "behind") and not mask.data.any()


def _single(handle: Any) -> bool:
    return bool(handle.data.size == 1)
