"""What a skeleton is given: one region with its loops and its schedule, and the names to use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..loops import Loops
from ..schedule import Schedule


@dataclass(frozen=True)
class Job:
    """`tensors` maps buffers (and `store:` + their names for results) to the wrapper's variables.

    `hints` maps the same keys to eviction policies.
    """

    name: str
    doc: str
    loops: Loops
    schedule: Schedule
    tensors: Mapping[str, str]
    hints: Mapping[str, str]

    def called(self, name: str, doc: str) -> Job:
        """The same work under another kernel name."""
        return replace(self, name=name, doc=doc)
