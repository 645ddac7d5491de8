"""Holds kernels to what they promise their compiler by `tl.multiple_of`, `max_contiguous`, `max_constancy`.

The interpreter ignores such promises; a compiler makes vector accesses of them. A false one does harm only
where a vector reads or writes other addresses than its lanes ask for, or begins between its own multiples:
rows that wrap around by a modulo are promised to be contiguous, break the promise at a place where no vector
lies across, or in lanes whose results nobody stores. So what a compiler believes is reckoned beside what is
so, from the promise to the access, and the access is then made as the vector would make it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

import numpy as np
import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import TensorHandle

from .blocks import item_bytes_of
from .loops import LoopVariable
from .memory import Memory
from .vectors import Site, Values, Vector, as_accessed, firsts_of, misaligned, steps, vector_at

_KINDS = {"multiple_of": "divisibility", "max_contiguous": "contiguity", "max_constancy": "constancy"}


class Promises:
    """The promises of one process that do not hold; `launch` tells launches of other sizes apart."""

    def __init__(self, memory: Callable[[], Memory]) -> None:
        """`memory` is asked for whatever must hear of those that an access rests on."""
        self.memory = memory
        self.sites: dict[Any, Site] = {}
        self.launch: Any = None
        self.unrolled: list[int] = []
        self._launches: dict[Any, int] = {}

    def begin_launch(self, key: Any) -> None:
        self.launch = key
        self._launches[key] = self._launches.get(key, 0) + 1

    def end_launch(self) -> None:
        """Of the first launch of its sizes it is known now how wide its vectors were."""
        here = [site for key, site in self.sites.items() if key[0] == self.launch]
        astray = next((one for one in here if one.width in one.misaligned), None)
        if astray is not None and self._launches[self.launch] == 1:
            begins = "begin between multiples of their size"
            self._tell("misaligned", "load or store", f"{astray.width} elements at once would {begins}")

    def look(self, ptrs: TensorHandle, mask: TensorHandle) -> None:
        """An access that is not made, or not as a vector: remember what would be wrong with it."""
        site, item_bytes = self._site(), item_bytes_of(ptrs)
        vector = _vector(site, ptrs, mask)
        if vector is not None:
            addresses, lanes = np.broadcast_arrays(ptrs.data, mask.data.astype(np.bool_))
            narrower = (Vector(1 << power, vector.axis) for power in range(1, vector.width.bit_length()))
            site.misaligned |= {
                one.width for one in narrower if misaligned(one, addresses, lanes, item_bytes)
            }

    def broken(self) -> list[str]:
        """What `look` has found wrong, in words."""
        found = {key[0][0]: site.width for key, site in self.sites.items() if site.width in site.misaligned}
        return [
            f"{kernel} at full size: what it promises its compiler is false: an access of {width} elements "
            "at once begins between multiples of its size"
            for kernel, width in found.items()
        ]

    def accessed(self, ptrs: TensorHandle, mask: TensorHandle, verb: str) -> tuple[Values, Values] | None:
        """Addresses and mask as a vector has them, where that is not what the lanes ask for and a launch like
        this one has shown how wide a vector can be."""
        if self._launches.get(self.launch, 0) < 2:
            self.look(ptrs, mask)
            return None
        item_bytes = item_bytes_of(ptrs)
        vector = _vector(self._site(), ptrs, mask)
        if vector is None:
            return None
        addresses, lanes = np.broadcast_arrays(ptrs.data, mask.data.astype(np.bool_))
        if misaligned(vector, addresses, lanes, item_bytes):
            begins = f"begins between multiples of {vector.width * item_bytes} bytes"
            self._tell("misaligned", verb, f"{vector.width} elements at once {begins}")
            return None
        moved, active = as_accessed(vector, addresses, lanes, item_bytes)
        if ((moved == addresses) | ~(active | lanes)).all() and (active == lanes).all():
            return None
        self._tell("astray", verb, f"{vector.width} elements at once is not of those that its lanes ask for")
        return moved, active

    def _tell(self, kind: str, verb: str, what: str) -> None:
        """Once: it may be the same for every program."""
        if all(one.kind != kind for one in self.memory().violations):
            self.memory().note(kind, f"what it promises its compiler is false: a {verb} of {what}")

    def _site(self) -> Site:
        return self.sites.setdefault((self.launch, tuple(callers()), tuple(self.unrolled)), Site())


def believed(handle: TensorHandle) -> Values:
    """The values that a compiler takes a handle to hold."""
    values: Values = getattr(handle, "believed", handle.data)
    return values


def doubtful(*handles: Any) -> bool:
    return any(hasattr(one, "believed") for one in handles)


def promising(patch_core: Callable[..., None], promises: Promises) -> Callable[..., None]:
    """Lets the three functions of Triton's leave what is believed on the handle they are given."""

    def patched(lang: Any, *scope: Any) -> None:
        patch_core(lang, *scope)
        put = scope[0].set_attr if scope else setattr
        for name, kind in _KINDS.items():
            put(lang, name, _promise(kind, promises))
        put(lang, "static_range", _unrolled(lang.static_range, promises.unrolled))

    return patched


def _promise(kind: str, promises: Promises) -> Callable[[Any, Any], Any]:
    def promise(input: Any, values: Any) -> Any:
        if type(input) is int:
            raise TypeError(f"a {kind} is promised of {input}, a constant where it is compiled")
        if isinstance(input, LoopVariable):
            input = TritonSemantic(triton_interpreter.interpreter_builder).to_tensor(int(input))
        if isinstance(input, tl.tensor):
            values = values if isinstance(values, list | tuple) else [values]
            plain = [int(getattr(one, "value", one)) for one in values]
            if len(plain) != max(1, len(input.shape)):
                raise ValueError(f"a {kind} of {len(plain)} numbers for {len(input.shape)} dimensions")
            step = item_bytes_of(input.handle) if input.dtype.scalar.is_ptr() else 1
            _believe(input.handle, _kept(believed(input.handle), plain, kind, step), promises)
        return input

    return promise


def _unrolled(make: Callable[..., range], counters: list[int]) -> Callable[..., Iterator[int]]:
    """A loop whose turns are accesses of their own."""

    def turns(*args: Any, **kwargs: Any) -> Iterator[int]:
        for value in make(*args, **kwargs):
            counters.append(value)
            try:
                yield value
            finally:
                counters.pop()

    return turns


def _believe(handle: TensorHandle, values: Values, promises: Promises) -> None:
    if hasattr(handle, "believed") or not np.array_equal(values, handle.data):
        handle.believed = values
        builder = triton_interpreter.interpreter_builder
        if not getattr(builder, "believes", False):
            builder.__class__ = _believing(type(builder), promises)


def _kept(values: Values, promised: Sequence[int], kind: str, step: int = 1) -> Values:
    """The values nearest to these, by their first lanes, with which the promise holds; `step`: from one to
    the next that follows it, bytes where they are addresses."""
    runs = [_run(values, axis, step) for axis in range(len(promised))] if kind == "divisibility" else []
    for axis, promise in enumerate(promised):
        power = promise & -promise
        if kind == "divisibility":
            if runs[axis] == 1 < max(runs):  # a vector goes along the other axis, by what is promised there
                continue
            firsts = firsts_of(values, _run(values, axis, step), axis)
            values = values - firsts % np.array(power, values.dtype)
            continue
        count = min(power, values.shape[axis])
        if count > 1:
            values = firsts_of(values, count, axis)
            if kind == "contiguity":
                values = values + steps(values, Vector(count, axis), step)
    return values


def _run(values: Values, axis: int, step: int) -> int:
    """How many values follow each other along an axis, from every multiple of that number on."""
    count = int(values.shape[axis] & -values.shape[axis])
    while count > 1:
        followed = firsts_of(values, count, axis) + steps(values, Vector(count, axis), step)
        if (values == followed).all():
            break
        count //= 2
    return count


_OF_INTEGERS = (
    "add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr", "minsi", "minui", "maxsi",
    "maxui", "icmpSLE", "icmpSLT", "icmpSGE", "icmpSGT", "icmpULE", "icmpULT", "icmpUGE", "icmpUGT",
    "icmpEQ", "icmpNE", "and", "xor", "or", "select", "int_cast", "addptr", "splat", "unsplat",
    "expand_dims", "broadcast", "reshape", "trans", "bitcast", "int_to_ptr", "ptr_to_int",
)  # fmt: skip
"""Operations of the interpreter's builder by which an offset becomes an address or a mask."""


def _believing(kind: type[Any], promises: Promises) -> type[Any]:
    """The builder of this process once a promise was broken: it reckons twice with what stems from it."""

    def twice(operate: Callable[..., TensorHandle]) -> Callable[..., TensorHandle]:
        def method(self: Any, *args: Any) -> TensorHandle:
            result = operate(self, *args)
            if doubtful(*args):
                taken = [TensorHandle(believed(one), one.dtype) if doubtful(one) else one for one in args]
                result = TensorHandle(result.data, result.dtype)
                result.believed = operate(self, *taken).data
            return result

        return method

    class Believing(kind):  # type: ignore[misc]
        believes = True

        def create_masked_load(self, ptrs: Any, mask: Any, other: Any, *rest: Any, **more: Any) -> Any:
            found = super().create_masked_load(ptrs, mask, other, *rest, **more)
            made = promises.accessed(ptrs, mask, "load") if doubtful(ptrs, mask) else None
            return found if made is None else _loaded(found, made, other, promises.memory())

        def create_masked_store(self, ptrs: Any, value: Any, mask: Any, *rest: Any, **more: Any) -> Any:
            made = promises.accessed(ptrs, mask, "store") if doubtful(ptrs, mask) else None
            if made is not None:
                ptrs, mask = TensorHandle(made[0], ptrs.dtype), TensorHandle(made[1], mask.dtype)
            return super().create_masked_store(ptrs, value, mask, *rest, **more)

    for name in _OF_INTEGERS:
        setattr(Believing, f"create_{name}", twice(getattr(kind, f"create_{name}")))
    return Believing


def _loaded(found: TensorHandle, made: tuple[Values, Values], other: Any, memory: Memory) -> TensorHandle:
    """What the vectors load; past the end of a tensor lies anything."""
    addresses, active = made
    dtype, shape = found.data.dtype, found.data.shape
    there = active & memory.holds(addresses)
    strange = np.full(shape, _poison(dtype), dtype)
    values = triton_interpreter._interpreter.load(addresses, there, strange, dtype)
    instead = np.zeros(shape, dtype) if other is None else other.data
    return TensorHandle(np.where(active, values, instead).astype(dtype), found.dtype)


def _vector(site: Site, ptrs: TensorHandle, mask: TensorHandle) -> Vector | None:
    """What a compiler may believe in at `site`."""
    addresses, lanes = np.broadcast_arrays(believed(ptrs), believed(mask))
    return vector_at(site, addresses, lanes, item_bytes_of(ptrs))


def _poison(dtype: Any) -> Any:
    return np.nan if np.issubdtype(dtype, np.floating) else True if dtype == np.bool_ else np.iinfo(dtype).max


def callers() -> Iterator[tuple[Any, int]]:
    """Where in the candidate's own text this is, from the kernel's helpers up."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith("candidate_"):
            yield frame.f_code, frame.f_lasti
        frame = frame.f_back
