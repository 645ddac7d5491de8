"""What a rewrite of the graph is called, and the mark that it leaves on the nodes it makes."""

from __future__ import annotations

from dataclasses import dataclass

from torch import fx


@dataclass(frozen=True)
class Run:
    """A view cuts a dimension into runs, along `dim` of its result: the largest power of two that divides it,
    `most` at most."""

    dim: int
    most: int


_RUN = "run"
_MARK = "algebra"
"""Key of a node's meta under which the rewrites that made it stand."""


@dataclass(frozen=True)
class Rewrite:
    """The technique whose card argues for it, what was decided, and why it changes no result."""

    technique: str
    decision: str
    why: str


def mark(node: fx.Node, rewrite: Rewrite) -> None:
    node.meta[_MARK] = (*node.meta.get(_MARK, ()), rewrite)


def mark_run(node: fx.Node, run: Run) -> None:
    node.meta[_RUN] = run


def run_of(node: fx.Node) -> Run | None:
    found = node.meta.get(_RUN)
    return found if isinstance(found, Run) else None


def applied(graph: fx.Graph) -> tuple[Rewrite, ...]:
    """What was rewritten before the graph was cut, each once."""
    return tuple(dict.fromkeys(r for node in graph.nodes for r in node.meta.get(_MARK, ())))
