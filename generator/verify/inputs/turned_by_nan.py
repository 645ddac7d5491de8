"""Tells whether a reference chooses by a comparison with NaN: what it then leaves out is no mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.operators import plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching

_COMPARES = words("lt le gt ge eq ne")
_CHOOSES = words("where masked_fill index index_put masked_select")


def turned_by_nan(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    """Whether truths that came of comparing NaN say what is taken: a kernel's minimum drops it, and what is
    compared then is another number."""
    with _Truths() as seen:
        reference.tried(inputs, state)
    chose: bool = seen.chose
    return chose


class _Truths(Watching):
    """Those of NaN, and what is made of them."""

    def __init__(self) -> None:
        super().__init__()
        self.chose, self._of_nan = False, list[torch.Tensor]()

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name, tensors = plain_name(func), [one for one in args if isinstance(one, torch.Tensor)]
        of_nan = any(one is other for one in tensors for other in self._of_nan)
        self.chose |= of_nan and name in _CHOOSES
        compared = name in _COMPARES and any(map(_holds_nan, tensors))
        if (of_nan or compared) and isinstance(result, torch.Tensor) and result.dtype == torch.bool:
            self._of_nan.append(result)


def _holds_nan(value: torch.Tensor) -> bool:
    return value.is_floating_point() and bool(value.isnan().any())
