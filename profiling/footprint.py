"""Runs an operator on fake tensors and records what it would allocate: no memory is touched."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from math import prod
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .build import DATA_DEPENDENT, Input, build
from .fakes import fakes
from .source import Literal, OpError, Source, blame, blamed_line, execute, quiet

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """One ATen call: its name and the shapes of its tensor arguments and results."""

    name: str
    arguments: tuple[Shape, ...]
    results: tuple[Shape, ...]


NETWORK_CALLS = 50
"""ATen calls from which on an operator is a network."""

_FEW_WEIGHTS, _TIMES_CALLS = 8, 4
"""Parameters and buffers up to which one of fewer than so many times the calls is none: a stencil, say."""


@dataclass(frozen=True)
class Footprint:
    """What one forward call takes: shapes of inputs, of parameters and buffers, of outputs; bytes of each."""

    inputs: tuple[Shape, ...]
    state: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    calls: tuple[Call, ...]
    held_bytes: int
    temporary_bytes: int
    settings: tuple[tuple[int, str, str], ...] = ()
    """Whole numbers, and several of them, that the model's modules hold, in order."""

    @property
    def total_bytes(self) -> int:
        """Inputs, parameters, buffers and every intermediate result, as if none were freed."""
        return self.held_bytes + self.temporary_bytes

    @property
    def signature(self) -> tuple[str, ...]:
        return tuple(call.name for call in self.calls)

    @property
    def work(self) -> int:
        """Calls that do more than look at a tensor another way."""
        return sum(not _is_view(call.name) for call in self.calls)

    @property
    def is_network(self) -> bool:
        """Whether it has many calls, and weights for them: its shapes take seconds each."""
        few = len(self.state) <= _FEW_WEIGHTS
        return self.work >= NETWORK_CALLS * (_TIMES_CALLS if few else 1)

    def is_unlike(self, usual: "Footprint") -> bool:
        """Whether one element is broadcast in a call here where it is as many as the others `usual`ly (half
        of three columns, say, beside the other half), or a norm has a mean of each single element, as it has
        not usually: nothing of its input is left then. Where other calls are made nothing is said."""
        if self.signature != usual.signature:
            return False
        return any(
            _broadcasts_unlike(now, was) or (_is_of_single_elements(now) and not _is_of_single_elements(was))
            for now, was in zip(self.calls, usual.calls, strict=True)
        )


@functools.cache
def _is_view(name: str) -> bool:
    """Of a call such as `aten.permute.default`."""
    found: Any = torch.ops
    for part in name.split("."):
        found = getattr(found, part, None)
    return name == "aten._unsafe_view.default" or bool(getattr(found, "is_view", False))


def _is_of_single_elements(call: Call) -> bool:
    return "_norm" in call.name and len(call.results) > 1 and prod(call.results[0]) == prod(call.results[1])


def _broadcasts_unlike(now: Call, usual: Call) -> bool:
    if not (_is_pointwise(now) and _is_pointwise(usual)):
        return False
    sides, were = (zip_longest(*(shape[::-1] for shape in one.arguments)) for one in (now, usual))
    return any(
        1 in side and len({*side} - {None}) > 1 and 1 not in was
        for side, was in zip(sides, were, strict=False)
    )


def _is_pointwise(call: Call) -> bool:
    try:
        return call.results[:1] == (tuple(torch.broadcast_shapes(*call.arguments)),)  # type: ignore[no-untyped-call]
    except RuntimeError:
        return False


def held_bytes(model: nn.Module, inputs: list[Input]) -> int:
    """Bytes of the inputs, the parameters and the buffers; each storage once."""
    tensors = [*model.parameters(), *model.buffers(), *(x for x in inputs if isinstance(x, torch.Tensor))]
    return sum(storage_bytes(tensor) for tensor in {id(tensor): tensor for tensor in tensors}.values())


def storage_bytes(tensor: torch.Tensor) -> int:
    """Bytes of the distinct elements: a dimension of stride 0 is counted as one element."""
    count = 1
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        count *= int(size) if stride else min(int(size), 1)
    return count * tensor.element_size()


def footprint(source: Source, overrides: Mapping[str, Literal]) -> Footprint:
    """Build and run the op on fake tensors; OpError says what fails."""
    module = execute(source, overrides)
    recorder = _Recorder()
    with torch.no_grad(), fakes():
        model, inputs = build(module, source.path, seed=0)
        with quiet(), recorder:
            try:
                output = model(*inputs)
            except (Exception, SystemExit) as error:
                raise _forward_error(error, source) from error
    if not any(isinstance(leaf, torch.Tensor) for leaf in tree_leaves(output)):
        raise OpError(f"forward() in {source.path} returns no tensor; return the operator's result.")
    state = [*model.parameters(), *model.buffers()]
    return Footprint(
        inputs=_shapes(inputs),
        state=_shapes(state),
        outputs=_shapes(output),
        calls=tuple(recorder.calls),
        held_bytes=held_bytes(model, inputs),
        temporary_bytes=recorder.bytes,
        settings=tuple(
            (place, name, str(value))
            for place, module in enumerate(model.modules())
            for name, value in vars(module).items()
            if isinstance(value, int | tuple | list) and name != "training" and name[0] != "_"
        ),
    )


def _forward_error(error: BaseException, source: Source) -> OpError:
    if type(error).__name__ in DATA_DEPENDENT:
        where = f" (line {line})" if (line := blamed_line(error, source.path)) else ""
        return OpError(
            f"forward() in {source.path} branches on tensor values or sizes a tensor by them{where}, "
            "so it has no fixed graph; write it with torch.where or with masks of fixed size."
        )
    return OpError(
        f"forward() in {source.path} fails: {blame(error, source.path)}; "
        "it must take what get_inputs() returns."
    )


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes every ATen call and the bytes of every result that is not a view."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: list[Call] = []
        self.bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.namespace == "prim":  # a question after a tensor's device
            return result
        self.calls.append(Call(str(func), _shapes((args, kwargs)), _shapes(result)))
        if not any(returned.alias_info for returned in func._schema.returns):
            self.bytes += sum(
                storage_bytes(leaf) for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)
            )
        return result


def _shapes(tree: Any) -> tuple[Shape, ...]:
    return tuple(tuple(map(int, leaf.shape)) for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor))
