"""A writer that hands out prepared sources in order: for tests of the loop and kernels written elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .writer import Candidate, Declined, Request


@dataclass
class ScriptedWriter:
    """Each request gets the next source, whatever it asks for; variants and the rest are declined."""

    sources: Sequence[str]
    transforms: tuple[str, ...] = ()
    refinements: tuple[str, ...] = ()
    name: str = "scripted"
    requests: list[Request] = field(default_factory=list)

    def write(self, request: Request) -> Candidate | Declined:
        if request.transform and request.sample:
            return Declined("a script has no variants")
        self.requests.append(request)
        place = len(self.requests) - 1
        if place >= len(self.sources):
            return Declined("the script is at its end")
        parent = request.parent.id if request.parent else None
        techniques = (
            *(request.parent.techniques if request.parent else ()),
            *filter(None, [request.transform]),
        )
        return Candidate(self.sources[place], self.name, techniques=techniques, parent=parent)
