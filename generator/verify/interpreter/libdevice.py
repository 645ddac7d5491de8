"""Lets the interpreter run kernels that call libdevice, which exists only in a compiler's library."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from .behind import steers
from .numerics import plain

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
    "rint": torch.round,
    "nearbyint": torch.round,
    "fast_tanhf": torch.tanh,
    "fast_expf": lambda x: torch.exp2(_single(x * math.log2(math.e))),
    "fast_logf": lambda x: _lg2(x) * math.log(2),
    "fast_powf": lambda x, power: torch.exp2(_single(power * _lg2(x))),
    "fast_sinf": lambda x: _grid(torch.sin(_turns(x)), 2.0**-20),
    "fast_cosf": lambda x: _grid(torch.cos(_turns(x)), 2.0**-20),
    "fast_dividef": torch.div,
    "div_rn": torch.div,
    "sqrt_rn": torch.sqrt,
    "erfinv": torch.erfinv,
    "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3),
    "isnan": torch.isnan,
    "isinf": torch.isinf,
}


def emulate_libdevice() -> None:
    """Replace these libdevice functions, in this process, by ones that compute in float64."""
    for module_name in _MODULES:
        module = importlib.import_module(module_name)
        for name, function in _FUNCTIONS.items():
            if hasattr(module, name):
                setattr(module, name, _elementwise(function))


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
