"""The right answers to one call: the float64 oracle, the same for shaken inputs, and the op's own result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import torch

from ....profiling.build import Input
from ..inputs.families import (
    EXPONENTIAL,
    INFINITE,
    LATE_PEAKS,
    LONE_ROWS,
    NO_NUMBERS,
    SIGNED_ZEROS,
    TIES,
    floats,
)
from ..inputs.ignored import ALL_IGNORED
from ..inputs.repeated import NEARLY_TWICE
from ..inputs.setting import Case
from ..reference.budget import SENSITIVITY, Target
from ..reference.eight_bits import widened
from ..reference.exact import must_be_exact
from ..reference.in_float64 import NORMALISATIONS
from ..reference.measures import farther
from ..reference.operators import compares, extremes, masks_rows, passes_nan, vanishes, words
from ..reference.oracle import Ran
from .own_errors import as_far_off_as_usual

_ENOUGH = 8
"""Shaken values that tell how errors are passed on: one alone is near the right one now and then, and a sum
that cancels would be refused by chance of the draw."""

_ROWS = 32
"""Likewise rows."""

_LARGE = 1e4
"""In the place of infinity, to see what depends on it."""

_STEPS = 2
"""Operators that round before one can blow up what another has rounded, a normalisation apart: of two rows it
gives one and minus one whatever they are, and a mean that is off shows where they are near each other; and
apart from what honest kernels make of numbers near one."""


@dataclass(frozen=True)
class Answer:
    """The right answers to one case: float64 oracle, the same for shaken inputs, the op's own result; `exact`
    where they leave no room for rounding."""

    case: Case
    oracle: Ran
    eager: Ran
    shaken: Ran
    exact: bool = False
    touched: tuple[torch.Tensor, ...] = ()  # which values depend on inputs that are no numbers, if any are
    limits: tuple[
        torch.Tensor, ...
    ] = ()  # the answers with large numbers in infinity's place, where it stood
    strict: bool = False  # no lower class than the op's own was declared
    left_open: frozenset[int] = frozenset()  # outputs in which an order shows that torch leaves open
    flips: tuple[int, ...] = ()  # how many integers of each output comparisons on an edge change, if known

    def targets(self) -> list[Target]:
        runs = zip(self.oracle.outputs, self.eager.outputs, self.shaken.outputs, strict=True)
        choices = self.oracle.choices
        finite = all(map(_of_numbers, self.case.inputs))
        loses = finite and not passes_nan(self.oracle.operators)
        loses = loses and self.case.family != ALL_IGNORED
        touched, limits = dict(enumerate(self.touched)), dict(enumerate(self.limits))
        flips = dict(enumerate(self.flips))
        return [
            Target(
                *run,
                anything=place in self.left_open,
                exact=self.exact,
                choice=choices.get(place),
                terms=self.oracle.terms,
                in_turn=self.oracle.in_turn,
                steps=self.oracle.steps,
                spreads=touched.get(place),
                leaves_out=self._leaves_out(),
                limit=limits.get(place),
                loses_nan=loses,
                strict=self.strict,
                by_rows=masks_rows(self.oracle.operators, self.oracle.terms),
                of_numbers=finite,
                flips=flips.get(place, 0),
                either_sign=self.case.family == SIGNED_ZEROS and any(map(extremes, self.oracle.operators)),
            )
            for place, run in enumerate(runs)
        ]

    def _leaves_out(self) -> bool:
        """Whether a kernel may leave a product with zero out: with a triangle of ones that the op makes, or
        of infinity, which is a score of nothing. With NaN in what it is given it is NaN."""
        return self.case.family == INFINITE or not _TRIANGLES.isdisjoint(self.oracle.operators)


_TRIANGLES = words("tril triu")


def _of_numbers(value: Input) -> bool:
    """Whether what goes in is finite: where a scale is drawn as zero, say, a kernel may clamp the NaN of a
    quotient away."""
    return not floats(value) or bool(widened(value).isfinite().all())


def right_answer(case: Case, state: dict[str, torch.Tensor]) -> Answer:
    """Run the reference three times on the inputs of `case` with the weights in `state`."""
    reference = case.setting.reference
    eager, right = reference.eager(case.inputs, state), reference.oracle(case.inputs, state)
    exact = case.family == "small integers" and must_be_exact(
        lambda inputs: reference.oracle(inputs, state), case.inputs, case.other_inputs, right, eager
    )
    touched = _touched(case, state) if case.family in NO_NUMBERS else ()
    limits = _limits(case, state) if case.family == INFINITE else ()
    return Answer(case, right, eager, _shaken(case, state, right), exact, touched, limits)


def _limits(case: Case, state: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """The answers to large numbers of infinity's sign in its place."""
    inputs = [
        widened(one).nan_to_num(torch.nan, _LARGE, -_LARGE).to(one.dtype) if floats(one) else one
        for one in case.inputs
    ]
    return tuple(case.setting.reference.oracle(inputs, state).outputs)


def _touched(case: Case, state: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Which values of each output are others where the inputs that are no numbers are."""
    runs = []
    for instead in (_LARGE, -_LARGE):
        inputs = [
            widened(one).masked_fill(~widened(one).isfinite(), instead).to(one.dtype) if floats(one) else one
            for one in case.inputs
        ]
        runs.append(case.setting.reference.eager(inputs, state).outputs)
    return tuple(~((one == other) | (one.isnan() & other.isnan())) for one, other in zip(*runs, strict=True))


def _shaken(case: Case, state: dict[str, torch.Tensor], right: Ran) -> Ran:
    """The answer to shaken inputs, or to shaken steps where that is farther off; where there are few values,
    of several draws the one farthest off."""
    if case.family == TIES:  # whose inputs are meant to the bit
        return right
    reference, whole = case.setting.reference, not compares(right.operators)
    shaken = reference.shaken(case.inputs, state, whole=whole)
    draws: list[int | None] = list(range(1, _draws(case, right)))
    if case.family in _PEAKS and right.multiplies and not EXPONENTIAL.isdisjoint(right.operators):
        draws = [*range(1, _AT_CONTESTS), None]  # one product alone may decide a softmax
    for draw in draws:
        more = reference.shaken(case.inputs, state, draw, whole=whole).outputs
        shaken = replace(shaken, outputs=list(map(farther, right.outputs, shaken.outputs, more)))
    shaken = _with_single(reference.single(case.inputs, state), right, shaken)
    for draw in range(_draws(case, right) * (_OF_EQUALS if case.family == "constant" else 1)):
        shaken = _stepped(case, state, right, shaken, draw)
    return shaken


def _stepped(case: Case, state: dict[str, torch.Tensor], right: Ran, shaken: Ran, draw: int) -> Ran:
    """With steps shaken too, where there are several, or one that is a difference of numbers near one."""
    alone = right.steps < _STEPS and right.operators.isdisjoint(NORMALISATIONS)
    if alone and not vanishes(right.operators):
        return shaken
    return _farthest(right, shaken, case.setting.reference.stepped(case.inputs, state, draw))


def _farthest(right: Ran, shaken: Ran, other: Ran) -> Ran:
    """Of two answers to inputs or steps that are a little off, whatever is farther from the `right` one; the
    mean of a deep layer is as far off as what is returned."""
    outputs = list(map(farther, right.outputs, shaken.outputs, other.outputs))
    kept = {name: farther(one, shaken.state[name], other.state[name]) for name, one in right.state.items()}
    return replace(shaken, outputs=outputs, state=kept)


def shaken_more(answer: Answer) -> Answer:
    """With further draws: where little is left of one sum, and all else follows from it, one draw in twenty
    leaves it where it was, by chance."""
    case, right, shaken = answer.case, answer.oracle, answer.shaken
    if case.family == TIES:
        return answer
    reference, whole = case.setting.reference, not compares(right.operators)
    for draw in range(_ENOUGH, _ENOUGH + _MORE):
        shaken = _farthest(right, shaken, reference.shaken(case.inputs, case.step.state, draw, whole=whole))
        shaken = _stepped(case, case.step.state, right, shaken, draw)
    return replace(answer, shaken=shaken, eager=_own_more(answer))


_MORE = 4
"""Draws: all of them say too little once in a hundred thousand times."""


def _own_more(answer: Answer) -> Ran:
    if answer.case.family in NO_NUMBERS:
        return answer.eager
    run = (answer.case.setting.reference, answer.case.inputs, answer.case.step.state)
    return as_far_off_as_usual(answer.eager, answer.oracle, *run, draws=_MORE, enough=_ENOUGH)


def at_edges(answer: Answer) -> Answer:
    """Where rivals were put near each other, which comparisons of computed numbers may take either way: with
    how many integers change as steps are off by all that a kernel's may be, and what else follows as far off
    as then. Equal numbers, halves and bounds that are met are on an edge to the bit, and excuse nothing."""
    case, right = answer.case, answer.oracle
    if not case.family.startswith(NEARLY_TWICE) or all(one.is_floating_point() for one in right.outputs):
        return answer
    reference, state = case.setting.reference, case.step.state
    runs = [reference.stepped(case.inputs, state, draw, SENSITIVITY) for draw in range(_MORE)]
    changed = zip(right.outputs, *(one.outputs for one in runs), strict=True)
    flips = tuple(max(_changed(one, other) for other in others) for one, *others in changed)
    if not any(flips):
        return answer
    shaken = reduce(partial(_farthest, right), runs, answer.shaken)
    return replace(answer, shaken=shaken, flips=flips)


def _changed(one: torch.Tensor, other: torch.Tensor) -> int:
    """How many integers are others; none of what floats."""
    return 0 if one.is_floating_point() or one.shape != other.shape else int((one != other).sum())


def _with_single(single: Ran | None, right: Ran, shaken: Ran) -> Ran:
    """Where the reference's own numbers in float32 lead farther off than `shaken`: an eighth of that way, so
    that a kernel may be twice as far off."""
    if single is None:
        return shaken

    def nearer(right: Any, single: Any, shaken: Any) -> Any:
        if (
            not isinstance(right, torch.Tensor)
            or not right.is_floating_point()
            or right.shape != single.shape
        ):
            return shaken
        return farther(right, shaken, right + (single - right) * (2 / SENSITIVITY))

    return replace(
        shaken,
        outputs=list(map(nearer, right.outputs, single.outputs, shaken.outputs)),
        inputs=list(map(nearer, right.inputs, single.inputs, shaken.inputs)),
        state={
            name: nearer(one, single.state[name], shaken.state[name]) for name, one in right.state.items()
        },
    )


def _draws(case: Case, right: Ran) -> int:
    """So many that values, and rows of them, are enough: all of a row may be off by one error."""
    floating = [output for output in right.outputs if output.is_floating_point()]
    values = min((output.numel() for output in floating), default=_ENOUGH)
    rows = min(
        (one.numel() // one.shape[-1] for one in floating if one.ndim > 1 and one.numel()), default=_ROWS
    )
    few = _AT_PEAKS if case.family in _PEAKS else 1  # one row alone may be far off
    return min(_ENOUGH, max(few, -(-_ENOUGH // max(1, values)), -(-_ROWS // max(1, rows))))


_PEAKS, _AT_PEAKS, _AT_CONTESTS = ("spikes", "negative spikes", LATE_PEAKS, LONE_ROWS), 2, 6
"""Of two scores that tower, near each other and each of one product, three in eight draws move both alike:
the softmax of them would look as if no rounding told."""


_OF_EQUALS = 3
"""Times as many where all values are equal: of two logarithms that are added one is as much too large as the
other too small in half of the draws that put equal values off alike."""
