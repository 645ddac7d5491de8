"""8-bit floats (e4m3, e5m2) as the judge needs them: widened for arithmetic, and results compared in steps.

Torch stores, casts and multiplies them, and has no other arithmetic on them. A step between two neighbours is
an eighth or a quarter of their size, so an error in front of the cast shows as a step or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

EIGHT_BITS = (torch.float8_e4m3fn, torch.float8_e5m2)
"""Both have a sign bit before their magnitude, and magnitudes are ordered as their bits are."""

MOST_OFF = 0.01
"""Share of values that may be the neighbour of the right one: those that lie within an error of 2^-11 of the
middle between two. Of rounding in fp32 alone, 1 of 100000 is; through bfloat16, 3 of 100."""


def is_eight_bits(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in EIGHT_BITS


def widened(value: torch.Tensor) -> torch.Tensor:
    """8-bit floats as float32, exactly; others as they are."""
    return value.float() if value.dtype in EIGHT_BITS else value


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """`torch.equal`, which refuses to compare a tensor of eight bits with itself."""
    return torch.equal(widened(one), widened(other))


@dataclass(frozen=True)
class Steps:
    """How far values lie from the right ones: the share that is off, and the steps of the farthest."""

    share: float
    most: int


def steps(found: torch.Tensor, right: torch.Tensor) -> Steps:
    """NaN is at home with NaN alone: beside a number it is farther off than any number."""
    if found.numel() == 0:
        return Steps(0.0, 0)
    nan = found.isnan() != right.isnan()
    apart = (_place(found) - _place(right)).abs().masked_fill(found.isnan() & right.isnan(), 0)
    apart = apart.masked_fill(nan, 256)
    return Steps(float((apart > 0).double().mean()), int(apart.max()))


def as_bytes(values: torch.Tensor) -> torch.Tensor:
    """Its bytes in a row. Of a single element `contiguous` keeps any step, over which no view goes."""
    return values.clone(memory_format=torch.contiguous_format).view(-1).view(torch.uint8)


def _place(values: torch.Tensor) -> torch.Tensor:
    """Where each stands among all numbers of its type, zero in the middle."""
    bits = as_bytes(values).view(values.shape).int()
    size = bits & 0x7F
    return torch.where(bits >= 128, -size, size)


def scaled_product(
    left: torch.Tensor,
    right: torch.Tensor,
    scale_a: torch.Tensor,
    scale_b: torch.Tensor,
    bias: torch.Tensor | None = None,
    scale_result: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    use_fast_accum: bool = False,
) -> torch.Tensor:
    """`torch._scaled_mm` in float64, with a scale for each tensor or for each row and column; rounded where
    the result has eight bits. A scale of the result divides, as it does on the CPU."""
    found = left.double() @ right.double() * scale_a.double() * scale_b.double()
    found = found if bias is None else found + bias.double()
    wanted = left.dtype if out_dtype is None else out_dtype
    if wanted in EIGHT_BITS:
        return (found if scale_result is None else found / scale_result.double()).to(wanted)
    return found
