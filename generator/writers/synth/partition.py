"""Cut the graph into regions: each grows while its operators share one index space, the rest stays torch calls."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field

from torch import fx

from .lowering.region import Region, is_fusable, lower_region
from .space import CannotFuse
from .traces import Traces, aten_name

VIEWS = frozenset(
    "view reshape _unsafe_view flatten unflatten squeeze unsqueeze permute transpose t numpy_T movedim expand "
    "expand_as broadcast_to slice select narrow chunk split split_with_sizes unbind alias detach".split()
)


@dataclass(frozen=True)
class TorchCall:
    """A node left to torch, and why."""

    node: fx.Node
    reason: str


@dataclass
class _Group:
    nodes: set[fx.Node] = field(default_factory=set)


@dataclass(frozen=True)
class Partition:
    """Steps of the new forward in order: fused regions and torch calls; `seams` says why regions end where they do."""

    steps: tuple[Region | TorchCall, ...]
    seams: tuple[str, ...]

    @property
    def regions(self) -> tuple[Region, ...]:
        return tuple(s for s in self.steps if isinstance(s, Region))


def is_view(node: fx.Node) -> bool:
    if node.target is operator.getitem:
        return isinstance(node.args[0], fx.Node) and is_view(node.args[0])
    return aten_name(node).split(".")[0] in VIEWS


def partition(traces: Traces) -> Partition:
    order = [n for n in traces.graph.nodes if n.op == "call_function" and not _is_noise(n)]
    rank = {n: i for i, n in enumerate(traces.graph.nodes)}
    groups: dict[fx.Node, _Group] = {}
    left: dict[fx.Node, str] = {}
    seams: list[str] = []
    for node in order:
        if node in left or _is_leading_view(node, groups):
            continue
        if not (is_fusable(node) or (node.target is operator.getitem and node.args[0] in groups)):
            left[node] = "not an operator this writer fuses yet"
            continue
        _place(traces, node, groups, left, seams, rank)
    steps = _schedule(traces, order, groups, left, rank)
    return Partition(steps, tuple(dict.fromkeys(seams)))


def _place(
    traces: Traces, node: fx.Node, groups: dict[fx.Node, _Group], left: dict[fx.Node, str], seams: list[str],
    rank: dict[fx.Node, int],
) -> None:  # fmt: skip
    """Put a node with the groups that feed it, with one of them, or in a group of its own."""
    feeding = list({id(g): g for p in _sources(node) if (g := groups.get(p))}.values())
    attempts = ([feeding] if len(feeding) > 1 else []) + [[g] for g in reversed(feeding)] + [[]]
    reason = ""
    for attempt in attempts:
        members = set().union(*(g.nodes for g in attempt), {node}) if attempt else {node}
        if not _is_convex(members, rank):
            continue
        try:
            _lower(traces, members, rank)
        except CannotFuse as refusal:
            reason = str(refusal)
            continue
        if reason:
            seams.append(f"{node.name}: {reason}")
        merged = _Group(members)
        for member in members:
            groups[member] = merged
        return
    left[node] = reason


def _lower(traces: Traces, members: set[fx.Node], rank: dict[fx.Node, int]) -> Region:
    nodes = _with_views(members, rank)
    return lower_region(traces, nodes, _outputs(members, rank))


def _with_views(members: set[fx.Node], rank: dict[fx.Node, int]) -> list[fx.Node]:
    """The members and the views between them and the tensors they read, in graph order."""
    wanted = set(members)

    def pull(node: fx.Node) -> None:
        for source in node.all_input_nodes:
            if source not in wanted and (is_view(source) or _is_constant(source)):
                wanted.add(source)
                pull(source)

    for member in members:
        pull(member)
    return sorted(wanted, key=rank.__getitem__)


def _outputs(members: set[fx.Node], rank: dict[fx.Node, int]) -> list[fx.Node]:
    """Members whose values are needed outside, views of them included where only those are."""
    found = []
    for node in sorted(members, key=rank.__getitem__):
        outside = [u for u in node.users if u not in members and not _is_noise(u)]
        if outside and isinstance(node.meta.get("val"), object) and not isinstance(node.meta["val"], tuple | list):
            found.append(node)
    return found


def _is_leading_view(node: fx.Node, groups: dict[fx.Node, _Group]) -> bool:
    """A view (or constant) that hangs on nothing fused: each region that needs it takes its own copy."""
    if _is_constant(node):
        return True
    return is_view(node) and not any(s in groups for s in _sources(node))


def _is_constant(node: fx.Node) -> bool:
    return aten_name(node).split(".")[0] in ("full", "zeros", "ones", "scalar_tensor", "zeros_like", "ones_like")


def _sources(node: fx.Node) -> Iterable[fx.Node]:
    return node.all_input_nodes


def _is_noise(node: fx.Node) -> bool:
    return aten_name(node).startswith(("_assert", "sym_")) or (node.op == "call_function" and not node.users and not _mutates(node))


def _mutates(node: fx.Node) -> bool:
    name = aten_name(node).split(".")[0]
    return name.endswith("_") or "batch_norm" in name


def _is_convex(members: set[fx.Node], rank: dict[fx.Node, int]) -> bool:
    """No path may leave the set and come back: its kernel would need its own result."""
    last = max(rank[m] for m in members)
    tainted: set[fx.Node] = set()
    frontier = [u for m in members for u in m.users if u not in members]
    while frontier:
        node = frontier.pop()
        if node in tainted or rank[node] > last:
            continue
        tainted.add(node)
        for user in node.users:
            if user in members:
                return False
            frontier.append(user)
    return True


def _schedule(
    traces: Traces, order: list[fx.Node], groups: dict[fx.Node, _Group], left: dict[fx.Node, str],
    rank: dict[fx.Node, int],
) -> tuple[Region | TorchCall, ...]:  # fmt: skip
    """Topological order of regions, torch calls and the free views that torch calls or outputs need."""
    steps: list[tuple[int, Region | TorchCall]] = []
    done: set[int] = set()
    for node in order:
        group = groups.get(node)
        if group is None:
            if node in left or _needed_by_torch(node, groups, left):
                steps.append((rank[node], TorchCall(node, left.get(node, "a view, free in torch"))))
            continue
        if id(group) in done:
            continue
        done.add(id(group))
        region = _lower(traces, group.nodes, rank)
        steps.append((max(rank[m] for m in group.nodes), region))
    return _in_order(steps)


def _needed_by_torch(node: fx.Node, groups: dict[fx.Node, _Group], left: dict[fx.Node, str]) -> bool:
    return any(
        user.op == "output" or user in left or (user not in groups and _needed_by_torch(user, groups, left))
        for user in node.users
    )


def _in_order(steps: list[tuple[int, Region | TorchCall]]) -> tuple[Region | TorchCall, ...]:
    """Repeatedly take the first step whose inputs are ready."""
    makes: dict[fx.Node, int] = {}
    for i, (_, step) in enumerate(steps):
        for node in _made(step):
            makes[node] = i
    ordered: list[Region | TorchCall] = []
    placed: set[int] = set()

    def place(i: int) -> None:
        if i in placed:
            return
        placed.add(i)
        for source in _read(steps[i][1]):
            if source in makes and makes[source] != i:
                place(makes[source])
        ordered.append(steps[i][1])

    for i in sorted(range(len(steps)), key=lambda i: steps[i][0]):
        place(i)
    return tuple(ordered)


def _made(step: Region | TorchCall) -> list[fx.Node]:
    if isinstance(step, TorchCall):
        return [step.node]
    return [s.node for s in step.stores if s.into is None]


def _read(step: Region | TorchCall) -> list[fx.Node]:
    if isinstance(step, TorchCall):
        return list(step.node.all_input_nodes)
    return [node for _, node in step.buffers]
