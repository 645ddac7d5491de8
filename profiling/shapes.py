"""Finds smaller shapes of the same operator, on which an interpreter can run it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from .axes import SMALLEST_SIZE, Axis, Measure, Values, find_axes, overrides_of, slots_of
from .constructors import is_built_in
from .footprint import NETWORK_CALLS, Footprint
from .groups import grouped
from .memory import readable
from .narrow import Start, narrowed
from .sizes import few, halves, odd_sizes
from .source import Literal
from .unroll import without_long_loop

Sound = Callable[[Mapping[str, Literal]], bool]
"""Runs the reference on real tensors: True when it ends, without a NaN."""

ODD_FACTOR, WIDE_FACTOR = 2, 4
"""Times the budget that a set may take: odd sizes round up, and few rows mean few programs, if long ones."""

INTERPRETER_BYTES = 4 << 20
"""Tensors that Triton's interpreter walks through in seconds, in all."""

MOST_HELD_BYTES = 64 << 20
"""Where nothing fits that, since no constant makes the parameters smaller (a network has its widths written
into its layers), they are granted beside the budget up to this: each is read a few times."""

MOST_FIXED_BYTES = 512 << 10
"""Parameters that no constant makes smaller, beyond which the widths in the constructors are cut too."""


MOST_OF_A_NETWORK_BYTES = 2 * INTERPRETER_BYTES
"""Results on the way that a network may have beyond the budget, where no shape has fewer: thousands of
calls make some kilobytes each."""

CALLS_TO_RUN, FEWEST_RUNS = 40_000, 40
"""A search ends after about so many fake calls, but not before so many runs: large models take seconds."""


@dataclass(frozen=True)
class ShapeSet:
    """Overrides that make the operator small; `total_bytes` counts inputs, parameters and intermediates."""

    name: str
    overrides: Mapping[str, Literal]
    total_bytes: int
    fits: bool
    reason: str
    is_sound: bool = True
    """False where the reference fails at it, or gives NaN, or nothing of its inputs."""
    axis: int = 0
    """How long the one axis is that it has longer than others, if it was made for that."""
    apart: bool = False
    """Whether it was made for a few calls of its own, and nothing else is asked at it."""


def search(
    constants: Mapping[str, Literal], measure: Measure, is_sound: Sound, budget_bytes: int
) -> tuple[ShapeSet, ...]:
    """Shape sets "small" (always), "odd" and "wide" (where one is found), in this order.

    A loop over time steps is cut short first, and so are the widths of a network that has them written into
    its constructors. Then only shapes are tried that run the very same sequence of ATen calls; where none of
    them would fit into any budget, a shorter sequence is accepted.
    """
    sizes = {name: value for name, value in constants.items() if not is_built_in(name)}
    base = measure({})
    if base is None:
        return ()
    start = Start(*without_long_loop(sizes, measure, slots_of(sizes), base, is_sound), {})
    strict = _Search(sizes, measure, is_sound, start, same_calls=True)
    if len(sizes) < len(constants) and _is_large(strict.least()):
        start = narrowed(constants, measure, start) or start
        strict = _Search(sizes, measure, is_sound, start, same_calls=True) if start.built else strict
    found, least = strict.sets(budget_bytes), strict.least()
    granted = min(least.held_bytes, MOST_HELD_BYTES) if least.total_bytes > INTERPRETER_BYTES else 0
    if not found[0].fits and granted:
        found = strict.sets(_room(budget_bytes, start.base, least), granted)
    if found[0].fits or not strict.refused_calls or least.total_bytes <= INTERPRETER_BYTES + granted:
        return found
    return _Search(sizes, measure, is_sound, start, same_calls=False).sets(budget_bytes)


def _is_large(least: Footprint) -> bool:
    return least.held_bytes > MOST_FIXED_BYTES or least.total_bytes > INTERPRETER_BYTES


def _room(budget: int, base: Footprint, least: Footprint) -> int:
    """The largest budget goes as far as a network needs whose smallest shape is a little larger."""
    if budget < INTERPRETER_BYTES or len(base.calls) < NETWORK_CALLS:
        return budget
    return max(budget, least.temporary_bytes) if least.temporary_bytes <= MOST_OF_A_NETWORK_BYTES else budget


class _Search:
    """One search; results of the reference are kept, since the three sets try many shapes twice."""

    def __init__(
        self,
        constants: Mapping[str, Literal],
        measure: Measure,
        is_sound: Sound,
        start: Start,
        same_calls: bool,
    ) -> None:
        self.constants, self.measure, self.is_sound = constants, measure, is_sound
        self.full, self.base, self.built, self.same_calls = start.values, start.base, start.built, same_calls
        full, base = self.full, self.base
        self.seen: dict[tuple[int, ...], Footprint | None] = {tuple(full.values()): base}
        self.runs_left = max(FEWEST_RUNS, CALLS_TO_RUN // max(1, len(base.calls)))
        self.sound: dict[tuple[int, ...], bool] = {}
        self.refused_calls = False
        self.axes = find_axes(full, base, self.run)

    def run(self, values: Values) -> Footprint | None:
        """Footprint at `values`, or None where the reference fails or is no longer the same operator."""
        key = tuple(values.values())
        if key not in self.seen and self.runs_left > 0:
            self.runs_left -= 1
            found = self.measure(self._overrides(values))
            self.seen[key] = found if found is not None and self._is_same(found) else None
        return self.seen.get(key)

    def sets(self, budget: int, held: int = 0) -> tuple[ShapeSet, ...]:
        """`held` bytes of parameters are granted beside the budget."""
        small = self.small(held + budget)
        found = [self._set("small", small, held + budget, "every size scaled down together")]
        if found[0].fits and not self._sound(small):
            unsound = (
                "the reference fails or gives NaN on real tensors of this size, or the same whatever goes in"
            )
            found = [replace(found[0], reason=unsound, is_sound=False)]
        if not found[0].fits:
            return tuple(found)
        for_odd, for_wide = held + budget * ODD_FACTOR, held + budget * WIDE_FACTOR
        odd = self._without_chance(self.odd(small, for_odd), small)
        if odd != small and self._sound(odd):
            found.append(self._set("odd", odd, for_odd, "odd sizes, no two alike"))
        wide = self.wide(for_wide)
        wide = self._without_chance(wide, small) if wide is not None else None
        if wide is not None and any(size > small[slot] for slot, size in wide.items()) and self._sound(wide):
            found.append(self._set("wide", wide, for_wide, "few rows at their full length"))
        return tuple(found)

    def least(self) -> Footprint:
        """The smallest shape that runs."""
        return self.run(self.shrunk(0)) or self.base

    def small(self, budget: int) -> Values:
        """The shrunk shape; an axis that real data forbids to shrink (a literal index range) stays."""
        first, axes = self.shrunk(budget), self.axes
        if self._bytes(first) > budget or self._sound(first):
            return first
        fewer = self._with_fewer_groups(first)
        if self.run(fewer) is not None and self._sound(fewer):
            return fewer
        for kept in axes:
            self.axes = [axis for axis in axes if axis is not kept]
            values = self.shrunk(budget)
            if self._bytes(values) <= budget and self._sound(values):
                return values
        self.axes = axes
        return first

    def _with_fewer_groups(self, values: Values) -> Values:
        """`values` with groups, of channels say, that are as long as at full size, or one group."""
        now, sizes = dict(values), {name: size for (name, place), size in self.full.items() if place is None}
        for size, groups in grouped(sizes, lambda sizes: self.measure({**sizes, **self.built})):
            now[groups, None] = max(1, values[size, None] * sizes[groups] // sizes[size])
        return now

    def shrunk(self, budget: int) -> Values:
        """Halve the largest axis again and again until everything fits, or give it the power of two
        below where half is too little; rows count four times.

        No axis goes below 8 while another one can still give way.
        """
        values = dict(self.full)
        for least in (16, SMALLEST_SIZE):
            stuck = set[Axis]()
            while self._bytes(values) > budget:
                movable = [axis for axis in self.axes if axis not in stuck and values[axis.slots[0]] >= least]
                if not movable:
                    break
                axis = max(
                    movable, key=lambda axis: values[axis.slots[0]] * (1 if _is_row_length(axis) else 4)
                )
                smaller = self._first(values, axis, halves(values[axis.slots[0]]))
                if smaller is None:
                    stuck.add(axis)
                values = smaller or values
        return values

    def odd(self, small: Values, budget: int) -> Values:
        """Give each axis in turn a prime of its own, or the oddest multiple with which the reference runs."""
        values = dict(small)
        for axis in self.axes:
            taken = {value for slot, value in values.items() if slot not in axis.slots}
            sizes = (size for size in odd_sizes(values[axis.slots[0]]) if size not in taken)
            values = self._first(values, axis, sizes, budget) or values
        return values

    def _without_chance(self, found: Values, small: Values) -> Values:
        """`found`, one axis of which is as in `small` if nothing else is sound."""
        if found == small or self._sound(found):
            return found
        kept = ({**found, **{slot: small[slot] for slot in axis.slots}} for axis in self.axes)
        return next((one for one in kept if self.run(one) is not None and self._sound(one)), found)

    def wide(self, budget: int) -> Values | None:
        """Cut the axes that only count rows, outermost first, and keep row lengths while they fit.

        The last axis cut is made as long again as fits, unless it is the only one.
        """
        values, cuts = dict(self.full), 0
        for axis in sorted(self.axes, key=lambda axis: (_is_row_length(axis), axis.reduced, -axis.depth)):
            if self._bytes(values) <= budget:
                break
            cut = self._first(values, axis, few(axis.size))
            if cut is None:
                continue
            values, cuts = cut, cuts + 1
            if (cuts > 1 or _is_row_length(axis)) and self._bytes(values) <= budget:
                values = self._grown(values, axis, budget)
        return values if self._bytes(values) <= budget else None

    def _grown(self, values: Values, axis: Axis, budget: int) -> Values:
        """Make a cut row length about as long again as the budget allows."""
        now = values[axis.slots[0]]
        room = min(axis.size, now * budget // max(1, self._bytes(values)))
        sizes = [size for size in (room - 1 + room % 2, room * 3 // 4, room // 2) if size > now]
        return self._first(values, axis, sizes, budget) or values

    def _first(
        self, values: Values, axis: Axis, sizes: Iterable[int], budget: int | None = None
    ) -> Values | None:
        for size in sizes:
            candidate = axis.at(values, size)
            if candidate is None:
                continue
            found = self.run(candidate)
            if found is not None and (budget is None or found.total_bytes <= budget):
                return candidate
        return None

    def _is_same(self, found: Footprint) -> bool:
        """The outputs keep their ranks, no output dimension vanishes, and the calls stay (see `search`); in a
        network no dimension of what it works out on the way vanishes either: moments over two elements, say,
        leave nothing of them."""
        if len(found.outputs) != len(self.base.outputs):
            return False
        for now, was in zip(found.outputs + found.inputs, self.base.outputs + self.base.inputs, strict=False):
            if len(now) != len(was) or any(size < min(full, 2) for size, full in zip(now, was, strict=True)):
                return False
        if found.signature == self.base.signature:
            return len(self.base.calls) < NETWORK_CALLS or not _vanishes(found, self.base)
        self.refused_calls = self.refused_calls or self.same_calls
        return not self.same_calls

    def _sound(self, values: Values) -> bool:
        key = tuple(values.values())
        if key not in self.sound:
            self.sound[key] = self.is_sound(self._overrides(values))
        return self.sound[key]

    def _overrides(self, values: Values) -> dict[str, Literal]:
        return {**overrides_of(self.constants, values), **self.built}

    def _bytes(self, values: Values) -> int:
        found = self.run(values)
        return self.base.total_bytes if found is None else found.total_bytes

    def _set(self, name: str, values: Values, budget: int, reason: str) -> ShapeSet:
        total, overrides = self._bytes(values), self._overrides(values)
        if total > budget:
            reason = (
                f"no smaller shape was found: the smallest takes {readable(total)} and {readable(budget)} "
                "fit; write the sizes as module-level integers or pass --set"
            )
        elif not overrides and self._sound(values):
            reason = "the full size already fits"
        return ShapeSet(name, overrides, total, total <= budget, reason)


def _vanishes(found: Footprint, base: Footprint) -> bool:
    """Whether some result of the same calls has one element along a dimension that had more."""
    calls = zip(found.calls, base.calls, strict=True)
    shapes = (pair for now, was in calls for pair in zip(now.results, was.results, strict=False))
    return any(1 in now and any(a == 1 < b for a, b in zip(now, was, strict=False)) for now, was in shapes)


def _is_row_length(axis: Axis) -> bool:
    return axis.reduced or axis.depth <= 0
