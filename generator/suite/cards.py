"""The cards of this machine, each held by one timing at a time, whoever runs beside it.

    with any_card(cards_here()) as card, variables({VISIBLE: card}):
        ...

A card is held by a lock on a file of its UUID's name, so the suites of a machine share its cards.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ...profiling.probe import nvml

VISIBLE = "CUDA_VISIBLE_DEVICES"
_FIRST = "0"  # a machine whose driver names no card has the one that torch sees


def cards_here() -> tuple[str, ...]:
    """The UUIDs of NVIDIA's cards; only those that CUDA_VISIBLE_DEVICES leaves, where it is set."""
    found: list[str] = []
    with nvml() as library:
        if library is not None:
            handles = [library.nvmlDeviceGetHandleByIndex(i) for i in range(library.nvmlDeviceGetCount())]
            found = [str(library.nvmlDeviceGetUUID(handle)) for handle in handles]
    return tuple(_left(found, os.environ.get(VISIBLE))) or (_FIRST,)


def _left(found: Sequence[str], visible: str | None) -> list[str]:
    """Those that a list of numbers or UUIDs names; all of them without a list."""
    if visible is None:
        return list(found)
    named = [name.strip() for name in visible.split(",")]
    return [card for number, card in enumerate(found) if card in named or str(number) in named]


@contextmanager
def variables(values: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for the block alone."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def any_card(
    cards: Sequence[str], folder: Path | None = None, rest: Callable[[float], object] = time.sleep
) -> Iterator[str]:
    """Hold the first card that is free, alone among all processes that ask here; `folder` holds the locks."""
    place = folder or Path(tempfile.gettempdir()) / "kbgen-cards"
    place.mkdir(parents=True, exist_ok=True)
    locks = {card: FileLock(place / f"{card}.lock") for card in cards}
    while True:
        for card, lock in locks.items():
            try:
                lock.acquire(timeout=0)
            except Timeout:
                continue
            try:
                yield card
            finally:
                lock.release()
            return
        rest(0.05)
