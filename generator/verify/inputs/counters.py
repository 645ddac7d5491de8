"""Has integers that a call counts up in place run over: one more than the largest is the smallest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.operators import plain_name, words
from ..reference.oracle import Reference
from .digits import keeps_most_digits
from .integers import is_answered, is_whole
from .places import Uses

BEYOND = "counters beyond 32 bits"

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

    def full(one: torch.Tensor) -> torch.Tensor:
        return torch.full_like(one, min(torch.iinfo(one.dtype).max, _MOST))

    return _counted(full, reference, inputs, state)


def counters_beyond(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise those of 64 bits a little beyond 2^32, each elsewhere: what the lower 32 leave is another
    number, and another place in a ring whose length is no power of two."""
    return _counted(lambda one: _beyond(one, generator), reference, inputs, state)


def buffers_beyond(
    moving: Collection[str],
    reference: Reference,
    inputs: Sequence[Input],
    state: Mapping[str, torch.Tensor],
    generator: torch.Generator,
) -> dict[str, torch.Tensor] | None:
    """A state whose counters of 64 bits among `moving`, which calls keep up, stand there; None where there
    are none, where the reference keeps one below a number, or loses digits."""
    found = {name: state[name] for name in sorted(moving) if name in state and _is_wide(state[name])}
    changed = {**state, **{name: _beyond(one, generator) for name, one in found.items()}}
    answer = reference.tried(inputs, changed) if found else None
    if answer is None or any(bool((answer.state[name] < changed[name]).any()) for name in found):
        return None
    return changed if keeps_most_digits(reference, inputs, changed) else None


def _beyond(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Of 64 bits; others as they are."""
    if not _is_wide(value):
        return value
    return (_MOST + 1 + torch.randint(0, _SPAN, value.shape, generator=generator)).to(value.dtype)


_SPAN = 1 << 20


def _is_wide(value: torch.Tensor) -> bool:
    return value.dtype == torch.int64


def _counted(
    stand: Callable[[torch.Tensor], torch.Tensor],
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
) -> list[Input] | None:
    answer = reference.tried(inputs, state) if any(map(is_whole, inputs)) else None
    if answer is None:
        return None
    changed = list(inputs)
    for place, (one, after) in enumerate(zip(inputs, answer.inputs, strict=True)):
        if is_whole(one) and isinstance(after, torch.Tensor) and not torch.equal(one, after):
            with _Counts([one]) as uses:
                reference.tried(inputs, state)
            full = stand(one)
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
