"""Fingerprints a graph by its operators, literals, shapes and dtypes, and by no name of the file."""

import hashlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node


def fingerprint_of(program: ExportedProgram) -> str:
    """SHA-256, in hexadecimal, of the canonical text of the program."""
    kinds = {spec.arg.name: spec.kind.name for spec in program.graph_signature.input_specs}
    text = "\n".join(_lines(program.graph_module, kinds))
    return hashlib.sha256(text.encode()).hexdigest()


def _lines(module: GraphModule, kinds: dict[str, str]) -> Iterator[str]:
    numbers: dict[Node, int] = {}
    for node in module.graph.nodes:
        numbers[node] = len(numbers)
        if node.op == "get_attr" and isinstance(
            inner := getattr(module, str(node.target), None), GraphModule
        ):
            yield from (f"  {line}" for line in _lines(inner, {}))
            continue
        what = kinds.get(node.name, node.op) if node.op == "placeholder" else str(node.target)
        arguments = _canonical([node.args, node.kwargs], numbers)
        yield f"{numbers[node]} {what} {arguments} {_tensors(node.meta.get('val'))}"


def _canonical(value: Any, numbers: dict[Node, int]) -> str:
    if isinstance(value, Node):
        return f"%{numbers[value]}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_canonical(part, numbers) for part in value)}]"
    if isinstance(value, dict):
        return (
            f"{{{', '.join(f'{key}: {_canonical(part, numbers)}' for key, part in sorted(value.items()))}}}"
        )
    return repr(value)


def _tensors(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_tensors, value))}]"
    if isinstance(value, torch.Tensor):
        return f"{value.dtype}{tuple(map(int, value.shape))}:{tuple(map(int, value.stride()))}"
    return repr(value)
