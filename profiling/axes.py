"""Finds which constants of an op file set the sizes of its tensors, and which must move together."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from .footprint import Footprint, Shape
from .source import Literal

Measure = Callable[[Mapping[str, Literal]], Footprint | None]
"""Runs the reference on fake tensors with these constants; None when it cannot run."""

Slot = tuple[str, int | None]
"""A constant, or one element of a tuple constant."""

Values = dict[Slot, int]

SMALLEST_SIZE = 4
"""Constants below it (kernel 3, dim 1, stride 2) are settings, not sizes."""

SMALLEST_WIDTH = 16
"""Likewise for those that size parameters or results only, where kernel 11 and 10 classes are settings."""


@dataclass(frozen=True)
class Axis:
    """Slots that keep their ratio; `size` is the value of the first one in the file."""

    slots: tuple[Slot, ...]
    size: int
    reduced: bool
    """Some call takes a tensor that has this axis and gives one that lacks it."""
    depth: int
    """Distance from the innermost dimension of the inputs; -1 when it sizes parameters or results only."""

    def at(self, values: Values, size: int) -> Values | None:
        """`values` with this axis set to `size`; None where a ratio would not stay whole."""
        first = values[self.slots[0]]
        scaled = {slot: values[slot] * size for slot in self.slots}
        if any(value % first for value in scaled.values()):
            return None
        return {**values, **{slot: value // first for slot, value in scaled.items()}}


def slots_of(constants: Mapping[str, Literal]) -> Values:
    """Every positive integer among the constants, those inside tuples one by one."""
    found: Values = {}
    for name, value in constants.items():
        if _is_size(value):
            found[name, None] = value  # type: ignore[assignment]
        elif isinstance(value, tuple | list):
            found |= {(name, position): part for position, part in enumerate(value) if _is_size(part)}  # type: ignore[misc]
    return found


def overrides_of(constants: Mapping[str, Literal], values: Values) -> dict[str, Literal]:
    """The constants that `values` changes, tuples rebuilt whole."""
    changed: dict[str, Literal] = {}
    for (name, position), value in values.items():
        original = constants[name]
        if position is None:
            changed[name] = value
        else:
            parts = list(changed.get(name, original))  # type: ignore[arg-type]
            parts[position] = value
            changed[name] = tuple(parts) if isinstance(original, tuple) else parts
    return {name: value for name, value in changed.items() if value != constants[name]}


def find_axes(values: Values, base: Footprint, run: Callable[[Values], Footprint | None]) -> list[Axis]:
    """Axes in file order: single slots first, then pairs that only run when they change together."""
    axes: list[Axis] = []
    tied: list[Slot] = []
    for slot, value in values.items():
        if value < SMALLEST_SIZE:
            continue
        probes = [found for size in _probes(value) if (found := run({**values, slot: size})) is not None]
        if not probes:
            tied.append(slot)
        axes += [axis for probe in probes[:1] if (axis := _axis((slot,), value, base, probe)) is not None]
    return axes + list(_joined(sorted(tied, key=lambda slot: -values[slot]), values, base, run))


def _joined(
    tied: list[Slot], values: Values, base: Footprint, run: Callable[[Values], Footprint | None]
) -> Iterator[Axis]:
    taken: set[Slot] = set()
    groups = [*permutations(tied, 2), tuple(tied)] if len(tied) > 1 else []
    for group in groups:
        if taken.isdisjoint(group) and all(values[slot] % 2 == 0 for slot in group):
            probe = run({**values, **{slot: values[slot] // 2 for slot in group}})
            axis = None if probe is None else _axis(group, values[group[0]], base, probe)
            if axis is not None:
                taken.update(group)
                yield axis


def _probes(value: int) -> Iterator[int]:
    yield from (size for size in (value // 2, value - 1, value + 1, value * 2) if size > 1)


def _axis(slots: tuple[Slot, ...], size: int, base: Footprint, probe: Footprint) -> Axis | None:
    """What the change of `slots` moved; None where no tensor's size followed."""
    moved = [
        len(before) - 1 - place
        for before, after in zip(base.inputs, probe.inputs, strict=False)
        for place in _changed(before, after)
    ]
    if not moved and (
        size < SMALLEST_WIDTH or not (base.state != probe.state or _sizes_results(size, base, probe))
    ):
        return None
    return Axis(slots, size, _is_reduced(base, probe), max(moved, default=-1))


def _sizes_results(size: int, base: Footprint, probe: Footprint) -> bool:
    """Whether a result has an axis that is as long as the constant says, and the model was told so: an
    image's size once resized. Of what nobody is told a kernel may hold a number of its own."""
    return base.settings != probe.settings and any(
        before[place] == size
        for before, after in zip(base.outputs, probe.outputs, strict=False)
        for place in _changed(before, after)
    )


def _is_reduced(base: Footprint, probe: Footprint) -> bool:
    for before, after in zip(base.calls, probe.calls, strict=False):
        if before.name == after.name and before.arguments != after.arguments:
            pairs = zip(before.results, after.results, strict=False)
            if any(was == now for was, now in pairs):
                return True
    return False


def _changed(before: Shape, after: Shape) -> list[int]:
    if len(before) != len(after):
        return []
    return [place for place, (was, now) in enumerate(zip(before, after, strict=True)) if was != now]


def _is_size(value: Literal) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
