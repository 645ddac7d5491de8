"""Keeps processes that have imported what a module needs, and forks each sandboxed child from one of them.

Importing torch and triton takes seconds, judging a small kernel one. The kept process imports and then only
forks: no request, no secret and no candidate ever reaches its own interpreter, so that every child starts
from the same clean state. Walls, limits and environment are raised in the child after the fork, exactly as
for a cold start.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

_BOOT = """import sys
sys.path[:] = {path!r}
from kbgen.profiling.nursery_child import keep
keep({module!r}, {fd})
"""
_START_LIMIT_S = 120.0  # torch has taken half a minute to import on a busy machine
_END_LIMIT_S = 10.0

_Key = tuple[str, tuple[tuple[str, str], ...], int]
_nurseries: dict[_Key, Nursery] = {}  # by module, fixed variables and number
_making = threading.Lock()


class NurseryError(Exception):
    """The kept process has ended, or never came up; the caller starts the child from cold."""


def run_warm(
    session: dict[str, Any],
    environment: Mapping[str, str],
    fixed: Mapping[str, str],
    stderr_fd: int,
    patience_s: float,
) -> None:
    """Like a cold start, from a kept process; `fixed` are variables that must stand before the imports."""
    key, nursery = _nursery(session, environment, fixed)
    try:
        nursery.run(session, environment, stderr_fd, patience_s)
    except NurseryError:
        with _making:
            if _nurseries.get(key) is nursery:
                del _nurseries[key]
        raise
    finally:
        with _making:
            nursery.asked -= 1


def prepare(session: Mapping[str, Any], environment: Mapping[str, str], fixed: Mapping[str, str]) -> None:
    """Start the first kept process of a module, so that it imports before it is asked; waits for nothing."""
    key = session["module"], tuple(sorted(fixed.items())), 0
    with _making, contextlib.suppress(OSError):
        if key not in _nurseries:
            _nurseries[key] = Nursery().started(session, environment)


def _nursery(
    session: dict[str, Any], environment: Mapping[str, str], fixed: Mapping[str, str]
) -> tuple[_Key, Nursery]:
    """An idle one, a new one where all are busy and a core is left, else the one least asked."""
    wanted = session["module"], tuple(sorted(fixed.items()))
    with _making:
        keys = [(*wanted, number) for number in range(len(os.sched_getaffinity(0)))]
        kept = [key for key in keys if key in _nurseries]
        free = [key for key in kept if not _nurseries[key].asked]
        new = [key for key in keys if key not in _nurseries]
        key = (free or new or sorted(kept, key=lambda one: _nurseries[one].asked))[0]
        nursery = _nurseries.setdefault(key, Nursery())
        nursery.asked += 1
        return key, nursery.started(session, environment)


class Nursery:
    """The parent's end of one kept process; one child at a time, `asked` counts it and those that wait."""

    def __init__(self) -> None:
        self.asked = 0
        self._used = False
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket

    def started(self, session: Mapping[str, Any], environment: Mapping[str, str]) -> Nursery:
        if self._process is None:
            self._socket, theirs = socket.socketpair()
            boot = _BOOT.format(path=session["path"], module=session["module"], fd=theirs.fileno())
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", boot],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
            theirs.close()
        return self

    def run(
        self, session: dict[str, Any], environment: Mapping[str, str], stderr_fd: int, patience_s: float
    ) -> None:
        message = json.dumps({**session, "environment": dict(environment)}).encode()
        with self._lock:
            self._used = True
            try:
                self._talk(message, [session["reply_fd"], session["report_fd"], stderr_fd], patience_s)
            except (OSError, EOFError) as error:
                self.close()
                raise NurseryError(str(error)) from error
            except BaseException:  # Ctrl-C: an answer that nobody read would be the next child's
                self.close()
                raise

    def close(self) -> None:
        """Closing the socket ends the kept process, and with it a child that still runs; one that nobody
        asked has none, and need not import to its end first."""
        if self._process is not None:
            if not self._used:
                self._process.kill()
            self._socket.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_LIMIT_S)

    def _talk(self, message: bytes, fds: list[int], patience_s: float) -> None:
        self._socket.settimeout(_START_LIMIT_S)
        socket.send_fds(self._socket, [struct.pack("Q", len(message))], fds)
        self._socket.sendall(message)
        pid = self._number()
        try:
            self._socket.settimeout(patience_s)
            self._number()
        except TimeoutError:
            _end_group(pid)
            self._socket.settimeout(_END_LIMIT_S)
            self._number()
        finally:
            _end_group(pid)

    def _number(self) -> int:
        held = b""
        while len(held) < 8:
            part = self._socket.recv(8 - len(held))
            if not part:
                raise EOFError("the kept process has ended")
            held += part
        return int(struct.unpack("q", held)[0])


@atexit.register
def _close_all() -> None:
    for nursery in _nurseries.values():
        nursery.close()


def _end_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
