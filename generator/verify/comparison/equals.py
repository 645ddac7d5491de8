"""Says in which outputs the order of equals shows, which torch leaves open where it takes the largest few or
sorts: of two right kernels each has another answer there."""

from __future__ import annotations

from ..reference.budget import SENSITIVITY, UNIT_ROUNDOFF, Target, compare
from ..reference.equals import LEAVES_ORDER
from .right import Answer

_NEAR = SENSITIVITY * UNIT_ROUNDOFF
"""Of their size, by which computed numbers may differ that rounding may put in either order."""


def left_open(answer: Answer, precision: str, first: bool) -> frozenset[int]:
    """Those that would be refused with the first of equals taken, or with the last; all of them, where it
    shows in what the call leaves behind. Of the `first` call computed numbers have to be equal to the bit."""
    if answer.oracle.operators.isdisjoint(LEAVES_ORDER):
        return frozenset()
    near = 0.0 if first else _NEAR
    return _refused(answer, precision, False, near) | _refused(answer, precision, True, near)


def _refused(answer: Answer, precision: str, last: bool, near: float) -> frozenset[int]:
    case, right, eager = answer.case, answer.oracle, answer.eager
    other = case.setting.reference.with_equals(case.inputs, case.step.state, last, near)
    pairs = zip(other.outputs, answer.targets(), strict=True)
    found = frozenset(
        place
        for place, (one, target) in enumerate(pairs)
        if one.shape != target.oracle.shape or not compare(one, target, precision).accepted
    )
    for name, one in other.state.items():
        kept = Target(right.state[name], eager.state[name], answer.shaken.state[name], terms=right.terms)
        if not compare(one, kept, precision).accepted:
            return frozenset(range(len(other.outputs)))
    return found
