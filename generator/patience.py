"""Bounds how long a callable may take to be ready: the first call of what compiles itself."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any


class NotReadyError(Exception):
    """It was not ready in time."""


def ready_within(seconds: float, call: Callable[..., Any], what: str) -> Callable[..., Any]:
    """`call`, whose first call raises NotReadyError once `seconds` are over; so does every later one then.

    Only in the main thread. Code that swallows the interruption is interrupted again every second.
    """
    ready, late = False, False

    def interrupt(*_: object) -> None:
        nonlocal late
        late = True
        raise NotReadyError

    def bounded(*arguments: Any) -> Any:
        nonlocal ready
        if ready:
            return call(*arguments)
        if late:
            raise NotReadyError(f"{what} was not ready after {seconds:g} s")
        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        try:
            result = call(*arguments)
        except Exception as error:
            if late:
                raise NotReadyError(f"{what} was not ready after {seconds:g} s") from error
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        ready = True
        return result

    return bounded
