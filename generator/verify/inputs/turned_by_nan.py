"""Tells whether a reference chooses by a comparison with NaN: what it then leaves out is no mask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.operators import plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching

_COMPARES = words("lt le gt ge eq ne")
_RANKS = words("argmax argmin max min sort argsort topk")
_CHOOSES = words("where masked_fill index index_put masked_select")
_AT_PLACES = words("gather index_select index_add index_copy scatter scatter_add scatter_reduce embedding")


def turned_by_nan(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    """Whether truths that came of comparing NaN, or places that came of ranking it, say what is taken: a
    kernel's minimum drops it, and what is compared then is another number."""
    with _Chosen() as seen:
        reference.tried(inputs, state)
    chose: bool = seen.chose
    return chose


class _Chosen(Watching):
    """Truths and places that came of NaN, and what is made of them."""

    def __init__(self) -> None:
        super().__init__()
        self.chose, self._of_nan = False, list[torch.Tensor]()

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name, tensors = plain_name(func), _tensors(args)
        of_nan = [one for one in tensors if any(one is other for other in self._of_nan)]
        truths = any(one.dtype == torch.bool for one in of_nan)
        self.chose |= (truths and name in _CHOOSES) or (bool(of_nan) and name in _AT_PLACES)
        compared = name in _COMPARES | _RANKS and any(map(_holds_nan, tensors))
        if of_nan or compared:
            self._of_nan += [one for one in _tensors([result]) if not one.is_floating_point()]


def _tensors(values: Iterable[Any]) -> list[torch.Tensor]:
    """Those among them, and in lists of them."""
    each = (one if isinstance(one, list | tuple) else [one] for one in values)
    return [one for one in chain.from_iterable(each) if isinstance(one, torch.Tensor)]


def _holds_nan(value: torch.Tensor) -> bool:
    return value.is_floating_point() and bool(value.isnan().any())
