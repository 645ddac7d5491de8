"""The cards of this machine, and the files by whose locks those that measure take turns on them.

    with turn(str(lock_of(card))), variables({VISIBLE: card}):
        ...

The file is named by the card's UUID, so all suites of a machine take turns.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ... import KbgenError
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


class CardLockError(KbgenError):
    """No file to take turns by."""


def lock_of(card: str, folder: Path | None = None) -> Path:
    """The file whose lock its holder has while it measures on the card; made where it is missing, for every
    user of the machine. One that is there is only looked at."""
    place = folder or Path(tempfile.gettempdir()) / "kbgen-cards"
    path = place / f"{card}.lock"
    try:
        if not place.is_dir():
            place.mkdir(parents=True)
            place.chmod(0o1777)
        if not path.exists():
            path.touch()
            path.chmod(0o644)
    except OSError as error:
        raise CardLockError(
            f"{path} cannot be made ({error.strerror}), and tasks take turns on the card by it; set TMPDIR "
            "to a folder that all of this machine's users may write."
        ) from error
    return path
