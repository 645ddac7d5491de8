"""The far side of `sandbox.py`: shuts itself in, runs one module as `__main__`, hands back a signed reply.

`boot` runs first, in a single-threaded interpreter that has loaded nothing but the standard library. It
leaves the host's namespaces, sets a guard above itself (`sandbox_guard.py`), and gives up its rights: files
by Landlock, system calls by a filter, capabilities, and what the resource limits take. Each layer that the
machine forbids is left out and is missing from the list sent back: nothing is claimed that is not there.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import hmac
import json
import os
import resource
import runpy
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from . import sandbox_filter, sandbox_guard, sandbox_landlock, sandbox_namespaces

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
_CAPABILITY_V3 = 0x20080522

_session: dict[str, Any] | None = None


def sign(secret: str, payload: bytes) -> str:
    """HMAC-SHA256 of a reply, so that a thread that sees one go by still cannot write another."""
    signer = _signer(secret)
    signer.update(payload)
    return signer.hexdigest()


def serve(handle: Callable[[dict[str, Any]], dict[str, Any]]) -> NoReturn:
    """Answer this process's one request with `handle(request)`, then end at once: no exit handler runs."""
    global _session
    session, _session = _session, None
    if session is None:
        raise RuntimeError("this module is started by kbgen.profiling.sandbox.run_child, not by hand")
    fd, request = session["reply_fd"], session["request"]
    signer = _signer(session.pop("secret"))
    dumps, write, end = json.dumps, os.write, os._exit  # as they are before any other code has run
    del session
    try:
        answer: dict[str, Any] = {"ok": handle(request)}
    except BaseException as error:
        traceback.print_exc()
        answer = {"error": f"{type(error).__name__}: {error}"[:4000], "memory": _is_memory(error)}
    payload = dumps(answer).encode()
    signer.update(payload)
    left = memoryview(signer.hexdigest().encode() + b"\n" + payload)
    while left:
        left = left[write(fd, left) :]
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    end(0)


def _signer(secret: str) -> hmac.HMAC:
    return hmac.new(secret.encode(), digestmod=hashlib.sha256)


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error)


def boot() -> NoReturn:
    """Read the session from standard input and enter it."""
    session = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.path[:] = session["path"]
    sys.dont_write_bytecode = True
    session["without"] += without_namespaces()
    enter(session)


def without_namespaces() -> list[str]:
    """The mechanism that has to be tried before it is used, where that trial fails; costs a fork."""
    return [] if sandbox_namespaces.possible(ctypes.CDLL(None)) else ["namespaces"]


def enter(session: dict[str, Any]) -> NoReturn:
    """Raise the walls around this single-threaded process, then run the module inside them.

    `session["without"]` names mechanisms to leave alone, as on a machine that forbids them.
    """
    global _session
    layers = ["clean environment"]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    namespaced = "namespaces" not in session["without"] and sandbox_namespaces.enter(libc)
    if namespaced:
        layers += ["own namespaces", "no network"]
        if sandbox_namespaces.seal(libc, session["scratch"]):
            layers.append("read-only files")
    _set_guard(libc, session, layers, namespaced)  # returns only in the innermost process
    _session = session
    runpy.run_module(session["module"], run_name="__main__", alter_sys=True)
    os._exit(3)  # the module ended without serving


def _set_guard(libc: ctypes.CDLL, session: dict[str, Any], layers: list[str], namespaced: bool) -> None:
    """Fork the guard and, from it, the module; the two outer processes stay outside its walls and end."""
    hang_up_r, hang_up_w = os.pipe()
    if guard := os.fork():
        os.close(hang_up_r)
        for one in ("report_fd", "reply_fd"):
            os.close(session[one])
        os.waitpid(guard, 0)
        os._exit(0)
    os.close(hang_up_w)
    os.setsid()
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    own_table = namespaced and sandbox_namespaces.own_process_table(libc)
    ours, theirs = socket.socketpair()
    if module := os.fork():
        theirs.close()
        os.close(session["reply_fd"])
        libc.prctl(_PR_SET_DUMPABLE, 0)
        _stand_guard(session, ours, sandbox_guard.Leash(module, hang_up_r, None, own_table, namespaced))
    ours.close()
    for fd in (hang_up_r, session["report_fd"]):
        os.close(fd)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()
    _give_up_rights(libc, session, layers, theirs, namespaced)


def _stand_guard(session: dict[str, Any], ours: socket.socket, leash: sandbox_guard.Leash) -> NoReturn:
    """Learn from the module which layers it raised, tell the parent, and watch."""
    report = sandbox_guard.report_to(session["report_fd"])
    limits, scratch = session["limits"], session["scratch"]
    del session["secret"], session["request"]
    told, fds, _, _ = socket.recv_fds(ours, 4096, 1)
    ours.close()
    report({"layers": [*json.loads(told or b"[]"), "guard"]})
    listener = fds[0] if fds else None
    sandbox_guard.watch(leash._replace(listener=listener), limits, scratch, report)
    os._exit(0)


def _give_up_rights(
    libc: ctypes.CDLL, session: dict[str, Any], layers: list[str], guard: socket.socket, namespaced: bool
) -> None:
    """Everything that this process will never get back; tells the guard what holds."""
    without = session["without"]
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where memory runs out, this ends before its parent does
    _set_limits(session["limits"])
    layers.append("resource limits")
    libc.prctl(_PR_SET_DUMPABLE, 1)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.capset(struct.pack("Ii", _CAPABILITY_V3, 0), struct.pack("6I", 0, 0, 0, 0, 0, 0))
    if "landlock" not in without and sandbox_landlock.restrict(libc, session["scratch"]):
        layers += ["Landlock", "read-only files"]
    filtered, listener = (False, None)
    if "filter" not in without:
        filtered, listener = sandbox_filter.install(libc, ask_signals=not namespaced)
    if filtered:
        layers += ["system call filter", "no network"]
    if listener is not None:
        layers.append("process count")
    told = json.dumps(sorted(set(layers))).encode()
    socket.send_fds(guard, [told], [] if listener is None else [listener])
    guard.close()
    if listener is not None:
        os.close(listener)


def _set_limits(limits: dict[str, Any]) -> None:
    """Limit the module itself. The kernel's own process limit is not used: it never binds root, and on older
    kernels counts what the user runs elsewhere; the guard counts instead."""
    wanted = {
        resource.RLIMIT_CPU: limits["cpu_s"],
        resource.RLIMIT_AS: limits["memory_bytes"],
        resource.RLIMIT_FSIZE: limits["file_bytes"],
        resource.RLIMIT_CORE: 0,
    }
    for which, value in wanted.items():
        if value is None:
            continue
        hard = resource.getrlimit(which)[1]
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        grace = int(which == resource.RLIMIT_CPU and ceiling != hard)  # SIGXCPU first, SIGKILL a second later
        resource.setrlimit(which, (ceiling, ceiling + grace))
