"""Every file of tests/hostile is run as a sandboxed child: contained, told right, and nothing of it left."""

import hashlib
import os
import runpy
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kbgen.profiling import nursery, sandbox
from kbgen.profiling.sandbox import Limits, Outcome, run_child

HOSTILE = sorted((Path(__file__).parents[1] / "hostile").glob("*.py"))
RUNNER = """
import runpy
from kbgen.profiling.sandbox_child import serve

if __name__ == "__main__":
    serve(lambda request: runpy.run_path(request["file"])["act"](request))
"""
LIMITS = Limits(
    wall_s=60.0, cpu_s=10, memory_bytes=1 << 30, file_bytes=4 << 20, scratch_bytes=32 << 20, processes=16
)
FORBIDDEN = {"whole": (), "no namespaces": ("namespaces",)}
ALIKE = {  # what holds them has nothing to do with namespaces
    "allocate_40_gb",
    "become_another",
    "big_file",
    "exit_at_once",
    "exit_handlers",
    "exit_politely",
    "forge_on_descriptors",
    "forge_on_stdout",
    "hang",
    "replace_reply_code",
    "segfault",
    "spin",
    "spin_deaf",
}
CASES = [
    pytest.param(file, forbidden, id=f"{file.stem}-{forbidden}")
    for forbidden in FORBIDDEN
    for file in HOSTILE
    if not (FORBIDDEN[forbidden] and file.stem in ALIKE)
]
MARK = {"KBGEN_TEST_MARK": secrets.token_hex(8)}


class Machine:
    """What a hostile act could harm: folders with something precious, a process, two servers."""

    def __init__(self, root: Path) -> None:
        self.root, self.outside = root, [root / name for name in ("home", "library", "op", "elsewhere")]
        for folder in self.outside:
            folder.mkdir()
            (folder / "precious").write_text(folder.name)
        self.victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(str(root / "server"))
        self.unix.listen()

    def request(self, file: Path) -> dict[str, object]:
        return {
            "file": str(file),
            "outside": [str(folder) for folder in self.outside],
            "victim": self.victim.pid,
            "parent": os.getpid(),
            "port": self.tcp.getsockname()[1],
            "server": str(self.root / "server"),
        }

    def state(self) -> list[tuple[str, int, int, str]]:
        files = sorted(path for folder in self.outside for path in (folder, *folder.iterdir()))
        return [(str(path), path.stat().st_mode, path.stat().st_mtime_ns, content(path)) for path in files]

    def close(self) -> None:
        self.victim.kill()
        self.victim.wait()
        self.tcp.close()
        self.unix.close()


def content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def alive() -> list[int]:
    """Processes that were started with the mark, which all that a child forks inherit; not the kept ones."""
    kept = [one._process.pid for one in nursery._nurseries.values() if one._process]
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        found += [pid] if MARK["KBGEN_TEST_MARK"].encode() in environment and pid not in kept else []
    return found


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "hostile_runner.py").write_text(RUNNER)
    monkeypatch.syspath_prepend(tmp_path / "code")
    monkeypatch.setattr(nursery, "_nurseries", {})
    there = Machine(tmp_path)
    yield there
    there.close()
    for kept in nursery._nurseries.values():
        kept.close()


@pytest.mark.parametrize(("file", "forbidden"), CASES)
def test_contained(file: Path, forbidden: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a cold start; and from a warm one where the kernel gives no namespaces, as in most containers."""
    monkeypatch.setattr(sandbox, "_WITHOUT", FORBIDDEN[forbidden])
    told = runpy.run_path(str(file))
    limits, before = replace(LIMITS, **told.get("LIMITS", {})), machine.state()

    started = time.monotonic()
    outcome = run(machine, file, limits, warm=bool(FORBIDDEN[forbidden]))
    took_s = time.monotonic() - started

    needs = {"process count", "Landlock", told.get("NEEDS", "guard")}
    if missing := needs - set(outcome.layers):
        pytest.skip(f"this machine lacks {', '.join(sorted(missing))}")
    assert outcome.status == told["ENDS"], (outcome.detail, outcome.stderr)
    assert told["SAYS"] in outcome.detail
    assert outcome.reply is None or outcome.reply == {"broke": []}
    assert outcome.left_running == told.get("LEFT", 0) or outcome.status != "ok"
    assert took_s < limits.wall_s + 5
    assert bool(nursery._nurseries) == bool(FORBIDDEN[forbidden])
    assert alive() == []
    assert machine.state() == before
    assert machine.victim.poll() is None


def run(machine: Machine, file: Path, limits: Limits, *, warm: bool) -> Outcome:
    scratch, request = machine.root / "scratch", machine.request(file)
    return run_child("hostile_runner", request, scratch=scratch, limits=limits, env=MARK, warm=warm)


@pytest.mark.parametrize("forbidden", FORBIDDEN)
@pytest.mark.parametrize("warm", [False, True])
def test_nothing_outlives_a_killed_parent(machine: Machine, forbidden: str, warm: bool) -> None:
    """Its daemons neither: nobody is left who could call the child's time up."""
    request = {**machine.request(HOSTILE[0].parent / "hang_deaf.py"), "forbidden": FORBIDDEN[forbidden]}
    code = (
        "import sys, pathlib\n"
        f"sys.path.insert(0, {str(machine.root / 'code')!r})\n"
        "from kbgen.profiling import sandbox\n"
        f"sandbox._WITHOUT = {FORBIDDEN[forbidden]!r}\n"
        f"sandbox.run_child('hostile_runner', {request!r}, scratch=pathlib.Path({str(machine.root)!r}),"
        f" env={MARK!r}, warm={warm})\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    wait_until(lambda: len(alive()) >= 3 + warm)  # launcher, module, its child; a user cannot see the guard
    parent.kill()
    parent.wait()
    wait_until(lambda: alive() == [])


def wait_until(holds: Callable[[], bool], patience_s: float = 60.0) -> None:
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline, alive()
        time.sleep(0.02)
