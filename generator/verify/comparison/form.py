"""What a call returned, before its values: structure, shapes, types."""

from __future__ import annotations

import re
from collections.abc import Sequence

import torch

from ..process.exchange import StepReport
from ..reference.oracle import Ran
from ..verdict import Cause

_NODE, _NAMED = re.compile(r"TreeSpec\((\w+)"), frozenset(dir(torch.return_types))


def wrong_form(report: StepReport, outputs: Sequence[torch.Tensor], right: Ran) -> tuple[Cause, str] | None:
    """The first thing in which `outputs` are not what the reference returns, and in words how."""
    if report.odd_outputs:
        return "wrong-structure", f"it returns a {report.odd_outputs[0]}, not a plain tensor"
    if _plain(report.tree) != _plain(right.tree) or len(outputs) != len(right.outputs):
        own, wanted = _structure(report.tree, len(outputs)), _structure(right.tree, len(right.outputs))
        return "wrong-structure", f"it returns {own}, the reference {wanted}"
    for place, (found, asked) in enumerate(zip(outputs, right.outputs, strict=True)):
        if found.shape != asked.shape:
            return "wrong-shape", f"output {place} is {list(found.shape)}, should be {list(asked.shape)}"
        if found.dtype != asked.dtype:
            return "wrong-dtype", f"output {place} is {found.dtype}, should be {asked.dtype}"
    return None


def broadcast(outputs: Sequence[torch.Tensor], right: Ran) -> bool:
    """Whether an output is smaller than the reference's along axes on which it has a single element."""
    pairs = [(one.shape, asked.shape) for one, asked in zip(outputs, right.outputs, strict=False)]
    return any(
        found != asked
        and len(found) == len(asked)
        and all(one in (1, other) for one, other in zip(found, asked, strict=True))
        for found, asked in pairs
    )


def _plain(tree: str) -> str:
    """torch's named tuples (`values` and `indices`, say) are unpacked, indexed and compared as plain ones."""
    return _NODE.sub(lambda found: "TreeSpec(tuple" if found[1] in _NAMED else found[0], tree)


def _structure(tree: str, count: int) -> str:
    """`TreeSpec(tuple, None, [*, *])` in words."""
    kind = tree.removeprefix("TreeSpec(").split(",")[0].rstrip(")")
    return "one tensor" if kind == "*" else f"a {kind} of {count}"
