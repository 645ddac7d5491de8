"""Brings what was found for one device to another: the same techniques, scheduled and compiled for that one.

found = retarget(SynthWriter(), Request(op, traced, smaller, find_spec("mi300x")), techniques, scratch)
found.ok, found.dropped
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .evaluated import Evaluated, compiled
from .search import MENDS
from .writers.writer import Candidate, Declined, Request, Writer


@dataclass(frozen=True)
class Retargeted:
    """The candidate for the device with what its compiler says; None where there is none, and `reason` why.

    `declined` are techniques that do not apply there, `dropped` those without which alone it compiles.
    """

    found: Evaluated | None
    reason: str = ""
    declined: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """It compiles, spills nothing and fits."""
        return self.found is not None and self.found.static.ok


def retarget(writer: Writer, request: Request, techniques: Sequence[str], scratch: Path) -> Retargeted:
    """Apply the techniques in their order; where the result does not compile, leave the last ones out."""
    last = Retargeted(None, "nothing was tried")
    for count in range(len(techniques), -1, -1):
        made, declined = _applied(writer, request, techniques[:count])
        if isinstance(made, Declined):
            return Retargeted(None, made.reason)
        found = _mended(writer, request, compiled(made, request, scratch), scratch)
        reason = "; ".join(found.static.rejections)
        last = Retargeted(found, reason, declined, tuple(techniques[count:]))
        if last.ok:
            return last
    return last


def _applied(
    writer: Writer, request: Request, techniques: Sequence[str]
) -> tuple[Candidate | Declined, tuple[str, ...]]:
    """The plain candidate with the techniques that apply, and those that do not."""
    made, declined = writer.write(request), list[str]()
    for technique in techniques:
        if isinstance(made, Declined):
            break
        child = writer.write(replace(request, parent=made, transform=technique))
        if isinstance(child, Declined):
            declined.append(technique)
        else:
            made = child
    return made, tuple(declined)


def _mended(writer: Writer, request: Request, found: Evaluated, scratch: Path) -> Evaluated:
    """What spills or does not fit goes back to the writer with the complaint."""
    for _ in range(MENDS):
        if found.static.ok:
            break
        complaint = "; ".join(found.static.rejections)
        mended = writer.write(replace(request, parent=found.candidate, complaint=complaint))
        if isinstance(mended, Declined):
            break
        found = compiled(mended, request, scratch)
    return found
