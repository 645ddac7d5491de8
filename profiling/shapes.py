"""Finds smaller shapes of the same operator, on which an interpreter can run it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .axes import Axis, Measure, Values, find_axes, overrides_of, slots_of
from .footprint import Footprint
from .memory import readable
from .source import Literal

WIDE_FACTOR = 4
"""The wide set may take this many times the budget: few rows, so few programs, but long ones."""


@dataclass(frozen=True)
class ShapeSet:
    """Overrides that make the operator small; `total_bytes` counts inputs, parameters and intermediates."""

    name: str
    overrides: Mapping[str, Literal]
    total_bytes: int
    fits: bool
    reason: str


def search(constants: Mapping[str, Literal], measure: Measure, budget_bytes: int) -> tuple[ShapeSet, ...]:
    """Shape sets "small" (always), "odd" and "wide" (where one is found), in this order.

    First only shapes are tried that run the very same sequence of ATen calls; where none of them
    fits (a loop over time steps, say), a shorter sequence is accepted.
    """
    base = measure({})
    if base is None:
        return ()
    found: tuple[ShapeSet, ...] = ()
    for same_calls in (True, False):
        found = _Search(constants, measure, base, same_calls).sets(budget_bytes)
        if found[0].fits:
            break
    return found


class _Search:
    """One search; results of the reference are kept, since the three sets try many shapes twice."""

    def __init__(self, constants: Mapping[str, Literal], measure: Measure, base: Footprint, same_calls: bool) -> None:
        self.constants, self.measure, self.base, self.same_calls = constants, measure, base, same_calls
        self.full = slots_of(constants)
        self.seen: dict[tuple[int, ...], Footprint | None] = {tuple(self.full.values()): base}
        self.axes = find_axes(self.full, base, self.run)

    def run(self, values: Values) -> Footprint | None:
        """Footprint at `values`, or None where the reference fails or is no longer the same operator."""
        key = tuple(values.values())
        if key not in self.seen:
            found = self.measure(overrides_of(self.constants, values))
            self.seen[key] = found if found is not None and self._is_same(found) else None
        return self.seen[key]

    def sets(self, budget: int) -> tuple[ShapeSet, ...]:
        small = self.shrunk(budget)
        found = [self._set("small", small, budget, "every size scaled down together")]
        if found[0].fits:
            odd = self.odd(small, budget)
            if odd != small:
                found.append(self._set("odd", odd, budget, "distinct odd sizes"))
            wide = self.wide(budget * WIDE_FACTOR)
            if wide is not None and any(size > small[slot] for slot, size in wide.items()):
                found.append(self._set("wide", wide, budget * WIDE_FACTOR, "few rows at their full length"))
        return tuple(found)

    def shrunk(self, budget: int) -> Values:
        """Halve the largest axis again and again until everything fits; rows count four times."""
        values, stuck = dict(self.full), set[Axis]()
        while self._bytes(values) > budget:
            movable = [axis for axis in self.axes if axis not in stuck and values[axis.slots[0]] >= 4]
            if not movable:
                break
            axis = max(movable, key=lambda axis: values[axis.slots[0]] * (1 if _is_row_length(axis) else 4))
            smaller = self._first(values, axis, [values[axis.slots[0]] // 2])
            if smaller is None:
                stuck.add(axis)
            else:
                values = smaller
        return values

    def odd(self, small: Values, budget: int) -> Values:
        """Give each axis in turn a prime of its own, or the oddest multiple with which the reference runs."""
        values = dict(small)
        for axis in self.axes:
            taken = {value for slot, value in values.items() if slot not in axis.slots}
            sizes = (size for size in _odd_sizes(values[axis.slots[0]]) if size not in taken)
            values = self._first(values, axis, sizes, budget) or values
        return values

    def wide(self, budget: int) -> Values | None:
        """Cut the axes that only count rows, outermost first, and keep row lengths while they fit."""
        values = dict(self.full)
        for axis in sorted(self.axes, key=lambda axis: (_is_row_length(axis), axis.reduced, -axis.depth)):
            if self._bytes(values) <= budget:
                break
            cut = self._first(values, axis, _few(axis.size))
            if cut is None:
                continue
            values = cut
            if _is_row_length(axis) and self._bytes(values) <= budget:
                values = self._grown(values, axis, budget)
        return values if self._bytes(values) <= budget else None

    def _grown(self, values: Values, axis: Axis, budget: int) -> Values:
        """Make a cut row length about as long again as the budget allows."""
        now = values[axis.slots[0]]
        room = min(axis.size, now * budget // max(1, self._bytes(values)))
        sizes = [size for size in (room - 1 + room % 2, room * 3 // 4, room // 2) if size > now]
        return self._first(values, axis, sizes, budget) or values

    def _first(self, values: Values, axis: Axis, sizes: Iterable[int], budget: int | None = None) -> Values | None:
        for size in sizes:
            candidate = axis.at(values, size)
            if candidate is None:
                continue
            found = self.run(candidate)
            if found is not None and (budget is None or found.total_bytes <= budget):
                return candidate
        return None

    def _is_same(self, found: Footprint) -> bool:
        """The outputs keep their ranks, no output dimension vanishes, and the calls stay (see `search`)."""
        if len(found.outputs) != len(self.base.outputs):
            return False
        for now, was in zip(found.outputs + found.inputs, self.base.outputs + self.base.inputs, strict=False):
            if len(now) != len(was) or any(size < min(full, 2) for size, full in zip(now, was, strict=True)):
                return False
        return not self.same_calls or found.signature == self.base.signature

    def _bytes(self, values: Values) -> int:
        found = self.run(values)
        return self.base.total_bytes if found is None else found.total_bytes

    def _set(self, name: str, values: Values, budget: int, reason: str) -> ShapeSet:
        total, overrides = self._bytes(values), overrides_of(self.constants, values)
        if total > budget:
            reason = (
                f"no smaller shape was found: the smallest takes {readable(total)} and {readable(budget)} "
                "fit; write the sizes as module-level integers or pass --set"
            )
        elif not overrides:
            reason = "the full size already fits"
        return ShapeSet(name, overrides, total, total <= budget, reason)


def _is_row_length(axis: Axis) -> bool:
    return axis.reduced or axis.depth <= 0


def _few(size: int) -> Iterator[int]:
    """3, then small sizes with more and more factors of two, for dimensions that groups must divide."""
    yield from (few for few in (3, 2, 6, 4, 12, 8, 24, 16, 48, 32, 96, 64, 192, 128) if few < size)


def _odd_sizes(size: int) -> Iterator[int]:
    """Primes around `size`, nearest below first; then their multiples by 2, 4, 8... of about the same size."""
    for factor in (1, 2, 4, 8, 16, 32, 64):
        target = max(3, size // factor)
        below = [prime for prime in range(target - 1, 2, -1) if _is_prime(prime)][:3]
        above = [prime for prime in range(max(target, 3), 2 * target + 4) if _is_prime(prime)][:3]
        yield from (prime * factor for prime in below + above)


def _is_prime(number: int) -> bool:
    return number > 2 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
