"""Foresees what a launch takes in the interpreter, at shapes whose one long axis is worth so much time alone.

A long axis is there for kernels that walk it. Where each of its elements has a program of its own nobody
does, and thousands of programs, one like the other, take most of a judgement.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence

from .effort import effort

MOST_S, ALL_S = 3.0, 6.0
"""For all calls at such a shape, and at all shapes of that kind, as `Effort` counts."""

EVERY, EVERY_S = 1, 6.0
"""What stands for the long axis of a shape that is larger along all of them, where any launch is foreseen;
and for its calls, which take two or three times as long as programs alone tell, as loops are longer too."""


class EachItsOwnError(BaseException):
    """A launch has a program for each element of the long axis, and there is no time left for them; no
    candidate catches it."""


class Pace:
    """What launches have taken so far, by their kernels."""

    def __init__(self) -> None:
        self._axis, self._left_s = 0, math.inf
        self._taken: dict[str, tuple[float, int]] = {}  # seconds, and programs

    @contextlib.contextmanager
    def along(self, axis: int, spent_s: float, in_all_s: float = 0.0) -> Iterator[None]:
        """A call at a shape whose calls have taken `spent_s` so far, those at all such shapes `in_all_s`, and
        whose long axis has so many elements; 0 where it has no such."""
        left_s = EVERY_S - spent_s if axis == EVERY else min(MOST_S - spent_s, ALL_S - in_all_s)
        self._axis, self._left_s = axis, left_s
        try:
            yield
        finally:
            self._axis = 0

    def begin(self, kernel: str, grid: Sequence[int]) -> float:
        """The seconds so far; raises EachItsOwnError where the launch would take more than there are left."""
        programs = math.prod(grid)
        taken, ran = self._taken.get(kernel, (0.0, 0))
        if self._axis and programs >= self._axis and ran and programs * taken / ran > self._left_s:
            raise EachItsOwnError
        return effort.seconds()

    def end(self, kernel: str, grid: Sequence[int], began: float) -> None:
        spent = effort.seconds() - began
        taken, ran = self._taken.get(kernel, (0.0, 0))
        self._taken[kernel] = taken + spent, ran + math.prod(grid)
        self._left_s -= spent
