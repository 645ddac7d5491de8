"""Divides a judgement's calls by their shapes between two processes, so that both take about as long."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..inputs.setting import Case
from ..shapes.hints import hints

_CALL_S, _ELEMENT_S = 0.05, 3e-6
"""For a call, and for each number that goes into it: the greater part is programs, of which nobody knows yet
how many there are. On eleven kernels of tests/honest, some of which it was chosen by, the longer half took
0.51 to 0.73 of all (median 0.54)."""

_LEAST_S = 0.4
"""Of all calls together that are worth a second process, by this reckoning."""


def second_half(cases: Sequence[Case], source: str) -> list[int]:
    """The shapes whose calls a second process makes: none where one call has to know of those at other
    shapes, as of what a tuner chose or how wide a vector was."""
    if "autotune" in source or hints(source).promises:
        return []
    taken = dict[int, float]()
    for case in cases:
        shape = case.step.shape
        taken[shape] = taken.get(shape, 0.0) + _CALL_S + _ELEMENT_S * sum(map(_elements, _given(case)))
    if sum(taken.values()) < _LEAST_S:
        return []
    first, *others = taken  # in the order in which they are called at first
    own, helped = taken[first], taken[others[0]] if others else 0.0
    chosen = others[:1]  # of usual size, by which programs at long axes are foreseen
    for shape in sorted(others[1:], key=taken.__getitem__, reverse=True):
        if helped <= own:
            chosen.append(shape)
            helped += taken[shape]
        else:
            own += taken[shape]
    return chosen


def _given(case: Case) -> list[object]:
    return [*case.step.inputs, *case.step.state.values()]


def _elements(value: object) -> int:
    return value.numel() if isinstance(value, torch.Tensor) else 0
