"""What a call is judged by: the op at one set of sizes, and one call of it with what the parent needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from ...profiling.build import Input
from ...profiling.op import Op
from .exchange import Step
from .oracle import Reference


@dataclass(frozen=True)
class Setting:
    """The op at one set of sizes."""

    name: str
    op: Op
    reference: Reference
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    shipped: list[Input]
    other_draw: list[Input]
    state: dict[str, torch.Tensor]
    seed: int
    moving: frozenset[str] = frozenset()
    """Buffers that the reference itself changes, or takes any bytes for, so that they may hold anything."""
    redrawn: Mapping[str, torch.Tensor] = field(default_factory=dict)
    """Buffers that the constructor draws at random, as it draws them another time."""


@dataclass(frozen=True)
class Case:
    """One call with what the parent needs to judge it; `inputs` lie in memory as the candidate's will.

    `other_inputs` are another draw of the same family, which the right output must not be mistaken for.
    """

    name: str
    setting: Setting
    family: str
    step: Step
    inputs: list[Input]
    other_inputs: list[Input]
