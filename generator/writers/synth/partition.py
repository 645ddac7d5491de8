"""Cut the graph into regions: each grows while its operators share one index space, the rest stays torch calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from torch import fx

from .lowering.region import Region, is_fusable, lower_region
from .rewrite import is_in_place
from .space import CannotFuse
from .traces import Traces, aten_name, is_getitem
from .views import is_view

FREE = "a view, free in torch"
UNKNOWN = "not an operator this writer fuses yet"


@dataclass(frozen=True)
class TorchCall:
    """A node left to torch, and why."""

    node: fx.Node
    reason: str


Step = Region | TorchCall


@dataclass(frozen=True)
class Partition:
    """Steps of the new forward in order; `seams` says why regions end where they do."""

    steps: tuple[Step, ...]
    seams: tuple[str, ...]


@dataclass
class _Group:
    """Nodes that become one region."""

    nodes: frozenset[fx.Node]


def partition(traces: Traces, refused: Mapping[str, str] | None = None) -> Partition:
    """`refused` names nodes that must stay with torch, with the reason."""
    return _Partitioner(traces, refused or {}).run()


@dataclass
class _Partitioner:
    traces: Traces
    refused: Mapping[str, str]
    groups: dict[fx.Node, _Group] = field(default_factory=dict)
    left: dict[fx.Node, str] = field(default_factory=dict)
    seams: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rank = {n: i for i, n in enumerate(self.traces.graph.nodes)}
        self.order = [n for n in self.rank if n.op == "call_function" and not is_noise(n)]

    def run(self) -> Partition:
        for node in self.order:
            if node in self.groups or node in self.left or self._travels(node):
                continue
            self._place(node)
        return Partition(_in_order(list(self._steps())), tuple(dict.fromkeys(self.seams)))

    def _travels(self, node: fx.Node) -> bool:
        """Views and constants belong to no region: each region that reads one takes its own along."""
        if node.name in self.refused:
            return False
        if is_getitem(node):
            return is_view(node)
        return is_fusable(node) and (is_view(node) or not node.all_input_nodes)

    def _place(self, node: fx.Node) -> None:
        """Put a node with all groups that feed it, with one, with one that reads the same, or by itself."""
        unit = {node, *(u for u in node.users if is_getitem(u))} if _is_several(node) else {node}
        if node.name in self.refused or not is_fusable(node):
            reason = self.refused.get(node.name, FREE if is_view(node) else UNKNOWN)
            self.left |= dict.fromkeys(unit, reason)
            return
        feeding = self._groups_of(self._origins(unit))
        alike = [g for g in self._groups_of(self._readers(unit)) if g not in feeding]
        attempts = [feeding] if len(feeding) > 1 else []
        attempts += [[g] for g in reversed(feeding)] + [[g] for g in reversed(alike)] + [[]]
        reason = ""
        for attempt in attempts:
            members = frozenset(unit).union(*(g.nodes for g in attempt))
            if not self._is_convex(members):
                continue
            try:
                self._lower(members)
            except CannotFuse as refusal:
                reason = reason if attempt in ([g] for g in alike) and reason else str(refusal)
                continue
            if feeding and attempt not in ([g] for g in feeding) and attempt != feeding:
                self.seams.append(f"{node.name}: {reason}")
            merged = _Group(members)
            self.groups |= dict.fromkeys(members, merged)
            return
        self.left |= dict.fromkeys(unit, reason)

    def _groups_of(self, nodes: Iterable[fx.Node]) -> list[_Group]:
        found = {id(g): g for n in nodes if (g := self.groups.get(n)) is not None}
        return list(found.values())

    def _origins(self, unit: Iterable[fx.Node]) -> Iterator[fx.Node]:
        """What a node reads, looking through the views that travel with it."""
        for node in unit:
            for source in node.all_input_nodes:
                if self._travels(source):
                    yield from self._origins([source])
                else:
                    yield source

    def _readers(self, unit: Iterable[fx.Node]) -> Iterator[fx.Node]:
        """Nodes that read the same tensors from outside."""
        for source in self._origins(unit):
            if source not in self.groups:
                yield from self._consumers(source)

    def _consumers(self, node: fx.Node) -> Iterator[fx.Node]:
        for user in node.users:
            if self._travels(user):
                yield from self._consumers(user)
            else:
                yield user

    def _lower(self, members: frozenset[fx.Node]) -> Region:
        outputs = [n for n in members if not _is_several(n) and self._escapes(n, members)]
        return lower_region(
            self.traces, self._with_views(members), sorted(outputs, key=self.rank.__getitem__)
        )

    def _with_views(self, members: frozenset[fx.Node]) -> list[fx.Node]:
        """The members and the views between them and the tensors they read, in graph order."""
        wanted = set(members)
        pending = list(members)
        while pending:
            for source in pending.pop().all_input_nodes:
                if source not in wanted and self._travels(source):
                    wanted.add(source)
                    pending.append(source)
        return sorted(wanted, key=self.rank.__getitem__)

    def _escapes(self, node: fx.Node, members: frozenset[fx.Node]) -> bool:
        """Whether anything outside needs the value of a member."""
        return any(
            self._escapes(user, members)
            if self._travels(user)
            else user not in members and not is_noise(user)
            for user in node.users
        )

    def _is_convex(self, members: frozenset[fx.Node]) -> bool:
        """No path may leave the set and come back: its kernel would need its own result."""
        last = max(self.rank[m] for m in members)
        seen: set[tuple[fx.Node, bool]] = set()
        pending = [(user, False) for m in members for user in m.users if user not in members]
        while pending:
            node, was_outside = pending.pop()
            outside = was_outside or not self._travels(node)
            if (node, outside) in seen or self.rank[node] > last:
                continue
            seen.add((node, outside))
            if outside and any(user in members for user in node.users):
                return False
            pending += [(user, outside) for user in node.users if user not in members]
        return True

    def _steps(self) -> Iterator[tuple[int, Step]]:
        """Regions, torch calls, and the free views that something outside a region reads; with their ranks."""
        needed: list[fx.Node] = list(self.traces.graph.output_node().all_input_nodes)
        done: set[int] = set()
        for node in self.order:
            group = self.groups.get(node)
            if node in self.left:
                yield self.rank[node], TorchCall(node, self.left[node])
                needed += node.all_input_nodes
            elif group is not None and id(group) not in done:
                done.add(id(group))
                region = self._lower(group.nodes)
                yield max(self.rank[m] for m in group.nodes), region
                needed += [source for _, source in region.buffers]
        yield from self._needed_views(needed)

    def _needed_views(self, needed: list[fx.Node]) -> Iterator[tuple[int, Step]]:
        done: set[fx.Node] = set()
        while needed:
            node = needed.pop()
            if node not in done and node not in self.groups and self._travels(node):
                done.add(node)
                yield self.rank[node], TorchCall(node, FREE)
                needed += node.all_input_nodes


def is_noise(node: fx.Node) -> bool:
    """Checks that export adds, and what nobody reads and nothing changes by."""
    if aten_name(node).startswith(("_assert", "sym_")):
        return True
    changes = is_in_place(node) or "batch_norm" in aten_name(node) or "instance_norm" in aten_name(node)
    return node.op == "call_function" and not node.users and not changes


def _is_several(node: fx.Node) -> bool:
    """Whether a node gives several tensors, of which its users take one each."""
    return isinstance(node.meta.get("val"), tuple | list)


def _in_order(steps: list[tuple[int, Step]]) -> tuple[Step, ...]:
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
