"""Shows on standard error how far a count is: a bar on a terminal, a line now and then in a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Count = Callable[[int, int], None]  # (done, total); a total of 0 is not known yet
EVERY_S = 10.0


@contextmanager
def bar(what: str, quiet: bool = False) -> Iterator[Count]:
    """A function that is told how far the work is; silent when `quiet`, and until it is first called."""
    if quiet:
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield _lines(what, console.print)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, visible=False)
        yield lambda done, total: progress.update(task, completed=done, total=total or None, visible=True)


def _lines(what: str, say: Callable[[str], None]) -> Count:
    """One line every EVERY_S seconds."""
    last = time.monotonic()

    def count(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > EVERY_S:
            last = time.monotonic()
            say(f"{what}: {done}" + (f" of {total}" if total else ""))

    return count
