"""Traces an op at full size on fake tensors: graph, family, flops, least traffic, fingerprint."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from .alias import root_of
from .build import build
from .counting import counting
from .fakes import fakes
from .family import family_of
from .fingerprint import fingerprint_of
from .flops import node_flops
from .footprint import storage_bytes
from .kinds import kind_of, name_of
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
    calls = [node for node in program.graph.nodes if _is_call(node)]
    inputs, outputs = list(_arguments(program)), list(_results(program))
    return TracedOp(
        op=op,
        mode=mode,
        program=program,
        family=family_of(calls, sum(_is_read(node) for node in inputs)),
        flops=sum(node_flops(node) for node in calls),
        bytes_min=_bytes_min(program, calls, outputs),
        dtypes=tuple(dict.fromkeys(_dtype(leaf) for leaf in _tensors(program, outputs))),
        inputs=tuple(_spec(node.name, node.meta["val"]) for node in inputs),
        outputs=tuple(_spec(f"out{place}", node.meta["val"]) for place, node in enumerate(outputs)),
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
            with torch.no_grad(), quiet(), counting():
                return torch.export.export(model, tuple(inputs), strict=strict)
        except Exception as error:
            first = first or error
    raise TraceError(
        f"the graph of {op.path} cannot be taken by torch.export: {blame(first or OpError(), op.path)}; "
        "forward() must be free of branches and sizes that depend on tensor values."
    ) from first


def _is_call(node: Node) -> bool:
    return node.op == "call_function" and kind_of(node.target) != "check"


def _arguments(program: ExportedProgram) -> Iterator[Node]:
    """The placeholders of the tensors that forward() takes."""
    kinds = {spec.arg.name: spec.kind for spec in program.graph_signature.input_specs}
    for node in program.graph.nodes:
        if node.op == "placeholder" and kinds[node.name] == InputKind.USER_INPUT and _is_tensor(node):
            yield node


def _results(program: ExportedProgram) -> Iterator[Node]:
    """The nodes of the tensors that forward() returns."""
    for value in program.graph.output_node().args[0]:
        if isinstance(value, Node) and _is_tensor(value):
            yield value


def _tensors(program: ExportedProgram, outputs: list[Node]) -> Iterator[torch.Tensor]:
    """Inputs, parameters, buffers and outputs."""
    placeholders = (node for node in program.graph.nodes if node.op == "placeholder" and _is_tensor(node))
    return (node.meta["val"] for node in [*placeholders, *outputs])


def _bytes_min(program: ExportedProgram, calls: list[Node], outputs: list[Node]) -> int:
    read = [node for node in program.graph.nodes if node.op == "placeholder" and _is_read(node)]
    made = [node for node in dict.fromkeys(outputs) if root_of(node).op != "placeholder"]
    written = dict.fromkeys(root_of(node) for call in calls for node in _written(call))
    mutated = [node for node in written if node.op == "placeholder"]
    return sum(storage_bytes(node.meta["val"]) for node in [*read, *made, *mutated] if _is_tensor(node))


def _is_read(node: Node) -> bool:
    return any(user.op != "output" for user in node.users)


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


def _spec(name: str, value: torch.Tensor) -> TensorSpec:
    return TensorSpec(name, tuple(map(int, value.shape)), _dtype(value), tuple(map(int, value.stride())))


def _is_tensor(node: Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


def _dtype(value: torch.Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")
