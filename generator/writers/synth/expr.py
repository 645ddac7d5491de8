"""The nodes of a region's expression graph: loads, literals, arithmetic, reductions, products, scans."""

from __future__ import annotations

from dataclasses import dataclass, field

from .extent import Extent
from .space import Affine, Axis


@dataclass(frozen=True)
class Tap:
    """A dimension of `size` elements, `stride` apart, read where several axes together point: at `place`.

    Outside of the tensor there is padding. With a `step` the places between its multiples are empty, and the
    element is the one at place / step, as a transposed convolution has it. A window may reach `over` the end
    at sizes that nobody traced, where the last one is not filled or there is padding. Of a `part` of what is
    joined nothing outside counts: the expression chooses something else there.
    """

    place: Affine
    size: Extent
    stride: Extent
    step: int = 1
    over: bool = False
    part: bool = False


@dataclass(frozen=True)
class Gathered:
    """A dimension of `size` elements, `stride` apart, read at a computed place: the number of a value."""

    place: int
    size: Extent
    stride: Extent


@dataclass(frozen=True)
class Load:
    """One element of a tensor argument; `buffer` is the graph name of the tensor."""

    buffer: str
    index: Affine
    dtype: str
    taps: tuple[Tap, ...] = ()
    gathered: tuple[Gathered, ...] = ()


@dataclass(frozen=True)
class Const:
    """A literal; `text` is Triton source (it tells -0.0 from 0.0, and one NaN is like another)."""

    text: str
    dtype: str
    value: float | int | bool = field(compare=False)


@dataclass(frozen=True)
class SizeOf:
    """A number that follows from shapes, such as the element count behind a mean."""

    size: Extent
    dtype: str


@dataclass(frozen=True)
class Position:
    """The value of an index expression, as torch.arange gives."""

    index: Affine
    dtype: str


@dataclass(frozen=True)
class Apply:
    """A pointwise function named in `math.FUNCTIONS`; `hint` names the value in the generated source."""

    function: str
    args: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Reduce:
    """A reduction of kind sum, prod, max, min, any, all, argmax or argmin over `axes`."""

    kind: str
    arg: int
    axes: tuple[Axis, ...]
    dtype: str


@dataclass(frozen=True)
class Contract:
    """The sum over `axes` of left x right, kept in fp32, of int8 in int32: a matrix product, wherever its
    other axes lie. `fast` sums of 8-bit floats may stay in the shorter accumulator of a matrix unit."""

    left: int
    right: int
    axes: tuple[Axis, ...]
    dtype: str = "fp32"
    fast: bool = False


@dataclass(frozen=True)
class Attend:
    """The sum over `axes` of weights x values, kept in fp32, where a product is behind the scores.

    Weights are the softmax of the scores along `axes`, or without `softmax` the scores themselves. A row
    whose scores are all -inf is NaN, and 0 where `empty` is set.
    """

    scores: int
    values: int
    axes: tuple[Axis, ...]
    softmax: bool
    empty: bool = False
    dtype: str = "fp32"


@dataclass(frozen=True)
class Scan:
    """What a sum or a product (`kind` sum, prod) of the elements up to each place along `axes` has come to,
    the place itself included; with `reverse`, of the elements from there on."""

    kind: str
    arg: int
    axes: tuple[Axis, ...]
    dtype: str
    reverse: bool = False


@dataclass(frozen=True)
class Choose:
    """One of several values by the position on an unrolled axis (a concatenation of equal parts)."""

    axis: Axis
    options: tuple[int, ...]
    dtype: str


Node = Load | Const | SizeOf | Position | Apply | Reduce | Contract | Attend | Scan | Choose


def indices(node: Load | Position) -> tuple[Affine, ...]:
    """What an access is indexed by: its own index and the places of its taps."""
    return (node.index, *(tap.place for tap in node.taps)) if isinstance(node, Load) else (node.index,)
