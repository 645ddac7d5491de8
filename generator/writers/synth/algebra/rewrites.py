"""Algebra on the traced graph, rewrite by rewrite: fewer operations for the same result.

Each is equal in exact arithmetic for every input and every weight; weights are read when forward is called,
so nothing that was worked out before can go stale.
"""

from __future__ import annotations

from torch import fx

from . import batch_norms, dead, identities, pools, scalars, single_elements, stages, sums

REWRITES = (scalars, identities, single_elements, pools, batch_norms, sums)
"""In this order: numbers that cancel and what changes nothing first, so that they do not stand between what
belongs together."""


def apply_algebra(graph: fx.Graph, full: stages.Sizes) -> None:
    """In place, node by node; `full` are the shapes of the operator's full size, by names of nodes."""
    for rewrite in REWRITES:
        rewrite.apply(graph)
    stages.apply(graph, full)
    dead.apply(graph)
