"""What sizes an op may be given: those a search has set, and others that its reference runs at."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from ....profiling.fakes import fakes
from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from ..inputs.setting import init_arguments

FEW_AMONG = 32
"""Elements of the axes beside the one that a shape is made for, at most."""


def fewest(sets: list[ShapeSet], most: int | None = None) -> dict[str, int]:
    """The least of each size that any of them sets, and `most` at most."""
    found: dict[str, int] = {}
    for one in sets:
        for name, size in sizes_of(one.overrides).items():
            found[name] = min(size, found.get(name, size), size if most is None else most)
    return found


def sizes_of(constants: Mapping[str, Any]) -> dict[str, int]:
    return {n: v for n, v in constants.items() if isinstance(v, int) and not isinstance(v, bool)}


def free_sizes(op: Op) -> list[str]:
    """The whole numbers of an op file that shape a tensor, on the way too, or say how many calls are made: a
    shift, a multiplier or a modulus stays what it is. So does what no candidate is told: a number of bins
    that `forward` alone knows."""
    return [name for name in op.text.free() if name in sizes_of(op.constants) and _shapes(op, name)]


def _shapes(op: Op, name: str) -> bool:
    """Whether one more makes a difference that a candidate is told of, or twice as much: of places there may
    be one table row to so many. Where the reference has no answer then, it does."""
    size, usual = op.constants[name], op.footprint()
    assert isinstance(size, int)
    with contextlib.suppress(OpError):
        for other in (size + 1, 2 * size):
            made = op.with_overrides({name: other}).footprint()
            if (made.inputs, made.state) != (usual.inputs, usual.state):
                return True
            if replace(made, settings=usual.settings) != usual and not builds_alike(op, {}, {name: other}):
                return True
        return _numbers(op) != _numbers(op.with_overrides({name: size + 1}))
    return True


def _numbers(op: Op) -> list[Any]:
    """What `get_inputs` gives beside tensors."""
    with fakes():
        return [one for one in op.module().get_inputs() if not isinstance(one, torch.Tensor)]


def builds_alike(op: Op, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the model is constructed with the same arguments: a kernel may rely on a window or a step."""
    with contextlib.suppress(OpError):
        first, second = (init_arguments(op.with_overrides(sizes), 0) for sizes in (one, other))
        return repr(first) == repr(second)
    return False


def first_sound(
    op: Op, name: str, others: Mapping[str, Any], most_bytes: int, lengths: Sequence[int]
) -> tuple[dict[str, Any], int] | None:
    for length in lengths:
        overrides = {**others, name: length}
        with contextlib.suppress(OpError):
            size = op.with_overrides(overrides).footprint().total_bytes
            if size <= most_bytes and op.is_sound(overrides):
                return overrides, size
    return None


def one_more(op: Op) -> dict[str, int] | None:
    """Full size with one row more, by the first constant that makes them alone; None where none does."""
    for name in free_sizes(op):
        more = {name: sizes_of(op.constants)[name] + 1}
        if builds_alike(op, {}, more) and op.is_sound(more):
            return more
    return None


def is_constant(op: Op, overrides: Mapping[str, Any]) -> bool:
    """Whether other inputs and weights give the same numbers: of one element, a softmax is one."""
    with contextlib.suppress(OpError):
        made = op.with_overrides(overrides)
        one, other = (_numbers_of(*made.instantiate(seed)) for seed in (0, 1))
        return bool(one) and all(map(torch.equal, one, other))
    return False


def _numbers_of(model: nn.Module, inputs: Sequence[Any]) -> list[torch.Tensor]:
    with torch.no_grad():
        found = [one for one in tree_leaves(model(*inputs)) if isinstance(one, torch.Tensor)]
    return [one for one in found if one.is_floating_point()]


def is_crowded(op: Op, overrides: Mapping[str, Any], small: Mapping[str, Any]) -> bool:
    """Whether integers among the inputs name the same few places again and again, as they do not at the
    `small` sizes: what is left out of the names is then named elsewhere."""
    now, were = (_shares_of_names(op, sizes) for sizes in (overrides, small))
    return any(one < _CROWDED <= was for one, was in zip(now, were, strict=False))


_CROWDED = 0.5


def _shares_of_names(op: Op, overrides: Mapping[str, Any]) -> list[float]:
    """Of each tensor of integers: how many numbers it holds beside the length of its rows, one at most."""
    with contextlib.suppress(OpError):
        return [
            min(1.0, len(set(one.reshape(-1).tolist())) / one.shape[-1])
            for one in op.with_overrides(overrides).instantiate(0)[1]
            if isinstance(one, torch.Tensor) and one.ndim and one.numel() and not one.is_floating_point()
        ]
    return []
