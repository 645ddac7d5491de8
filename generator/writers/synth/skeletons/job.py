"""What a skeleton is given: one region with its loops and its schedule, and the names to use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..extent import Extent
from ..loops import Loops
from ..schedule import Schedule


@dataclass(frozen=True)
class Job:
    """`doc` names what the region computes; `hints` maps tensors to eviction policies.

    `vocabulary` holds the op file's words for sizes. `tensors` maps buffers, and results under `store:` and
    their names, to variables of the wrapper.
    """

    name: str
    doc: str
    loops: Loops
    schedule: Schedule
    tensors: Mapping[str, str]
    hints: Mapping[str, str]
    vocabulary: Mapping[str, Extent]
