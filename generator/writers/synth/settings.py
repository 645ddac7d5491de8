"""What a model carries besides its tensors: sizes, settings and the mode that its graph was traced in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import fx, nn

from ....profiling.build import build
from ....profiling.fakes import fakes
from ....profiling.trace import TracedOp
from .extent import Extent
from .rewrite import op_name
from .traces import Traces

_BY_MODE = frozenset({"batch_norm", "instance_norm", "dropout", "feature_dropout", "alpha_dropout", "rrelu",
                      "feature_alpha_dropout"})  # fmt: skip
"""Operators that do one thing in training and another in evaluation."""


def model_of(traced: TracedOp) -> nn.Module:
    with fakes():
        model, _ = build(traced.op.module(), traced.op.path, seed=0)
    if traced.mode != "as-is":
        model.train(traced.mode == "train")
    return model


def integers(models: Sequence[nn.Module]) -> dict[str, Extent]:
    """Integers that the model and its parts carry (`norm.num_groups`), at every traced shape."""
    found = [_integers_of(m) for m in models]
    shared = [path for path in found[0] if all(path in f for f in found)]
    return {path: Extent(tuple(f[path] for f in found)) for path in shared}


def built_in_settings(models: Sequence[nn.Module], traces: Traces) -> dict[str, Any]:
    """Settings of the model that no shape set changes, `norm.eps` say: kernels hold them as constants.

    An integer as large as a dimension is a size, and sizes are read from the tensors.
    """
    found = [_settings(m) for m in models]
    fixed = {path: v for path, v in found[0].items() if all(path in f and f[path] == v for f in found)}
    sizes = {
        e.full for n in traces.graph.nodes if _is_tensor(n) for e in traces.shape(n) if e.full > MOST_SETTING
    }
    return {path: v for path, v in fixed.items() if not sizes & set(_integers_in(v))}


def _is_tensor(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


def _settings(model: nn.Module) -> dict[str, Any]:
    return {
        f"{prefix}.{name}".lstrip("."): value
        for prefix, module in model.named_modules()
        for name, value in vars(module).items()
        if _is_setting(value) and name not in _FREE_SETTINGS and not name.startswith("_")
    }


def _is_setting(value: Any) -> bool:
    """A number, a word, or integers side by side, as the stride of a convolution is."""
    if isinstance(value, tuple):
        return bool(value) and all(type(v) is int for v in value)
    return isinstance(value, int | str) or (isinstance(value, float) and math.isfinite(value))


def _integers_in(value: Any) -> list[int]:
    return [v for v in (value if isinstance(value, tuple) else (value,)) if type(v) is int]


_FREE_SETTINGS = frozenset({"training", "inplace"})
MOST_SETTING = 8
"""A dimension no longer than this may equal a setting, such as `dim=1`, by chance."""


def _integers_of(model: nn.Module) -> dict[str, int]:
    return {
        f"{prefix}.{name}".lstrip("."): value
        for prefix, module in model.named_modules()
        for name, value in vars(module).items()
        if _is_size(value) and not name.startswith("_")
    }


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def mode_of(traces: Traces, model: nn.Module) -> str:
    """The mode that decided what the graph holds, before anything of it was rewritten; "" where no operator
    asks for it."""
    flags = {flag for node in traces.program.graph.nodes if (flag := _flag(node)) is not None}
    if model.training not in flags:
        return ""
    return "training" if model.training else "evaluation"


def _flag(node: fx.Node) -> bool | None:
    """The mode that an operator was called in, where it matters to it."""
    if op_name(node) not in _BY_MODE or (op_name(node).endswith("norm") and node.args[3] is None):
        return None
    if op_name(node).endswith("dropout") and node.args[1] == 0:
        return None  # nothing is dropped in either mode
    return next((a for a in node.args if isinstance(a, bool)), None)
