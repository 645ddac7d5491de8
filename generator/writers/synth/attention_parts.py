"""Rewrite attention in fp32 as its parts: two products and a softmax, each of which has a good kernel."""

from __future__ import annotations

import math

import torch
from torch import fx

from .losses import argument, call_on_fakes

aten = torch.ops.aten


def spread_attention(graph: fx.Graph) -> None:
    """In place: softmax(scale x query key^T) value as four nodes, where no mask makes empty rows."""
    for node in list(graph.nodes):
        if node.target is aten.scaled_dot_product_attention.default and _is_plain(node):
            _spread(graph, node)


def _is_plain(node: fx.Node) -> bool:
    """Without mask, dropout or shared heads, and in fp32, whose products hold what they sum in registers."""
    extras = ("attn_mask", "dropout_p", "is_causal", "enable_gqa")
    operands = [argument(node, name) for name in ("query", "key", "value")]
    single = all(x.meta["val"].dtype is torch.float32 for x in operands)
    return single and not any(argument(node, name) for name in extras)


def _spread(graph: fx.Graph, node: fx.Node) -> None:
    query, key, value = (argument(node, name) for name in ("query", "key", "value"))
    given = argument(node, "scale")
    scale = 1 / math.sqrt(query.meta["val"].shape[-1]) if given is None else given
    with graph.inserting_before(node):
        turned = call_on_fakes(graph, "keys", aten.transpose.int, [key, -2, -1])
        scores = call_on_fakes(graph, "scores", aten.matmul.default, [query, turned])
        scaled = call_on_fakes(graph, "scaled", aten.mul.Tensor, [scores, scale])
        weights = call_on_fakes(graph, "weights", aten.softmax.int, [scaled, -1])
        found = call_on_fakes(graph, "attended", aten.matmul.default, [weights, value])
    found.meta = {**node.meta, "val": found.meta["val"]}
    node.replace_all_uses_with(found)
    graph.erase_node(node)
