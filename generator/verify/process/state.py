"""Holds a live model's state_dict to what the reference's has, and fills it in place."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

from .lasting import mark, passing


class WrongStateError(Exception):
    """ModelNew's state_dict cannot take the reference's weights."""


def check_state(model: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    """Raise WrongStateError unless the model holds what `state` does, in buffers of any kind."""
    mark(model, state.keys() & passing(model), True)
    own = model.state_dict()
    missing, extra = sorted(state.keys() - own.keys()), sorted(own.keys() - state.keys())
    if missing or extra:
        parts = [f"it lacks {', '.join(missing)}"] * bool(missing) + [f"it adds {', '.join(extra)}"] * bool(
            extra
        )
        raise WrongStateError(f"ModelNew's state_dict must have the reference's names; {' and '.join(parts)}")
    for name, value in state.items():
        if own[name].shape != value.shape or own[name].dtype != value.dtype:
            raise WrongStateError(
                f"{name} is {own[name].dtype} {tuple(own[name].shape)} in ModelNew and "
                f"{value.dtype} {tuple(value.shape)} in the reference"
            )


def fill(model: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    """Raises WrongStateError where calls have added to what the model holds, or changed its shapes."""
    check_state(model, state)
    with torch.no_grad():
        for name, value in model.state_dict().items():
            value.copy_(state[name])
