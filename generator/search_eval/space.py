"""Enumerates every candidate that sequences of techniques lead to, and compiles it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from ...profiling.compile_cache import CompileCache
from ..climb import OutOfBudgetError
from ..evaluated import Evaluated, compiled
from ..search import MENDS
from ..writers.writer import Candidate, Declined, Request, Writer

MOST = 400
"""Candidates of one space; a larger one is cut, breadth first, and says so."""


@dataclass(frozen=True)
class Space:
    """The candidates by what their code does (`Candidate.code`), the plain one first; `cut` tells a space
    that is larger than `MOST`."""

    request: Request
    candidates: dict[str, Evaluated]
    cut: bool

    @property
    def standing(self) -> list[Evaluated]:
        """Those that compile and fit the device."""
        return [found for found in self.candidates.values() if found.estimate is not None]

    def of(self, candidate: Candidate) -> Evaluated:
        """The candidate as it was compiled. A cut space may lack it; a whole one has every one."""
        if candidate.code not in self.candidates:
            raise OutOfBudgetError("the space was cut before this candidate")
        return self.candidates[candidate.code]


def whole_space(
    writer: Writer, request: Request, scratch: Path, cache: CompileCache | None = None,
    say: Callable[[str], None] = lambda text: None, threads: int | None = None,
) -> Space | Declined:  # fmt: skip
    """Breadth first from the plain kernel; what spills is mended as the search would, on the way. As many
    `threads` compile as there are cores, where no number is given."""
    first = writer.write(request)
    if isinstance(first, Declined):
        return first
    found: dict[str, Evaluated] = {}
    seen, level, cut = {first.code}, [first], False

    def made(candidate: Candidate) -> list[Evaluated]:
        """The candidate, and its mended forms after it."""
        chain = [compiled(candidate, request, scratch, cache)]
        while chain[-1].estimate is None and len(chain) <= MENDS:
            complaint = "; ".join(chain[-1].static.rejections)
            mended = writer.write(replace(request, parent=chain[-1].candidate, complaint=complaint))
            if isinstance(mended, Declined):
                break
            chain.append(compiled(mended, request, scratch, cache))
        return chain

    with ThreadPoolExecutor(threads or len(os.sched_getaffinity(0))) as pool:
        while level and not cut:
            say(f"{len(seen)} candidates so far")
            chains = list(pool.map(made, level))
            fresh = [one for chain in chains for one in chain if one.candidate.code not in found]
            found.update({one.candidate.code: one for one in fresh})
            seen |= found.keys()
            level = []
            for parent in (one for one in fresh if one.estimate is not None):
                for child in _children(writer, request, parent.candidate):
                    if child.code not in seen:
                        seen.add(child.code)
                        level.append(child)
            cut = len(seen) > MOST
    return Space(request, found, cut)


def _children(writer: Writer, request: Request, parent: Candidate) -> Iterator[Candidate]:
    """Every technique on one candidate, with all its variants."""
    for transform in writer.transforms:
        sample = 0
        asked = replace(request, parent=parent, transform=transform)
        while isinstance(child := writer.write(replace(asked, sample=sample)), Candidate):
            yield child
            sample += 1
