"""Checks what a timed call gave: right when checked must mean right when timed.

The result is copied before anything else is done, so that what is stored into it later is not seen. It is
judged by the verifier's own comparison, against the reference in float64 on the same contents. These are made
anew from the call's seed, so a candidate that changes its inputs changes nothing here; and it is told, unless
the reference changes them too. A result must lie in memory of its own.

All of it happens on the card, which holds tensors of several GB meanwhile: nothing is kept longer than it is
needed, and how inputs that are off by a rounding move the answer is only asked where that could excuse an
error.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._pytree import tree_flatten, tree_leaves

from .verify.reference.budget import UNIT_ROUNDOFF, Target, compare
from .verify.reference.in_float64 import InFloat64
from .verify.reference.measures import difference
from .verify.reference.precisions import precision_class

Call = tuple[Sequence[Any], Sequence[Any]]
"""The arguments after a call, and its flat outputs."""


class Recheck:
    """`recheck(seed, arguments, result)` answers with a complaint, or with ""; the arguments are as the call
    left them."""

    def __init__(self, model: nn.Module, fresh: Callable[[int], tuple[Any, ...]], declared: str) -> None:
        self._model = copy.deepcopy(model)
        self._exact = copy.deepcopy(model).double()
        self._fresh = fresh
        self._declared = declared
        self._earlier: Call = ([], [])  # alive, so that no allocation reuses them

    def __call__(self, seed: int, arguments: Sequence[Any], result: Any) -> str:
        given, tree = tree_flatten(result)
        found = [value.clone() if type(value) is torch.Tensor else value for value in given]
        own = self._fresh(seed)
        with torch.no_grad(), without_tf32():
            eager, expected_tree = tree_flatten(self._model(*own))
        if tree != expected_tree:
            return f"a timed call returned {tree}, the reference returns {expected_tree}"
        complaint = self._memory(seed, (arguments, given), (own, eager))
        if complaint:
            return complaint
        taken = [value.dtype for value in (*own, *eager) if isinstance(value, torch.Tensor)]
        precision = precision_class(taken, self._declared)
        del own
        truth, terms = self._in_float64(_doubled(self._fresh(seed)))
        wrong = _first_wrong(found, truth, eager, truth, precision, terms)
        if wrong:  # unless the op itself is moved as much by inputs that are off by a rounding
            shaken, _ = self._in_float64(_shaken(self._fresh(seed)))
            wrong = _first_wrong(found, truth, eager, shaken, precision, terms)
        return wrong

    def measure(self, seed: int) -> Callable[[Any], float]:
        """What tells of a result on the contents of the seed the largest relative L2 error of any floating
        output against float64."""
        truth, _ = self._in_float64(_doubled(self._fresh(seed)))

        def error(result: Any) -> float:
            pairs = zip(tree_leaves(result), truth, strict=True)
            return max(
                (difference(own, right).relative_l2 for own, right in pairs if _floats(own)), default=0.0
            )

        return error

    def _memory(self, seed: int, candidate: Call, reference: Call) -> str:
        """Storage that the candidate shares or changes and the reference does not."""
        (arguments, given), (own, eager) = candidate, reference
        earlier, self._earlier = self._earlier, (given, eager)
        if _share(given, earlier[0]) and not _share(eager, earlier[1]):
            return "the result of a timed call lies in the memory of an earlier one"
        if _share(given, arguments) and not _share(eager, own):
            return "the result of a timed call lies in the memory of its inputs"
        for place, (left, kept, was) in enumerate(zip(arguments, own, self._fresh(seed), strict=True)):
            if isinstance(was, torch.Tensor) and _same(kept, was) and not _same(left, was):
                return f"a timed call changed its input {place}"
        return ""

    def _in_float64(self, arguments: tuple[Any, ...]) -> tuple[list[Any], int]:
        """What the reference gives, and how many terms its longest sum has."""
        with torch.no_grad(), _float64() as lifting:
            leaves = tree_leaves(self._exact(*arguments))
        return leaves, lifting.terms


@contextlib.contextmanager
def without_tf32() -> Iterator[None]:
    """Convolutions multiply in float32, where torch lets cuDNN take TF32 unasked: eager's own error is a part
    of what a candidate may be wrong by."""
    before = torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = False
    try:
        yield
    finally:
        torch.backends.cudnn.allow_tf32 = before


@contextlib.contextmanager
def _float64() -> Iterator[InFloat64]:
    """New tensors and casts are float64; attention is computed by its parts, as no fused form takes that."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with sdpa_kernel(SDPBackend.MATH), InFloat64() as lifting:
            yield lifting
    finally:
        torch.set_default_dtype(before)


def _share(some: Sequence[Any], others: Sequence[Any]) -> bool:
    return not _storages(some).isdisjoint(_storages(others))


def _storages(values: Sequence[Any]) -> set[int]:
    tensors = [value for value in values if isinstance(value, torch.Tensor) and value.numel()]
    return {tensor.untyped_storage().data_ptr() for tensor in tensors}


def _same(now: torch.Tensor, before: torch.Tensor) -> bool:
    """Equal in every element; NaN equals NaN."""
    return bool(((now == before) | ((now != now) & (before != before))).all())


def _doubled(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Floating tensors in float64: operators ask whether their arguments are of one type before any mode sees
    them."""
    return tuple(value.double() if _floats(value) else value for value in values)


def _shaken(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same inputs, each element off by one unit in the last place of float32, up or down."""
    return tuple(_off(value) if _floats(value) else value for value in values)


def _off(value: torch.Tensor) -> torch.Tensor:
    signs = torch.randint_like(value, 0, 2, dtype=torch.float64)
    return signs.mul_(2 * UNIT_ROUNDOFF).add_(1 - UNIT_ROUNDOFF).mul_(value)


def _floats(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _first_wrong(
    found: Sequence[Any], truth: Sequence[Any], eager: Sequence[Any], shaken: Sequence[Any],
    precision: str, terms: int,
) -> str:  # fmt: skip
    """The complaint about the first output that is not what it should be; "" where all are."""
    for place, (mine, *target) in enumerate(zip(found, truth, eager, shaken, strict=True)):
        if complaint := _complaint(mine, target, precision, terms):
            return f"output {place} of a timed call: {complaint}"
    return ""


def _complaint(found: Any, target: list[Any], precision: str, terms: int) -> str:
    oracle, eager, shaken = target
    if not isinstance(eager, torch.Tensor):
        return "" if found == eager else f"{found!r} instead of {eager!r}"
    if type(found) is not torch.Tensor or found.shape != eager.shape or found.dtype != eager.dtype:
        return f"not a tensor of {eager.dtype} and shape {tuple(eager.shape)}"
    return compare(found, Target(oracle, eager, shaken, terms=terms), precision).why
