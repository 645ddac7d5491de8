"""Runs a module in a fresh, shut-in child process and reports how it ended.

    outcome = run_child("kbgen.profiling.static_child", {"candidate": str(path)}, scratch=folder)
    outcome.status, outcome.reply

The module answers through `sandbox_child.serve(handle)`. What holds, where the kernel allows
(`Outcome.layers` names what was active): limits on wall and CPU time, address space, file size and process
count; no network; only the scratch folder writable; no process survives the call; the environment carries no
variable of the caller's but the few below. The reply is signed with a secret that travels apart from standard
output, so printing, writing to every inherited descriptor, early exit and exit handlers cannot forge it.

What does NOT hold: code that the module itself imports shares its interpreter, and could with enough effort
read the secret out of its frames; so a reply is a statement of what happened, never a verdict, and verdicts
are reached by the parent. This is containment of mistakes and of casual cheating, not a security boundary:
files readable by the user stay readable inside.
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

from .nursery import NurseryError, run_warm
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
_BOOT = "import sys; sys.path[:] = {path!r}; from kbgen.profiling.sandbox_child import boot; boot()"
_STDERR_KEPT_BYTES = 16_000


@dataclass(frozen=True)
class Limits:
    """`None` lifts a limit; CUDA needs `memory_bytes=None`, since it reserves terabytes of addresses."""

    wall_s: float = 60.0
    cpu_s: int | None = 60
    memory_bytes: int | None = 8 << 30
    file_bytes: int | None = 1 << 30
    processes: int = 64


@dataclass(frozen=True)
class Outcome:
    """How the child ended; `reply` is there exactly when `status` is "ok"."""

    status: Status
    reply: dict[str, Any] | None
    stderr: str
    wall_s: float
    detail: str
    layers: tuple[str, ...]


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
        tempfile.TemporaryFile() as layers_file,
        tempfile.TemporaryFile() as stderr_file,
    ):
        session = {
            "module": module,
            "request": request,
            "secret": secret,
            "path": _import_path(),
            "scratch": str(scratch),
            "reply_fd": reply_file.fileno(),
            "layers_fd": layers_file.fileno(),
            "limits": asdict(limits),
        }
        started = time.monotonic()
        environment = _environment(scratch, env)
        code, timed_out = _run(session, environment, env, stderr_file, limits.wall_s, warm)
        wall_s = time.monotonic() - started
        stderr = _tail(stderr_file)
        layers = tuple(json.loads(_content(layers_file) or b"[]"))
        answer, forged = _read_answer(_content(reply_file), secret)
    status, detail = _judge(code, timed_out, answer, forged, limits, stderr)
    reply = answer["ok"] if answer is not None and status == "ok" else None
    return Outcome(status, reply, stderr, wall_s, detail, layers)


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
    wall_s: float,
    warm: bool,
) -> tuple[int, bool]:
    """The child's exit code and whether it ran past `wall_s`; a warm start that fails becomes a cold one."""
    if warm:
        with contextlib.suppress(NurseryError):
            return run_warm(session, environment, fixed, stderr_file.fileno(), wall_s)
    return _run_cold(session, environment, stderr_file, wall_s)


def _run_cold(
    session: dict[str, Any], environment: Mapping[str, str], stderr_file: IO[bytes], wall_s: float
) -> tuple[int, bool]:
    """Start the child, wait at most `wall_s`, end its process group; its code, and whether it ran over."""
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", _BOOT.format(path=session["path"])],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=stderr_file,
        cwd=session["scratch"],
        env=dict(environment),
        pass_fds=(session["reply_fd"], session["layers_fd"]),
        start_new_session=True,
    )
    timed_out = False
    try:
        child.communicate(json.dumps(session).encode(), timeout=wall_s)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    return child.returncode, timed_out


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _STDERR_KEPT_BYTES))
    return file.read().decode(errors="replace")


def _read_answer(content: bytes, secret: str) -> tuple[dict[str, Any] | None, bool]:
    """The signed answer, and whether the channel carries anything else."""
    if not content:
        return None, False
    signature, _, payload = content.partition(b"\n")
    text = payload.decode(errors="replace")
    if not hmac.compare_digest(signature, sign(secret, text).encode()):
        return None, True
    answer: dict[str, Any] = json.loads(text)
    return answer, False


def _judge(
    code: int, timed_out: bool, answer: dict[str, Any] | None, forged: bool, limits: Limits, stderr: str
) -> tuple[Status, str]:
    if timed_out:
        return "timeout", f"it ran past its limit of {limits.wall_s:g} s and was ended"
    if -code == signal.SIGXCPU:
        return "timeout", f"it used more than its limit of {limits.cpu_s} s of CPU time"
    if forged:
        return "crashed", "the reply channel holds bytes that the child's own reply code did not write"
    if answer is not None and "ok" in answer:
        return "ok", ""
    if answer is not None:
        return ("memory" if answer["memory"] else "crashed"), answer["error"]
    if code < 0:
        last = stderr.strip().splitlines()[-1:] if -code == signal.SIGKILL else []
        reason = f" ({last[0]})" if last else ""
        return "crashed", f"it died of {signal.Signals(-code).name}{reason}"
    return "exited", f"it exited with code {code} before it replied"
