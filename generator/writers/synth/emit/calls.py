"""Torch calls for what a writer leaves to torch, in torch's public names, as a person would write them."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ..extent import Extent, express
from ..rewrite import is_in_place, op_name
from ..space import CannotFuseError
from ..traces import Traces, Varies, aten_name, is_getitem
from ..views import is_view

_BY_LEADING_ARGUMENTS = {
    "adaptive_avg_pool2d": ("adaptive_avg_pool2d", 2), "adaptive_avg_pool3d": ("adaptive_avg_pool3d", 2),
    "pad": ("pad", 4), "cross_entropy_loss": ("cross_entropy", 2), "mse_loss": ("mse_loss", 2),
    "l1_loss": ("l1_loss", 2), "smooth_l1_loss": ("smooth_l1_loss", 2), "huber_loss": ("huber_loss", 2),
    "nll_loss": ("nll_loss", 2), "kl_div": ("kl_div", 2), "binary_cross_entropy": ("binary_cross_entropy", 2),
    "soft_margin_loss": ("soft_margin_loss", 2), "unfold": ("unfold", 2),
}  # fmt: skip
"""Functions of torch.nn.functional whose first arguments are those of the ATen operator."""

_END = 2**63 - 1
"""What a slice without an end has as its end."""


@dataclass(frozen=True)
class _Form:
    """How a call is written: a function, or a method of the first argument."""

    name: str
    is_method: bool = False

    @property
    def full_name(self) -> str:
        if self.is_method:
            return f"torch.Tensor.{self.name}"
        return self.name.replace("F.", "torch.nn.functional.", 1) if self.name.startswith("F.") else self.name


def torch_call(
    traces: Traces, node: fx.Node, name_of: Callable[[fx.Node], str], known: Mapping[str, Extent], like: str
) -> str:
    """Source of one node; new tensors are made on the device of the tensor `like`. Sizes are read from those
    that are `known`, and where these do not give one as a product, from the tensors that the call takes.

    Raises `CannotFuseError` when an argument changes with the shapes and cannot be derived.
    """

    near = {
        f"{name_of(source)}.shape[{place}]": size
        for source in node.all_input_nodes
        if isinstance(source.meta.get("val"), torch.Tensor)
        for place, size in enumerate(traces.shape(source))
    }

    def text(value: Any) -> str:
        if isinstance(value, fx.Node):
            return name_of(value)
        if isinstance(value, list):
            return f"[{', '.join(text(v) for v in value)}]"
        if isinstance(value, Extent):
            found = express(value, known, chance=False) or express(value, {**near, **known})
            if found is None:
                raise CannotFuseError(f"an argument {value.full} of {node.name} follows from no shape")
            return found
        if isinstance(value, Varies):
            raise CannotFuseError(f"an argument of {node.name} changes with the shapes")
        if isinstance(value, torch.dtype | torch.layout | torch.memory_format):
            return str(value)
        return f'"{value}"' if isinstance(value, torch.device | str) else repr(value)

    values = list(traces.args(node))
    if is_getitem(node):
        return f"{text(values[0])}[{values[1]}]"
    if aten_name(node) == "alias.default":
        return text(values[0])
    if aten_name(node) == "slice.Tensor":
        return _subscript(traces, node, text)
    if op_name(node) in _PROPERTIES:
        return f"{text(values[0])}.{_PROPERTIES[op_name(node)]}"
    form = _public(node)
    arguments = [text(a) for a in values]
    arguments += [f"{k}={text(traces.arg(node, len(values), k))}" for k in node.kwargs if k not in _PLACEMENT]
    if "device" in node.kwargs:
        arguments.append(f"device={like}.device")
    if form.is_method:
        return f"{arguments[0]}.{form.name}({', '.join(arguments[1:])})"
    return f"{form.name}({', '.join(arguments)})"


_PLACEMENT = ("device", "pin_memory", "layout")


def allowed_name(node: fx.Node) -> str:
    """The name under which a judge may allow this call, as the file has it; "" where none is called."""
    if is_getitem(node) or aten_name(node) in _PLAIN or op_name(node) in _PROPERTIES:
        return ""
    return _public(node).full_name


def _public(node: fx.Node) -> _Form:
    """The public function or method that takes what the ATen operator takes.

    Torch's compiled bindings have the operator's own signature; its Python functions need not, so they are
    left out but for a few whose first arguments are known to agree.
    """
    name = _PUBLIC_NAMES.get(op_name(node), op_name(node))
    if name in _PYTHON:
        return _Form(f"torch.{name}")
    method = isinstance(getattr(torch.Tensor, name, None), types.MethodDescriptorType)
    if method and (is_view(node) or is_in_place(node) or name == "clone"):
        return _Form(name, is_method=True)
    for module, prefix, shown in _MODULES:
        found = getattr(module, name.removeprefix(prefix), None) if name.startswith(prefix) else None
        if isinstance(found, types.BuiltinFunctionType) and not name.startswith("_"):
            return _Form(f"{shown}.{name.removeprefix(prefix)}")
    function, most = _BY_LEADING_ARGUMENTS.get(name, ("", 0))
    if function and len(node.args) <= most and not node.kwargs:
        return _Form(f"F.{function}")
    if method:
        return _Form(name, is_method=True)
    raise CannotFuseError(f"{aten_name(node) or node.target} has no public form that this writer knows")


_PYTHON = frozenset({"einsum"})
"""Functions of torch written in Python that take what the ATen operator takes."""

_PLAIN = ("slice.Tensor", "alias.default")
"""Written without any call."""

_PUBLIC_NAMES = {
    "_unsafe_view": "view", "lift_fresh_copy": "clone", "_to_copy": "to", "__and__": "bitwise_and",
    "__or__": "bitwise_or", "__xor__": "bitwise_xor", "__lshift__": "bitwise_left_shift",
    "__rshift__": "bitwise_right_shift",
}  # fmt: skip
_MODULES = (
    (torch.nn.functional, "", "F"), (torch, "", "torch"), (torch.linalg, "linalg_", "torch.linalg"),
    (torch.special, "special_", "torch.special"), (torch.fft, "fft_", "torch.fft"),
)  # fmt: skip
_PROPERTIES = {"mT": "mT", "mH": "mH", "numpy_T": "T", "matrix_H": "H", "real": "real", "imag": "imag"}


def _subscript(traces: Traces, node: fx.Node, text: Callable[[Any], str]) -> str:
    """`x[:, a:b]` for a slice."""
    dim, start, end, step = (traces.arg(node, i, n, d) for i, n, d in _SLICE)
    rank = len(traces.shape(node))
    ends = "" if end is None or end == _END else text(end)
    part = f"{'' if start in (None, 0) else text(start)}:{ends}" + (f":{text(step)}" if step != 1 else "")
    return f"{text(traces.args(node)[0])}[{', '.join([':'] * (int(dim) % rank) + [part])}]"


_SLICE = ((1, "dim", 0), (2, "start", None), (3, "end", None), (4, "step", 1))
