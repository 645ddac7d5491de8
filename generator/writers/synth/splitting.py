"""Takes a region apart: which of its operators follow from which, and what each part is by itself."""

from __future__ import annotations

from collections.abc import Mapping

from torch import fx

from .lowering.region import Region
from .partition import Partitioner
from .traces import Traces


class Splitter:
    """The operators of one graph; views and constants belong to whatever reads them."""

    def __init__(self, traces: Traces, refused: Mapping[str, str]) -> None:
        self._partitioner = Partitioner(traces, refused)

    def members(self, region: Region) -> frozenset[fx.Node]:
        """A region's operators without what travels with them."""
        own = (n for n in region.nodes if n.op == "call_function" and not self._partitioner.travels(n))
        return frozenset(own)

    def lowered(self, part: frozenset[fx.Node]) -> Region:
        """The region of a part; raises CannotFuseError where it is none."""
        return self._partitioner.lower(part, frozenset())

    def following(self, members: frozenset[fx.Node], node: fx.Node) -> frozenset[fx.Node]:
        """The node and all members that need it, however far."""
        found, grown = frozenset({node}), True
        while grown:
            more = frozenset(m for m in members - found if found & frozenset(self._partitioner.origins([m])))
            found, grown = found | more, bool(more)
        return found

    def feeding_only(self, members: frozenset[fx.Node], node: fx.Node) -> frozenset[fx.Node]:
        """Members that are needed for the node and for nothing else of the region."""
        after = self.following(members, node)
        reach = {m: self.following(members, m) - {m} for m in members - after}
        found = frozenset(m for m, later in reach.items() if node in later)
        while outside := frozenset(m for m in found if reach[m] - after - found):
            found -= outside
        return found
