"""Compares strategies, with the knowledge base and without: how many candidates until one is near the best.

    evaluate_search([Path("examples")], ("h100",), library).to_json()["strategies"]

Every space is compiled whole once. Where the card is in this machine its clock times all candidates;
elsewhere they get the times of simulated devices, and everything says so: that compares searches, not
kernels.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ...kb.library import Library
from ...profiling.compile_cache import CompileCache
from ...profiling.device import detect
from ...profiling.probe import nvml
from ..job import Event
from ..suite.cards import cards_here
from ..suite.pool import Bounds, Processes
from .result import Cell, SearchEval
from .site import Found, NothingToSearchError, Say, Task, search_site

SEEDS = 12
"""Simulated devices of each name, or on a card orders of the searches without knowledge."""

A_CARD = 4
"""Operators that are worked on at once for each card: one is timed, the others are compiled or searched."""

_BOUNDS = Bounds(wall_s=3600.0, memory_bytes=64 << 30)
_IMPORTED = (f"{__package__}.site", "chromadb", "llama_index.core.node_parser")


def own_folders() -> list[Path]:
    """The examples of a checkout, and what lies beside them for this; none in an installed kbgen."""
    examples = Path(__file__).parents[2] / "examples"
    return [folder for folder in (examples, examples / "search") if folder.is_dir()]


def evaluate_search(
    folders: Sequence[Path], gpus: Sequence[str], library: Library, *, seeds: int = SEEDS,
    cache: CompileCache | None = None, on_event: Say = lambda event: None,
) -> SearchEval:  # fmt: skip
    """Raises NothingToSearchError where no op file gives a space, DeviceError for what is no device."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    if not paths:
        told = ", ".join(map(str, folders)) or "this installation"
        raise NothingToSearchError(
            f"{told} holds no op file; give a folder of files with a class Model each."
        )
    devices = {gpu: detect(gpu) for gpu in gpus}
    begun = time.monotonic()
    cells: list[Cell] = []
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="kbgen-search-") as scratch:
        tasks = [
            Task(path, gpu, library, seeds, Path(scratch), cache=cache, say=on_event)
            for gpu in gpus
            for path in paths
        ]
        live = [task for task in tasks if devices[task.gpu].live]
        here = [task for task in tasks if task not in live]
        for task, found in (*on_cards(live, on_event), *_in_turn(here, on_event)):
            cells += found.cells
            if found.skipped:
                skipped[task.name] = found.skipped
    if not cells:
        raise NothingToSearchError(f"no op file gives anything to search: {'; '.join(skipped.values())}")
    sources = {"card" if device.live else "simulated" for device in devices.values()}
    return SearchEval(tuple(cells), skipped, " and ".join(sorted(sources)), time.monotonic() - begun)


def _in_turn(tasks: Sequence[Task], say: Say) -> Iterator[tuple[Task, Found]]:
    """One after another in this process."""
    for task in tasks:
        say(Event("search", task.name))
        yield task, search_site(task)


def on_cards(
    tasks: Sequence[Task], say: Say, cards: Callable[[], Sequence[str]] = cards_here,
    work: Callable[[Task], Found] = search_site,
) -> Iterator[tuple[Task, Found]]:  # fmt: skip
    """Some at once on every card of this machine, a process each, that take turns at its clock."""
    if not tasks:
        return
    free = [card for _ in range(A_CARD) for card in cards()]
    threads = max(1, len(os.sched_getaffinity(0)) // min(len(free), len(tasks)))
    waiting = list(reversed(tasks))
    with nvml(), Processes[Task](_BOUNDS, _IMPORTED) as pool:
        while waiting or pool.running:
            while waiting and free:
                task = waiting.pop()
                say(Event("search", task.name))
                own = replace(
                    task, library=task.folder, card=free.pop(0), threads=threads, cache=None, say=None
                )
                pool.start(own, work, own)
            for task, ending in pool.ended():
                free.append(task.card or "")
                say(Event("search", f"{task.name} took {ending.wall_s:.0f} s"))
                yield task, ending.value if ending.status == "ok" else Found(skipped=ending.detail)
