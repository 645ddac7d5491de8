"""Says which families and layouts tell something of an op at one shape."""

from __future__ import annotations

import torch

from ..inputs.families import (
    ASKED_BY,
    DEEP,
    DEEPEST,
    EXPONENTIAL,
    INFINITE,
    NEIGHBOURS,
    ONE_NAN,
    OPPOSED,
    OPPOSED_TOO,
    floats,
)
from ..inputs.integers import is_whole
from ..inputs.places import Uses
from ..inputs.setting import Case, Setting
from ..inputs.wide_integers import RECKONS, Reckoned
from ..reference.on_a_card import PRODUCTS
from ..reference.operators import RANKS, only_picks
from ..shapes.longest import LONG, OVER


def asks(family: str, setting: Setting) -> bool:
    """Whether the op has what a family that few ops are asked about is for. Of sums of products so large an
    exponential makes nothing but what they are off by."""
    operators = setting.operators
    if family == NEIGHBOURS:
        return only_picks(operators)
    if family in (DEEP, DEEPEST) and operators.isdisjoint(RANKS) and not operators.isdisjoint(PRODUCTS):
        return False
    return family not in ASKED_BY or not operators.isdisjoint(ASKED_BY[family])


def ends_late(setting: Setting) -> bool:
    """Whether exponentials are taken, and what is stretched are rows: a reference point that their first tile
    gives, as wide as full size's usual one, is none for what comes behind it."""
    rows = [one.shape[-1] for one in setting.shipped if floats(one) and one.ndim]
    return setting.axis in rows and not EXPONENTIAL.isdisjoint(setting.operators)


def changes_inputs(setting: Setting) -> bool:
    """In place, which no element that stands for many allows."""
    answer = setting.reference.tried(setting.shipped, setting.state)
    pairs = zip(setting.shipped, answer.inputs if answer is not None else (), strict=False)
    return any(
        isinstance(was, torch.Tensor) and isinstance(now, torch.Tensor) and not torch.equal(was, now)
        for was, now in pairs
    )


def gives_places(setting: Setting, case: Case) -> bool:
    """Whether outputs may be places, by which ties are told from each other."""
    answer = setting.reference.tried(case.inputs, case.step.state)
    return answer is not None and any(not output.is_floating_point() for output in answer.outputs)


def of_lengths(name: str) -> bool:
    """Whether lengths as long as their axis, and places at the ends of a table, tell something at a shape."""
    return name == "deep" or name.startswith((LONG, OVER))


def in_half(setting: Setting) -> bool:
    """Whether it is given numbers of two bytes, whose sums have to be kept in four."""
    return any(floats(value) and value.itemsize == 2 for value in setting.shipped)


def _only_places(setting: Setting) -> bool:
    """Whether all that does not float names places to look up or to add up at, and nothing else."""
    rest = [one for one in setting.shipped if isinstance(one, torch.Tensor) and not one.is_floating_point()]
    if not all(map(is_whole, rest)):
        return False
    with Uses(rest) as uses:
        setting.reference.tried(setting.shipped, setting.state)
    return bool(uses.names) and not uses.otherwise


def _only_numbers(setting: Setting) -> bool:
    """Whether all that does not float is reckoned with, and no mask: words of packed bits, say."""
    rest = [one for one in setting.shipped if isinstance(one, torch.Tensor) and not one.is_floating_point()]
    if not all(is_whole(one) and bool(((one != 0) & (one != 1)).any()) for one in rest):
        return False
    with Reckoned(rest, RECKONS) as uses:
        setting.reference.tried(setting.shipped, setting.state)
    return bool(uses.names) and not uses.otherwise


def tells_more(family: str, setting: Setting) -> bool:
    """Without floating inputs all families are alike; without weights the shipped one has run already."""
    tensors = [value for value in setting.shipped if isinstance(value, torch.Tensor)]
    floating = [value.is_floating_point() for value in tensors]
    if family in (
        INFINITE,
        ONE_NAN,
    ):  # a mask may be a factor or a choice, of which one alone makes NaN of infinity
        return any(floating) and (all(floating) or _only_places(setting) or _only_numbers(setting))
    if not asks(family, setting):
        return False
    if family in (OPPOSED, OPPOSED_TOO):
        return sum(floating) > 1
    return any(floating) if family != "as shipped" else bool(setting.state) or not any(floating)
