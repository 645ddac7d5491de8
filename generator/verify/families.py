"""Draws inputs and weights that an op file's generator never shows: other signs, scales, ties, tails."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase

from ...profiling.build import Input

Draw = Callable[[torch.Tensor, torch.Generator], torch.Tensor]


def _normal(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(values.shape, generator=generator)


def _heavy_tailed(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Symmetric Pareto with index 1.5: infinite variance, and values whose exponential overflows float32."""
    uniform = torch.rand(values.shape, generator=generator).clamp_min(1e-6)
    return (uniform ** (-1 / 1.5) - 1) * _normal(values, generator).sign()


def _signed_zeros(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Zeros of both signs, with one value in sixteen left alive so that reductions have something to find."""
    drawn = _normal(values, generator)
    alive = torch.rand(values.shape, generator=generator) < 1 / 16
    return torch.where(alive, drawn, torch.copysign(torch.zeros(()), drawn))


def _equal_rows(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Every element of a row is the same: no variance along it, and every maximum is tied."""
    if values.ndim == 0:
        return _normal(values, generator)
    return torch.randn(*values.shape[:-1], 1, generator=generator).expand(values.shape)


FAMILIES: Mapping[str, Draw] = {
    "as shipped": lambda values, generator: values,
    "normal": _normal,
    "shifted normal": lambda values, generator: 3 + 2 * _normal(values, generator),
    "scaled up": lambda values, generator: values.float() * 8,
    "scaled down": lambda values, generator: values.float() / 8,
    "heavy tailed": _heavy_tailed,
    "signed zeros": _signed_zeros,
    "constant": lambda values, generator: torch.full(values.shape, 0.75),
    "equal rows": _equal_rows,
}


def draw_inputs(family: str, shipped: list[Input], generator: torch.Generator) -> list[Input]:
    """Floating inputs from `family`, in their own dtype; integers, booleans and numbers stay as shipped."""
    return [
        FAMILIES[family](value, generator).to(value.dtype).contiguous()
        if isinstance(value, torch.Tensor) and value.is_floating_point()
        else value
        for value in shipped
    ]


def draw_weights(model: nn.Module, generator: torch.Generator) -> dict[str, torch.Tensor]:
    """A state_dict like the model's with every parameter moved, norm scales and biases included.

    Of the buffers only running statistics move: another buffer may be a table that the constructor computed.
    """
    statistics = {
        f"{prefix}{'.' if prefix else ''}{name}"
        for prefix, module in model.named_modules()
        if isinstance(module, _NormBase)
        for name in ("running_mean", "running_var")
    }
    movable = {name for name, _ in model.named_parameters()} | statistics
    return {
        name: _moved(value, generator) if name in movable and value.is_floating_point() else value.clone()
        for name, value in model.state_dict().items()
    }


def _moved(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Scaled by 0.5 to 1.5 element by element, shifted by a tenth of its size; all-positive stays so."""
    exact = value.detach().float()
    size = exact.square().mean().sqrt().clamp_min(0.1) if exact.numel() else exact.sum()
    scaled = exact * (0.5 + torch.rand(exact.shape, generator=generator))
    shift = 0.1 * size * torch.randn(exact.shape, generator=generator)
    positive = bool((exact > 0).all())
    return (scaled + (shift.abs() if positive else shift)).to(value.dtype)
