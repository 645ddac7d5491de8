"""Has a reference hold its own numbers as a launch passes them: in float32."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np
from torch import nn

from ....profiling.build import Input


def in_single(value: float) -> float:
    """The float32 nearest to it; itself where there is none of its size."""
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    return single if np.isfinite(single) else value


def rounded_inputs(inputs: Sequence[Input]) -> list[Input]:
    """With each floating number among them in float32; tensors stay."""
    return [in_single(one) if isinstance(one, float) else one for one in inputs]


def numbers_of(model: nn.Module) -> list[tuple[nn.Module, str, float]]:
    """Floating numbers that its modules hold and float32 does not: a decay of 0.999, say."""
    return [
        (module, name, value)
        for module in model.modules()
        for name, value in vars(module).items()
        if isinstance(value, float) and in_single(value) != value
    ]


@contextlib.contextmanager
def numbers_in_single(model: nn.Module) -> Iterator[None]:
    """`1 - 0.999` is off by 1.3e-5 of itself then, as in a kernel that is given 0.999."""
    found = numbers_of(model)
    for module, name, value in found:
        setattr(module, name, in_single(value))
    try:
        yield
    finally:
        for module, name, value in found:
            setattr(module, name, value)
