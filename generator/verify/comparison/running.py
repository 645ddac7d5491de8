"""Judges the running mean of a batch norm beside its running variance, by whose root it is divided."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from ..reference.budget import FLOORS

_MEAN, _VARIANCE = "running_mean", "running_var"


def is_settled(name: str, found: torch.Tensor, right: Mapping[str, torch.Tensor]) -> bool:
    """Whether a running mean is off by less than float32's floor of the deviation beside it, channel by
    channel. What is averaged may be zero on average, as behind another norm: then the mean is nothing but
    rounding, by which a kernel is more wrong than eager by any factor and no reader can tell.

    `right` are the buffers that the reference leaves, by name.
    """
    variance = right.get(name.removesuffix(_MEAN) + _VARIANCE) if name.endswith(_MEAN) else None
    if variance is None or found.shape != right[name].shape or found.shape != variance.shape:
        return False
    off = (found.double() - right[name].double()).abs()
    return bool((off <= FLOORS["fp32"] * variance.double().sqrt()).all())
