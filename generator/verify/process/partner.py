"""A second process that makes some of a child's calls, so that two processors judge one candidate.

    partner = Partner(lambda: bytes)    # runs in the second process
    try:
        found = partner.gave()          # the bytes; raises what it raised, dies as it died
    finally:
        partner.end()

It is forked before anything of the candidate's is loaded, stands within the same walls, and has limits of its
own on CPU time. What it hands over rests on the candidate's conduct as the child's own reply does: a reply is
a statement of what happened, and verdicts are reached by the judge.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import select
import signal
import struct
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_HEADER = struct.Struct("!?Q")  # whether it went well, and the number of bytes that follow
_GLANCE_S = 0.05
_PART = 1 << 20


class BrokenPartnerError(RuntimeError):
    """What came from the second process is not what its own code writes."""


class Partner:
    """One forked process that runs `work` and hands over its bytes."""

    def __init__(self, work: Callable[[], bytes]) -> None:
        # as they are before any other code has run
        self._wait, self._kill, self._read, self._select = os.waitpid, os.kill, os.read, select.select
        write, end = os.write, os._exit
        self._from, to = os.pipe()
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid:
            os.close(to)
            return
        os.close(self._from)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        try:
            told = True, work()
        except BaseException as error:
            told = False, _pickled(error)
        left = memoryview(_HEADER.pack(told[0], len(told[1])) + told[1])
        while left:
            left = left[write(to, left) :]
        end(0)

    def gave(self, ended: Callable[[], None]) -> bytes:
        """Its bytes, once it has them; where it dies of a signal or leaves early, so does this process, after
        a call of `ended`."""
        held = bytearray()
        wanted = _HEADER.size
        while len(held) < wanted:
            held += self._more(ended)
            if len(held) >= _HEADER.size:
                wanted = _HEADER.size + _HEADER.unpack_from(held)[1]
        well, length = _HEADER.unpack_from(held)
        content = bytes(held[_HEADER.size : _HEADER.size + length])
        if well:
            return content
        try:
            error = pickle.loads(content)
        except Exception as broken:
            raise BrokenPartnerError("the second process of its calls sent what cannot be read") from broken
        raise error if isinstance(error, BaseException) else BrokenPartnerError(repr(error))

    def end(self) -> None:
        """It is gone after this."""
        if self._status is None:
            with contextlib.suppress(ProcessLookupError):
                self._kill(self.pid, signal.SIGKILL)
            self._status = self._wait(self.pid, 0)[1]
            os.close(self._from)

    def _more(self, ended: Callable[[], None]) -> bytes:
        """Some bytes; what a process that it left behind could still send is not waited for."""
        while True:
            if self._select([self._from], [], [], _GLANCE_S)[0]:
                part = self._read(self._from, _PART)
                if part:
                    return part
                return self._gone(self._wait(self.pid, 0)[1], ended)
            pid, status = self._wait(self.pid, os.WNOHANG)
            if pid and not self._select([self._from], [], [], 0)[0]:
                return self._gone(status, ended)

    def _gone(self, status: int, ended: Callable[[], None]) -> bytes:
        self._status = status
        ended()
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
            self._kill(os.getpid(), -code)
        os._exit(code)


def _pickled(error: BaseException) -> bytes:
    """As it can be read again, or in words."""
    try:
        content = pickle.dumps(error)
        pickle.loads(content)
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return content
