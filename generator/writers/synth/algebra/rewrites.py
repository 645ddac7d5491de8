"""Algebra on the traced graph, rewrite by rewrite: fewer operations for the same result.

Each is equal in exact arithmetic for every input and every weight; weights are read when forward is called,
so nothing that was worked out before can go stale.
"""

from __future__ import annotations

from torch import fx

from . import dead, identities, pools, single_elements, stages, sums

REWRITES = (identities, single_elements, pools, sums)
"""In this order: what changes nothing first, so that it does not stand between what belongs together."""


def apply_algebra(graph: fx.Graph, full: stages.Sizes) -> None:
    """In place, node by node; `full` are the shapes of the operator's full size, by names of nodes."""
    for rewrite in REWRITES:
        rewrite.apply(graph)
    stages.apply(graph, full)
    dead.apply(graph)
