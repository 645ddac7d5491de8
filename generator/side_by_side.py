"""Does the same to many things, several at once, and gives the answers in order."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def each(work: Callable[[Asked], Answer], asked: Sequence[Asked], jobs: int) -> Iterator[Answer]:
    """`work` of each, in `jobs` processes that stay (a warm start is made once in each), or in this one.

    `work` is a function of a module, so that another process finds it; an error of it comes through.
    """
    if jobs == 1:
        yield from map(work, asked)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(work, asked)
