"""Lets torch's compiler try its configurations on a card in turn with those that measure there.

    with tuned_in(turns):
        compiled(*inputs)

Compiling them takes seconds of several cores and none of the card; only what is then run and timed needs it
to itself. Where this version of torch has no such places, the whole of it is one turn.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any
from unittest.mock import patch

from .turn import Turns

PLACES = (
    ("torch._inductor.select_algorithm", "AlgorithmSelectorCache", "benchmark_choice"),
    ("torch._inductor.runtime.triton_heuristics", "CachingAutotuner", "bench"),
)
"""Where the compiler times one configuration: of a matrix product or a convolution, of any other kernel."""


@contextmanager
def tuned_in(turns: Turns) -> Iterator[None]:
    """Each configuration that is timed in the block is timed in a turn."""
    with ExitStack() as stack:
        try:
            for module, owner, name in PLACES:
                stack.enter_context(_taking(turns, getattr(import_module(module), owner), name))
        except (ImportError, AttributeError):
            stack.enter_context(turns())
        yield


def _taking(turns: Turns, owner: type, name: str) -> Any:
    """A patch of the method, a class method or not, that waits for its turn."""
    kept: Any = vars(owner)[name] if name in vars(owner) else getattr(owner, name)
    plain: Callable[..., Any] = kept.__func__ if isinstance(kept, classmethod) else kept

    @functools.wraps(plain)
    def taking(*args: Any, **kwargs: Any) -> Any:
        with turns():
            return plain(*args, **kwargs)

    return patch.object(owner, name, classmethod(taking) if isinstance(kept, classmethod) else taking)
