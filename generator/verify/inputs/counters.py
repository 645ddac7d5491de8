"""Has integers that a call counts up in place run over: one more than the largest is the smallest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.operators import plain_name, words
from ..reference.oracle import Reference
from .integers import is_answered, is_whole
from .places import Uses

_INTO = words("index_add scatter_add index_put scatter scatter_reduce")
"""Of these, the first argument is what is counted up."""

_TAKES = words("add sub mul gt ge lt le eq ne _to_copy sum clone where") | _INTO

_SHARES = words("remainder floor_divide fmod")
"""Likewise of 64 bits, which stay above zero here: below it C and Python part ways."""


def counters_run_over(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers those that the reference changes in place, and takes for no places, are the
    largest of their type throughout (of 64 bits, the largest of 32); None where there are none such."""
    answer = reference.tried(inputs, state) if any(map(is_whole, inputs)) else None
    if answer is None:
        return None
    changed = list(inputs)
    for place, (one, after) in enumerate(zip(inputs, answer.inputs, strict=True)):
        if is_whole(one) and isinstance(after, torch.Tensor) and not torch.equal(one, after):
            with _Counts([one]) as uses:
                reference.tried(inputs, state)
            full = torch.full_like(one, min(torch.iinfo(one.dtype).max, _MOST))
            if not uses.otherwise and not _turns_back(reference, inputs, state, place, full):
                changed[place] = full
    moved = any(one is not was for one, was in zip(changed, inputs, strict=True))
    return changed if moved and is_answered(reference.tried(changed, state)) else None


def _turns_back(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    place: int,
    full: torch.Tensor,
) -> bool:
    """Whether the reference keeps all of them below a number, and none has run over: places in a ring are
    never beyond."""
    if full.dtype != torch.int64:
        return False
    answer = reference.tried([*inputs[:place], full, *inputs[place + 1 :]], state)
    after = answer.inputs[place] if answer is not None else None
    return not isinstance(after, torch.Tensor) or bool((after < full).all())


_MOST = (1 << 32) - 1


class _Counts(Uses):
    """Notes whether anything takes the numbers for places."""

    def __init__(self, numbers: Sequence[torch.Tensor]) -> None:
        wide = all(one.dtype == torch.int64 for one in numbers)
        super().__init__(numbers, _TAKES | _SHARES if wide else _TAKES)

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        into = plain_name(func) in _INTO
        self.otherwise |= into and any(self._is_one(one) for one in args[1:])
        super().saw(func, args[:1] if into else args, result)
