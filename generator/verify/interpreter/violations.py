"""What a kernel may do wrong to memory, as it is told."""

from __future__ import annotations

from dataclasses import dataclass

MOST = 5
"""Of one call that are told."""


class OutOfBoundsError(Exception):
    """A lane that is not masked off points outside every tensor of its launch."""


class NotFollowedError(Exception):
    """A kernel does what compiled code may, and nobody here can run it or hold it to."""


@dataclass(frozen=True)
class Violation:
    """`kind` is "out-of-bounds", "race", "unwritten", "misaligned", or "astray" where an access goes
    elsewhere than its lanes ask, which may do no harm."""

    kind: str
    kernel: str
    detail: str


def lanes_met(program: int, where: str, verb: str, did: str) -> str:
    stands = "and no tl.debug_barrier stands in between"
    return f"a lane of program {program} {verb} {where}, which another one has {did}, {stands}"


def programs_met(program: int, whose: str, where: str, verb: str) -> str:
    return f"program {program} {verb} {where}, which {whose} of the same launch uses"
