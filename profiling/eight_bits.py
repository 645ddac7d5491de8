"""Names the matrix units that products of 8-bit factors run on, by the operators that ask for them."""

from __future__ import annotations

from .kinds import kind_of, name_of
from .trace import TracedOp

_UNITS = {"_scaled_mm": "tensor_fp8", "_int_mm": "tensor_int8"}


def eight_bit_units(traced: TracedOp) -> frozenset[str]:
    """Their keys in `peak_tflops`; empty where no product of the graph has factors of 8 bits."""
    calls = (node for node in traced.program.graph.nodes if node.op == "call_function")
    return frozenset(unit for node in calls if (unit := _UNITS.get(name_of(node.target))))


def all_in_eight_bits(traced: TracedOp) -> bool:
    """Whether every matrix product of the graph, and there is one, has factors of 8 bits."""
    calls = (node for node in traced.program.graph.nodes if node.op == "call_function")
    names = {name_of(node.target) for node in calls if kind_of(node.target) == "matmul"}
    return bool(names) and names <= _UNITS.keys()
