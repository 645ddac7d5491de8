"""Moves weights that are added and nothing else far from zero, where exponentials are taken of such sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ....profiling.build import Input
from ..reference.operators import RANKS, plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .digits import keeps_digits
from .families import EXPONENTIAL, OF_ALL, STATISTICS

_ADDS = words("add sub rsub")
_BIAS = "bias"
_BIASES = {"addmm": 0, "baddbmm": 0, "convolution": 2}
"""Where what they add stands among their arguments."""

BIASES = _ADDS | {_BIAS}
"""What adds a weight to something."""

_COPIES = words("copy clone detach equal")
_COMMON = 64.0
"""Times a normal value."""

FAR, FARTHEST = 100.0, 2.0**44
"""Times a normal value: exponentials of some overflow in float32, and of others are zero."""


class Takers(Watching):
    """The operators, views apart, that take each of some tensors, known by their numbers."""

    def __init__(self, weights: Mapping[str, torch.Tensor]) -> None:
        super().__init__()
        self.weights, self.takers = weights, {name: set[str]() for name in weights}
        self.operators, self._storages = set[str](), dict[int, str]()
        self._held = list[torch.Tensor]()  # so that nothing else is put where one was

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = plain_name(func)
        self.operators.add(name)
        moves = func.is_view or name in _COPIES
        for place, one in ((place, one) for place, arg in enumerate(args) for one in pytree.tree_leaves(arg)):
            if isinstance(one, torch.Tensor) and one.is_floating_point() and not moves:
                weight = self.which(one)
                if weight is not None:
                    self.takers[weight].add(_BIAS if _BIASES.get(name) == place else name)

    def follow(self, value: torch.Tensor, weight: str) -> None:
        """Take what shares its memory for the weight, too."""
        self._storages[value.untyped_storage().data_ptr()] = weight
        self._held.append(value)

    def which(self, value: torch.Tensor) -> str | None:
        """The weight that it holds the numbers of."""
        at = value.untyped_storage().data_ptr()
        if at not in self._storages:
            for axis in (axis for axis, stride in enumerate(value.stride()) if stride == 0):
                value = value.narrow(axis, 0, 1)  # an element that stands along it
            flat = value.reshape(-1)
            same = (
                name
                for name, one in self.weights.items()
                if one.numel() == flat.numel() and torch.equal(one.reshape(-1).to(flat.dtype), flat)
            )
            if (found := next(same, None)) is None:
                return None
            self.follow(value, found)
        return self._storages[at]


def far_from_zero(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """A state with such weights, biases of products apart, of either sign, or None."""
    added, operators = added_only(reference, inputs, state, _ADDS)
    if not added or EXPONENTIAL.isdisjoint(operators):
        return None
    drawn = {name: FAR * torch.randn(state[name].shape, generator=generator) for name in added}
    return {**state, **{name: one.to(state[name].dtype) for name, one in drawn.items()}}


def far_ahead(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """A state of whose added weights the last of each row is hundreds above all others, where a softmax is
    taken: the largest that was found before the last tile is not it; or None, also where an answer so far
    from usual ones has lost digits."""
    added, operators = added_only(reference, inputs, state)
    ahead = {name: state[name].clone() for name in added if state[name].numel() > 1}
    if not ahead or OF_ALL.isdisjoint(operators):
        return None
    for one in ahead.values():
        one[..., -1] = 2 * FAR
    coarsest = max(torch.finfo(one.dtype).eps for one in ahead.values())
    changed = {**state, **ahead}
    return changed if keeps_digits(reference, inputs, changed, _ROUNDINGS * coarsest) else None


_ROUNDINGS = 16.0
"""That the reference's own answer may be off by."""


def far_below_zero(
    far: float,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> dict[str, torch.Tensor] | None:
    """A state whose added weights bring all sums below zero, by two or three times `far`, where the largest
    of them is taken or an exponential; or None."""
    added, operators = added_only(reference, inputs, state)
    if not added or (EXPONENTIAL | RANKS).isdisjoint(operators) or not STATISTICS.isdisjoint(operators):
        return None
    drawn = {name: -far * (2 + torch.rand(state[name].shape, generator=generator)) for name in added}
    return {**state, **{name: one.to(state[name].dtype) for name, one in drawn.items()}}


def beside_scores(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> dict[str, torch.Tensor] | None:
    """A state whose weights that stand beside scores or are added to them, sinks say, are far below zero; or
    None where there are none."""
    added, _ = added_only(reference, inputs, state, _ADDS | _BESIDE)
    far = {name: -min(_SUNK, torch.finfo(state[name].dtype).max / 2) for name in added}
    return {**state, **{name: torch.full_like(state[name], far[name]) for name in added}} if added else None


_BESIDE, _SUNK = words("cat logaddexp maximum"), 2.0**41
"""What takes weights beside scores, and how far such are below zero: above scores that are as far squared."""

BESIDE = BIASES | _BESIDE
"""What takes weights that scale nothing."""


def below_zero(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """A state whose added weights are a little below zero, where the largest of sums is taken behind what
    falls there before it rises: the largest of what it gives is not what it gives of the largest."""
    added, operators = added_only(reference, inputs, state)
    if not added or RANKS.isdisjoint(operators) or _FALLS.isdisjoint(operators):
        return None
    drawn = {name: -0.05 - 3 * torch.rand(state[name].shape, generator=generator) for name in added}
    return {**state, **{name: one.to(state[name].dtype) for name, one in drawn.items()}}


_FALLS = words("gelu silu mish hardswish sin cos pow square abs sigmoid tanh erf exp")


def far_in_common(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """A state whose added weights lie far from zero and near each other, where deviations are taken of the
    sums: the mean of squares less the square of the mean leaves little of one; or None."""
    added, operators = added_only(reference, inputs, state)
    if not added or STATISTICS.isdisjoint(operators):
        return None
    drawn = {name: _COMMON + torch.randn(state[name].shape, generator=generator) for name in added}
    return {**state, **{name: one.to(state[name].dtype) for name, one in drawn.items()}}


def added_only(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    adding: frozenset[str] = BIASES,
) -> tuple[list[str], set[str]]:
    """The names of weights that are taken by these and nothing else, and the operators of the op."""
    takers, operators = takers_of(reference, inputs, state)
    return [name for name, found in takers.items() if found and found <= adding], operators


def takers_of(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> tuple[dict[str, set[str]], set[str]]:
    """Which operators take each weight, views and copies apart, and all operators of the op."""
    weights = weights_of(reference, state)
    if not weights:
        return {}, set()
    with Takers(weights) as seen:
        reference.tried(inputs, state)
    return seen.takers, seen.operators


def weights_of(reference: Reference, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Parameters that float."""
    parameters = {name for name, _ in reference.model.named_parameters()}
    return {name: one for name, one in state.items() if name in parameters and one.is_floating_point()}


ADDED: dict[str, Callable[..., dict[str, torch.Tensor] | None]] = {
    "added weights far out": far_from_zero,
    "one added weight far ahead": far_ahead,
}
SUMS: dict[str, Callable[..., dict[str, torch.Tensor] | None]] = {
    "added weights far below zero": partial(far_below_zero, FAR),
    "added weights farthest below zero": partial(far_below_zero, FARTHEST),
    "added weights far out in common": far_in_common,
}
"""Asked for at the first shape alone."""
