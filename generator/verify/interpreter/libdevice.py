"""Lets the interpreter run kernels that call libdevice, which exists only in a compiler's library.

Functions of floating numbers are computed in float64 and rounded once; those of bits and whole numbers are
`words.py`. One that nobody here computes (a direction of rounding, say) raises that it is not emulated.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import TensorHandle

from .behind import steers
from .numerics import plain
from .violations import NotFollowedError
from .words import CASTS, EXACT

_MODULES = (
    "triton.language.extra.libdevice",
    "triton.language.extra.cuda.libdevice",
    "triton.language.extra.hip.libdevice",
)


def _single(x: torch.Tensor) -> torch.Tensor:
    return x.float().double()


def _grid(x: torch.Tensor, step: float) -> torch.Tensor:
    return torch.round(x / step) * step


def _lg2(x: torch.Tensor) -> torch.Tensor:
    """As PTX's `lg2.approx.f32`, whose error between 0.5 and 2 is absolute: near one few digits are left."""
    exact = torch.log2(x)
    return torch.where(exact.abs() < 1, _grid(exact, 2.0**-21), exact)


def _turns(x: torch.Tensor) -> torch.Tensor:
    """The angle as `sin.approx.f32` has it, which divides by a turn in float32 first."""
    return _single(x / (2 * math.pi)) * (2 * math.pi)


def _fast_sine(x: torch.Tensor) -> torch.Tensor:
    return _grid(torch.sin(_turns(x)), 2.0**-20)


def _fast_cosine(x: torch.Tensor) -> torch.Tensor:
    return _grid(torch.cos(_turns(x)), 2.0**-20)


def _remainder(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """IEEE's: what is left of the nearest multiple, of two as near of the even one."""
    y = y.abs()
    left = torch.fmod(x.abs(), 2 * y)
    near = torch.where(left <= y / 2, left, torch.where(left < 1.5 * y, left - y, left - 2 * y))
    return near * torch.copysign(torch.ones_like(x), x)


def _half_away(x: torch.Tensor) -> torch.Tensor:
    whole = torch.trunc(x)
    return whole + torch.copysign(((x - whole).abs() >= 0.5).double(), x)


def _half_turns(function: Callable[..., torch.Tensor], zero_at: float) -> Callable[..., torch.Tensor]:
    """`sinpi` and `cospi`: exactly zero where they cross it."""

    def computed(x: torch.Tensor) -> torch.Tensor:
        angle = _remainder(x, torch.full_like(x, 2.0))
        crosses = torch.fmod(angle, 1.0).abs() == zero_at
        return torch.where(crosses, 0.0, function(angle * math.pi))

    return computed


def _gamma(x: torch.Tensor) -> torch.Tensor:
    sign = torch.where((x < 0) & (torch.fmod(torch.floor(x), 2.0) != 0), -1.0, 1.0)
    value = torch.copysign(torch.exp(torch.lgamma(x)), torch.where(x == 0, x, sign))
    return torch.where((x < 0) & (torch.floor(x) == x), torch.nan, value)


def _logb(x: torch.Tensor) -> torch.Tensor:
    power = (torch.frexp(x).exponent - 1).double()
    return torch.where(torch.isfinite(x) & (x != 0), power, torch.log2(x.abs()))


def _length(*parts: torch.Tensor) -> torch.Tensor:
    return torch.stack(parts).square().sum(0).sqrt()


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(torch, name)
        for name in ("tanh", "sinh", "cosh", "tan", "asin", "acos", "atan", "exp", "exp2")
    },
    **{
        name: getattr(torch, name)
        for name in ("expm1", "log1p", "log", "log2", "log10", "sqrt", "rsqrt", "erf", "erfc")
    },
    **{
        name: getattr(torch, name)
        for name in ("asinh", "acosh", "atanh", "sin", "cos", "floor", "ceil", "trunc", "pow")
    },
    **{name: getattr(torch, name) for name in ("atan2", "fmod", "copysign", "lgamma")},
    **{
        name: getattr(torch.special, of)
        for name, of in {
            "erfcx": "erfcx",
            "normcdf": "ndtr",
            "normcdfinv": "ndtri",
            "j0": "bessel_j0",
            "j1": "bessel_j1",
            "y0": "bessel_y0",
            "y1": "bessel_y1",
            "cyl_bessel_i0": "i0",
            "cyl_bessel_i1": "i1",
        }.items()
    },
    "erfcinv": lambda x: -torch.special.ndtri(x / 2) / math.sqrt(2),
    "hypot": torch.hypot,
    "rhypot": lambda x, y: 1 / torch.hypot(x, y),
    "norm3d": _length,
    "norm4d": _length,
    "rnorm3d": lambda *parts: 1 / _length(*parts),
    "rnorm4d": lambda *parts: 1 / _length(*parts),
    "exp10": lambda x: torch.pow(10.0, x),
    "fdim": lambda x, y: torch.where(x <= y, 0.0, x - y),
    "saturatef": lambda x: torch.nan_to_num(x, nan=0.0).clamp(0, 1),
    "remainder": _remainder,
    "round": _half_away,
    "sinpi": _half_turns(torch.sin, 0.0),
    "cospi": _half_turns(torch.cos, 0.5),
    "tgamma": _gamma,
    "logb": _logb,
    "rcbrt": lambda x: 1 / (torch.sign(x) * torch.abs(x) ** (1 / 3)),
    "add_rn": torch.add,
    "sub_rn": torch.sub,
    "mul_rn": torch.mul,
    "rcp_rn": torch.reciprocal,
    "rsqrt_rn": torch.rsqrt,
    "fma": lambda x, y, z: x * y + z,
    "fma_rn": lambda x, y, z: x * y + z,
    "rint": torch.round,
    "nearbyint": torch.round,
    "fast_tanhf": torch.tanh,
    "fast_expf": lambda x: torch.exp2(_single(x * math.log2(math.e))),
    "fast_logf": lambda x: _lg2(x) * math.log(2),
    "fast_log2f": _lg2,
    "fast_log10f": lambda x: _lg2(x) * math.log10(2),
    "fast_exp10f": lambda x: torch.exp2(_single(x * math.log2(10))),
    "fast_powf": lambda x, power: torch.exp2(_single(power * _lg2(x))),
    "fast_sinf": _fast_sine,
    "fast_cosf": _fast_cosine,
    "fast_tanf": lambda x: _fast_sine(x) / _fast_cosine(x),
    "fast_dividef": torch.div,
    "div_rn": torch.div,
    "sqrt_rn": torch.sqrt,
    "erfinv": torch.erfinv,
    "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3),
    "isnan": torch.isnan,
    "isinf": torch.isinf,
}


def emulate_libdevice() -> None:
    """Replace libdevice's functions, in this process, by ones that compute what a card's do."""
    emulated = {
        **{name: _elementwise(function) for name, function in _FUNCTIONS.items()},
        **{name: _of_handles(_on_arrays(function)) for name, function in EXACT.items()},
        **{name: _of_handles(function) for name, function in CASTS.items()},
    }
    for module_name in _MODULES:
        module = importlib.import_module(module_name)
        for name, member in list(vars(module).items()):
            if inspect.isfunction(member) and member.__module__ == module_name:
                setattr(module, name, emulated.get(name) or _missing(name))


def _missing(name: str) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        raise NotFollowedError(f"libdevice.{name} is not emulated")

    return call


def _of_handles(function: Callable[..., TensorHandle]) -> Callable[..., Any]:
    """Numbers beside tensors are of the type that the compiler gives them."""

    def call(*args: Any, **_: Any) -> Any:
        tensors = [triton_interpreter.interpreter_semantic.to_tensor(arg) for arg in args]
        for tensor in tensors:
            steers(tensor.handle)
        handle = function(*(tensor.handle for tensor in tensors))
        block = max(tensors, key=lambda tensor: tensor.type.is_block())
        return tl.tensor(handle, _typed(block, handle.data, handle.dtype))

    return call


_TYPES: dict[str, Any] = {
    str(kind): getattr(tl, str(kind)) for kind in map(np.dtype, ("i4", "i8", "u4", "u8", "f2", "f4", "f8"))
}


def _on_arrays(function: Callable[..., Any]) -> Callable[..., TensorHandle]:
    def computed(*handles: TensorHandle) -> TensorHandle:
        found = function(*np.broadcast_arrays(*map(plain, handles)))
        found = found.astype(np.int32) if found.dtype == np.bool_ else found
        return TensorHandle(found, _TYPES[str(found.dtype)])

    return computed


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **_: Any) -> Any:
        tensors = [arg for arg in args if isinstance(arg, tl.tensor)]
        block = max(tensors, key=lambda arg: arg.type.is_block())  # the others are numbers of a launch
        dtype = max((arg.dtype for arg in tensors), key=_floating_bits)
        for arg in tensors:
            steers(arg.handle)
        values = [_float64(arg) for arg in args]
        same_shape = torch.broadcast_tensors(*values)  # type: ignore[no-untyped-call]
        result = function(*same_shape).numpy()
        if result.dtype == np.bool_:
            result = result.astype(np.int32)
            return tl.tensor(TensorHandle(result, tl.int32), _typed(block, result, tl.int32))
        held = result.astype(next(arg.handle.data.dtype for arg in tensors if arg.dtype == dtype))
        return tl.tensor(TensorHandle(held, dtype), _typed(block, held, dtype))

    return call


def _float64(arg: Any) -> torch.Tensor:
    data = plain(arg.handle) if isinstance(arg, tl.tensor) else getattr(arg, "value", arg)
    return torch.from_numpy(np.array(data, np.float64))


def _floating_bits(dtype: Any) -> int:
    return int(dtype.primitive_bitwidth) if dtype.is_floating() else 0


def _typed(block: Any, data: Any, dtype: Any) -> Any:
    return tl.block_type(dtype, list(data.shape)) if block.type.is_block() else dtype
