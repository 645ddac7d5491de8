"""Notices when candidate code has replaced functions that the judge or torch itself relies on."""

from __future__ import annotations

import time

import torch
from torch import nn

_GUARDED: tuple[tuple[object, str], ...] = (
    (nn.Module, "__call__"),
    (nn.Module, "_call_impl"),
    (nn.Module, "state_dict"),
    (nn.Module, "load_state_dict"),
    (torch, "allclose"),
    (torch, "equal"),
    (torch, "empty"),
    (torch, "empty_like"),
    (torch, "save"),
    (torch.testing, "assert_close"),
    (torch.Tensor, "clone"),
    (torch.Tensor, "copy_"),
    (torch.Tensor, "equal"),
    (torch.Tensor, "fill_"),
    (torch.Tensor, "data_ptr"),
    (torch.cuda, "synchronize"),
    (torch.cuda, "Event"),
    (time, "perf_counter"),
    (time, "monotonic"),
    (time, "time"),
)


def _name(owner: object, attribute: str) -> str:
    return f"{getattr(owner, '__module__', '') or ''}.{getattr(owner, '__name__', owner)}.{attribute}".lstrip(
        "."
    )


def snapshot() -> dict[str, object]:
    return {_name(owner, attribute): getattr(owner, attribute) for owner, attribute in _GUARDED}


def changed_since(before: dict[str, object]) -> list[str]:
    """Names whose object is no longer the one in `before`."""
    return [name for name, now in snapshot().items() if now is not before[name]]
