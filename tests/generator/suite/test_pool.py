"""A task that crashes, hangs or takes too much is an ending with its reason, and the others go on.

Tasks are texts for `eval` and `exec`: another process finds those by name.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.suite.pool import Bounds, Ending, Here, Pool, Processes
from kbgen.profiling.sandbox_census import below

PATIENT = 120.0  # far beyond what anything here takes: a hang of the pool must end the test

SLEEPER = f"import time; time.sleep(600)  # {os.getpid()}"
HANG = f"""
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", {SLEEPER!r}])
time.sleep(600)
"""
HOLD = """
import time
kept = bytearray(256 << 20)
kept[::4096] = b"x" * len(kept[::4096])
time.sleep(600)
"""


def all_of(pool: Pool[Any]) -> dict[Any, Ending]:
    found: dict[Any, Ending] = {}
    begun = time.monotonic()
    while pool.running:
        assert time.monotonic() - begun < PATIENT
        found.update(pool.ended())
    return found


def test_every_way_to_end_is_told_and_no_other_task_suffers(monkeypatch: pytest.MonkeyPatch) -> None:
    with Processes[str](Bounds(wall_s=60.0)) as pool:
        pool.start("six", eval, "2 * 3")
        pool.start("code", exec, "import os; os._exit(3)")
        pool.start("signal", exec, "import signal; signal.raise_signal(9)")
        pool.start("an error", eval, "1 / 0")
        monkeypatch.setenv("KBGEN_TOLD", "since the pool began")
        pool.start("told", eval, "__import__('os').environ['KBGEN_TOLD']")
        pool.start("hangs", exec, HANG, Bounds(wall_s=1.0))
        pool.start("holds", exec, HOLD, Bounds(60.0, 128 << 20))
        found = all_of(pool)
    assert (found["six"].status, found["six"].value) == ("ok", 6)
    assert found["told"].value == "since the pool began"
    assert found["code"].detail == "its process ended with code 3 and without an answer"
    assert found["signal"].detail == "its process ended by SIGKILL"
    assert found["an error"].detail == "ZeroDivisionError: division by zero (<string>:1)"
    assert {found[how].status for how in ("code", "signal", "an error")} == {"crashed"}
    assert (found["hangs"].status, found["hangs"].detail) == ("timeout", "it ran past 1 s and was ended")
    assert found["holds"].status == "memory"
    assert found["holds"].detail == "its processes held more than 0.125 GiB and were ended"
    assert found["holds"].peak_bytes > 128 << 20
    assert SLEEPER not in commands()


def test_what_runs_when_a_pool_is_left_is_ended() -> None:
    with Processes[int]() as pool:
        pool.start(1, exec, HANG)
        begun = time.monotonic()
        while SLEEPER not in commands():
            assert time.monotonic() - begun < PATIENT
            time.sleep(0.05)
    assert pool.running == 0
    assert SLEEPER not in commands()


KILLED = """
import sys, time
from kbgen.generator.suite.pool import Processes

if __name__ == "__main__":
    pool = Processes()
    pool.start("hangs", exec, sys.argv[1])
    for task in pool._tasks.values():
        print(task.process.pid, flush=True)
    time.sleep(600)
"""


def test_tasks_end_with_a_pool_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(KILLED)
    words = [sys.executable, str(tmp_path / "killed.py"), HANG]
    begun = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        task = int(holder.stdout.readline())
        while not below(task):  # its own child must end too
            assert time.monotonic() - begun < PATIENT
            time.sleep(0.1)
        pids = [task, *below(task)]
        holder.kill()
    while any(_runs(pid) for pid in pids):
        assert time.monotonic() - begun < PATIENT
        time.sleep(0.1)


def _runs(pid: int) -> bool:
    """Whether there is such a process that is more than an entry for a parent to read."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_in_this_process_tasks_run_when_their_endings_are_asked_for() -> None:
    pool = Here[str]()
    seen: list[int] = []
    work: Callable[[int], None] = seen.append
    pool.start("one", work, 1)
    pool.start("two", work, 2)
    assert (pool.running, seen) == (2, [])
    assert [key for key, _ in pool.ended()] == ["one"]
    assert (pool.running, seen) == (1, [1])
    pool.stop()
    assert (pool.running, pool.ended()) == (0, [])


def commands() -> str:
    """The command lines of this process's descendants, and of what lost its parent."""
    texts = []
    for pid in {*below(os.getpid()), *below(1)}:
        try:
            texts.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return "\n".join(texts)
