"""Makes buffers that no state_dict holds part of it, where calls leave something in them: a cache, a peak."""

from __future__ import annotations

from collections.abc import Container

from torch import nn


def passing(model: nn.Module) -> set[str]:
    """Paths of the buffers that the state_dict leaves out."""
    return {path for path, _ in model.named_buffers()} - model.state_dict().keys()


def mark(model: nn.Module, paths: Container[str], lasting: bool) -> None:
    """Put buffers into the state_dict, or leave them out of it."""
    for prefix, module in model.named_modules():
        for name, buffer in list(module.named_buffers(recurse=False)):
            if (f"{prefix}.{name}" if prefix else name) in paths:
                module.register_buffer(name, buffer, persistent=lasting)
