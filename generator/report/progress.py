"""Tells on standard error what the loop is doing: a live line on a terminal, plain lines in a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

Say = Callable[["Event"], None]


class Event(Protocol):
    """What a stage of the loop reports."""

    @property
    def stage(self) -> str: ...

    @property
    def detail(self) -> str: ...


@contextmanager
def progress(quiet: bool = False) -> Iterator[Say]:
    """A function that shows each event it is given, with the seconds since the start; silent when `quiet`."""
    if quiet:
        yield lambda event: None
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    started = time.monotonic()
    with console.status("starting", spinner="dots") as status:

        def say(event: Event) -> None:
            line = f"[{time.monotonic() - started:6.1f} s] {event.stage:<9} {event.detail}"
            console.print(line, markup=False, soft_wrap=True)
            status.update(f"{event.stage} ...")

        yield say
