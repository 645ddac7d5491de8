"""How the numbers of each family are drawn, by the shape and dtype of what an op file gives."""

from __future__ import annotations

from collections.abc import Callable

import torch

Draw = Callable[[torch.Tensor, torch.Generator], torch.Tensor]


def normal(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(values.shape, generator=generator)


def heavy_tailed(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Symmetric Pareto with index 1.5: infinite variance, and values whose exponential overflows float32."""
    uniform = torch.rand(values.shape, generator=generator).clamp_min(1e-6)
    return (uniform ** (-1 / 1.5) - 1) * normal(values, generator).sign()


def signed_zeros(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Zeros of both signs. In every fourth row one value in sixteen is left alive, so that reductions have
    something to find; in the others seven in eight, so that an op which makes infinities of zeros has answers
    to be judged by."""
    drawn = normal(values, generator)
    share = torch.full((*values.shape[:-1], 1) if values.ndim else (), 7 / 8)
    share.view(-1)[::4] = 1 / 16
    alive = torch.rand(values.shape, generator=generator) < share
    return torch.where(alive, drawn, torch.copysign(torch.zeros(()), drawn))


def infinite_rows(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values; of every eight rows, one is minus infinity throughout, one holds plus infinity once and
    one minus infinity, once or for the first half of its length. Where rows make planes, three rows of the
    first plane are minus infinity, so that a window finds nothing else; and so is one line along each middle
    dimension."""
    drawn = normal(values, generator)
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


def silent_stretches(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values, but for a stretch of zeros in each row, from the largest power of two in its first half,
    or half or a quarter of that, to twice as far: whole tiles of nothing behind others."""
    drawn = normal(values, generator)
    if drawn.numel() == 0:
        return drawn
    rows = drawn.view(-1, drawn.shape[-1] if drawn.ndim else 1)
    largest = 1 << max(0, (rows.shape[1] // 2).bit_length() - 1)
    for turn in range(3):
        begin = max(1, largest >> turn)
        rows[turn::3, begin : 2 * begin] = 0
    return drawn


def equal_rows(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Every element of a row is the same: no variance along it, and every maximum is tied."""
    if values.ndim == 0:
        return normal(values, generator)
    return torch.randn(*values.shape[:-1], 1, generator=generator).expand(values.shape)


SPIKE = 64.0
"""Far outside what normal values reach, and its square and its exponential are finite in float32."""

_TILES = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def spiked(sign: float) -> Draw:
    """Normal values, and in each row one that towers over the rest: first, last, at edges of tiles, anywhere.

    Whatever leaves such a place out gives an answer that is far off, even where the op averages.
    """

    def draw(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        drawn = normal(values, generator)
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


def lone_rows(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values; in each plane one row, between an eighth and a third of its height, towers over the
    rest: where a window or a mask ends shows by whether the row is still, or already, among what is read."""
    drawn = normal(values, generator)
    if drawn.numel() and drawn.ndim > 1:
        planes = drawn.view(-1, *drawn.shape[-2:])
        height = planes.shape[1]
        first, last = height // 8, max(height // 8 + 1, height // 3)
        places = torch.randint(first, last, (len(planes),), generator=generator)
        planes[torch.arange(len(planes)), places] = SPIKE
    return drawn


def late_peaks(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values; in each row one of the last quarter is so far above the rest, in every other row below,
    that the exponential of the difference is infinite: a first tile's maximum alone is no reference point.
    """
    drawn = normal(values, generator)
    if drawn.numel() and drawn.ndim:
        rows = drawn.view(-1, drawn.shape[-1])
        length = rows.shape[1]
        places = torch.randint(length - max(1, length // 4), length, (len(rows),), generator=generator)
        numbers = torch.arange(len(rows))
        rows[numbers, places] = 4 * SPIKE * (1.0 - 2 * (numbers % 2))
    return drawn


def first_ahead(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values, and the very first of them so far ahead that its square hides those of all others."""
    drawn = normal(values, generator)
    drawn.view(-1)[:1] = min(_HIDES, torch.finfo(values.dtype).max / 8)
    return drawn


_HIDES = 2.0**20


def samples_apart(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values; along the first axis every second sample is 2^-14 times as large, and every third an
    eighth; of all of them the last quarter of each row is silent."""
    drawn = normal(values, generator)
    if drawn.numel() and drawn.ndim > 1:
        times = torch.tensor([1.0, 2.0**-14, 2.0**-3])[torch.arange(len(drawn)) % 3]
        drawn *= times.view(-1, *[1] * (drawn.ndim - 1))
        drawn[..., drawn.shape[-1] - drawn.shape[-1] // 4 :] = 0
    return drawn


def _edges(length: int) -> list[int]:
    """The first place and the last, and both sides of where tiles of the usual sizes meet."""
    found = {0, length - 1, *(tile + side for tile in _TILES for side in (-1, 0)), length - length // 64 - 1}
    return sorted(place for place in found if 0 <= place < length)


def small_integers(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """-4 to 4: products and sums are exact in every precision class, in whatever order they are taken."""
    return torch.randint(-4, 5, values.shape, generator=generator).float()


def near_one(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """1 + k/4096: what is lost in TF32, float16 and bfloat16, and by differences of sums of squares."""
    return 1 + torch.randint(-8, 9, values.shape, generator=generator) / 4096


def neighbours(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """1 + k units in its last place: keys that lack a bit take two of them for equals."""
    steps = torch.randint(0, 32, values.shape, generator=generator)
    return 1 + steps * torch.finfo(values.dtype).eps


def far_out(power: int) -> Draw:
    """Normal values, none beyond 4, times 2 to that power; a sixteenth of what the dtype holds where that is
    less. Every fourth row is negative throughout: a running maximum that began at zero would stay there."""

    def draw(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        most = torch.finfo(values.dtype).max / 16
        drawn = normal(values, generator).clamp(-4, 4)
        if drawn.numel() and drawn.ndim > 1:
            rows = drawn.view(-1, drawn.shape[-1])
            rows[3::4] = -rows[3::4].abs()
            if len(rows) < 4:  # as the longest shapes have
                rows[-1] = -rows[-1].abs()
        return drawn * min(2.0**power, most)

    return draw


def close_in(power: int) -> Draw:
    """Normal values times 2 to that power, or sixteen times the smallest normal number of the dtype."""

    def draw(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        least = torch.finfo(values.dtype).tiny * 16
        return normal(values, generator) * max(2.0**power, least)

    return draw


def whole_and_large(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """4 to 12, or four times as much in short rows: whole, so that products and their sums are exact."""
    times = 1 if values.ndim and values.shape[-1] >= _FEW else 4
    return times * torch.randint(4, 13, values.shape, generator=generator).float()


_FEW = 16
"""Elements of a row whose products come to hundreds."""


def ones_and_threes(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Of either sign, as many of the one as of the other in each row, and a two where one is left over."""
    length = values.shape[-1] if values.ndim else 1
    row = torch.tensor([1.0, 3.0]).repeat(length // 2)
    row = torch.cat([row, torch.full((length % 2,), 2.0)])
    drawn = row[torch.rand(values.reshape(-1, length).shape, generator=generator).argsort(1)]
    signs = torch.randint(0, 2, drawn.shape, generator=generator) * 2 - 1
    return (drawn * signs).reshape(values.shape)


def halves_of_integers(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Multiples of a half, in other rows of a fourth and so on down to 2^-7: as near to one whole number as
    to the next, also behind a factor that is a power of two."""
    whole = torch.randint(-64, 65, values.shape, generator=generator).float()
    steps = torch.randint(1, 8, (*values.shape[:-1], 1) if values.ndim else (), generator=generator)
    return whole * 2.0**-steps


def far_whole(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Whole numbers up to 2^17 in size, which float32 holds: an angle in which turns have to be counted."""
    return torch.randint(-(1 << 17), (1 << 17) + 1, values.shape, generator=generator).float()


def all_far_out(power: int, sign: float) -> Draw:
    """Of one sign, as far out as `far_out` and none nearer than 2 to that power, or a quarter of what the
    dtype holds: beyond what is taken for the lowest score, -10000 in float16 say."""

    def draw(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        least = min(2.0**power, torch.finfo(values.dtype).max / 4)
        return sign * (least + far_out(power)(values, generator).abs())

    return draw


def far_off(sign: float) -> Draw:
    """20 to 40 in size, of one sign: exponentials are far from one, and far from overflow."""
    return lambda values, generator: sign * (20 + 20 * torch.rand(values.shape, generator=generator))


def sorted_rows(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values, in rows that rise and rows that fall: what ranks highest stands together."""
    drawn = normal(values, generator)
    if not drawn.ndim:
        return drawn
    rows = drawn.sort(-1).values.view(-1, drawn.shape[-1]) if drawn.numel() else drawn
    rows[::2] = rows[::2].flip(-1)
    return rows.view(drawn.shape)


def either_sign(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """One, or nearly so, of a sign drawn for each: long products of normal values vanish, and so do their
    signs."""
    return near_one(values, generator) * (torch.randint(0, 2, values.shape, generator=generator) * 2 - 1)


def beside_powers(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Rows of a power of two at most, which stands there, or the number below it; the rest is far smaller."""
    drawn = normal(values, generator) / 16
    if not drawn.numel() or not drawn.ndim:
        return drawn
    rows = (*drawn.shape[:-1], 1)
    powers = 2.0 ** torch.randint(-4, 5, rows, generator=generator)
    below = torch.randint(0, 2, rows, generator=generator) * torch.finfo(torch.float32).eps / 2
    drawn[..., ::16] = powers * (1 - below)
    return drawn


def one_nan(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values, and NaN at one place of each tensor, or at three of a large one: at the first of an axis
    it passes through what it would not pass later."""
    drawn = normal(values, generator)
    if drawn.numel():
        places = torch.randint(
            0, drawn.numel(), (3 if drawn.numel() >= _SEVERAL else 1,), generator=generator
        )
        drawn.view(-1)[places] = torch.nan
    return drawn


def some_nan(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values, and NaN in a third of the places, the first of each row apart."""
    drawn = normal(values, generator)
    missing = torch.rand(values.shape, generator=generator) < 1 / 3
    if values.ndim:
        missing[..., :1] = False
    return drawn.masked_fill(missing, torch.nan)


_SEVERAL = 256
