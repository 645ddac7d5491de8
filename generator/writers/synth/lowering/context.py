"""The state of one region while its operators are lowered: operands as values, promotion, broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from ..builder import Builder
from ..dtypes import UNSUPPORTED, compute_type, short_name
from ..expr import Load, Position, SizeOf
from ..extent import Derived, Dividing, Extent, Total, product
from ..space import Affine, Axis, CannotFuseError, Dims, Space
from ..traces import Traces, Varies
from .settled import number_from_sizes


@dataclass(frozen=True)
class Value:
    """An expression with the axes of each of its dimensions; an empty dimension has size 1."""

    dims: Dims
    node: int


Lowered = Value | tuple[Value, ...]


@dataclass
class Context:
    """One region being built. `env` holds what its own nodes compute; other tensors become loads."""

    traces: Traces
    builder: Builder
    env: dict[fx.Node, Lowered] = field(default_factory=dict)
    buffers: dict[str, fx.Node] = field(default_factory=dict)
    writes: list[tuple[fx.Node, Value]] = field(default_factory=list)
    derived: list[Derived | Dividing | Total] = field(default_factory=list)
    cuts: dict[tuple[Any, ...], tuple[Axis, ...]] = field(default_factory=dict)

    @property
    def space(self) -> Space:
        return self.builder.space

    def result_type(self, node: fx.Node) -> str:
        """The type a node's result is computed in."""
        return compute_type(self.traces.dtype(node))

    def value(self, arg: Any) -> Value:
        """An operand as a value: a computed one, a load of a tensor from outside, or a literal."""
        if isinstance(arg, fx.Node):
            found = self.env.get(arg)
            if isinstance(found, tuple):
                raise CannotFuseError(f"{arg.name} is several tensors where one is needed")
            return found or self.load(arg)
        if isinstance(arg, Varies):
            return Value((), number_from_sizes(self.builder, arg, self.traces.sizes))
        if isinstance(arg, Extent):
            return Value((), self.builder.add(SizeOf(arg, "int64")))
        if not isinstance(arg, bool | int | float):
            raise CannotFuseError(f"an operand is {arg!r}, neither a tensor nor a number")
        dtype = "int1" if isinstance(arg, bool) else "int64" if isinstance(arg, int) else "fp32"
        return Value((), self.builder.number(arg, dtype))

    def load(self, node: fx.Node) -> Value:
        """A tensor from outside the region, read as packed memory; a constant scalar becomes a literal."""
        dtype = self.traces.dtype(node)
        if dtype == UNSUPPORTED:
            raise CannotFuseError(f"{node.name} is {node.meta['val'].dtype}, which these kernels do not read")
        if dtype == "fp64":
            raise CannotFuseError("double precision is left to torch")
        constant = self.traces.constant(node)
        if constant is not None and constant.numel() == 1:
            return Value(((),) * constant.dim(), self.builder.number(constant.item(), dtype))
        shape = self.traces.shape(node)
        dims = tuple(self.space.dimension(size) for size in shape)
        index = self.space.row_major(dims, packed_strides(shape, self.traces.one))
        self.buffers[node.name] = node
        value = Value(dims, self.builder.add(Load(node.name, index, dtype), node.name))
        self.env[node] = value
        return value

    def broadcast(self, values: Sequence[Value]) -> Dims:
        """The joint dimensions of operands, axes of equal positions unified."""
        rank = max(len(v.dims) for v in values)
        dims: list[tuple[Axis, ...]] = [()] * rank
        for value in values:
            padded = ((),) * (rank - len(value.dims)) + value.dims
            dims = [self.space.unify(a, b, "broadcast") for a, b in zip(dims, padded, strict=True)]
        return tuple(dims)

    def pointwise(
        self, result: fx.Node | str, build: Callable[..., int], *operands: Any, compute: str | None = None
    ) -> Value:
        """Cast the operands to the type the result is computed in and apply `build` to them."""
        values = [self.value(o) for o in operands]
        inside = compute or (self.result_type(result) if isinstance(result, fx.Node) else result)
        args = [self.builder.cast(v.node, inside) for v in values]
        return Value(self.broadcast(values), build(*args))

    def promoted(self, left: Any, right: Any) -> str:
        """The computation type in which two operands are compared, by torch's promotion."""
        a, b = (o.meta["val"] if isinstance(o, fx.Node) else o for o in (left, right))
        return compute_type(short_name(torch.result_type(a, b)))

    def count(self, axes: Sequence[Axis]) -> Extent:
        leaves = self.space.leaves(axes)
        return product((self.space.sizes[a] for a in leaves), self.traces.one)

    def position(self, axes: Sequence[Axis], *, start: int = 0, step: int = 1) -> int:
        """start + step x (the place along a dimension), as an int64 value."""
        one = self.traces.one
        index = self.space.row_major((tuple(axes),), (one.like(step),))
        return self.builder.add(Position(Affine(index.terms, one.like(start)), "int64"))


def source_of(node: fx.Node) -> fx.Node:
    """The tensor an operator works on."""
    source = node.args[0]
    if not isinstance(source, fx.Node):
        raise CannotFuseError(f"{node.name} works on {source!r}, not on a tensor")
    return source


def packed_strides(shape: Sequence[Extent], one: Extent) -> list[Extent]:
    """Element strides of a row-major tensor without gaps."""
    strides: list[Extent] = []
    step = one
    for size in reversed(shape):
        strides.append(step)
        step = step * size
    return strides[::-1]
