"""Torch calls for what a writer leaves to torch, as a person would write them where a short form exists."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import fx

from ..extent import Extent, express
from ..space import CannotFuse
from ..traces import Traces, Varies, aten_name

SHORT = {
    "linear.default": "F.linear", "conv1d.default": "F.conv1d", "conv2d.default": "F.conv2d",
    "conv3d.default": "F.conv3d", "matmul.default": "torch.matmul", "mm.default": "torch.mm",
    "bmm.default": "torch.bmm", "addmm.default": "torch.addmm",
}  # fmt: skip


def torch_call(traces: Traces, node: fx.Node, name_of: Callable[[fx.Node], str], known: Mapping[str, Extent]) -> str:
    """Source of one node; raises `CannotFuse` when an argument changes with the shapes and cannot be derived."""
    if node.target is operator.getitem:
        return f"{name_of(node.args[0])}[{node.args[1]}]"  # type: ignore[arg-type]
    name = aten_name(node)
    if not name:
        raise CannotFuse(f"{node.name} is no ATen operator")

    def text(value: Any) -> str:
        if isinstance(value, fx.Node):
            return name_of(value)
        if isinstance(value, list):
            return f"[{', '.join(text(v) for v in value)}]"
        if isinstance(value, Extent):
            found = express(value, known)
            if found is None:
                raise CannotFuse(f"an argument {value.full} of {node.name} follows from no shape")
            return found
        if isinstance(value, Varies):
            raise CannotFuse(f"an argument of {node.name} changes with the shapes")
        if isinstance(value, torch.dtype | torch.layout | torch.memory_format):
            return str(value)
        if isinstance(value, torch.device):
            return f'"{value}"'
        return repr(value)

    args = [text(a) for a in traces.args(node)]
    kwargs = [f"{k}={text(traces.arg(node, len(node.args), k))}" for k in node.kwargs if k not in ("device", "pin_memory")]
    called = SHORT.get(name)
    if called is None and name == "add_.Tensor":
        return f"{args[0]}.add_({args[1]})"
    return f"{called or f'torch.ops.aten.{name}'}({', '.join([*args, *kwargs])})"


def allowed_name(node: fx.Node) -> str:
    """The name under which a judge may allow this call, as it is written in the file."""
    name = aten_name(node)
    short = SHORT.get(name, "")
    if short.startswith("F."):
        return f"torch.nn.functional.{short[2:]}"
    return short or (f"torch.Tensor.{name.split('.')[0]}" if name == "add_.Tensor" else f"torch.ops.aten.{name}")
