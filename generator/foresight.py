"""What the cost model says of the techniques that may follow on a kernel, asked one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from .evaluated import foreseen_us
from .writers.writer import Candidate, Request, Writer


class Foresight(Mapping[str, float]):
    """Technique to time before over time after, both foreseen; what does not apply is not in it."""

    def __init__(self, writer: Writer, request: Request, parent: Candidate, names: Sequence[str]) -> None:
        self._writer, self._names = writer, names
        self._request = replace(request, parent=parent)
        self._known: dict[str, float | None] = {}

    def __getitem__(self, name: str) -> float:
        if name not in self._known:
            self._known[name] = self._effect(name)
        if (effect := self._known[name]) is None:
            raise KeyError(name)
        return effect

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if self.get(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def _now(self) -> float | None:
        assert self._request.parent is not None
        return foreseen_us(self._request.parent, self._request.spec)

    def _effect(self, name: str) -> float | None:
        if name not in self._names or self._now is None:
            return None
        made = self._writer.write(replace(self._request, transform=name))
        then = foreseen_us(made, self._request.spec) if isinstance(made, Candidate) else None
        return self._now / then if then else None
