"""Jobs: commands of kbgen in child processes, which outlive their request and keep their answer.

    jobs = Jobs(Path("kbgen-out"), library=None)
    job = jobs.begin("verify", lambda folder: ["verify", ...])
    await jobs.wait(job, 45.0, tell)
    job.status, jobs.document(job)

Each has a folder of its own below `out`: job.json says what it is, document.json what it answered, log.txt
what it said on the way. So an answer is still there after the server has ended; the job itself ends with it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal

from ... import KbgenError
from .process import run

Status = Literal["queued", "running", "done", "failed", "cancelled", "lost"]
Tell = Callable[[float, str], Awaitable[None]]

KBGEN = (sys.executable, "-m", "kbgen.cli")
HANDLE = re.compile(r"[a-z]+-\d{8}-\d{6}-[0-9a-f]{8}")
ON_THE_CARD = ("bench", "optimize", "profile", "record")
"""Commands that may time a card: one at a time, or they would time each other."""
BESIDE = 4
"""Other jobs that run at once."""
MOST_WAITING = 32
TICK_S, HEARTBEAT_S = 0.5, 5.0


class JobError(KbgenError):
    """A job that cannot begin, or a handle that leads to none."""


@dataclass
class Job:
    """One command; `line` is the last thing it said, `error` why it failed, both "" for nothing."""

    id: str
    command: str
    folder: Path
    begun: str
    status: Status = "queued"
    line: str = ""
    error: str = ""
    took_s: float = 0.0
    since: float | None = None  # on the monotonic clock, while it runs
    ending: bool = False
    task: asyncio.Task[None] | None = field(default=None, compare=False, repr=False)

    @property
    def ended(self) -> bool:
        return self.status not in ("queued", "running")

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        return self.took_s if self.since is None else time.monotonic() - self.since

    def heard(self, line: str) -> None:
        """Take a line of the command as what the job is at."""
        self.line = line

    def end(self) -> None:
        """Have it end, and everything that it started, without waiting for that."""
        if self.task is not None and not self.ended and not self.ending:
            self.ending = True
            self.task.cancel()

    def to_json(self) -> dict[str, Any]:
        """What anybody may know of it."""
        return {
            "job": self.id, "command": self.command, "status": self.status, "begun": self.begun,
            "seconds": round(self.seconds, 1), "progress": self.line, "error": self.error or None,
            "folder": str(self.folder),
        }  # fmt: skip


class Jobs:
    """The jobs of one server; `command` is how kbgen is run, `library` None for the user's own."""

    def __init__(self, out: Path, library: Path | None = None, command: Sequence[str] = KBGEN) -> None:
        self.out, self.library, self._command = out.absolute(), library, tuple(command)
        self._jobs: dict[str, Job] = {}
        self._card, self._others = asyncio.Semaphore(1), asyncio.Semaphore(BESIDE)

    def begin(self, command: str, words: Callable[[Path], Sequence[str]]) -> Job:
        """Start a job, or queue it; `words` are made in its folder, which goes where they are refused."""
        waiting = sum(not job.ended for job in self._jobs.values())
        if waiting >= MOST_WAITING:
            raise JobError(f"{waiting} jobs are running or queued; wait for one, or cancel one with job.")
        now = datetime.now(timezone.utc)
        name = f"{command}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
        job = Job(name, command, self.out / name, now.isoformat(timespec="seconds"))
        try:
            job.folder.mkdir(parents=True)
        except OSError as error:
            raise JobError(
                f"{self.out} cannot be written ({error.strerror}); start kbgen mcp with --out FOLDER."
            ) from None
        try:
            asked = list(words(job.folder))
        except KbgenError:
            shutil.rmtree(job.folder, ignore_errors=True)
            raise
        self._jobs[name] = job
        self._note(job)
        job.task = asyncio.create_task(self._run(job, asked))
        job.task.add_done_callback(lambda task: self._settle(job))
        return job

    async def wait(self, job: Job, seconds: float, tell: Tell) -> None:
        """Until the job has ended or `seconds` are over; `tell` hears how it goes."""
        begun = told_at = time.monotonic()
        told = ""
        while job.task is not None and not job.ended:
            left = begun + seconds - time.monotonic()
            if left <= 0:
                return
            await asyncio.wait((job.task,), timeout=min(left, TICK_S))
            now = time.monotonic()
            if job.line != told or now - told_at > HEARTBEAT_S:
                told, told_at = job.line, now
                await tell(now - begun, job.line or f"{job.command} is {job.status}")

    async def cancel(self, job: Job) -> None:
        """End a job and everything it started; one that has ended stays as it is."""
        job.end()
        if job.task is not None:
            await asyncio.wait((job.task,))

    async def close(self) -> None:
        """End all jobs."""
        for job in list(self._jobs.values()):
            await self.cancel(job)

    def find(self, name: str) -> Job:
        """The job of a handle, of this server or of one before it."""
        if job := self._jobs.get(name):
            return job
        kept = self.out / name / "job.json"
        if HANDLE.fullmatch(name) is None or not kept.is_file():
            raise JobError(f"there is no job {name[:80]!r}; job without a handle lists those there are.")
        try:
            told = json.loads(kept.read_text(encoding="utf-8"))
            status: Status = "lost" if told["status"] in ("queued", "running") else told["status"]
            error = told["error"] or ("it ended with the server that ran it" if status == "lost" else "")
            known = (told["command"], kept.parent, told["begun"], status, told["progress"], error)
            return Job(name, *known, took_s=told["seconds"])
        except (OSError, ValueError, KeyError) as fault:
            raise JobError(f"{kept} is damaged ({fault}); ask for the job again.") from None

    def all(self) -> list[Job]:
        """The jobs of this server, newest first."""
        return sorted(self._jobs.values(), key=lambda job: (job.begun, job.id), reverse=True)

    def document(self, job: Job) -> dict[str, Any] | None:
        """What the job's command answered; None while there is no answer, or where there was none."""
        kept = job.folder / "document.json"
        if job.status != "done" or not kept.is_file():
            return None
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found

    async def _run(self, job: Job, words: Sequence[str]) -> None:
        turn = self._card if job.command in ON_THE_CARD else self._others
        try:
            async with turn:
                job.status = "running"
                self._note(job)
                await self._answered(job, words)
        except OSError as error:
            job.status, job.error = "failed", f"kbgen could not be started: {error}"

    def _settle(self, job: Job) -> None:
        """What the job ended as; one without an outcome was cancelled, perhaps before it began."""
        if not job.ended:
            job.status, job.error = "cancelled", "it was cancelled"
        self._note(job)

    async def _answered(self, job: Job, words: Sequence[str]) -> None:
        """Run the command to its end; cancelling this ends it."""
        job.since = time.monotonic()
        shared = ["--json", *([f"--library={self.library}"] if self.library else [])]
        try:
            document, error = await run([*self._command, *words, *shared], job.command, job.folder, job.heard)
        finally:
            job.took_s, job.since = job.seconds, None
        if document is None:
            job.status, job.error = "failed", error
        else:
            _write(job.folder / "document.json", document)
            job.status = "done"

    def _note(self, job: Job) -> None:
        """Keep on disk what the job is; a disk that takes no more ends no job."""
        with suppress(OSError):
            _write(job.folder / "job.json", job.to_json())


def _write(path: Path, document: Mapping[str, Any]) -> None:
    """A reader sees the old file or the whole new one."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    os.replace(part, path)
