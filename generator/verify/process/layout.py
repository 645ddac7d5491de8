"""Puts a tensor's values into memory in a chosen way: guarded, transposed, shifted or expanded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch

from ....profiling.build import Input

Layout = Literal[
    "contiguous", "transposed", "shifted", "expanded", "channels last", "stepped",
    "unlike", "unlike too", "unlike as well", "unlike again",
    "some shifted", "others shifted", "yet others shifted", "the rest shifted",
    "no rows", "no columns", "no elements", "pitched", "cropped", "turned",
    "other rows", "other lengths", "other numbers",
]  # fmt: skip
PITCHED: Layout = "pitched"
TRANSPOSED: Layout = "transposed"
SHIFTED: Layout = "shifted"
UNLIKE: tuple[Layout, ...] = ("unlike", "unlike too", "unlike as well", "unlike again")
"""Some transposed (rows stepped) beside others that are not: of any two inputs, up to six, each is in one of
them alone."""

SOME_SHIFTED: tuple[Layout, ...] = (
    "some shifted", "others shifted", "yet others shifted", "the rest shifted",
)  # fmt: skip
"""Likewise."""

_PAIRS = (0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100)
"""In which of those four an input is changed, by its number: none is part of another (Sperner)."""

LAYOUTS: tuple[Layout, ...] = (
    "transposed", "shifted", "expanded", "channels last", "stepped", *UNLIKE, PITCHED,
    "cropped", "turned",
)  # fmt: skip
"""Those that a wrapper may refuse in words."""

EMPTY: tuple[Layout, ...] = ("no rows", "no columns", "no elements")
"""Of inputs without elements: a wrapper may raise whatever it likes, and what it returns must be right."""

ROWS: Layout = "other rows"
LENGTHS: Layout = "other lengths"
RESIZED: tuple[Layout, ...] = (ROWS, LENGTHS)
"""Of inputs with other numbers of rows than the same instance was called on before, or of other lengths along
another axis; a wrapper may refuse it in words."""

NUMBERS: Layout = "other numbers"
"""Of tensors beside other numbers than the op file gives; a wrapper may refuse them in words."""

_GUARD_ELEMENTS = (
    256  # NaN or a telling integer before and after the values; a multiple of every vector width
)


def placed(inputs: Sequence[Input], layout: Layout) -> list[Input]:
    """Each tensor in that layout, of the `UNLIKE` ones some transposed and the others as they are, so that
    none tells how another lies."""
    return [
        place(one, layout_of(number, one, layout), number) if isinstance(one, torch.Tensor) else one
        for number, one in enumerate(inputs)
    ]


def layout_of(number: int, value: torch.Tensor, layout: Layout) -> Layout:
    """Of the input with that number, from 0."""
    mixed = next((some for some in (UNLIKE, SOME_SHIFTED) if layout in some), None)
    if mixed is None:
        return layout
    if not _PAIRS[number % len(_PAIRS)] >> mixed.index(layout) & 1:
        return "contiguous"
    if mixed is SOME_SHIFTED:
        return SHIFTED
    return TRANSPOSED if value.ndim > 1 else "stepped"


def place(values: torch.Tensor, layout: Layout, number: int = 0) -> torch.Tensor:
    """A new tensor equal to `values`; where a layout cannot apply, the contiguous one is used.

    transposed: the last two dimensions are swapped in storage. shifted: a slice of a larger storage, one
    element off the alignment that a fresh allocation has. expanded: the first dimension has stride 0, so that
    all its rows are row 0. channels last: of four dimensions, the second is the one whose elements lie
    together. stepped: between the elements of a row lie others. pitched: the first columns of a wider matrix,
    whose rows are of odd length and, by the input's `number`, of another length each. cropped: the inner part
    of a larger block, so that none of its axes but the first follows from the next. turned: pitched, with its
    last two dimensions swapped, or channels last.
    """
    if layout == "transposed" and values.ndim >= 2:
        return _guarded(values.transpose(-1, -2).contiguous()).transpose(-1, -2)
    if layout == "shifted":
        return _slice(values)
    if layout == "expanded" and values.ndim >= 2 and values.shape[0] > 1:
        return _guarded(values[:1]).expand(values.shape)
    if layout == "channels last" and values.ndim == 4:
        return _guarded(values.permute(0, 2, 3, 1).contiguous()).permute(0, 3, 1, 2)
    if layout == "stepped" and values.ndim >= 1:
        return _guarded(values.repeat_interleave(2, -1))[..., ::2]
    if layout == PITCHED and values.ndim >= 2:
        margin = 2 * number + 2 - (values.shape[-1] + 1) % 2
        wider = torch.cat([values, values[..., :1].expand(*values.shape[:-1], margin)], -1)
        return _guarded(wider)[..., :-margin]
    if layout == "turned" and values.ndim == 4:
        return place(values.permute(0, 2, 3, 1), PITCHED, number).permute(0, 3, 1, 2)
    if layout == "turned" and values.ndim >= 2:
        return place(values.transpose(-1, -2), PITCHED, number).transpose(-1, -2)
    if layout == "cropped" and values.ndim >= 3:
        inner = (slice(None), *[slice(1, None)] * (values.ndim - 1))
        wider = torch.zeros([values.shape[0], *[size + 1 for size in values.shape[1:]]], dtype=values.dtype)
        wider[inner] = values
        return _guarded(wider)[inner]
    return _guarded(values)


def _slice(values: torch.Tensor) -> torch.Tensor:
    """A part of a larger tensor, as its owner has cut it out."""
    count = values.numel()
    storage = torch.empty(count + 2 * _GUARD_ELEMENTS + 1, dtype=values.dtype)
    poison(storage)
    return storage[_GUARD_ELEMENTS + 1 :][:count].view(values.shape).copy_(values)


def suits(inputs: Sequence[Input], layout: Layout) -> bool:
    """Whether the layout makes a difference to any of them, and an unlike one not to all alike."""
    tensors = [(number, one) for number, one in enumerate(inputs) if isinstance(one, torch.Tensor)]
    if layout not in (*UNLIKE, *SOME_SHIFTED):
        return any(_suits(one, layout) for _, one in tensors)
    own = [(one, layout_of(number, one, layout)) for number, one in tensors if one.numel() > 1]
    return any(_suits(one, its) for one, its in own) and any(its == "contiguous" for _, its in own)


def _suits(values: torch.Tensor, layout: Layout) -> bool:
    if layout == "contiguous":
        return False
    if layout == "transposed":
        return values.ndim >= 2 and min(values.shape[-2:]) > 1
    if layout in ("expanded", "pitched", "turned"):
        return values.ndim >= 2 and values.shape[0] > 1
    if layout == "stepped":
        return values.ndim >= 1 and values.shape[-1] > 1
    if layout == "cropped":
        return values.ndim >= 3 and values.numel() > 0
    if layout == "channels last":
        return values.ndim == 4 and values.shape[1] > 1
    return True


def _guarded(values: torch.Tensor) -> torch.Tensor:
    """A tensor whose storage begins with its first element, so that nothing tells of the guards around it."""
    count = values.numel()
    if count == 0:
        return values.clone()
    storage = torch.empty(count + 2 * _GUARD_ELEMENTS, dtype=values.dtype)
    poison(storage)
    raw, before = storage.view(torch.uint8).numpy(), _GUARD_ELEMENTS * storage.element_size()
    held = torch.frombuffer(raw, dtype=values.dtype, count=count, offset=before).view(values.shape)
    return held.copy_(values)


_POISON_BITS = {
    torch.float64: (torch.int64, 0x7FF8DEADDEADDEAD),
    torch.float32: (torch.int32, 0x7FC0DEAD),
    torch.float16: (torch.int16, 0x7EAD),
    torch.bfloat16: (torch.int16, 0x7FED),
    torch.float8_e5m2: (torch.int8, 0x7D),
    torch.float8_e4m3fn: (torch.int8, -1),  # its other NaN, which no card makes
}


def poison(tensor: torch.Tensor) -> None:
    """Fill with what no correct kernel returns: a NaN that is ours, or the largest integer less 41."""
    if tensor.dtype in _POISON_BITS:
        as_integer, bits = _POISON_BITS[tensor.dtype]
        tensor.view(as_integer).fill_(bits)
    elif tensor.is_floating_point() or tensor.is_complex():
        tensor.fill_(float("nan"))
    else:
        tensor.fill_(_poison_integer(tensor.dtype))


def unwritten(tensor: torch.Tensor, right: torch.Tensor | None = None) -> int:
    """How many elements still hold the poison, so that nothing was ever stored there. An integer may hold it
    of itself: beside the `right` answer it counts only where nothing else is wrong."""
    if tensor.dtype in _POISON_BITS:
        as_integer, bits = _POISON_BITS[tensor.dtype]
        return int((tensor.contiguous().view(as_integer) == bits).sum())
    if tensor.dtype.is_floating_point or tensor.dtype in (torch.bool, torch.uint8) or tensor.is_complex():
        return 0
    held = tensor == _poison_integer(tensor.dtype)
    if right is not None and bool(((tensor != right) & ~held).any()):
        return 0
    return int((held if right is None else held & (tensor != right)).sum())


def _poison_integer(dtype: torch.dtype) -> int:
    return 1 if dtype == torch.bool else torch.iinfo(dtype).max - 41
