"""The kept process of `nursery.py`: imports once, then forks a child for each request over its socket."""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import sys
from typing import Any, NoReturn

from .sandbox_child import enter, without_namespaces


def keep(module: str, fd: int) -> NoReturn:
    """Serve until the parent closes its end; each child imports `module` itself anew, as `__main__`."""
    sys.dont_write_bytecode = True
    importlib.import_module(module)
    del sys.modules[module]
    gc.collect()
    gc.freeze()  # what was imported stays: a fork that looked through it would copy all of it
    lacking = without_namespaces()
    with socket.socket(fileno=fd) as channel:
        while True:
            request = _receive(channel)
            if request is None:
                os._exit(0)
            request[0]["without"] += lacking
            _one_child(channel, *request)


def _receive(channel: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next session with its three descriptors: reply, report, standard error."""
    header, fds, _, _ = socket.recv_fds(channel, 8, 3)
    if not header:
        return None
    size, held = struct.unpack("Q", header)[0], b""
    while len(held) < size:
        part = channel.recv(size - len(held))
        if not part:
            return None
        held += part
    return json.loads(held), fds


def _one_child(channel: socket.socket, session: dict[str, Any], fds: list[int]) -> None:
    pid = os.fork()
    if pid == 0:
        channel.close()
        _become(session, fds)
    for fd in fds:
        os.close(fd)
    channel.sendall(struct.pack("q", pid))
    watcher = os.pidfd_open(pid)
    ready, _, _ = select.select([watcher, channel.fileno()], [], [])
    if watcher not in ready:  # the parent is gone
        os.killpg(pid, signal.SIGKILL)
    os.close(watcher)
    _, status = os.waitpid(pid, 0)
    channel.sendall(struct.pack("q", status))


def _become(session: dict[str, Any], fds: list[int]) -> NoReturn:
    """Turn the fork into what a cold start would be at the same point."""
    os.setsid()
    session["reply_fd"], session["report_fd"], stderr_fd = fds
    os.dup2(stderr_fd, 2)
    os.close(stderr_fd)
    os.environ.clear()
    os.environ.update(session.pop("environment"))
    sys.path[:] = session["path"]
    os.chdir(session["scratch"])
    enter(session)
