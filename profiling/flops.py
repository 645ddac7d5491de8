"""Counts the arithmetic of a traced graph: one flop per element and instruction, a multiply-add is two.

exp, log, tanh, erf, sqrt and a division count one each, as does a comparison; moves and casts count
nothing. Composites cost what their textbook form does (softmax: max, subtract, exp, sum, divide = 5).
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Node

from .kinds import kind_of, name_of

_PER_ELEMENT: dict[str, float] = {
    # pointwise, per output element
    "sigmoid": 3, "silu": 4, "gelu": 8, "softplus": 3, "mish": 7, "elu": 4, "selu": 5, "celu": 5,
    "hardswish": 5, "hardsigmoid": 4, "hardtanh": 2, "clamp": 2, "softsign": 3, "leaky_relu": 2, "prelu": 2,
    "log_sigmoid": 4, "glu": 4, "tanhshrink": 2, "addcmul": 3, "addcdiv": 3, "lerp": 3, "logit": 3,
    # reductions, softmax, normalisation and losses, per input element
    "softmax": 5, "log_softmax": 5, "logsumexp": 4, "var": 4, "std": 4, "var_mean": 4, "std_mean": 4,
    "norm": 2, "linalg_vector_norm": 2, "linalg_norm": 2, "frobenius_norm": 2,
    "layer_norm": 8, "native_layer_norm": 8, "group_norm": 8, "native_group_norm": 8, "batch_norm": 8,
    "native_batch_norm": 8, "instance_norm": 8, "rms_norm": 4,
    "cross_entropy_loss": 6, "mse_loss": 3, "l1_loss": 3, "huber_loss": 6, "smooth_l1_loss": 6, "kl_div": 4,
    "binary_cross_entropy": 8, "triplet_margin_loss": 8, "cosine_similarity": 6,
    # one draw, one compare, one multiply
    "dropout": 2,
}  # fmt: skip

_FREE = frozenset(("move", "create", "gather"))


def node_flops(node: Node) -> int:
    """Flops of one call, from the shapes of its arguments and results."""
    kind, name = kind_of(node.target), name_of(node.target)
    if kind in _FREE or not _shapes(node):
        return 0
    if kind in _FORMULAS:
        return _FORMULAS[kind](node)
    over_inputs = kind in ("reduction", "softmax", "norm", "loss", "scan", "sort")
    elements = max(map(math.prod, _argument_shapes(node) if over_inputs else _shapes(node)), default=0)
    return int(_PER_ELEMENT.get(name, 1) * elements)


def _matmul(node: Node) -> int:
    """2 x output elements x contracted length, and what is added, or scaled, behind."""
    if name_of(node.target) == "einsum":
        return _einsum(node)
    shapes = _argument_shapes(node)
    left = shapes[1] if name_of(node.target) in ("addmm", "baddbmm", "addbmm", "addmv") else shapes[0]
    added = len(shapes) - 2 if name_of(node.target) == "_scaled_mm" else 1 if len(shapes) > 2 else 0
    return (2 * (left[-1] if left else 1) + added) * math.prod(_shapes(node)[0])


def _einsum(node: Node) -> int:
    """2 x the product of the sizes of all indices, for two operands; chained for more."""
    equation = str(node.args[0]).replace(" ", "").split("->")[0]
    sizes: dict[str, int] = {}
    for letters, shape in zip(equation.split(","), _argument_shapes(node), strict=False):
        for letter, size in zip(reversed(letters), reversed(shape), strict=False):
            sizes[letter] = max(size, sizes.get(letter, 1))
    return 2 * math.prod(sizes.values()) * max(1, equation.count(","))


def _convolution(node: Node) -> int:
    """2 x elements of the denser side x weights that meet each of them."""
    inputs, weight = _argument_shapes(node)[:2]
    transposed = "transpose" in name_of(node.target) or (len(node.args) > 6 and node.args[6] is True)
    return 2 * math.prod(inputs if transposed else _shapes(node)[0]) * math.prod(weight[1:])


def _attention(node: Node) -> int:
    """Two products and a softmax over queries x keys."""
    query, key, value = _argument_shapes(node)[:3]
    scores = math.prod(query[:-1]) * key[-2]
    return scores * (2 * query[-1] + 2 * value[-1] + 5)


def _pooling(node: Node) -> int:
    """Each output looks at its window; an adaptive window is input / output."""
    before, after = _argument_shapes(node)[0], _shapes(node)[0]
    if "adaptive" in name_of(node.target):
        return math.prod(before)
    kernel: Any = node.args[1]
    lengths = list(kernel) if isinstance(kernel, list | tuple) else [kernel]
    dimensions = int(name_of(node.target).split("pool")[1][0])
    window: int = math.prod(lengths) if len(lengths) == dimensions else lengths[0] ** dimensions
    return math.prod(after) * window


def _recurrent(node: Node) -> int:
    """2 x weights x time steps x batch: every step multiplies all weight matrices of its layer."""
    shapes = _argument_shapes(node)
    weights = sum(math.prod(shape) for shape in shapes[1:] if len(shape) == 2)
    return 2 * weights * math.prod(shapes[0][:-1])


_FORMULAS: dict[str, Callable[[Node], int]] = {
    "matmul": _matmul,
    "conv": _convolution,
    "attention": _attention,
    "pooling": _pooling,
    "rnn": _recurrent,
}


def _shapes(node: Node) -> list[tuple[int, ...]]:
    value = node.meta.get("val")
    leaves = value if isinstance(value, list | tuple) else [value]
    return [tuple(map(int, leaf.shape)) for leaf in leaves if isinstance(leaf, torch.Tensor)]


def _argument_shapes(node: Node) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []

    def visit(argument: Any) -> None:
        if isinstance(argument, Node):
            found.extend(_shapes(argument))
        elif isinstance(argument, list | tuple):
            for part in argument:
                visit(part)

    visit([*node.args, *node.kwargs.values()])
    return found
