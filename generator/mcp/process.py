"""Runs one command of kbgen in a process group of its own, and ends all of it when it is told to.

    document, error = await run(["kbgen", "verify", ..., "--json"], "verify", folder, print)

What it said stays in log.txt of `folder`; its passing files go with it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .ending import answer, complaint

LONGEST_LOG = 1 << 20
SHORT_S, TICK_S, GRACE_S = 0.02, 0.5, 5.0

Say = Callable[[str], None]


async def run(
    words: Sequence[str], command: str, folder: Path, say: Say
) -> tuple[dict[str, Any] | None, str]:
    """The document that a command answers, or None and why; `say` hears its lines.

    Cancelling this ends the command and whatever it started. Raises OSError where it cannot be started.
    """
    stop = asyncio.Event()
    work = asyncio.create_task(_run(words, command, folder, say, stop))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait((work,))
        raise


async def _run(
    words: Sequence[str], command: str, folder: Path, say: Say, stop: asyncio.Event
) -> tuple[dict[str, Any] | None, str]:
    """The same, until it ends or is told to `stop`: a start that is cancelled may leave a child behind."""
    said, log = folder / "stdout.txt", folder / "log.txt"
    passing = tempfile.mkdtemp(prefix="kbgen-job-")
    try:
        with said.open("wb") as out:
            process = await asyncio.create_subprocess_exec(
                *words, stdin=asyncio.subprocess.DEVNULL, stdout=out, stderr=asyncio.subprocess.PIPE,
                start_new_session=True, env=_environment(passing),
            )  # fmt: skip
        hearing = asyncio.create_task(_hear(process, log, say))
        await _until_it_ends(process, hearing, stop)
        await _ended(process, hearing)
        document = None if process.returncode else answer(said, command)
        return document, "" if document else complaint(log, process.returncode)
    finally:
        shutil.rmtree(passing, ignore_errors=True)
        with suppress(OSError):
            said.unlink()


async def _hear(process: asyncio.subprocess.Process, path: Path, say: Say) -> None:
    """Tell what the command says, line by line; its log holds it all, or both its ends."""
    assert process.stderr is not None
    rest, kept, tail = b"", 0, b""
    with path.open("wb") as log:
        while chunk := await process.stderr.read(1 << 16):
            kept += len(chunk)
            tail = (tail + chunk)[-LONGEST_LOG // 16 :]
            if kept <= LONGEST_LOG:
                log.write(chunk)
                log.flush()
            *lines, rest = (rest + chunk)[-4096:].split(b"\n")
            for line in filter(None, (one.decode("utf-8", "replace").strip() for one in lines)):
                say("".join(mark for mark in line if mark.isprintable())[:300])
        if kept > LONGEST_LOG:
            log.write(b"\n[...]\n" + tail)


async def _until_it_ends(
    process: asyncio.subprocess.Process, hearing: asyncio.Task[None], stop: asyncio.Event
) -> None:
    """Until the command itself has ended, whatever it left running that holds its standard error open."""
    stopping = asyncio.create_task(stop.wait())
    while process.returncode is None and not stop.is_set():
        if hearing.done():
            await asyncio.sleep(SHORT_S)
        else:
            await asyncio.wait((hearing, stopping), timeout=TICK_S, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()


async def _ended(process: asyncio.subprocess.Process, hearing: asyncio.Task[None]) -> None:
    """Nothing of the command's process group is left: what still runs is asked to end, then killed."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        until = time.monotonic() + GRACE_S
        while process.returncode is None and time.monotonic() < until:
            await asyncio.sleep(SHORT_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    while process.returncode is None:
        await asyncio.sleep(SHORT_S)
    await asyncio.wait((hearing,), timeout=GRACE_S)
    hearing.cancel()


def _environment(passing: str) -> dict[str, str]:
    """The server's environment without its token, and a folder for passing files that goes with the job."""
    kept = {name: value for name, value in os.environ.items() if name != "KBGEN_MCP_TOKEN"}
    return {**kept, "TMPDIR": passing}
