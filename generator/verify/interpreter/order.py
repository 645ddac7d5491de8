"""Which program of a launch may rely on what another one did: happens-before, through atomics alone.

A program that releases at an address (an atomic there) and a later one that acquires at the same address (an
atomic there whose result is looked at) are ordered: what the first did before is done for the second after.
Relaxed atomics order nothing. A counter orders only for who comes last, as in a reduction that the last
program finishes; who relies on it and is followed by another has raced. Compare-and-swap and exchange may be
locks, and order for everyone. An atomic of many lanes is no lock, and what a third program passes on is not
followed.
"""

from __future__ import annotations

_LOCK = -1


class Order:
    """One launch, whose programs run one after another; a moment counts a program's releases."""

    def __init__(self) -> None:
        self.begin_launch()

    def begin_launch(self) -> None:
        self._released: dict[int, dict[int, int]] = {}
        self._relied_on: dict[int, int] = {}
        self.begin_program(0)

    def begin_program(self, number: int) -> None:
        self.program, self.moment = number, 0
        self._known: dict[int, tuple[int, int]] = {}

    @property
    def learned(self) -> bool:
        """Whether this program knows of any other."""
        return bool(self._known)

    def release(self, address: int) -> None:
        """What this program did so far is done for whoever acquires at `address` from now on."""
        self._released.setdefault(address, {})[self.program] = self.moment
        self.moment += 1

    def acquire(self, address: int, counter: bool) -> None:
        """This program has seen what the atomic at `address` found there."""
        for program, moment in self._released.get(address, {}).items():
            if program != self.program and self._known.get(program, (-1, 0))[0] < moment:
                self._known[program] = moment, address if counter else _LOCK

    def knows(self, program: int, moment: int) -> bool:
        """Whether what `program` did at `moment` is done for this one."""
        return self._known.get(program, (-1, 0))[0] >= moment

    def rely_on(self, program: int) -> None:
        """This program touches what `program`, which it knows, has left."""
        address = self._known[program][1]
        if address != _LOCK:
            self._relied_on[address] = self.program

    def overtaken(self, address: int) -> int | None:
        """Who took the counter at `address` for full before this program came to count."""
        other = self._relied_on.get(address)
        return None if other == self.program else other
