"""Watches over a sandboxed child: lets it start processes up to its limit, and ends all of them together.

Three processes stand for one child:

    launcher (known to the parent) -> guard -> the module and whatever it starts

The guard is the first process of the child's process namespace, or, where the kernel gives none, the process
to which all orphans below it fall. It answers each request to start a process before the kernel carries it
out, looks at memory, disk and threads several times a second, and ends everything when a limit is passed,
when the module has ended, or when the launcher is gone. It touches nothing that the module can write to but
/proc.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import select
import signal
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from . import sandbox_census as census
from .sandbox_filter import SIGNALS, number

_LOOK_EVERY_S = 0.1
_LOOK_SHARE = 0.05  # of one core at most
_END_LIMIT_S = 3.0
_THREADS_PER_PROCESS = 64  # times the process limit: what all of them may have together
_RECEIVE, _ANSWER = 0xC0502100, 0xC0182101  # ioctls of a seccomp listener
_NOTICE = struct.Struct("=QIIiIQ6Q")  # id, pid, flags, then the call: number, architecture, where, arguments
_REPLY = struct.Struct("=Qqii")  # id, value, error, flags
_GO_ON = 1


class Leash(NamedTuple):  # a dataclass would add a tenth to every cold start
    """What ties a guard to the rest: `launcher` hangs up when nobody waits any more."""

    module: int
    launcher: int
    listener: int | None
    own_table: bool  # /proc shows only what the guard watches over
    first_process: bool  # of a process namespace: when it ends, so does everything in it


def watch(
    leash: Leash, limits: dict[str, Any], scratch: str, report: Callable[[dict[str, Any]], None]
) -> None:
    """Return when nothing of the child is left, having reported how it ended."""
    guard = _Guard(leash, limits, scratch)
    ended = guard.until_the_end()
    left = guard.end_all()
    report({"ended": ended, "status": guard.status, "left": left})


class _Guard:
    def __init__(self, leash: Leash, limits: dict[str, Any], scratch: str) -> None:
        self.leash, self.limits, self.scratch = leash, limits, scratch
        self.status: int | None = None
        self.deadline = time.monotonic() + limits["wall_s"]
        self.next_look = time.monotonic()
        self.children_r, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self.poller = select.poll()
        for fd in (leash.launcher, self.children_r, leash.listener):
            if fd is not None:
                self.poller.register(fd, select.POLLIN)

    def until_the_end(self) -> str:
        """Wait; why it ended: "itself", "wall", "abandoned", or the total that was passed."""
        while True:
            self._bury()
            if self.status is not None:
                return "itself"
            now = time.monotonic()
            if now >= self.deadline:
                return "wall"
            if now >= self.next_look and (passed := self._look()):
                return passed
            wait_s = min(self.next_look, self.deadline) - time.monotonic()
            for fd, events in self.poller.poll(max(0.0, wait_s) * 1000):
                if fd == self.leash.launcher:
                    return "abandoned"
                if fd == self.children_r:
                    os.read(fd, 4096)
                elif not events & select.POLLIN:  # nobody is left who could ask
                    self.poller.unregister(fd)
                elif not self._answer():
                    return "processes"

    def end_all(self) -> int:
        """Kill what still runs and wait until it is gone; how many processes there were to kill."""
        left = len(self._living()) if self.status is not None else 0
        deadline = time.monotonic() + _END_LIMIT_S
        while time.monotonic() < deadline:
            with contextlib.suppress(ProcessLookupError):
                if self.leash.first_process:
                    os.kill(-1, signal.SIGKILL)
                else:
                    for pid in self._living():
                        os.kill(pid, signal.SIGKILL)
            if not self._bury():
                break
            time.sleep(0.002)
        return left

    def _bury(self) -> bool:
        """Wait for whatever has ended; whether children remain."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == self.leash.module:
                    self.status = status
                if pid == 0:
                    return True
        except ChildProcessError:
            return False

    def _living(self) -> list[int]:
        return census.below(census.own_pid(), alone=self.leash.own_table)

    def _look(self) -> str | None:
        """Compare the totals of all processes with the limits; the name of one that is passed."""
        started = time.monotonic()
        pids, most = self._living(), self.limits["processes"]
        passed = None
        if len(pids) > most:
            passed = "processes"
        elif census.threads(pids) > most * _THREADS_PER_PROCESS:
            passed = "threads"
        elif (memory := self.limits["memory_bytes"]) and census.resident_bytes(pids, memory) > memory:
            passed = "memory"
        elif (disk := self.limits["scratch_bytes"]) and census.disk_bytes(pids, self.scratch) > disk:
            passed = "disk"
        now = time.monotonic()
        self.next_look = now + max(_LOOK_EVERY_S, (now - started) / _LOOK_SHARE)
        return passed

    def _answer(self) -> bool:
        """Answer one request of the child; False when it asks for a process too many."""
        assert self.leash.listener is not None
        notice = bytearray(_NOTICE.size)
        with contextlib.suppress(FileNotFoundError):  # the asker has died meanwhile
            _ioctl(self.leash.listener, _RECEIVE, notice)
            ticket, _, _, call, _, _, first, *_ = _NOTICE.unpack(notice)
            if call in {number(name) for name in SIGNALS}:
                allowed = self._may_signal(first)
            else:
                self._bury()
                allowed = True
                if len(self._living()) >= self.limits["processes"]:
                    return False
            answer = (ticket, 0, 0, _GO_ON) if allowed else (ticket, 0, -errno.EPERM, 0)
            _ioctl(self.leash.listener, _ANSWER, bytearray(_REPLY.pack(*answer)))
        return True

    def _may_signal(self, target: int) -> bool:
        """A process, thread or group of its own; not "everything", and nobody else."""
        pid = struct.unpack("i", struct.pack("I", target & 0xFFFFFFFF))[0]
        if pid == -1:
            return False
        return pid == 0 or census.process_of(abs(pid)) in self._living()


def _ioctl(fd: int, request: int, content: bytearray) -> None:
    while True:
        try:
            fcntl.ioctl(fd, request, content)
            return
        except InterruptedError:  # by a child's end
            continue


def report_to(fd: int) -> Callable[[dict[str, Any]], None]:
    """Write documents to the parent's file, one a line; the module never holds this descriptor."""

    def report(document: dict[str, Any]) -> None:
        os.write(fd, json.dumps(document).encode() + b"\n")

    return report
