"""What libdevice computes of bits and whole numbers, exactly, and its casts with their direction of rounding.

Each function takes arrays of one shape, in the kernel's own types; its result has the type that comes out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import TensorHandle

from .numerics import plain, scalar

_NIBBLES = range(0, 16, 4)


def _bits(x: Any) -> Any:
    """The bits of each number along a last axis, the lowest first."""
    held = np.ascontiguousarray(x)
    parts = held.reshape(*held.shape, 1).view(np.uint8)
    return np.unpackbits(parts, axis=-1, bitorder="little")


def _popc(x: Any) -> Any:
    return _bits(x).sum(-1, dtype=np.int32)


def _clz(x: Any) -> Any:
    bits = _bits(x)
    return np.where(x == 0, bits.shape[-1], bits[..., ::-1].argmax(-1)).astype(np.int32)


def _ffs(x: Any) -> Any:
    return np.where(x == 0, 0, _bits(x).argmax(-1) + 1).astype(np.int32)


def _brev(x: Any) -> Any:
    turned = np.packbits(_bits(x)[..., ::-1], axis=-1, bitorder="little")
    return turned.view(x.dtype)[..., 0]


def _mulhi(x: Any, y: Any) -> Any:
    return (x.astype(object) * y.astype(object) >> 8 * x.itemsize).astype(x.dtype)


def _mul24(x: Any, y: Any) -> Any:
    return (x << 8 >> 8) * (y << 8 >> 8)


def _byte_perm(x: Any, y: Any, selector: Any) -> Any:
    low, high = (word.view(np.uint32).astype(np.uint64) for word in map(np.ascontiguousarray, (x, y)))
    both, chosen = high << np.uint64(32) | low, np.zeros(x.shape, np.uint64)
    for place in _NIBBLES:
        byte = (selector >> place & 7).astype(np.uint64)
        chosen |= (both >> 8 * byte & np.uint64(0xFF)) << np.uint64(2 * place)
    return chosen.astype(np.uint32).view(np.int32)


def _sad(x: Any, y: Any, z: Any) -> Any:
    return (np.abs(x.astype(np.int64) - y) + z).astype(np.int32)


def _ilogb(x: Any) -> Any:
    ends = np.where(np.isinf(x), np.iinfo(np.int32).max, np.iinfo(np.int32).min)
    return np.where(np.isfinite(x) & (x != 0), np.frexp(x)[1] - 1, ends).astype(np.int32)


EXACT: dict[str, Callable[..., Any]] = {
    "popc": _popc, "clz": _clz, "ffs": _ffs, "brev": _brev, "mulhi": _mulhi, "mul24": _mul24,
    "byte_perm": _byte_perm, "sad": _sad, "abs": np.abs,
    "hadd": lambda x, y: (x.astype(np.int64) + y >> 1).astype(np.int32),
    "rhadd": lambda x, y: (x.astype(np.int64) + y + 1 >> 1).astype(np.int32),
    "nextafter": np.nextafter, "ldexp": np.ldexp, "scalbn": np.ldexp, "ilogb": _ilogb,
    "signbit": np.signbit, "finitef": np.isfinite, "isfinited": np.isfinite,
}  # fmt: skip
"""Truths come out as int32."""


def half_away(x: Any) -> Any:
    """Rounds to whole numbers, halves away from zero."""
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x).astype(x.dtype)


_DIRECTIONS: dict[str, Callable[..., Any]] = {
    "rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil,
}  # fmt: skip
_KINDS = {"int": tl.int32, "uint": tl.uint32, "ll": tl.int64, "ull": tl.uint64}
_SIGNED: dict[Any, Any] = {tl.uint32: tl.int32, tl.uint64: tl.int64}
"""Casts to unsigned numbers are declared to give signed ones, of the same bits."""

_BITS = {
    "float_as_int": tl.int32, "float_as_uint": tl.int32, "int_as_float": tl.float32,
    "uint_as_float": tl.float32, "longlong_as_double": tl.float64, "double_as_longlong": tl.int64,
}  # fmt: skip


def _to_whole(direction: Callable[..., Any], kind: Any) -> Callable[[TensorHandle], TensorHandle]:
    def cast(handle: TensorHandle) -> TensorHandle:
        builder = triton_interpreter.interpreter_builder
        rounded = TensorHandle(direction(plain(handle)), scalar(handle.dtype))
        if kind not in _SIGNED:
            return builder.create_fp_to_si(rounded, kind)
        signed = _SIGNED[kind]
        return builder.create_bitcast(builder.create_fp_to_ui(rounded, kind), signed)

    return cast


def _through(method: str, kind: Any) -> Callable[[TensorHandle], TensorHandle]:
    return lambda handle: getattr(triton_interpreter.interpreter_builder, method)(handle, kind)


CASTS: dict[str, Callable[[TensorHandle], TensorHandle]] = {
    **{
        f"{source}2{name}_{short}": _to_whole(direction, kind)
        for source in ("float", "double")
        for name, kind in _KINDS.items()
        for short, direction in _DIRECTIONS.items()
    },
    **{
        f"{name}2{made}_rn": _through("create_ui_to_fp" if name.startswith("u") else "create_si_to_fp", kind)
        for name in _KINDS
        for made, kind in (("float", tl.float32), ("double", tl.float64))
    },
    **{name: _through("create_bitcast", kind) for name, kind in _BITS.items()},
    "double2float_rn": _through("create_fp_trunc", tl.float32),
    "llrint": _to_whole(np.rint, tl.int64),
    "llround": _to_whole(half_away, tl.int64),
}
