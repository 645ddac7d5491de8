"""Chooses the calls that one judgement makes: few enough for seconds, each shape, family and layout covered.

Not the full product: every family at the small shape, shipped and normal values at every shape, every layout
at the odd one. What matters most comes first; the rest is marked optional and is skipped, openly, when time
runs out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import torch

from ..inputs.altered import ALTERED, AT_LENGTH, AT_LONGEST, LARGEST_LAST, OPPOSED_IN
from ..inputs.bent_weights import BENT
from ..inputs.camps import CAMPS
from ..inputs.counters import BEYOND
from ..inputs.draw import Draw
from ..inputs.families import (
    FAMILIES,
    FAR_BELOW,
    HALVES,
    INFINITE,
    KEYS_BELOW,
    KEYS_LOWER,
    LATE_PEAKS,
    LONE_ROWS,
    MUST,
    NAN_ALONE,
    NAN_BESIDE,
    NANS,
    ONE_AHEAD,
    ONE_NAN,
    OPPOSED,
    SILENT,
)
from ..inputs.lasting_memory import ENDS_APART, LINGERING
from ..inputs.midway import midway
from ..inputs.midway_each import midway_each
from ..inputs.neutral import NEUTRAL
from ..inputs.one_number import signed_tables
from ..inputs.repeated import NEARLY_TWICE, most_weights
from ..inputs.setting import Case, Setting
from ..process.layout import EMPTY, LAYOUTS, PITCHED, TRANSPOSED, suits
from ..shapes.crowds import CROWDED
from ..shapes.in_parts import TOGETHER
from ..shapes.longest import LONG, PAST_A_BLOCK
from ..shapes.one_past import RESULTS_EXACTLY
from ..shapes.ones import ONES
from ..shapes.stretched import ONE_MORE, PARTS, has_few_rows
from ..shapes.thousands import STEPS
from ..shapes.thrice import BYTES
from .most import (
    columns,
    input_bytes,
    longest_axis,
    longest_column,
    longest_division,
    longest_length,
    longest_row,
    most_places,
    most_rows,
)
from .repeats import ghost, moved
from .settings import uncrowded
from .worth_asking import changes_inputs, ends_late, gives_places, in_half, of_lengths, tells_more

_ALIKE = ("tall", "alike", "short")
"""Shapes at which values are like the others'."""

_AT_ODD = {"spikes", "negative spikes", "small integers", "all negative", FAR_BELOW}
"""Families that look for elements left out, and for what fills lanes beyond them, where sizes are odd; the
others run at the first shape."""

_ELSEWHERE = ("normal", LONE_ROWS, LATE_PEAKS, SILENT, ONE_NAN, HALVES, ONE_AHEAD, KEYS_BELOW, KEYS_LOWER)
"""Families that are planned one by one."""

_AT_ODD_TOO = ("met integers", "full lengths", "idle NaN", NEUTRAL, "wide integers", "close codes", BEYOND)
"""Of the shipped inputs' altered kinds; whole tiles hide a length's last, and labels beyond the last."""

_MASKS = ("masks off", "masks on")
_MEMORY = (*ENDS_APART, *(name for name in ALTERED if name.startswith(LINGERING)))


def plan(found: list[Setting], seed: int) -> list[Case]:
    """All cases in the order of their importance."""
    return _Plan(found, seed).cases()


def plain(cases: list[Case], setting: Setting) -> Case:
    """A planned call at one shape with usual values."""
    usual = (case for case in cases if case.setting is setting and case.family in ("normal", "as shipped"))
    return next(usual)


class _Plan:
    """Cases at the settings `found`, the small one first, and those of which little is asked last. All
    are drawn from one generator: the order in which they are made is part of what they are."""

    def __init__(self, found: list[Setting], seed: int) -> None:
        self.draw = Draw(torch.Generator().manual_seed(seed))
        self.found = uncrowded(found)
        self.apart = list(enumerate(found))[len(self.found) :]
        self.first, self.rest = self.found[0], self.found[1:]
        odd = next((place for place, one in enumerate(self.found) if one.name == "odd"), 0)
        self.odd = odd, self.found[odd]
        with_rows = [pair for pair in enumerate(self.found) if not has_few_rows(pair[1].name)]
        self.widest = max(with_rows, key=lambda pair: columns(pair[1].op))

    def cases(self) -> list[Case]:
        draw, first = self.draw, self.first
        shipped = draw.case(0, first, "as shipped", shipped_weights=True, again=True)
        normal = [draw.case(place, one, "normal") for place, one in enumerate(self.rest, 1)]
        beside_full = [one for one in normal if one.setting.name == ONE_MORE]  # takes longest, tells least
        cases = [
            shipped,
            *(case for case in normal if case not in beside_full),
            draw.case(0, first, "normal"),
        ]
        left_out = cases[0 if changes_inputs(first) else -1]  # of other draws a step may be skipped, say
        cases.append(ghost(left_out))
        cases += self._at_small(shipped)
        cases += self._elsewhere_too({case.family for case in cases})
        cases += self._of_places_and_rows(shipped)
        cases += self._at_parts()
        cases += self._at_length()
        cases += [*beside_full, *self._apart(), moved(shipped, late=True)]
        if tells_more(ONE_NAN, first):
            cases.append(draw.case(0, first, ONE_NAN, optional=False))
            cases += [*self._altered(*self.odd, NAN_BESIDE), *self._altered(0, first, *NAN_ALONE)]
            cases += draw.nan_beside_zeros(0, first)
        cases += self._layouts()
        cases += [case for layout in EMPTY for case in draw.emptied(plain(cases, self.odd[1]), layout)]
        return [*cases, *self._optional()]

    def _families(self, must: bool) -> list[Case]:
        chosen = [name for name in FAMILIES if name not in _ELSEWHERE and (name in MUST) is must]
        pairs = [(name, self.odd if name in _AT_ODD else (0, self.first)) for name in chosen]
        return [self.draw.case(*where, name) for name, where in pairs if tells_more(name, where[1])]

    def _altered(self, place: int, setting: Setting, *families: str) -> list[Case]:
        """The shipped inputs of a setting, altered in each of these ways that it has."""
        usual = self.draw.case(place, setting, "as shipped", shipped_weights=True)
        return [case for family in families for case in self.draw.altered(usual, family)]

    def _most(self, key: Callable[[Setting], int]) -> tuple[int, Setting]:
        """The first setting that has most of something, and its place."""
        return max(enumerate(self.found), key=lambda pair: key(pair[1]))

    def _at_small(self, shipped: Case) -> list[Case]:
        draw, first = self.draw, self.first
        cases = [*self._families(must=True), draw.nudged(shipped)]
        here = [family for family in ALTERED if family not in (*NANS, *CAMPS)]
        cases += [case for family in here for case in draw.altered(shipped, family)]
        cases += [*draw.renumbered(0, first), *draw.trained(0, first)]
        usual = draw.case(0, first, "as shipped", optional=False)
        cases += [usual] if all(case.name != usual.name for case in cases) else []
        cases += [*midway(usual, draw.generator), *midway_each(usual, draw.generator)]
        return [*cases, *([draw.case(0, first, HALVES, optional=False)] if in_half(first) else [])]

    def _elsewhere_too(self, asked: set[str]) -> list[Case]:
        """Weights that another shape tells more with: counters at odd sizes, which are no powers of two, and
        decays behind the most steps."""
        most = [self._most(longest_axis), *(pair for pair in self.apart if pair[1].name.startswith(STEPS))]
        where = [(BEYOND, self.odd), *product(BENT, most)]
        return [
            case
            for family, (place, one) in where
            if place and family in asked
            for case in self.draw.trained(place, one, (family,))
        ]

    def _of_places_and_rows(self, shipped: Case) -> list[Case]:
        cases = []
        if gives_places(self.first, shipped):
            cases.append(self.draw.case(*self.widest, "equal rows", optional=False))
            cases += self.draw.weights_twice(*self._most(lambda one: most_weights(one.state)))
            turns = range(len(self.first.shipped))
            for place in sorted({self._most(partial(longest_column, turn))[0] for turn in turns} - {0}):
                cases.append(self.draw.case(place, self.found[place], "constant", optional=False))
            for place in {self.odd[0], self._most(most_rows)[0]} - {0}:
                cases += self._altered(place, self.found[place], NEARLY_TWICE)
        if self.widest[1] is not self.first:
            cases += self.draw.trained(*self.widest)
            cases += self._altered(*self.odd, *_AT_ODD_TOO)
            cases += self._altered(*self.widest, "wide integers")  # of few rows an answer may not tell
        return cases

    def _at_parts(self) -> list[Case]:
        """Calls at axes of uneven parts and the like."""
        draw, cases = self.draw, list[Case]()

        def asked(place: int, one: Setting, *families: str) -> list[Case]:
            return [draw.case(place, one, name, optional=False) for name in families if tells_more(name, one)]

        for place, one in enumerate(self.found):
            if one.name == "past":
                cases += asked(place, one, OPPOSED)
            if one.name == TOGETHER or one.name.startswith(LONG):
                cases += asked(place, one, ONE_AHEAD)
            if one.name in PARTS:
                cases += draw.farthest(place, one)
                cases += [draw.case(place, one, SILENT)] if tells_more(SILENT, one) else []
                cases += asked(place, one, "spikes", ONE_AHEAD)
        for place, one in enumerate(self.found):
            cases += self._altered(place, one, "met integers", "full lengths") if of_lengths(one.name) else []
        return cases

    def _at_length(self) -> list[Case]:
        """Where rows are longest, places most, and sums of the largest numbers longest."""
        draw, cases = self.draw, list[Case]()
        place, longest = self._most(longest_row)
        if longest is not self.first:
            cases += self._altered(place, longest, *AT_LONGEST)
            cases += self._at_full_length(place, longest, "runs of integers", "one place")
            shifted = draw.case(place, longest, "shifted normal")  # whose mean shows what it was divided by
            cases += draw.altered(shifted, "all but one")
            cases += [draw.case(place, longest, HALVES, optional=False)] if in_half(longest) else []
            cases += self._altered(place, longest, *OPPOSED_IN)
        place, most = self._most(most_places)
        if most_places(most) > most_places(longest):  # one that is met more often than a byte counts
            cases += self._at_full_length(place, most, "one place")
        place, told = self._most(longest_length)
        if longest_length(told) > longest_length(self.first):
            cases += self._altered(place, told, "short lengths")
        place, divided = self._most(longest_division)
        if longest_division(divided) > longest_division(self.first):
            cases += self._altered(place, divided, "one part")
        for place, one in enumerate(self.found):  # a recurrence that nothing ends has its longest memory
            if one.name.startswith(LONG):
                cases += self._altered(place, one, *_MASKS, "largest number", *_MEMORY)
        largest = {self._most(input_bytes)[0], self.widest[0]}
        for place in sorted(largest - {0}):
            masks = () if self.found[place].name.startswith(LONG) else ("masks on",)
            cases += self._altered(place, self.found[place], *AT_LENGTH, *masks)
        for place, other in enumerate(self.found):  # few sums are the largest, and some of these wrap
            if place not in {0, *largest} and signed_tables(other.state):
                cases += self._altered(place, other, "as their weights")
        return cases

    def _at_full_length(self, place: int, setting: Setting, *families: str) -> list[Case]:
        """Families at a shape, and where lengths tell of as much of it as there can be."""
        cases = self._altered(place, setting, *families)
        return [*cases, *(more for one in cases for more in self.draw.altered(one, "full lengths"))]

    def _apart(self) -> list[Case]:
        """Of the shapes at the end: what a crowd of places is asked, bytes at their ends, or usual values and
        what runs over at an axis, and zeros where there is one of each: of one class no loss is left."""
        cases = []
        for place, one in self.apart:
            if one.name == CROWDED:
                met = self._altered(place, one, "one place", "one part", "one number")
                cases += [*met, *(more for case in met for more in self.draw.altered(case, "masks on"))]
            elif one.name.startswith(PAST_A_BLOCK):  # programs that ask atomics meet there
                cases += [usual := self.draw.case(place, one, "normal"), moved(usual)]
            elif one.name.startswith(BYTES):
                cases += self._altered(place, one, "extreme integers", "opposed ends", "as their weights")
            else:
                usual = self.draw.case(place, one, "normal")
                cases += [usual, *(self._at_an_axis(place, usual) if one.axis else [])]
                cases += self._altered(place, one, "zeros alone") if one.name == ONES else []
                cases += self._altered(place, one, LARGEST_LAST) if one.name == RESULTS_EXACTLY else []
        return cases

    def _at_an_axis(self, place: int, usual: Case) -> list[Case]:
        """What counts at a stretched axis, or keeps places of it in a few bits, runs over there."""
        cases = self.draw.won_last(usual)
        rivals = [NEARLY_TWICE] if cases else []  # the more places, the more bits of a key they take
        cases += self._at_full_length(place, usual.setting, "one place")
        cases += [self.draw.case(place, usual.setting, LATE_PEAKS)] if ends_late(usual.setting) else []
        more = ("one number", "short lengths", *_MASKS, *_MEMORY)
        return cases + self._altered(place, usual.setting, *rivals, *more)

    def _layouts(self) -> list[Case]:
        cases = []
        for layout in LAYOUTS:
            # whole tiles in rows of odd length
            place, one = (0, self.first) if layout == PITCHED else self.odd
            written_twice = layout == "expanded" and changes_inputs(one)
            if suits(one.shipped, layout) and not written_twice:
                optional = layout != TRANSPOSED
                cases.append(self.draw.case(place, one, "normal", layout=layout, optional=optional))
        return cases

    def _optional(self) -> list[Case]:
        cases = self._families(must=False)
        cases += [
            self.draw.case(place, one, "as shipped", optional=True)
            for place, one in enumerate(self.rest, 1)
            if one.name not in _ALIKE and not has_few_rows(one.name)
        ]
        if self.widest[1] is not self.first and tells_more(INFINITE, self.widest[1]):
            cases.append(self.draw.case(*self.widest, INFINITE, optional=True))
        return cases
