"""The state of one region while its operators are lowered: operands as values, promotion, broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from ..expr import Builder, Load, SizeOf
from ..extent import Extent, product
from ..space import CannotFuse, Dims, Space
from ..traces import DTYPES, FLOATS, Traces, Varies


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

    @property
    def space(self) -> Space:
        return self.builder.space

    def compute(self, dtype: str) -> str:
        """The type arithmetic runs in: fp32 for the short floats, the type itself otherwise."""
        return "fp32" if dtype in ("fp16", "bf16") else dtype

    def value(self, arg: Any) -> Value:
        """An operand as a value: a computed one, a load of a tensor from outside, or a literal."""
        if isinstance(arg, fx.Node):
            if arg in self.env:
                found = self.env[arg]
                if isinstance(found, tuple):
                    raise CannotFuse(f"{arg.name} is several tensors where one is needed")
                return found
            return self.load(arg)
        if isinstance(arg, Varies):
            raise CannotFuse(f"the constant {arg.values[0]} depends on the shapes in a way that is not derived")
        if isinstance(arg, Extent):
            return Value((), self.builder.add(SizeOf(arg, "int64")))
        dtype = "int1" if isinstance(arg, bool) else "int64" if isinstance(arg, int) else "fp32"
        return Value((), self.builder.number(arg, dtype))

    def load(self, node: fx.Node) -> Value:
        dtype = self.traces.dtype(node)
        if dtype == "unsupported":
            raise CannotFuse(f"{node.name} is {node.meta['val'].dtype}, which these kernels do not read")
        shape = self.traces.shape(node)
        dims = tuple(self.space.dimension(size) for size in shape)
        strides: list[Extent] = []
        step = self.traces.one
        for size in reversed(shape):
            strides.append(step)
            step = step * size
        index = self.space.row_major(dims, strides[::-1])
        self.buffers[node.name] = node
        value = Value(dims, self.builder.add(Load(node.name, index, dtype), node.name))
        self.env[node] = value
        return value

    def broadcast(self, values: Sequence[Value]) -> Dims:
        """The joint dimensions of operands, axes of equal positions unified."""
        rank = max(len(v.dims) for v in values)
        dims: list[tuple[int, ...]] = [()] * rank
        for value in values:
            padded = ((),) * (rank - len(value.dims)) + value.dims
            dims = [self.space.unify(a, b, "broadcast") for a, b in zip(dims, padded, strict=True)]
        leaves = [leaf for axes in dims for leaf in self.space.leaves(axes)]
        if len(leaves) != len(set(leaves)):
            raise CannotFuse("a tensor meets itself along two different dimensions")
        return tuple(dims)

    def pointwise(
        self, node: fx.Node | str, build: Callable[..., int], *operands: Any, compute: str | None = None
    ) -> Value:
        """Cast the operands to the type the result is computed in and apply `build` to them."""
        values = [self.value(o) for o in operands]
        dtype = self.traces.dtype(node) if isinstance(node, fx.Node) else node
        inside = compute or self.compute(dtype)
        args = [self.builder.cast(v.node, inside) for v in values]
        return Value(self.broadcast(values), build(*args))

    def promoted(self, left: Any, right: Any) -> str:
        """The computation type in which two operands are compared, by torch's promotion."""
        a, b = (o.meta["val"] if isinstance(o, fx.Node) else o for o in (left, right))
        return self.compute(DTYPES.get(torch.result_type(a, b), "unsupported"))

    def count(self, axes: Sequence[int]) -> Extent:
        leaves = self.space.leaves(axes)
        return product((self.space.sizes[a] for a in leaves), self.traces.one)


def is_float(dtype: str) -> bool:
    return dtype in FLOATS
