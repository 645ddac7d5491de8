"""The far side of `sandbox.py`: shuts itself in, runs one module as `__main__`, hands back a signed reply.

`boot` runs first, in a single-threaded interpreter that has loaded nothing but the standard library. It makes
new user, network, mount, process and IPC namespaces where the kernel allows, and then stands as three
processes:

    launcher (known to the parent) -> reaper (pid 1 of the new namespace) -> the module

When the reaper ends, for whatever reason, the kernel ends everything in its namespace, daemons included. Each
layer that the machine forbids is left out and is missing from the list sent back: nothing is claimed that is
not there.
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
import struct
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

_CLONE_NEWNS, _CLONE_NEWIPC, _CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
_CLONE_NEWPID, _CLONE_NEWNET = 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_SYS_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _ATTR_RDONLY = 442, -100, 0x8000, 1
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _CAPABILITY_V3 = 1, 38, 0x20080522
_COUNT_EVERY_S = 0.02  # how often the reaper counts the processes of its namespace

_session: dict[str, Any] | None = None


def sign(secret: str, payload: str) -> str:
    """HMAC-SHA256 of a reply, so that a thread that sees one go by still cannot write another."""
    return hmac.new(secret.encode(), payload.encode(), hashlib.sha256).hexdigest()


def serve(handle: Callable[[dict[str, Any]], dict[str, Any]]) -> NoReturn:
    """Answer this process's one request with `handle(request)`, then end at once: no exit handler runs."""
    global _session
    session, _session = _session, None
    if session is None:
        raise RuntimeError("this module is started by kbgen.profiling.sandbox.run_child, not by hand")
    fd, secret, request = session["reply_fd"], session["secret"], session["request"]
    del session
    try:
        answer: dict[str, Any] = {"ok": handle(request)}
    except BaseException as error:
        traceback.print_exc()
        answer = {"error": f"{type(error).__name__}: {error}"[:4000], "memory": _is_memory(error)}
    payload = json.dumps(answer)
    os.write(fd, f"{sign(secret, payload)}\n".encode())
    with os.fdopen(fd, "wb", closefd=False) as channel:
        channel.write(payload.encode())
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(0)


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error)


def boot() -> NoReturn:
    """Read the session from standard input and enter it."""
    session = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.path[:] = session["path"]
    sys.dont_write_bytecode = True
    enter(session)


def enter(session: dict[str, Any]) -> NoReturn:
    """Raise the walls around this single-threaded process, then run the module inside them."""
    global _session
    layers = ["own session", "resource limits", "clean environment"]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    namespaced = _new_namespaces(libc, layers)
    if namespaced and _read_only_outside(libc, session["scratch"]):
        layers.append("read-only files")
    if namespaced:
        _stand_guard(libc, session, layers)  # returns only in the innermost process
    else:
        _report_layers(session["layers_fd"], layers)
    _drop_privileges(libc)
    _set_limits(session["limits"])
    _session = session
    runpy.run_module(session["module"], run_name="__main__", alter_sys=True)
    os._exit(3)  # the module ended without serving


def _new_namespaces(libc: ctypes.CDLL, layers: list[str]) -> bool:
    """Leave the network, the mounts and the process table of the host; False where the kernel forbids it."""
    uid, gid = os.getuid(), os.getgid()
    everything = _CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWPID | _CLONE_NEWNET | _CLONE_NEWIPC
    if libc.unshare(everything) != 0:
        return False
    try:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    except OSError:
        return False  # the namespaces hold, but this process cannot act inside them
    layers += ["no network", "own user namespace", "own process namespace"]
    return True


def _write(path: str, text: str) -> None:
    with open(path, "w") as handle:
        handle.write(text)


def _read_only_outside(libc: ctypes.CDLL, scratch: str) -> bool:
    """Remount everything but the scratch folder read-only, in this mount namespace alone."""
    place = os.fsencode(scratch)
    if libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None) != 0:
        return False
    if libc.mount(place, place, None, _MS_BIND | _MS_REC, None) != 0:
        return False
    sealed = _set_mount(libc, b"/", _AT_RECURSIVE, _ATTR_RDONLY, 0) and _set_mount(
        libc, place, 0, 0, _ATTR_RDONLY
    )
    os.chdir(scratch)  # the working folder still points below the new mount
    return sealed


def _set_mount(libc: ctypes.CDLL, path: bytes, flags: int, add: int, clear: int) -> bool:
    attributes = struct.pack("QQQQ", add, clear, 0, 0)
    result = libc.syscall(
        ctypes.c_long(_SYS_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        path,
        ctypes.c_uint(flags),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    return bool(result == 0)


def _stand_guard(libc: ctypes.CDLL, session: dict[str, Any], layers: list[str]) -> None:
    """Fork the reaper and, from it, the module; the two outer processes wait and pass the end on."""
    ends_r, ends_w = os.pipe()
    if reaper := os.fork():
        os.close(ends_w)
        _hand_on(ends_r, reaper)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.close(ends_r)
    own_table = libc.mount(b"proc", b"/proc", b"proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, None) == 0
    if own_table:
        layers.append("process count")
    _report_layers(session["layers_fd"], layers)
    if module := os.fork():
        status = _reap(module, session["limits"]["processes"] if own_table else None)
        os.write(ends_w, struct.pack("i", status))
        os._exit(0)
    os.close(ends_w)


def _report_layers(fd: int, layers: list[str]) -> None:
    os.write(fd, json.dumps(layers).encode())
    os.close(fd)


def _reap(module: int, most: int | None) -> int:
    """Wait for the module's end, burying orphans; with `most`, also count what lives here."""
    signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGCHLD}
    )  # so that sigtimedwait wakes at the module's end
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG if most else 0)
        if pid == module:
            return status
        if most and sum(name.isdigit() for name in os.listdir("/proc")) > most + 1:
            os.kill(-1, signal.SIGKILL)
            os.write(2, f"sandbox: more than {most} processes, all ended\n".encode())
            return int(signal.SIGKILL)
        if pid == 0:
            signal.sigtimedwait({signal.SIGCHLD}, _COUNT_EVERY_S)


def _hand_on(ends_r: int, reaper: int) -> NoReturn:
    """Die the way the module died, so that the parent sees its exit code or its signal."""
    for fd in (0, 1, 2):
        os.close(fd)
    raw = os.read(ends_r, 4)
    os.waitpid(reaper, 0)
    status = struct.unpack("i", raw)[0] if len(raw) == 4 else int(signal.SIGKILL)
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        end = os.WTERMSIG(status)
        if end != signal.SIGKILL:
            signal.signal(end, signal.SIG_DFL)
        os.kill(os.getpid(), end)
    os._exit(os.WEXITSTATUS(status))


def _drop_privileges(libc: ctypes.CDLL) -> None:
    """Give up the capabilities that raised the walls, so that nothing inside can take them down."""
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.capset(struct.pack("Ii", _CAPABILITY_V3, 0), struct.pack("6I", 0, 0, 0, 0, 0, 0))


def _set_limits(limits: dict[str, Any]) -> None:
    """Limit the module itself. The kernel's own process limit is not used: it never binds root, and on older
    kernels counts what the user runs elsewhere; the reaper counts instead."""
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
