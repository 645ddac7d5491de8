"""A batch norm in evaluation mode as one scale and one shift a channel, which take the bias before it in.

Equal in exact arithmetic for all statistics and weights, which are read at every call. torch's own kernels
compute it so.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from ..losses import argument, call_on_fakes
from .marks import Rewrite
from .nodes import is_alone, name, put

aten = torch.ops.aten

REWRITE = Rewrite(
    "fold-norm-eval", "a batch norm as one scale and one shift a channel",
    "its statistics are no results of this call, and the bias before it is a part of its shift",
)  # fmt: skip

_BIASED = frozenset({
    "linear.default", "conv1d.default", "conv2d.default", "conv3d.default", "conv_transpose1d.default",
    "conv_transpose2d.input", "conv_transpose3d.input",
})  # fmt: skip
_BIAS = 2
"""Where all of these take it."""


def apply(graph: fx.Graph) -> None:
    """In place: (x + c - mean) / sqrt(var + eps) * weight + bias becomes x * scale + shift."""
    for node in list(graph.nodes):
        if name(node) == "batch_norm.default" and _is_ours(node):
            _rewrite(graph, node)


def _is_ours(node: fx.Node) -> bool:
    """Evaluation in single precision: short floats would be rounded in between."""
    read = [argument(node, key) for key in ("input", "weight", "bias", "running_mean", "running_var")]
    if argument(node, "training") or any(buffer is None for buffer in read[-2:]):
        return False
    return all(one is None or one.meta["val"].dtype is torch.float32 for one in read)


def _rewrite(graph: fx.Graph, node: fx.Node) -> None:
    x, weight, bias, mean, var = (
        argument(node, key) for key in ("input", "weight", "bias", "running_mean", "running_var")
    )
    constant = _bias_of(x)
    with graph.inserting_before(node):
        settled = call_on_fakes(graph, "settled", aten.add.Tensor, [var, argument(node, "eps")])
        scale = call_on_fakes(graph, "scale", aten.rsqrt.default, [settled])
        if weight is not None:
            scale = call_on_fakes(graph, "scale", aten.mul.Tensor, [scale, weight])
        away = mean if constant is None else call_on_fakes(graph, "away", aten.sub.Tensor, [mean, constant])
        shift = call_on_fakes(graph, "shift", aten.mul.Tensor, [away, scale])
        if bias is None:
            shift = call_on_fakes(graph, "shift", aten.neg.default, [shift])
        else:
            shift = call_on_fakes(graph, "shift", aten.sub.Tensor, [bias, shift])
        for _ in range(x.meta["val"].dim() - 2):
            scale = call_on_fakes(graph, "scale", aten.unsqueeze.default, [scale, -1])
            shift = call_on_fakes(graph, "shift", aten.unsqueeze.default, [shift, -1])
        if constant is not None:
            x = _without_bias(graph, x)
        scaled = call_on_fakes(graph, "scaled", aten.mul.Tensor, [x, scale])
        found = call_on_fakes(graph, "normed", aten.add.Tensor, [scaled, shift])
    put(graph, found, node, REWRITE)


def _bias_of(x: fx.Node) -> fx.Node | None:
    """The bias of the product that x is, where nobody else reads x and channels are what it is along."""
    if name(x) not in _BIASED or not is_alone(x):
        return None
    if name(x) == "linear.default" and x.meta["val"].dim() != 2:
        return None
    found: Any = argument(x, "bias")
    return found if isinstance(found, fx.Node) and found.meta["val"].dtype is torch.float32 else None


def _without_bias(graph: fx.Graph, product: fx.Node) -> fx.Node:
    behind = [None, *product.args[_BIAS + 1 :]] if product.args[_BIAS + 1 :] else []
    target: Any = product.target
    plain = call_on_fakes(graph, "product", target, [*product.args[:_BIAS], *behind])
    put(graph, plain, product, REWRITE)
    return plain
