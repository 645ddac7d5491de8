"""Runs a module in a fresh, shut-in child process and reports how it ended.

    outcome = run_child("kbgen.profiling.static_child", {"candidate": str(path)}, scratch=folder)
    outcome.status, outcome.reply

The module answers through `sandbox_child.serve(handle)`. What holds, where the kernel allows
(`Outcome.layers` names what was active, `Outcome.missing` what was not): limits on wall and CPU time, address
space, memory and disk in all, file size and process count; no network; only the scratch folder writable; no
process survives the call; the environment carries no variable of the caller's but the few below. The reply is
signed with a secret that travels apart from standard output, so printing, writing to every inherited
descriptor, early exit and exit handlers cannot forge it. docs/sandbox.md tells what each layer does.

What does NOT hold: code that the module itself imports shares its interpreter, and could with enough effort
read the secret out of its frames; so a reply is a statement of what happened, never a verdict, and verdicts
are reached by the parent. Files readable by the user stay readable inside.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Literal

from .nursery import NurseryError, prepare, run_warm
from .sandbox_child import sign

Status = Literal["ok", "timeout", "crashed", "memory", "exited"]

_INHERITED = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "LD_LIBRARY_PATH",
    "CUDA_HOME",
    "CUDA_VISIBLE_DEVICES",
    "ROCM_PATH",
)
NO_CARD = {"CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": "", "ROCR_VISIBLE_DEVICES": ""}
"""For children that only compile or interpret: a driver reserves more addresses than their limits allow."""

LAYERS = {
    "clean environment": "no variable of the caller's but a few that say where tools are",
    "resource limits": "CPU time, address space and file size of each process, by rlimit",
    "guard": "wall time, and memory, disk and threads in all; nothing outlives the call",
    "process count": "no process starts before the guard has agreed (seccomp listener)",
    "own namespaces": "user, process, mount, network and IPC namespaces: the host's are out of sight",
    "no network": "an empty network namespace, no sockets by the filter, or both",
    "read-only files": "only the scratch folder and GPU devices are writable, by mounts, Landlock, or both",
    "Landlock": "the kernel's own file rules; no signals and no memory reads across the border",
    "system call filter": "no ptrace, mount, bpf, keyctl, socket, link and the like, by seccomp",
}
"""Every layer there is, and what it does; a machine that offers them all has nothing missing."""

_BOOT = "import sys; sys.path[:] = {path!r}; from kbgen.profiling.sandbox_child import boot; boot()"
_STDERR_KEPT_BYTES = 16_000
_REPLY_LIMIT_BYTES = 256 << 20
_GRACE_S = 4.0  # the guard ends the child at its limit; a guard that could not is ended this much later
_WITHOUT: tuple[str, ...] = ()  # mechanisms that tests leave out: namespaces, landlock, filter


@dataclass(frozen=True)
class Limits:
    """`None` lifts a limit; CUDA needs `memory_bytes=None`, since it reserves terabytes of addresses.

    `memory_bytes` bounds the addresses of each process and what all of them hold together, `scratch_bytes`
    all that lies in the scratch folder, `processes` the module and whatever it starts.
    """

    wall_s: float = 60.0
    cpu_s: int | None = 60
    memory_bytes: int | None = 8 << 30
    file_bytes: int | None = 1 << 30
    scratch_bytes: int | None = 16 << 30
    processes: int = 64


@dataclass(frozen=True)
class Outcome:
    """How the child ended; `reply` is there exactly when `status` is "ok".

    `left_running` counts the processes that the module had started and that the guard had to end after it.
    """

    status: Status
    reply: dict[str, Any] | None
    stderr: str
    wall_s: float
    detail: str
    layers: tuple[str, ...]
    left_running: int = 0

    @property
    def missing(self) -> tuple[str, ...]:
        """The layers that this machine did not give."""
        return tuple(layer for layer in LAYERS if layer not in self.layers)


@dataclass(frozen=True)
class _Ending:
    """What the guard tells: why it ended, the module's wait status, and how many processes were left."""

    ended: str = "lost"
    status: int | None = None
    left: int = 0


def run_child(
    module: str,
    request: dict[str, Any],
    *,
    scratch: Path,
    limits: Limits = Limits(),
    env: Mapping[str, str] = {},
    warm: bool = False,
) -> Outcome:
    """Run `python -m module` in `scratch`, made if missing, with `request`; never raises for the child.

    `warm` forks the child from a process that has only imported the module's needs (see `nursery.py`).
    """
    scratch = scratch.resolve()
    for folder in (scratch, scratch / "home", scratch / "tmp"):
        folder.mkdir(parents=True, exist_ok=True)
    secret = secrets.token_hex(32)
    with (
        tempfile.TemporaryFile() as reply_file,
        tempfile.TemporaryFile() as report_file,
        tempfile.TemporaryFile() as stderr_file,
    ):
        session = {
            "module": module,
            "request": request,
            "secret": secret,
            "path": _import_path(),
            "scratch": str(scratch),
            "reply_fd": reply_file.fileno(),
            "report_fd": report_file.fileno(),
            "limits": asdict(limits),
            "without": _WITHOUT,
        }
        started = time.monotonic()
        _run(session, _environment(scratch, env), env, stderr_file, limits.wall_s + _GRACE_S, warm)
        wall_s = time.monotonic() - started
        stderr = _tail(stderr_file)
        layers, ending = _read_report(report_file)
        answer, forged = _read_answer(_content(reply_file), secret)
    if ending.ended == "lost" and wall_s < limits.wall_s:
        status, detail = _lost(stderr)
    else:
        status, detail = _judge(ending, answer, forged, limits)
    reply = answer["ok"] if answer is not None and status == "ok" else None
    return Outcome(status, reply, stderr, wall_s, detail, layers, ending.left)


def expect(module: str, *, scratch: Path, env: Mapping[str, str] = {}) -> None:
    """Start what a `warm` child of this module and `env` is forked from, so that it imports what it needs
    meanwhile; nothing is waited for, and what is there already stays."""
    scratch = scratch.resolve()
    prepare({"module": module, "path": _import_path()}, _environment(scratch, env), env)


def _import_path() -> list[str]:
    """The parent's search path, with the current folder made explicit so that the child's never joins it."""
    return [entry or os.getcwd() for entry in sys.path]


def _environment(scratch: Path, extra: Mapping[str, str]) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    places = {
        "HOME": scratch / "home",
        "TMPDIR": scratch / "tmp",
        "XDG_CACHE_HOME": scratch / "home",
        "TRITON_CACHE_DIR": scratch / "triton",
        "TORCHINDUCTOR_CACHE_DIR": scratch / "inductor",
    }
    return {**kept, **{name: str(place) for name, place in places.items()}, **extra}


def _run(
    session: dict[str, Any],
    environment: Mapping[str, str],
    fixed: Mapping[str, str],
    stderr_file: IO[bytes],
    patience_s: float,
    warm: bool,
) -> None:
    """Start the child and wait until it is gone; a warm start that fails becomes a cold one."""
    if warm:
        with contextlib.suppress(NurseryError):
            return run_warm(session, environment, fixed, stderr_file.fileno(), patience_s)
    return _run_cold(session, environment, stderr_file, patience_s)


def _run_cold(
    session: dict[str, Any], environment: Mapping[str, str], stderr_file: IO[bytes], patience_s: float
) -> None:
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", _BOOT.format(path=session["path"])],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=stderr_file,
        cwd=session["scratch"],
        env=dict(environment),
        pass_fds=(session["reply_fd"], session["report_fd"]),
        start_new_session=True,
    )
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.communicate(json.dumps(session).encode(), timeout=patience_s)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _STDERR_KEPT_BYTES))
    return file.read().decode(errors="replace")


def _read_report(file: IO[bytes]) -> tuple[tuple[str, ...], _Ending]:
    """The layers that held, and how it ended as far as the guard could still tell."""
    told = [json.loads(line) for line in _content(file).splitlines()]
    layers = told[0]["layers"] if told else []
    return tuple(layer for layer in LAYERS if layer in layers), _Ending(**told[1]) if told[1:] else _Ending()


def _read_answer(content: bytes, secret: str) -> tuple[dict[str, Any] | None, bool]:
    """The signed answer, and whether the channel carries anything else."""
    if not content:
        return None, False
    signature, _, payload = content[:_REPLY_LIMIT_BYTES].partition(b"\n")
    if not hmac.compare_digest(signature, sign(secret, payload).encode()):
        return None, True
    answer: dict[str, Any] = json.loads(payload)
    return answer, False


def _judge(
    ending: _Ending, answer: dict[str, Any] | None, forged: bool, limits: Limits
) -> tuple[Status, str]:
    if ending.ended in ("wall", "lost"):
        return "timeout", f"it ran past its limit of {limits.wall_s:g} s and was ended"
    if ending.ended != "itself":
        return _passed(ending.ended, limits)
    code = os.waitstatus_to_exitcode(ending.status or 0)
    if -code == signal.SIGXCPU:
        return "timeout", f"it used more than its limit of {limits.cpu_s} s of CPU time"
    if forged:
        return "crashed", "the reply channel holds bytes that the child's own reply code did not write"
    if answer is not None and "ok" in answer:
        return "ok", ""
    if answer is not None:
        return ("memory" if answer["memory"] else "crashed"), answer["error"]
    if code < 0:
        return "crashed", f"it died of {signal.Signals(-code).name}"
    return "exited", f"it exited with code {code} before it replied"


def _lost(stderr: str) -> tuple[Status, str]:
    """Nothing was heard from the guard: it was killed from outside, or the child could not be set up."""
    last = stderr.strip().splitlines()[-1:]
    return "crashed", f"its guard ended before it did{f' ({last[0]})' if last else ''}"


def _passed(total: str, limits: Limits) -> tuple[Status, str]:
    """What to say of a child that the guard ended because of what all its processes did together."""
    if total == "memory":
        return "memory", f"it held more than its limit of {(limits.memory_bytes or 0) / 2**30:g} GiB in all"
    told = {
        "processes": f"it started more than {limits.processes} processes",
        "threads": "it started thousands of threads",
        "disk": f"it filled its folder (with more than {(limits.scratch_bytes or 0) / 2**30:g} GiB, or files "
        "without number)",
    }
    return "crashed", f"{told.get(total, 'its parent was gone')} and was ended"
