"""Cut the graph into regions: each grows while its operators share one index space; the rest stays torch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from torch import fx

from .lowering.region import Region, is_fusable, lower_region
from .rewrite import is_in_place, op_name
from .space import CannotFuseError
from .traces import Traces, aten_name, is_getitem
from .views import is_view

FREE = "a view, free in torch"
MADE = "made of constants alone"
COUNTER = "one number, the count of batches seen"
UNKNOWN = "not an operator this writer fuses yet"
PRODUCTS = frozenset({"matmul.default", "bmm.default", "mm.default", "baddbmm.default", "einsum.default"})
"""Products of two computed tensors: the second one of an attention has the first one behind its weights."""

_FILLED = frozenset({"zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full"})
"""What takes its shape alone from its argument."""


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
    made: dict[fx.Node, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rank = {n: i for i, n in enumerate(self.traces.graph.nodes)}
        self.order = [n for n in self.rank if n.op == "call_function" and not is_noise(n)]

    def run(self) -> Partition:
        for node in self.order:
            if node in self.groups or node in self.left or self._travels(node):
                continue
            self._place(node)
        self._join_readers()
        return Partition(_in_order(list(self._steps())), tuple(dict.fromkeys(self.seams)))

    def _travels(self, node: fx.Node) -> bool:
        """Views and constants belong to no region: each region that reads one takes its own along."""
        if node.name in self.refused:
            return False
        if is_getitem(node):
            return is_view(node)
        return is_fusable(node) and (is_view(node) or self._is_made(node))

    def _is_made(self, node: fx.Node) -> bool:
        """Whether a value follows from constants that forward writes down."""
        if node not in self.made:
            if node.op == "placeholder":
                constant = self.traces.constant(node)
                self.made[node] = constant is not None and constant.numel() == 1
            else:
                whole = op_name(node) in _FILLED or all(self._is_made(i) for i in node.all_input_nodes)
                self.made[node] = is_fusable(node) and whole
        return self.made[node]

    def _place(self, node: fx.Node) -> None:
        """Put a node with all groups that feed it, with one of them, or by itself."""
        unit = {node, *(u for u in node.users if is_getitem(u))} if _is_several(node) else {node}
        if node.name in self.refused or not is_fusable(node):
            known = FREE if is_view(node) else COUNTER if is_in_place(node) else UNKNOWN
            reason = self.refused.get(node.name, known)
            self.left |= dict.fromkeys(unit, reason)
            return
        feeding = self._groups_of(self._origins(unit))
        attempts = ([feeding] if len(feeding) > 1 else []) + [[g] for g in reversed(feeding)] + [[]]
        attempts = [*self._chains(node, feeding), *attempts]
        reason = ""
        for attempt in attempts:
            refusal = self._merge(frozenset(unit), attempt)
            if refusal is None:
                self.seams += [f"{node.name}: {reason}"] if reason else []
                return
            reason = refusal or reason
        self.left |= dict.fromkeys(unit, reason)

    def _chains(self, node: fx.Node, feeding: list[_Group]) -> list[list[_Group]]:
        """For a product the groups that feed it with the products behind them, as attention has them."""
        if aten_name(node) not in PRODUCTS:
            return []
        found: list[list[_Group]] = []
        for group in feeding:
            behind = [g for g in self._groups_of(self._origins(group.nodes)) if g not in (group, *feeding)]
            if any(aten_name(n) in PRODUCTS for g in behind for n in g.nodes):
                found.append([group, *behind])
        return found

    def _merge(self, unit: frozenset[fx.Node], groups: list[_Group]) -> str | None:
        """Make one group of nodes and groups; the reason where that cannot be, None where it was done."""
        members = unit.union(*(g.nodes for g in groups))
        if not self._is_convex(members):
            return "what lies between would need its result"
        try:
            self._lower(members)
        except CannotFuseError as refusal:
            return str(refusal)
        self.groups |= dict.fromkeys(members, _Group(members))
        return None

    def _join_readers(self) -> None:
        """Make one region of two that read the same tensor, so that it is read once."""
        merged = True
        while merged:
            pairs = combinations({id(g): g for g in self.groups.values()}.values(), 2)
            merged = any(
                self._read_alike(a, b) and self._merge(frozenset(), [a, b]) is None for a, b in pairs
            )

    def _read_alike(self, a: _Group, b: _Group) -> bool:
        read = [{n for n in self._origins(g.nodes) if n not in g.nodes} for g in (a, b)]
        return any(n.meta["val"].numel() > 1 for n in read[0] & read[1] if not _is_several(n))

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
        """No path may leave the set and come back, through other regions as wholes: none could run first."""
        seen: set[tuple[fx.Node, bool]] = set()
        pending = [(user, False) for m in members for user in m.users]
        while pending:
            node, was_outside = pending.pop()
            if node in members:
                if was_outside:
                    return False
                continue
            outside = was_outside or not self._travels(node)
            if (node, outside) in seen:
                continue
            seen.add((node, outside))
            group = self.groups.get(node)
            together = group.nodes if group is not None and not group.nodes <= members else (node,)
            pending += [(user, outside) for n in together for user in n.users]
        return True

    def _steps(self) -> Iterator[tuple[int, Step]]:
        """Regions, torch calls and the free views that something outside a region reads, with their ranks."""
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
                yield self.rank[node], TorchCall(node, FREE if is_view(node) else MADE)
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
