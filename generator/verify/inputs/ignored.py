"""Finds class targets among an op's inputs, and marks some of them as rows that the loss leaves out.

`ignore_index` is legal in every target of `cross_entropy` and `nll_loss`, and -100 unless the op says
otherwise; an op file's own targets rarely hold it. Where it neither draws that class nor says a word of it,
none is ignored.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .idle import idle_nan

_SHARE = 0.25

ALL_IGNORED = "all ignored"
"""Where NaN may be the answer."""

_DEFAULT = -100
"""Torch's own."""

_OF_CLASSES = ("nll_loss_forward", "nll_loss2d_forward")


class _Targets(Watching):
    """The storages that losses take classes from, each with the class that is ignored."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[int, int] = {}

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if func._schema.name.removeprefix("aten::") in _OF_CLASSES:
            self.found[args[1].untyped_storage().data_ptr()] = args[4]


def ignored_classes(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a quarter of each class target ignored; None where there is no such target, or the
    reference has no answer to it."""
    marked = list(inputs)
    for place, given, ignored in _targets(reference, inputs, state):
        left_out = torch.rand(given.shape, generator=generator) < _SHARE
        left_out.view(-1)[0], left_out.view(-1)[-1] = True, False
        marked[place] = given.masked_fill(left_out, ignored)
    answer = reference.tried(marked, state) if any(map(_differs, marked, inputs)) else None
    if answer is None or not all(bool(widened(one).isfinite().all()) for one in answer.outputs):
        return None
    return marked


def ignored_nan(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise with NaN in rows that are left out, where the reference has its answer all the same."""
    marked = ignored_classes(reference, inputs, state, generator)
    return None if marked is None else idle_nan(reference, marked, state, generator)


def all_ignored(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with each class target ignored: a mean of nothing is NaN, and a sum of nothing zero. None
    where there is no such target, or the reference raises."""
    marked = list(inputs)
    for place, given, ignored in _targets(reference, inputs, state):
        marked[place] = torch.full_like(given, ignored)
    changed = any(map(_differs, marked, inputs))
    return marked if changed and reference.tried(marked, state) is not None else None


def _differs(one: Input, other: Input) -> bool:
    return one is not other


def _targets(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> Iterator[tuple[int, torch.Tensor, int]]:
    """The place of each class target among the inputs, the target, and the class that is ignored in it."""
    with _Targets() as targets:
        held = reference.eager(inputs, state).inputs
    for place, (given, copy) in enumerate(zip(inputs, held, strict=True)):
        if isinstance(given, torch.Tensor) and isinstance(copy, torch.Tensor) and given.numel() > 1:
            ignored = targets.found.get(copy.untyped_storage().data_ptr())
            if ignored is not None and _is_meant(reference, given, ignored):
                yield place, given, ignored


def _is_meant(reference: Reference, given: torch.Tensor, ignored: int) -> bool:
    """Whether the op file ignores that class, or torch does because nobody says otherwise: then a kernel for
    classes as they are drawn need not know it."""
    return ignored != _DEFAULT or names_ignored(reference.source) or bool((given == ignored).any())


@lru_cache(maxsize=8)
def names_ignored(source: str) -> bool:
    """Whether an op file names `ignore_index`, as an argument or an attribute, or torch's own class."""
    return any(
        (isinstance(node, ast.keyword | ast.arg) and node.arg == _NAME)
        or (isinstance(node, ast.Attribute) and node.attr == _NAME)
        or (isinstance(node, ast.UnaryOp) and ast.unparse(node) == str(_DEFAULT))
        for node in ast.walk(ast.parse(source))
    )


_NAME = "ignore_index"
