"""Cut the graph into regions: each grows while its operators share one index space; the rest stays torch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from torch import fx

from .lowering.region import Region, is_fusable, lower_region
from .recurrence import LAYERS
from .recurrence import WHY as RECURRENCE
from .rewrite import is_in_place, op_name
from .space import CannotFuseError
from .steps import FREE, RESHAPES, Step, TorchCall, in_order, why_needed
from .traces import Traces, aten_name, is_getitem
from .views import is_view

COUNTER = "one number, the count of batches seen"
UNKNOWN = "not an operator this writer fuses yet"
PRODUCTS = frozenset({"matmul.default", "bmm.default", "mm.default", "baddbmm.default", "einsum.default"})
"""Products of two computed tensors: the second one of an attention has the first one behind its weights."""

_FILLED = frozenset({"zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full"})
"""What takes its shape alone from its argument."""


Apart = frozenset[frozenset[str]]
"""Pairs of node names."""


@dataclass(frozen=True)
class Partition:
    """Steps of the new forward in order; `seams` says why regions end where they do."""

    steps: tuple[Step, ...]
    seams: tuple[str, ...]


@dataclass
class _Group:
    """Nodes that become one region, and the views that it reads as tensors instead of taking them along."""

    nodes: frozenset[fx.Node]
    bare: frozenset[fx.Node]
    region: Region


def partition(
    traces: Traces, refused: Mapping[str, str] | None = None, apart: Apart = frozenset()
) -> Partition:
    """`refused` names nodes that must stay with torch, with the reason; `apart` pairs of nodes that may share
    no region."""
    return Partitioner(traces, refused or {}, apart).run()


@dataclass
class Partitioner:
    """One graph while it is cut; its questions are for whoever takes a region apart again, too."""

    traces: Traces
    refused: Mapping[str, str]
    apart: Apart = frozenset()
    groups: dict[fx.Node, _Group] = field(default_factory=dict)
    left: dict[fx.Node, str] = field(default_factory=dict)
    seams: list[str] = field(default_factory=list)
    made: dict[fx.Node, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rank = {n: i for i, n in enumerate(self.traces.graph.nodes)}
        self.order = [n for n in self.rank if n.op == "call_function" and not is_noise(n)]
        for node in self.rank:
            self.made[node] = self._is_made(node)

    def run(self) -> Partition:
        for node in self.order:
            if node in self.groups or node in self.left or self.travels(node):
                continue
            self._place(node)
        self._join_readers()
        return Partition(in_order(list(self._steps())), tuple(dict.fromkeys(self.seams)))

    def travels(self, node: fx.Node) -> bool:
        """Views and constants belong to no region: each region that reads one takes its own along."""
        if node.name in self.refused:
            return False
        if is_getitem(node):
            return is_view(node)
        return is_fusable(node) and (is_view(node) or self.made[node])

    def _is_made(self, node: fx.Node) -> bool:
        """Whether a value follows from constants that forward writes down, as what it reads does."""
        if node.op == "placeholder":
            constant = self.traces.constant(node)
            return constant is not None and constant.numel() == 1
        whole = op_name(node) in _FILLED or all(self.made[i] for i in node.all_input_nodes)
        return is_fusable(node) and whole

    def _place(self, node: fx.Node) -> None:
        """Put a node with all groups that feed it, with one of them, or by itself."""
        unit = {node, *(u for u in node.users if is_getitem(u))} if _is_several(node) else {node}
        if node.name in self.refused or not is_fusable(node):
            reason = self.refused.get(node.name) or _why_unknown(node)
            self.left |= dict.fromkeys(unit, reason)
            return
        feeding = self._groups_of(self.origins(unit))
        attempts = ([feeding] if len(feeding) > 1 else []) + [[g] for g in reversed(feeding)] + [[]]
        attempts = [*self._chains(node, feeding), *attempts]
        reason = ""
        for attempt in attempts:
            refusal = self._merge(frozenset(unit), attempt)
            if refusal is None:
                self.seams += [f"{node.name}: {reason}"] if reason else []
                return
            reason = refusal or reason
        bare = frozenset(s for s in node.all_input_nodes if op_name(s) in RESHAPES and self.travels(s))
        if not bare or self._merge(frozenset(unit), [], bare) is not None:
            self.left |= dict.fromkeys(unit, reason)

    def _chains(self, node: fx.Node, feeding: list[_Group]) -> list[list[_Group]]:
        """For a product the groups that feed it with the products behind them, as attention has them."""
        if aten_name(node) not in PRODUCTS:
            return []
        found: list[list[_Group]] = []
        for group in feeding:
            behind = [g for g in self._groups_of(self.origins(group.nodes)) if g not in (group, *feeding)]
            if any(aten_name(n) in PRODUCTS for g in behind for n in g.nodes):
                found.append([group, *behind])
        return found

    def _merge(
        self, unit: frozenset[fx.Node], groups: list[_Group], bare: frozenset[fx.Node] = frozenset()
    ) -> str | None:
        """Make one group of nodes and groups; the reason where that cannot be, None where it was done."""
        members, bare = unit.union(*(g.nodes for g in groups)), bare.union(*(g.bare for g in groups))
        if not self._is_convex(members):
            return "what lies between would need its result"
        names = {node.name for node in members}
        if any(pair <= names for pair in self.apart):
            return "faster apart"
        try:
            region = self.lower(members, bare)
        except CannotFuseError as refusal:
            return str(refusal)
        self.groups |= dict.fromkeys(members, _Group(members, bare, region))
        return None

    def _join_readers(self) -> None:
        """Make one region of two that read the same tensor, so that it is read once."""
        tried: set[tuple[frozenset[fx.Node], frozenset[fx.Node]]] = set()
        pairs = self._pairs_of_readers()
        while (pair := next(pairs, None)) is not None:
            key = pair[0].nodes, pair[1].nodes
            if key not in tried:
                tried.add(key)
                pairs = pairs if self._merge(frozenset(), list(pair)) else self._pairs_of_readers()

    def _pairs_of_readers(self) -> Iterator[tuple[_Group, _Group]]:
        """Groups that read one tensor of more than one element, in the order of the graph."""
        groups = list({id(g): g for g in self.groups.values()}.values())
        readers: dict[fx.Node, dict[int, None]] = {}
        for place, group in enumerate(groups):
            for node in self.origins(group.nodes):
                if node not in group.nodes and not _is_several(node) and node.meta["val"].numel() > 1:
                    readers.setdefault(node, {})[place] = None
        pairs = {pair for places in readers.values() for pair in combinations(places, 2)}
        return iter([(groups[a], groups[b]) for a, b in sorted(pairs)])

    def _groups_of(self, nodes: Iterable[fx.Node]) -> list[_Group]:
        found = {id(g): g for n in nodes if (g := self.groups.get(n)) is not None}
        return list(found.values())

    def origins(self, unit: Iterable[fx.Node]) -> Iterator[fx.Node]:
        """What a node reads, looking through the views that travel with it."""
        for node in unit:
            for source in node.all_input_nodes:
                if self.travels(source):
                    yield from self.origins([source])
                else:
                    yield source

    def lower(self, members: frozenset[fx.Node], bare: frozenset[fx.Node]) -> Region:
        outputs = [n for n in members if not _is_several(n) and self._escapes(n, members)]
        return lower_region(
            self.traces, self._with_views(members, bare), sorted(outputs, key=self.rank.__getitem__)
        )

    def _with_views(self, members: frozenset[fx.Node], bare: frozenset[fx.Node]) -> list[fx.Node]:
        """The members and the views between them and the tensors they read, in graph order."""
        wanted = set(members)
        pending = list(members)
        while pending:
            for source in pending.pop().all_input_nodes:
                if source not in wanted and source not in bare and self.travels(source):
                    wanted.add(source)
                    pending.append(source)
        return sorted(wanted, key=self.rank.__getitem__)

    def _escapes(self, node: fx.Node, members: frozenset[fx.Node]) -> bool:
        """Whether anything outside needs the value of a member."""
        return any(
            self._escapes(user, members) if self.travels(user) else user not in members and not is_noise(user)
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
            outside = was_outside or not self.travels(node)
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
                yield max(self.rank[m] for m in group.nodes), group.region
                needed += [source for _, source in group.region.buffers]
        yield from self._needed_views(needed)

    def _needed_views(self, needed: list[fx.Node]) -> Iterator[tuple[int, Step]]:
        done: set[fx.Node] = set()
        while needed:
            node = needed.pop()
            if node not in done and node not in self.groups and self.travels(node):
                done.add(node)
                yield self.rank[node], TorchCall(node, why_needed(node))
                needed += node.all_input_nodes


def _why_unknown(node: fx.Node) -> str:
    if op_name(node) in LAYERS:
        return RECURRENCE
    return FREE if is_view(node) else COUNTER if is_in_place(node) else UNKNOWN


def is_noise(node: fx.Node) -> bool:
    """Checks that export adds, and what nobody reads and nothing changes by."""
    if aten_name(node).startswith(("_assert", "sym_")):
        return True
    changes = is_in_place(node) or "batch_norm" in aten_name(node) or "instance_norm" in aten_name(node)
    return node.op == "call_function" and not node.users and not changes


def _is_several(node: fx.Node) -> bool:
    """Whether a node gives several tensors, of which its users take one each."""
    return isinstance(node.meta.get("val"), tuple | list)
