"""Tells the judge's memory of atomics: what each did at its address, and who looks at what it found there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from triton.runtime.interpreter import TensorHandle

from .extent import Addresses
from .lanes import Mask
from .memory import Memory


class Found(TensorHandle):  # type: ignore[misc]
    """What an atomic found; `looked` is called when the kernel makes use of it."""

    def __init__(self, found: TensorHandle, looked: Callable[[], None]) -> None:
        self._found, self._looked = found, looked
        self.dtype, self.attr = found.dtype, found.attr

    @property
    def data(self) -> Any:
        self._looked()
        return self._found.data

    @data.setter
    def data(self, value: Any) -> None:
        self._found.data = value


def watched(
    memory: Memory,
    found: TensorHandle,
    addresses: Addresses,
    item_bytes: int,
    lane: Mask,
    rest: Any,
    counts: bool,
) -> TensorHandle:
    """Tell `memory` of an atomic by the lanes of a block that are not masked off, and later of whoever looks
    at its result."""
    words, scope = (str(one).rsplit(".", 1)[-1].lower() for one in rest[:2])
    if scope == "cta":  # atomic among the threads of one program alone
        memory.load(addresses, item_bytes)
        memory.store(addresses, item_bytes)
        return found
    memory.atomic(addresses, item_bytes, lane, releases="release" in words, counts=counts)
    if "acquire" not in words:
        return found
    return Found(found, lambda: memory.look(addresses, counts=counts))
