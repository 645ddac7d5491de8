"""Takes turns on a card: whoever measures holds a lock on a file, and may hold it again and again."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager


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
