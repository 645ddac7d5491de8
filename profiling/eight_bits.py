"""Names the matrix units that products of 8-bit factors run on, by the operators that ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .trace import TracedOp

_UNITS = {"_scaled_mm": "tensor_fp8", "_int_mm": "tensor_int8"}


def eight_bit_units(traced: TracedOp) -> frozenset[str]:
    """Their keys in `peak_tflops`; empty where no product of the graph has factors of 8 bits."""
    return frozenset(_UNITS[name] for name in _products(traced) & _UNITS.keys())


def all_in_eight_bits(traced: TracedOp) -> bool:
    """Whether every matrix product of the graph, and there is one, has factors of 8 bits."""
    names = _products(traced)
    return bool(names) and names <= _UNITS.keys()


def _products(traced: TracedOp) -> frozenset[str]:
    """The operators of the graph that multiply matrices."""
    if "matmul" not in traced.op_kinds:
        return frozenset()
    from .kinds import kind_of, name_of  # torch, which who has a trace has loaded

    calls = (node for node in traced.program.graph.nodes if node.op == "call_function")
    return frozenset(name_of(node.target) for node in calls if kind_of(node.target) == "matmul")
