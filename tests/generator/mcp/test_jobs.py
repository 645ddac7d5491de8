"""A job outlives its request, ends when it is told to with all it started, and its answer stays."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.mcp import jobs as module
from kbgen.generator.mcp import process
from kbgen.generator.mcp.jobs import Job, JobError, Jobs
from kbgen.generator.mcp.sources import SourceError

Op = Callable[[str], str]
LONG_S = 60.0


async def hears_nothing(seconds: float, line: str) -> None:
    return None


def run(act: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(act)


async def ended(jobs: Jobs, command: str, op: str) -> Job:
    job = jobs.begin(command, lambda folder: [command, op, f"--out={folder}"])
    await jobs.wait(job, LONG_S, hears_nothing)
    return job


async def says(jobs: Jobs, job: Job, what: str) -> str:
    """The job's last line, once it holds `what`."""
    until = time.monotonic() + LONG_S
    while what not in job.line:
        assert time.monotonic() < until, f"{job.status}: {job.line!r} {job.error!r}"
        await asyncio.sleep(0.01)
    return job.line


def is_there(pid: int) -> bool:
    """Whether a process runs; one that ended and waits to be reaped by init does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def until_gone(*pids: int) -> None:
    """Init reaps what was orphaned when it gets to it."""
    until = time.monotonic() + LONG_S
    while any(map(is_there, pids)):
        assert time.monotonic() < until
        await asyncio.sleep(0.01)


def test_the_answer_is_the_commands_document(
    tmp_path: Path, stand_in: tuple[str, ...], op: Op, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_MCP_TOKEN", "a secret of the server")

    async def act() -> None:
        jobs = Jobs(tmp_path / "out", tmp_path / "library", stand_in)
        job = await ended(jobs, "verify", op(""))
        assert (job.status, job.error) == ("done", "")
        document = jobs.document(job)
        assert document is not None
        assert document["schema"] == "kbgen/verify/1"
        assert document["words"] == [f"--out={job.folder}", "--json", f"--library={tmp_path / 'library'}"]
        assert document["token"] is None
        left = {path.name for path in job.folder.iterdir()}
        assert left == {"job.json", "document.json", "log.txt"}

    run(act())


@pytest.mark.parametrize(
    ("does", "error"),
    [
        ("refuse", "the op is no op; give one."),
        ("misuse", "no such option"),
        ("die", "ended by signal 9"),
        ("silent", "without an answer"),
        ("chatter", "in the end it was told."),
    ],
)
def test_a_failure_is_told_in_its_own_sentence(
    does: str, error: str, tmp_path: Path, stand_in: tuple[str, ...], op: Op
) -> None:
    async def act() -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        job = await ended(jobs, "verify", op(does))
        assert job.status == "failed"
        assert error in job.error
        assert jobs.document(job) is None

    run(act())


def test_what_an_op_prints_does_no_harm(tmp_path: Path, stand_in: tuple[str, ...], op: Op) -> None:
    async def act() -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        job = await ended(jobs, "verify", op("noise"))
        assert job.status == "done"
        assert job.line == "[31mred"

    run(act())


def test_what_a_command_leaves_running_neither_stays_nor_holds_the_job_up(
    tmp_path: Path, stand_in: tuple[str, ...], op: Op
) -> None:
    async def act() -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        job = await ended(jobs, "verify", op("orphan"))
        assert job.status == "done"
        await until_gone(int(job.line.split("pids")[1]))

    run(act())


@pytest.mark.parametrize("does", ["forever", "deaf"])
def test_cancelling_ends_all_that_the_job_started(
    does: str, tmp_path: Path, stand_in: tuple[str, ...], op: Op, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE_S", 0.2)

    async def act() -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        job = jobs.begin("verify", lambda folder: ["verify", op(does)])
        line = await says(jobs, job, "pids")
        pids = [int(pid) for pid in re.findall(r"\d+", line.split("pids")[1].split(" in ")[0])]
        assert all(map(is_there, pids))
        await jobs.cancel(job)
        assert job.status == "cancelled"
        await until_gone(*pids)
        if " in " in line:
            assert not Path(line.split(" in ")[1]).exists()
        await jobs.cancel(job)
        assert job.status == "cancelled"

    run(act())


def test_a_job_that_is_cancelled_while_it_starts_leaves_nothing(
    tmp_path: Path, stand_in: tuple[str, ...], op: Op
) -> None:
    async def act() -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        for turns in range(12):  # of the event loop, before the start is broken off
            job = jobs.begin("verify", lambda folder: ["verify", op("forever"), f"--out={folder}"])
            for _ in range(turns):
                await asyncio.sleep(0)
            time.sleep(0.05)  # the child is faster than the server
            await jobs.cancel(job)
            assert job.status == "cancelled"
        await until_gone(*left_of(tmp_path))

    run(act())


def left_of(folder: Path) -> list[int]:
    """Processes whose command line names a file of this test."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        if str(folder).encode() in words:
            found.append(int(place.name))
    return found


def test_a_wait_that_is_over_leaves_the_job_running(
    tmp_path: Path, stand_in: tuple[str, ...], op: Op
) -> None:
    async def act() -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        job = jobs.begin("verify", lambda folder: ["verify", op("forever")])
        await says(jobs, job, "pids")
        await jobs.wait(job, 0.05, hears_nothing)
        assert job.status == "running"
        assert job.to_json()["seconds"] > 0
        await jobs.close()
        assert job.status == "cancelled"

    run(act())


def test_what_times_a_card_runs_one_at_a_time_and_the_rest_beside_it(
    tmp_path: Path, stand_in: tuple[str, ...], op: Op
) -> None:
    async def act() -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        first = jobs.begin("optimize", lambda folder: ["optimize", op("forever")])
        second = jobs.begin("bench", lambda folder: ["bench", op("")])
        await says(jobs, first, "pids")
        beside = await ended(jobs, "verify", op(""))
        assert (beside.status, second.status) == ("done", "queued")
        await jobs.cancel(first)
        await jobs.wait(second, LONG_S, hears_nothing)
        assert second.status == "done"
        third = jobs.begin("optimize", lambda folder: ["optimize", op("forever")])
        fourth = jobs.begin("bench", lambda folder: ["bench", op("")])
        await jobs.cancel(fourth)
        assert fourth.status == "cancelled"
        await jobs.cancel(third)

    run(act())


def test_an_answer_outlives_its_server(tmp_path: Path, stand_in: tuple[str, ...], op: Op) -> None:
    async def before() -> tuple[Job, Job]:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        done = await ended(jobs, "verify", op(""))
        lost = jobs.begin("verify", lambda folder: ["verify", op("forever")])
        await says(jobs, lost, "pids")
        kept = (lost.folder / "job.json").read_text()
        await jobs.close()
        (lost.folder / "job.json").write_text(kept)  # as a server leaves it that is killed
        return done, lost

    async def after(done: Job, lost: Job) -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        assert jobs.all() == []
        found = jobs.find(done.id)
        assert (found.status, found.command, found.seconds) == (
            "done",
            "verify",
            pytest.approx(done.seconds, abs=0.1),
        )
        document = jobs.document(found)
        assert document is not None
        assert document["verdict"] == "passed"
        assert jobs.find(lost.id).status == "lost"
        assert "server" in jobs.find(lost.id).error
        await jobs.cancel(jobs.find(lost.id))
        (lost.folder / "job.json").write_text("{}")
        with pytest.raises(JobError, match="damaged"):
            jobs.find(lost.id)

    done, lost = run(before())
    run(after(done, lost))


@pytest.mark.parametrize("name", ["", "..", "../../etc", "verify", "a/b", "verify-20260101-000000-0123456g"])
def test_a_handle_that_is_none_leads_nowhere(name: str, tmp_path: Path) -> None:
    async def act() -> None:
        with pytest.raises(JobError, match="no job"):
            Jobs(tmp_path / "out").find(name)

    run(act())


def test_refused_words_leave_no_folder(tmp_path: Path, stand_in: tuple[str, ...]) -> None:
    def refuse(folder: Path) -> list[str]:
        raise SourceError("no")

    async def act() -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        with pytest.raises(SourceError):
            jobs.begin("verify", refuse)
        assert list((tmp_path / "out").iterdir()) == []
        assert jobs.all() == []

    run(act())


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def act() -> None:
        with pytest.raises(JobError, match="--out FOLDER"):
            Jobs(tmp_path / "file" / "out").begin("verify", lambda folder: [])

    run(act())


def test_too_many_jobs_are_refused(
    tmp_path: Path, stand_in: tuple[str, ...], op: Op, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 1)

    async def act() -> None:
        jobs = Jobs(tmp_path / "out", None, stand_in)
        jobs.begin("verify", lambda folder: ["verify", op("forever")])
        with pytest.raises(JobError, match="cancel one"):
            jobs.begin("verify", lambda folder: ["verify", op("")])
        await jobs.close()

    run(act())


def test_a_command_that_is_not_there_is_told(tmp_path: Path, op: Op) -> None:
    async def act() -> None:
        job = await ended(Jobs(tmp_path / "out", None, (os.devnull,)), "verify", op(""))
        assert job.status == "failed"
        assert "could not be started" in job.error

    run(act())
