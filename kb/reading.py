"""Has files read by a child process of bounded memory and time; a file that kills it is only refused."""

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from .readers.draft import Draft, Unreadable

WALL_S = 120.0


class Reading:
    """A child that reads file after file, begun at the first and begun anew after one that killed it."""

    def __init__(self, wall_s: float = WALL_S) -> None:
        self._wall_s = wall_s
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Reading":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def read(self, path: Path, suffix: str = "") -> Draft:
        """The file at `path` as a draft; Unreadable with the reason if it cannot be one."""
        child = self._child = self._child or _start()
        request = json.dumps({"path": str(path), "suffix": suffix or path.suffix})
        try:
            _pipe(child.stdin).write(request.encode() + b"\n")
            _pipe(child.stdin).flush()
            reply = json.loads(self._line(_pipe(child.stdout)))
        except (BrokenPipeError, ValueError):
            self._end()
            raise Unreadable("makes its parser crash") from None
        except TimeoutError:
            self._end()
            raise Unreadable(f"takes more than {self._wall_s:.0f} s to read; split it") from None
        if "unreadable" in reply:
            raise Unreadable(reply["unreadable"])
        found = reply["draft"]
        return Draft(**{**found, "flags": tuple(found["flags"])})

    def _line(self, stream: Any) -> bytes:
        """The next line of the child, waited for no longer than allowed; ValueError if the child ended."""
        parts: list[bytes] = []
        deadline = time.monotonic() + self._wall_s
        while not parts or not parts[-1].endswith(b"\n"):
            ready, _, _ = select.select([stream], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            part = os.read(stream.fileno(), 1 << 16)
            if not part:
                raise ValueError("the child ended")
            parts.append(part)
        return b"".join(parts)

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            _pipe(child.stdin).close()
            _pipe(child.stdout).close()


def _start() -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "kbgen.kb.readers.worker"]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
    )


def _pipe(stream: Any) -> Any:
    assert stream is not None  # it was opened as a pipe
    return stream
