"""Does the same to many things, several at once, and gives the answers in order."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.queues import SimpleQueue
from typing import TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


_LEAST_CORES = 2
"""A process that shares its cores with no other has as many at least: its children run beside it."""


def each(work: Callable[[Asked], Answer], asked: Sequence[Asked], jobs: int) -> Iterator[Answer]:
    """`work` of each, in `jobs` processes that stay (a warm start is made once in each), or in this one.
    Each keeps to its `cores_of`, so that what it takes does not hang on the others.

    `work` is a function of a module, so that another process finds it; an error of it comes through.
    """
    if jobs == 1:
        yield from map(work, asked)
        return
    context = multiprocessing.get_context("spawn")
    shares: SimpleQueue[list[int]] = context.SimpleQueue()
    for share in cores_of(jobs):
        shares.put(share)
    with ProcessPoolExecutor(jobs, context, _keep_to, (shares,)) as pool:
        yield from pool.map(work, asked)


def cores_of(jobs: int) -> list[list[int]]:
    """The cores of each of `jobs` processes: as many of its own as there are for each, or all of them where
    these are fewer than two."""
    cores = sorted(os.sched_getaffinity(0))
    own = len(cores) // jobs
    if own < _LEAST_CORES:
        return [cores] * jobs
    return [cores[own * place : own * (place + 1)] for place in range(jobs)]


def _keep_to(shares: SimpleQueue[list[int]]) -> None:
    os.sched_setaffinity(0, shares.get())
