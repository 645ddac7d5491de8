"""Runs the reference: in float64 for the truth, in its own dtype for the normal error, in bfloat16."""

from __future__ import annotations

import contextlib
import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ...profiling.build import Input
from .budget import UNIT_ROUNDOFF

_SINGLE = (torch.float16, torch.bfloat16, torch.float32)


class InFloat64(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Lifts floating tensors and requested floating dtypes to float64, casts inside the op included."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and True would import torch._dynamo

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        args, kwargs = pytree.tree_map(_lifted, (args, kwargs or {}))
        return pytree.tree_map_only(torch.Tensor, _lifted, func(*args, **kwargs))


def _lifted(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.dtype in _SINGLE:
        return value.double()
    if isinstance(value, torch.dtype) and value in _SINGLE:
        return torch.float64
    return value


@dataclass(frozen=True)
class Ran:
    """Outputs flattened; `tree` is their structure; `state` and `inputs` are as they stood afterwards."""

    outputs: list[torch.Tensor]
    tree: str
    state: dict[str, torch.Tensor]
    inputs: list[Input]
    aliases: frozenset[
        tuple[int, int]
    ]  # (output, input or, counted on, state entry) pairs that share storage


class Reference:
    """One model of the op, run with any weights, precision and inputs; nothing outlives a call."""

    def __init__(self, model: nn.Module, mode: str) -> None:
        self.model = model
        if mode != "as-is":
            self.model.train(mode == "train")

    def eager(self, inputs: Sequence[Input], state: dict[str, torch.Tensor], seed: int = 0) -> Ran:
        return self._run(lambda tensor: tensor, contextlib.nullcontext, inputs, state, seed)

    def oracle(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Ran:
        return self._run(_lifted, _float64, inputs, state, 0)

    def shaken(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Ran:
        """The oracle on inputs whose elements are each off by +-`UNIT_ROUNDOFF`: how errors are passed on.

        No algorithm can be expected to do better than to be right for inputs that near (backward stability):
        a LayerNorm of a row of equal values divides rounding noise by sqrt(eps), whoever computes it.
        """
        generator = torch.Generator().manual_seed(0)
        moved = [
            value.double()
            * (1 + UNIT_ROUNDOFF * (torch.randint(0, 2, value.shape, generator=generator) * 2 - 1))
            if isinstance(value, torch.Tensor) and value.is_floating_point()
            else value
            for value in inputs
        ]
        return self._run(_lifted, _float64, moved, state, 0)

    def twin(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Ran:
        """What the op gives when everything that floats is bfloat16."""
        return self._run(
            lambda tensor: tensor.bfloat16() if tensor.is_floating_point() else tensor,
            contextlib.nullcontext,
            inputs,
            state,
            0,
        )

    def _run(
        self,
        cast: Callable[[torch.Tensor], torch.Tensor],
        around: Callable[[], contextlib.AbstractContextManager[Any]],
        inputs: Sequence[Input],
        state: dict[str, torch.Tensor],
        seed: int,
    ) -> Ran:
        model = copy.deepcopy(self.model)
        model.load_state_dict(state)
        model = model._apply(cast)  # type: ignore[no-untyped-call]
        args = [_copied(value, cast) for value in inputs]
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings(), torch.no_grad(), around():
            warnings.simplefilter("ignore")  # of what the op file itself calls
            torch.manual_seed(seed)
            result = model(*args)
        return _gathered(result, args, model)


def _copied(value: Input, cast: Callable[[torch.Tensor], torch.Tensor]) -> Input:
    """A copy with the same strides, so that a reference that works in place cannot reach the original."""
    if not isinstance(value, torch.Tensor):
        return value
    if 0 in value.stride():
        return cast(value)
    fresh = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
    return cast(fresh.copy_(value))


@contextlib.contextmanager
def _float64() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with InFloat64():  # type: ignore[no-untyped-call]
            yield
    finally:
        torch.set_default_dtype(before)


def _gathered(result: Any, args: list[Input], model: nn.Module) -> Ran:
    leaves, tree = pytree.tree_flatten(result)
    outputs = [
        leaf if isinstance(leaf, torch.Tensor) else torch.as_tensor(leaf)
        for leaf in leaves
        if leaf is not None
    ]
    state = model.state_dict()
    owners = [*args, *state.values()]
    aliases = frozenset(
        (out, place)
        for out, output in enumerate(outputs)
        for place, owner in enumerate(owners)
        if isinstance(owner, torch.Tensor) and shares(output, owner)
    )
    return Ran(outputs, str(tree), state, args, aliases)


def shares(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors live in the same storage."""
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr() != 0
