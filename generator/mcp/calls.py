"""Answers the calls of an agent: at once where it can, through a job where a command has to run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ... import KbgenError
from . import asked
from .brief import brief
from .commands import COMMANDS
from .jobs import Job, JobError, Jobs, Tell
from .reading import Reader
from .tools import TOOLS

Document = dict[str, Any]


class ToolError(KbgenError):
    """A tool that does not exist, or a command that failed."""


class Calls:
    """What the tools do; one for all connections of a server."""

    def __init__(self, jobs: Jobs, reader: Reader) -> None:
        self.jobs, self.reader = jobs, reader

    async def answer(self, name: str, arguments: dict[str, Any], tell: Tell) -> Document:
        """The document of one call. Raises KbgenError with a sentence that says what to do."""
        tool = TOOLS.get(name)
        if tool is None:
            raise ToolError(f"there is no tool {name[:80]!r}; there are {', '.join(TOOLS)}.")
        given = asked.read(name, tool.asked, arguments)
        match given:
            case asked.Search():
                return await self.reader.search(given)
            case asked.Specs():
                return await self.reader.specs(given)
            case asked.JobAsked():
                return await self._job(given, tell)
            case asked.Waited():
                return await self._through_a_job(name, given, tell)
        raise ToolError(f"{name} has no answer")

    async def close(self) -> None:
        """End what runs."""
        await self.jobs.close()
        self.reader.close()

    async def _through_a_job(self, name: str, given: asked.Waited, tell: Tell) -> Document:
        """Wait for the command; one whose caller gave up, and so never learns its handle, is ended."""

        def words(folder: Path) -> list[str]:
            return COMMANDS[name](given, folder)

        job = self.jobs.begin(name, words)
        try:
            await self.jobs.wait(job, given.wait_s, tell)
        except asyncio.CancelledError:
            job.end()
            raise
        return self._document(job, given.full) if job.ended else handle(job)

    async def _job(self, given: asked.JobAsked, tell: Tell) -> Document:
        if given.job is None:
            if given.action != "status":
                raise JobError(f"{given.action} needs the handle of a job; without action, all are listed.")
            return {"schema": "kbgen/jobs/1", "jobs": [job.to_json() for job in self.jobs.all()]}
        job = self.jobs.find(given.job)
        if given.action == "status":
            return handle(job)
        if given.action == "cancel":
            await self.jobs.cancel(job)
            return handle(job)
        await self.jobs.wait(job, given.wait_s, tell)
        return self._document(job, given.full) if job.ended else handle(job)

    def _document(self, job: Job, full: bool) -> Document:
        """What the command answered, with where the whole of it is."""
        if job.status == "cancelled":
            return handle(job)
        document = self.jobs.document(job)
        if document is None:
            raise ToolError(f"{job.command} failed: {job.error or 'its answer is gone; ask again.'}")
        shown = document if full else brief(job.command, document)
        return {**shown, "job": job.id, "folder": str(job.folder)}


NEXT = {
    "queued": "call job with action result and this handle; it waits for its turn",
    "running": "call job with action result and this handle, again until its document comes",
    "done": "call job with action result and this handle for its document",
    "failed": "read error, put right what it names, and ask again",
    "cancelled": "ask again if it is still wanted",
    "lost": "ask again: it did not end before its server did",
}


def handle(job: Job) -> Document:
    """What an agent gets instead of a document that is not there yet."""
    return {"schema": "kbgen/job/1", **job.to_json(), "next": NEXT[job.status]}
