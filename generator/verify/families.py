"""Draws inputs that an op file's generator never shows: other signs, scales, ties, tails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeGuard

import torch

from ...profiling.build import Input
from .eight_bits import widened

LEVEL = 64.0
"""Of "opposed halves": 32 products are beyond float16."""

Draw = Callable[[torch.Tensor, torch.Generator], torch.Tensor]


def _normal(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(values.shape, generator=generator)


def _heavy_tailed(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Symmetric Pareto with index 1.5: infinite variance, and values whose exponential overflows float32."""
    uniform = torch.rand(values.shape, generator=generator).clamp_min(1e-6)
    return (uniform ** (-1 / 1.5) - 1) * _normal(values, generator).sign()


def _signed_zeros(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Zeros of both signs. In every fourth row one value in sixteen is left alive, so that reductions have
    something to find; in the others seven in eight, so that an op which makes infinities of zeros has answers
    to be judged by."""
    drawn = _normal(values, generator)
    share = torch.full((*values.shape[:-1], 1) if values.ndim else (), 7 / 8)
    share.view(-1)[::4] = 1 / 16
    alive = torch.rand(values.shape, generator=generator) < share
    return torch.where(alive, drawn, torch.copysign(torch.zeros(()), drawn))


def _infinite_rows(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values; of every eight rows, one is minus infinity throughout, one holds plus infinity once and
    one minus infinity, once or for the first half of its length. Where rows make planes, three rows of the
    first plane are minus infinity, so that a window finds nothing else; and so is one line along each middle
    dimension."""
    drawn = _normal(values, generator)
    if drawn.numel() == 0:
        return drawn
    rows = drawn.view(-1, drawn.shape[-1] if drawn.ndim else 1)
    rows[::8] = -torch.inf
    rows[2::16, : rows.shape[1] // 2] = -torch.inf
    for first, sign in ((1, 1.0), (2, -1.0)):
        for row in rows[first::8]:
            row[int(torch.randint(0, len(row), (1,), generator=generator))] = sign * torch.inf
    if drawn.ndim >= 3 and drawn.shape[-2] >= 6:
        drawn.view(-1, *drawn.shape[-2:])[0, 3:6] = -torch.inf
    for dim in range(1, drawn.ndim - 1):
        drawn.movedim(dim, -1)[(-1,) * (drawn.ndim - 1)] = -torch.inf
    return drawn


def _equal_rows(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Every element of a row is the same: no variance along it, and every maximum is tied."""
    if values.ndim == 0:
        return _normal(values, generator)
    return torch.randn(*values.shape[:-1], 1, generator=generator).expand(values.shape)


SPIKE = 64.0
"""Far outside what normal values reach, and its square and its exponential are finite in float32."""

_TILES = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def _spiked(sign: float) -> Draw:
    """Normal values, and in each row one that towers over the rest: first, last, at edges of tiles, anywhere.

    Whatever leaves such a place out gives an answer that is far off, even where the op averages.
    """

    def draw(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        drawn = _normal(values, generator)
        if drawn.numel() == 0:
            return drawn
        flat = drawn.reshape(-1)
        rows = flat.view(-1, drawn.shape[-1] if drawn.ndim else 1)
        edges = _edges(rows.shape[1])
        anywhere = torch.randint(0, rows.shape[1], (len(edges),), generator=generator).tolist()
        for row, column in enumerate([place for pair in zip(edges, anywhere, strict=True) for place in pair]):
            rows[row % len(rows), column] = sign * SPIKE * (1 + row / 64)
        for place in _edges(flat.numel()):
            flat[place] = sign * SPIKE
        return drawn

    return draw


def _lone_rows(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values; in each plane one row, between an eighth and a third of its height, towers over the
    rest: where a window or a mask ends shows by whether the row is still, or already, among what is read."""
    drawn = _normal(values, generator)
    if drawn.numel() and drawn.ndim > 1:
        planes = drawn.view(-1, *drawn.shape[-2:])
        height = planes.shape[1]
        first, last = height // 8, max(height // 8 + 1, height // 3)
        places = torch.randint(first, last, (len(planes),), generator=generator)
        planes[torch.arange(len(planes)), places] = SPIKE
    return drawn


def _late_peaks(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values; in each row one of the last quarter is so far above the rest that the exponential of the
    difference is infinite: a maximum of the first tile alone is no reference point."""
    drawn = _normal(values, generator)
    if drawn.numel() and drawn.ndim:
        rows = drawn.view(-1, drawn.shape[-1])
        length = rows.shape[1]
        places = torch.randint(length - max(1, length // 4), length, (len(rows),), generator=generator)
        rows[torch.arange(len(rows)), places] = 4 * SPIKE
    return drawn


def _edges(length: int) -> list[int]:
    """The first place and the last, and both sides of where tiles of the usual sizes meet."""
    found = {0, length - 1, *(tile + side for tile in _TILES for side in (-1, 0)), length - length // 64 - 1}
    return sorted(place for place in found if 0 <= place < length)


def _small_integers(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """-4 to 4: products and sums are exact in every precision class, in whatever order they are taken."""
    return torch.randint(-4, 5, values.shape, generator=generator).float()


def _near_one(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """1 + k/4096: what is lost in TF32, float16 and bfloat16, and by differences of sums of squares."""
    return 1 + torch.randint(-8, 9, values.shape, generator=generator) / 4096


def _far_out(power: int) -> Draw:
    """Normal values, none beyond 4, times 2 to that power; a sixteenth of what the dtype holds where that is
    less. Every fourth row is negative throughout: a running maximum that began at zero would stay there."""

    def draw(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        most = torch.finfo(values.dtype).max / 16
        drawn = _normal(values, generator).clamp(-4, 4)
        if drawn.numel() and drawn.ndim > 1:
            rows = drawn.view(-1, drawn.shape[-1])
            rows[3::4] = -rows[3::4].abs()
        return drawn * min(2.0**power, most)

    return draw


def _close_in(power: int) -> Draw:
    """Normal values times 2 to that power, or sixteen times the smallest normal number of the dtype."""

    def draw(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        least = torch.finfo(values.dtype).tiny * 16
        return _normal(values, generator) * max(2.0**power, least)

    return draw


def _whole_and_large(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """4 to 12: whole, so that products and their sums are exact."""
    return torch.randint(4, 13, values.shape, generator=generator).float()


def _one_nan(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values, and NaN at one place of each tensor."""
    drawn = _normal(values, generator)
    if drawn.numel():
        drawn.view(-1)[int(torch.randint(0, drawn.numel(), (1,), generator=generator))] = torch.nan
    return drawn


ENORMOUS, ASTRONOMICAL = "enormous", "astronomical"
"""Far above 65504, where float16 ends, and any bound that looks generous, yet below the 1e30 that kernels
write for infinity: of the first, sums of squares as well. Both are left out where the reference overflows."""

FAINT, MINUTE, VANISHING = "faint", "minute", "vanishing"
"""Below any bound that looks like zero. The first is left out where honest kernels cancel, the others too
where an op has a scale of its own, an epsilon say: then nothing so small makes a difference."""

CLOSE_IN = {FAINT: -16, MINUTE: -50, VANISHING: -110}
"""Their powers of two. Of the last, squares and products are no numbers any more; what is left of it, and of
its smallest values, is normal in float32, so that flushing denormals to zero makes no difference."""

INFINITE, ONE_NAN = "infinite rows", "one NaN"
"""Judged one way only: a number where the reference has none hides it."""

LONE_ROWS, LATE_PEAKS = "lone rows", "late peaks"
"""Told by long rows and high planes alone: drawn at the largest shape."""

OPPOSED = "opposed"
"""Every other input, from the first on, is negative throughout: scores of queries and keys all lie far below
zero."""

HALVES = "opposed halves"
"""Values about `LEVEL`, of which every other input has the second half of each row negative, times weights
about as large: sums of products pass 65504 on the way and come back. Drawn in half precision alone."""

MUST = {"as shipped", "normal", "spikes", "small integers"}
"""Families that are drawn however little time there is."""

FAMILIES: Mapping[str, Draw] = {
    "as shipped": lambda values, generator: values,
    "normal": _normal,
    "shifted normal": lambda values, generator: 3 + 2 * _normal(values, generator),
    "scaled up": lambda values, generator: values.float() * 8,
    "scaled down": lambda values, generator: values.float() / 8,
    "heavy tailed": _heavy_tailed,
    "signed zeros": _signed_zeros,
    "constant": lambda values, generator: torch.full(values.shape, 0.75),
    "equal rows": _equal_rows,
    "spikes": _spiked(1.0),
    "negative spikes": _spiked(-1.0),
    "small integers": _small_integers,
    "near one": _near_one,
    ENORMOUS: _far_out(44),
    ASTRONOMICAL: _far_out(96),
    "all negative": lambda values, generator: -_normal(values, generator).abs() - 0.5,
    OPPOSED: _whole_and_large,
    INFINITE: _infinite_rows,
    **{name: _close_in(power) for name, power in CLOSE_IN.items()},
    ONE_NAN: _one_nan,
    LONE_ROWS: _lone_rows,
    LATE_PEAKS: _late_peaks,
    HALVES: lambda values, generator: LEVEL + _normal(values, generator),
}


def draw_inputs(family: str, shipped: list[Input], generator: torch.Generator) -> list[Input]:
    """Floating inputs from `family`, in their own dtype; integers, booleans and numbers stay as shipped."""
    drawn = [
        FAMILIES[family](value, generator).to(value.dtype).contiguous() if floats(value) else value
        for value in shipped
    ]
    turned = [one for one in drawn if floats(one)][::2] if family in (OPPOSED, HALVES) else []
    for value in turned:
        part = value[..., value.shape[-1] // 2 :] if family == HALVES and value.ndim else value
        part.copy_(-widened(part))
    return drawn


def floats(value: Input) -> TypeGuard[torch.Tensor]:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def nudged(values: list[Input], generator: torch.Generator) -> list[Input]:
    """The same values but for one element of each tensor, never the first: a floating one moves by a spike,
    another takes the value of a neighbour. Whoever knows tensors by address and a sample of them does not
    notice."""
    return [_nudged(value, generator) if isinstance(value, torch.Tensor) else value for value in values]


def _nudged(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if value.numel() < 2:
        return value
    moved = value.contiguous().clone()
    flat = moved.view(-1)
    place = int(torch.randint(1, flat.numel(), (1,), generator=generator))
    flat[place] = widened(flat[place]) + SPIKE if value.is_floating_point() else flat[place - 1]
    return moved
