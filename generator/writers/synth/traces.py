"""The operator's graph seen at several shape sets at once: one graph, sizes as `Extent`s."""

from __future__ import annotations

import keyword
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import is_fake
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind

from ....profiling.constructors import is_built_in
from ....profiling.literals import is_named_here
from ....profiling.trace import TracedOp
from .dtypes import short_name
from .extent import Extent
from .rewrite import functional
from .space import CannotFuseError


@dataclass(frozen=True)
class Varies:
    """A number in the graph that is different at other shapes and is no integer."""

    values: tuple[float, ...]


class Traces:
    """Full-size trace first; smaller traces whose graph differs in structure are left out.

    `unrewritten` is what a rewrite of the algebra failed with, which leaves the graph without any.
    """

    def __init__(self, traced: Sequence[TracedOp]) -> None:
        self.unrewritten = ""
        try:
            graphs = _rewritten(traced)
        except CannotFuseError:
            raise
        except Exception as error:  # a rewrite's own mistake is no reason to write nothing
            self.unrewritten = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:200]}"
            graphs = _rewritten(traced, algebra=False)
        self.graph = graphs[0]
        first = list(self.graph.nodes)
        kept, self.traced = [first], [traced[0]]
        for graph, other in zip(graphs[1:], traced[1:], strict=True):
            nodes = list(graph.nodes)
            if _same_structure(first, nodes):
                kept.append(nodes)
                self.traced.append(other)
        self._twins = {row[0]: row for row in zip(*kept, strict=True)}

    @property
    def program(self) -> ExportedProgram:
        """The exported program of the full-size trace: its signature and its constants."""
        return self.traced[0].program

    @property
    def count(self) -> int:
        return len(self.traced)

    @property
    def one(self) -> Extent:
        return Extent((1,) * self.count)

    @property
    def vocabulary(self) -> dict[str, Extent]:
        """Whole numbers that the op file gives a name to, at every traced shape."""
        found: dict[str, Extent] = {}
        for name in self.traced[0].op.constants:
            if is_named_here(name) or is_built_in(name):
                continue
            values = [t.op.constants.get(name) for t in self.traced]
            whole = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
            if len(whole) == len(values):
                found[name] = Extent(tuple(whole))
        return found

    def authors_name(self, node: fx.Node) -> str:
        """What the op file's forward calls a result: `h` where the node ends the line `h = ...`; else ""."""
        place = _line(node)
        if place is None or place[0] != str(self.traced[0].op.path) or _line(node.next) == place:
            return ""
        target = _ASSIGNMENT.match(place[2])
        name = target[1] if target else ""
        taken = {n.target for n in self.graph.find_nodes(op="placeholder")}
        return "" if name in taken or keyword.iskeyword(name) else name

    @property
    def returned(self) -> list[fx.Node]:
        """The tensors that forward returns, in order."""
        specs = self.program.graph_signature.output_specs
        flat = list(self.graph.output_node().args[0])  # type: ignore[arg-type]
        pairs = zip(flat, specs, strict=True)
        return [n for n, s in pairs if s.kind is OutputKind.USER_OUTPUT and isinstance(n, fx.Node)]

    @cached_property
    def sizes(self) -> tuple[Extent, ...]:
        """Sizes of the tensors of the graph, each once."""
        nodes = (n for n in self.graph.nodes if isinstance(n.meta.get("val"), torch.Tensor))
        return tuple(dict.fromkeys(size for n in nodes for size in self.shape(n)))

    def shape(self, node: fx.Node) -> tuple[Extent, ...]:
        return _stack([tuple(t.meta["val"].shape) for t in self._twins[node]])

    def strides(self, node: fx.Node) -> tuple[Extent, ...]:
        return _stack([tuple(t.meta["val"].stride()) for t in self._twins[node]])

    def results(self, node: fx.Node) -> list[tuple[Extent, ...]]:
        """Shapes of a node that returns several tensors."""
        values = [t.meta["val"] for t in self._twins[node]]
        return [_stack([tuple(v[i].shape) for v in values]) for i in range(len(values[0]))]

    def dtype(self, node: fx.Node) -> str:
        return short_name(node.meta["val"].dtype)

    def constant(self, node: fx.Node) -> torch.Tensor | None:
        """The value of a tensor that forward itself writes down, such as torch.tensor(2.0)."""
        name = self._lifted.get(node.name)
        found = self.program.constants.get(name) if name else None
        return found if isinstance(found, torch.Tensor) and not is_fake(found) else None

    @cached_property
    def _lifted(self) -> Mapping[str, str]:
        return dict(self.program.graph_signature.inputs_to_lifted_tensor_constants)

    def args(self, node: fx.Node) -> tuple[Any, ...]:
        return tuple(_zip([t.args[i] for t in self._twins[node]]) for i in range(len(node.args)))

    def arg(self, node: fx.Node, position: int, name: str, default: Any = None) -> Any:
        """A positional or keyword argument, zipped over the traces."""
        if position < len(node.args):
            return _zip([t.args[position] for t in self._twins[node]])
        if name in node.kwargs:
            return _zip([t.kwargs[name] for t in self._twins[node]])
        return default


def _rewritten(traced: Sequence[TracedOp], *, algebra: bool = True) -> list[fx.Graph]:
    first = functional(traced[0].program.graph, algebra=algebra)
    return [first, *(functional(t.program.graph, first, algebra=algebra) for t in traced[1:])]


def aten_name(node: fx.Node) -> str:
    """`softmax.int` for torch.ops.aten.softmax.int; "" for what is no ATen call."""
    target = node.target
    if (
        node.op == "call_function"
        and isinstance(target, torch._ops.OpOverload)
        and target.namespace == "aten"
    ):
        return str(target).removeprefix("aten.")
    return ""


_FRAME = re.compile(r'File "([^"]+)", line (\d+), in forward\n\s*(.*)')
_ASSIGNMENT = re.compile(r"([a-z][a-z0-9_]*) = ")


def _line(node: fx.Node) -> tuple[str, str, str] | None:
    """(file, line, text) of the innermost forward that called an operator."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    return frames[-1] if frames else None


def is_getitem(node: fx.Node) -> bool:
    return node.op == "call_function" and node.target is operator.getitem


def _same_structure(a: list[fx.Node], b: list[fx.Node]) -> bool:
    if len(a) != len(b):
        return False
    position = {node: i for i, node in enumerate(a)} | {node: i for i, node in enumerate(b)}

    def key(node: fx.Node) -> tuple[Any, ...]:
        value = node.meta.get("val")
        rank = value.dim() if isinstance(value, torch.Tensor) else None
        return (node.op, str(node.target), rank, [position[i] for i in node.all_input_nodes])

    return all(key(x) == key(y) for x, y in zip(a, b, strict=True))


def _stack(shapes: list[tuple[int, ...]]) -> tuple[Extent, ...]:
    return tuple(Extent(tuple(int(v) for v in column)) for column in zip(*shapes, strict=True))


def _zip(values: list[Any]) -> Any:
    first = values[0]
    if isinstance(first, fx.Node):
        return first
    if isinstance(first, list | tuple):
        return [_zip([v[i] for v in values]) for i in range(len(first))]
    if all(v == first for v in values) or len(values) == 1:
        return first
    if all(isinstance(v, int) for v in values):
        return Extent(tuple(values))
    return Varies(tuple(values))
