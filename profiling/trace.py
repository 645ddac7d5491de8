"""Traces an op at full size on fake tensors: graph, family, flops, least traffic, fingerprint."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from .build import build
from .family import family_of
from .fingerprint import fingerprint_of
from .flops import node_flops
from .footprint import fakes, storage_bytes
from .kinds import is_view, kind_of, name_of
from .op import Op
from .source import OpError, blame, quiet

Mode = Literal["as-is", "train", "eval"]


class TraceError(OpError):
    """An op that runs but whose graph cannot be taken."""


@dataclass(frozen=True)
class TensorSpec:
    """Shape, dtype ("bfloat16") and strides, in elements, of one input or output."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...]


@dataclass(frozen=True)
class TracedOp:
    """The exported graph of an op and what follows from it alone, before any device is known.

    `program` is torch.export's training IR: softmax, gelu, layer_norm, batch_norm... are one node each.
    `bytes_min` counts each input, parameter and buffer that is used once, each output once, and once more
    each buffer or input that is written in place.
    """

    op: Op
    mode: Mode
    program: ExportedProgram
    family: str
    flops: int
    bytes_min: int
    dtypes: tuple[str, ...]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    fingerprint: str
    op_kinds: tuple[str, ...]


def trace(op: Op, mode: Mode = "as-is") -> TracedOp:
    """Export the op's forward call; "as-is" keeps the mode the file sets, which is training for a new Module.

    Raises OpError where the op cannot be built and TraceError where its graph cannot be taken.
    """
    program = _exported(op, mode)
    calls = [
        node for node in program.graph.nodes if node.op == "call_function" and kind_of(node.target) != "check"
    ]
    given, inputs = _input_specs(program)
    outputs = list(_output_nodes(program))
    return TracedOp(
        op=op,
        mode=mode,
        program=program,
        family=family_of(calls, len(inputs)),
        flops=sum(node_flops(node) for node in calls),
        bytes_min=_bytes_min(program, calls, outputs),
        dtypes=tuple(dict.fromkeys(_dtype(leaf) for node in [*given, *outputs] for leaf in _leaves(node))),
        inputs=inputs,
        outputs=tuple(
            _spec(f"out{place}", leaf) for place, node in enumerate(outputs) for leaf in _leaves(node)
        ),
        fingerprint=fingerprint_of(program),
        op_kinds=tuple(dict.fromkeys(kind_of(node.target) for node in calls)),
    )


def _exported(op: Op, mode: Mode) -> ExportedProgram:
    module = op.module()
    with torch.no_grad(), fakes():
        model, inputs = build(module, op.path, seed=0)
    if mode != "as-is":
        model.train(mode == "train")
    first: Exception | None = None
    for strict in (False, True):
        try:
            with torch.no_grad(), quiet():
                return torch.export.export(model, tuple(inputs), strict=strict)
        except Exception as error:
            first = first or error
    raise TraceError(
        f"the graph of {op.path} cannot be taken by torch.export: {blame(first or OpError(), op.path)}; "
        "forward() must be free of branches and sizes that depend on tensor values."
    ) from first


def _input_specs(program: ExportedProgram) -> tuple[list[Node], tuple[TensorSpec, ...]]:
    """All placeholders that hold tensors, and the specs of those that are arguments of forward()."""
    kinds = {spec.arg.name: spec.kind for spec in program.graph_signature.input_specs}
    given = [node for node in program.graph.nodes if node.op == "placeholder" and _leaves(node)]
    users = [node for node in given if kinds[node.name] == InputKind.USER_INPUT]
    return given, tuple(_spec(node.name, node.meta["val"]) for node in users)


def _output_nodes(program: ExportedProgram) -> Iterator[Node]:
    (output,) = (node for node in program.graph.nodes if node.op == "output")
    for value in output.args[0]:
        if isinstance(value, Node) and _leaves(value):
            yield value


def _bytes_min(program: ExportedProgram, calls: list[Node], outputs: list[Node]) -> int:
    placeholders = [node for node in program.graph.nodes if node.op == "placeholder"]
    read = [node for node in placeholders if set(node.users) - {program.graph.output_node()}]
    made = [node for node in dict.fromkeys(outputs) if _root(node).op != "placeholder"]
    written = dict.fromkeys(_root(node) for call in calls for node in _written(call))
    mutated = [node for node in written if node.op == "placeholder"]
    return sum(storage_bytes(leaf) for node in [*read, *made, *mutated] for leaf in _leaves(node))


def _written(call: Node) -> list[Node]:
    """Arguments that the call changes: those its schema marks, and running statistics in training."""
    if not isinstance(call.target, torch._ops.OpOverload):
        return []
    schema = call.target._schema.arguments
    pairs = [*zip(schema, call.args, strict=False)]
    by_name = {argument.name: value for argument, value in pairs} | dict(call.kwargs)
    found = [value for argument, value in pairs if argument.alias_info and argument.alias_info.is_write]
    if name_of(call.target) in ("batch_norm", "instance_norm") and (
        by_name.get("training") or by_name.get("use_input_stats")
    ):
        found += [by_name.get("running_mean"), by_name.get("running_var")]
    return [value for value in found if isinstance(value, Node)]


def _root(node: Node) -> Node:
    """The node whose storage `node` shares."""
    while node.op == "call_function" and is_view(node.target) and node.all_input_nodes:
        node = node.all_input_nodes[0]
    return node


def _spec(name: str, value: torch.Tensor) -> TensorSpec:
    return TensorSpec(name, tuple(map(int, value.shape)), _dtype(value), tuple(map(int, value.stride())))


def _leaves(node: Node) -> list[torch.Tensor]:
    value: Any = node.meta.get("val")
    parts = value if isinstance(value, list | tuple) else [value]
    return [part for part in parts if isinstance(part, torch.Tensor)]


def _dtype(value: torch.Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")
