"""A second process that makes some of a child's calls, so that two processors judge one candidate.

    partner = Partner(lambda: bytes)    # runs in the second process
    try:
        found = partner.gave()          # the bytes; raises what it raised, dies as it died
    finally:
        partner.end()

It is forked before anything of the candidate's is loaded, stands within the same walls, and has limits of its
own on CPU time. What it hands over is signed with a secret that both have from before, as the child's own
reply is: bytes written to every descriptor do not forge it. It is a statement of what happened no less, and
verdicts are reached by the judge.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import hmac
import os
import pickle
import secrets
import select
import signal
import struct
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_HEADER = struct.Struct("!?Q32s")  # whether it went well, how many bytes follow, and their signature
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
        secret = secrets.token_bytes(32)
        self._signer = hmac.new(secret, digestmod=hashlib.sha256)
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
        left = memoryview(_HEADER.pack(told[0], len(told[1]), self._signed(*told)) + told[1])
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
        well, length, signature = _HEADER.unpack_from(held)
        content = bytes(held[_HEADER.size : _HEADER.size + length])
        if not hmac.compare_digest(signature, self._signed(well, content)):
            raise BrokenPartnerError("the pipe from its second process holds bytes that are not our own")
        if well:
            return content
        raise pickle.loads(content)

    def _signed(self, well: bool, content: bytes) -> bytes:
        signer = self._signer.copy()
        signer.update(bytes([well]) + content)
        return signer.digest()

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
            if -code != signal.SIGKILL:
                signal.signal(-code, signal.SIG_DFL)
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
