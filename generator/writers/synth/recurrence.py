"""Recurrences over time steps, each of which waits for the one before: what this writer leaves alone."""

from __future__ import annotations

from torch import fx

from .rewrite import op_name
from .space import CannotFuseError

LAYERS = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "rnn_tanh_cell",
                    "rnn_relu_cell"})  # fmt: skip
WHY = (
    "a recurrence: each of its steps waits for the one before, and torch's library keeps the weights on chip"
)

MOST_STEPS = 16
"""Products with the same weights, one behind the other, from which on a forward is an unrolled recurrence."""

_PRODUCTS = frozenset({"linear", "matmul", "mm", "addmm", "bmm", "conv1d", "conv2d"})


def refuse_recurrence(graph: fx.Graph) -> None:
    """Raises `CannotFuseError` for a loop over time that the trace has unrolled."""
    for parameter in graph.find_nodes(op="placeholder"):
        steps = sum(op_name(user) in _PRODUCTS for user in parameter.users)
        if steps > MOST_STEPS:
            raise CannotFuseError(
                f"forward multiplies by {parameter.name} {steps} times, step after step: an unrolled "
                "recurrence of as many small kernels, which is not for this writer"
            )
