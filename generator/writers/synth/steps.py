"""Steps of the new forward: regions and torch calls, each behind what it reads."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import fx

from .lowering.region import Region
from .rewrite import op_name
from .views import is_view

FREE = "a view, free in torch"
COPIED = "a copy into another order, which no index space of the kernel that reads it holds"
MADE = "made of constants alone"

RESHAPES = frozenset({"view", "_unsafe_view", "reshape", "flatten", "unflatten", "ravel"})
"""Views that keep the order of elements, so that their result can be read as a packed tensor."""


@dataclass(frozen=True)
class TorchCall:
    """A node left to torch, and why."""

    node: fx.Node
    reason: str


Step = Region | TorchCall


def why_needed(node: fx.Node) -> str:
    """Why torch makes what regions read and no region computes: a view or a constant."""
    if not is_view(node):
        return MADE
    return COPIED if op_name(node) in RESHAPES and not _stays_in_place(node) else FREE


def _stays_in_place(node: fx.Node) -> bool:
    """Whether a reshape leaves its elements where they are."""
    source = node.all_input_nodes[0].meta["val"]
    lies = torch.empty_strided(source.shape, source.stride(), device="meta")
    try:
        lies.view(node.meta["val"].shape)
    except RuntimeError:
        return False
    return True


def in_order(steps: list[tuple[int, Step]]) -> tuple[Step, ...]:
    """Repeatedly take the first step whose inputs are ready."""
    steps = sorted(steps, key=lambda step: step[0])
    makes = {node: i for i, (_, step) in enumerate(steps) for node in _made(step)}
    ordered: list[Step] = []
    placed: set[int] = set()

    def place(i: int) -> None:
        if i in placed:
            return
        placed.add(i)
        for source in _read(steps[i][1]):
            if makes.get(source, i) != i:
                place(makes[source])
        ordered.append(steps[i][1])

    for i in range(len(steps)):
        place(i)
    return tuple(ordered)


def _made(step: Step) -> list[fx.Node]:
    if isinstance(step, TorchCall):
        return [step.node]
    return [s.node for s in step.stores if s.into is None]


def _read(step: Step) -> list[fx.Node]:
    if isinstance(step, TorchCall):
        return list(step.node.all_input_nodes)
    return [node for _, node in step.buffers]
