"""Takes turns on a card: whoever measures holds a lock on a file, and may hold it again and again."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

_YIELD_S = 0.002  # for those that wait to wake up, before it is asked for again


@contextmanager
def turn(path: str | None) -> Iterator[None]:
    """Wait for the lock of the file and hold it for the block; a process that ends gives it back. The file is
    only read, so that one can wait where nothing may be written. Without a path there is nothing to wait for.
    """
    if path is None:
        yield
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class Turns:
    """The turns that one process takes: `with turns(): ...` as often as it likes, also within a turn, which
    goes on then. `waited_s` and `held_s` count the seconds of all of them."""

    def __init__(self, path: str | None) -> None:
        self._path, self._inside = path, False
        self.waited_s = self.held_s = 0.0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        if self._path is None or self._inside:
            yield
            return
        asked = time.monotonic()
        with turn(self._path):
            got = time.monotonic()
            self.waited_s += got - asked
            self._inside = True
            try:
                yield
            finally:
                self._inside = False
                self.held_s += time.monotonic() - got
        time.sleep(_YIELD_S)
