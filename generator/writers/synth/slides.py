"""One dimension that a window slides over: which taps a result has, and what of the tensor windows reach."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .expr import Tap
from .extent import Extent
from .space import Axis, Space


@dataclass(frozen=True)
class Slide:
    """Tap k of result y reads place (y stride + k dilation + offset) / step of the tensor.

    With a step the results are several dense forms: those whose places leave the same rest by the step, a
    phase, share their taps. `place` and `tap` are axes, None where there is one of them; `length` elements
    lie `pitch` apart, the taps of the weight `weight_pitch`.
    """

    name: str
    place: Axis | None
    out: Extent
    tap: Axis | None
    taps: int
    stride: int
    dilation: int
    offset: int
    step: int
    length: Extent
    pitch: Extent
    weight_pitch: Extent

    @property
    def walked(self) -> Extent:
        """Results of one phase."""
        return (self.out + (self.step - 1)) // self.out.like(self.step)

    @property
    def lowest(self) -> int:
        """The least place that a tap of the first result reads; below 0 there is padding."""
        return min(self.offset, self.offset + self.dilation * (self.taps - 1)) // self.step

    @property
    def span(self) -> int:
        """Elements that the taps of the first results of all phases reach."""
        return span(self.taps, self.dilation, self.offset, self.step)

    @property
    def packed(self) -> Extent:
        """Places that windows reach, padding with them."""
        return (self.walked - 1) * self.stride + self.span

    @property
    def common(self) -> int:
        """The greatest number that divides both the distance of taps and the step."""
        return math.gcd(self.dilation, self.step)

    @property
    def period(self) -> int:
        """Taps of one phase are so many apart."""
        return self.step // self.common

    @property
    def inverse(self) -> int:
        """Times this, a phase (by what is common) is its first tap, by the period."""
        return pow(abs(self.dilation) // self.common, -1, self.period) if self.period > 1 else 0

    def taps_of(self, phase: int) -> int:
        """Taps of the results of a phase."""
        return sum((phase + self.offset + self.dilation * tap) % self.step == 0 for tap in range(self.taps))


def span(taps: int, dilation: int, offset: int, step: int) -> int:
    """Elements that the taps of the first results of all phases reach."""
    ends = offset, offset + dilation * (taps - 1)
    return (max(ends) + step - 1) // step - min(ends) // step + 1


def slide(
    space: Space, name: str, tap: Tap, places: set[Axis], taps: set[Axis], weight: dict[Axis, Extent]
) -> Slide | None:
    """How a tapped dimension slides; None where its numbers change with the shapes, or its axes were cut.

    `places` and `taps` are axes of results and of what is summed, `weight` the steps of the other factor.
    """
    index, one = space.resolve(tap.place), space.one
    numbers = [index.constant.literal, *(step.literal for _, step in index.terms)]
    of_place = [(axis, step) for axis, step in index.terms if axis in places]
    of_tap = [(axis, step) for axis, step in index.terms if axis in taps]
    if None in numbers or len(of_place) > 1 or len(of_tap) > 1:
        return None
    if len(of_place) + len(of_tap) < len(index.terms):
        return None
    place, stride = of_place[0] if of_place else (None, one)
    along, dilation = of_tap[0] if of_tap else (None, one)
    count = one if along is None else space.sizes[along]
    if count.literal is None or (tap.step > 1 and (not stride.is_one() or dilation.full > 0 < len(of_tap))):
        return None
    return Slide(
        name, place, one if place is None else space.sizes[place], along, count.literal, stride.full,
        dilation.full, index.constant.full, tap.step, tap.size, tap.stride,
        weight.get(along, one.like(0)) if along is not None else one.like(0),
    )  # fmt: skip
