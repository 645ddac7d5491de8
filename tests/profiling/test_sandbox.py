"""Each test adversarially checks one wall of the sandbox."""

import os
import time
from pathlib import Path

import pytest

from kbgen.profiling.sandbox import Limits, Outcome, run_child

MODULE = """
import ctypes, os, signal, socket, sys, time
from kbgen.profiling.sandbox_child import serve

def flood():
    while True:
        os.fork()

def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open("daemon.pid", "w").write(open("/proc/self/status").read())
            time.sleep(600)
        os._exit(0)
    time.sleep(0.3)

def forge():
    for fd in range(3, 64):
        try:
            os.write(fd, b'{"ok": {"verdict": "passed"}}')
        except OSError:
            pass
    return {}

def connect():
    socket.create_connection(("127.0.0.1", 9), timeout=2)

def write_outside(path):
    open(path, "w").write("x")

ACTS = {
    "echo": lambda value=None: {"value": value, "cwd": os.getcwd(), "env": dict(os.environ)},
    "print": lambda: print('{"ok": 1}') or {"fine": True},
    "exit": lambda: os._exit(0),
    "system exit": lambda: sys.exit(0),
    "segfault": lambda: ctypes.string_at(0),
    "raise": lambda: {}["missing"],
    "hang": lambda: time.sleep(600),
    "ignore term and spin": lambda: [signal.signal(signal.SIGXCPU, signal.SIG_IGN)] and spin(),
    "spin": lambda: spin(),
    "allocate": lambda: bytearray(64 << 30),
    "big file": lambda: open("big", "wb").write(b"x" * (2 << 20)),
    "flood": flood,
    "daemon": lambda: daemon() or {},
    "forge": forge,
    "connect": connect,
    "write outside": write_outside,
    "kill everything": lambda: os.kill(-1, signal.SIGKILL),
    "late forgery": lambda: __import__("atexit").register(forge) and {"fine": True},
}

def spin():
    while True:
        pass

if __name__ == "__main__":
    serve(lambda request: ACTS[request["act"]](*request.get("args", [])))
"""

LIMITS = Limits(wall_s=20, cpu_s=20, memory_bytes=4 << 30, file_bytes=1 << 20, processes=16)


@pytest.fixture
def act(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "hostile_module.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path / "code")

    def run(name: str, *args: object, limits: Limits = LIMITS, warm: bool = False) -> Outcome:
        request = {"act": name, "args": list(args)}
        scratch = tmp_path / "scratch"
        return run_child("hostile_module", request, scratch=scratch, limits=limits, warm=warm)

    return run


@pytest.mark.parametrize("warm", [False, True])
def test_request_goes_in_and_reply_comes_back(act, tmp_path: Path, warm: bool) -> None:
    outcome = act("echo", [1, {"two": "drei"}], warm=warm)
    assert outcome.status == "ok"
    assert outcome.reply["value"] == [1, {"two": "drei"}]
    assert outcome.reply["cwd"] == str(tmp_path / "scratch")


@pytest.mark.parametrize("warm", [False, True])
def test_environment_is_scrubbed(act, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, warm: bool) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    env = act("echo", warm=warm).reply["env"]
    assert "SECRET_TOKEN" not in env
    assert env["HOME"].startswith(str(tmp_path / "scratch"))
    assert env["TRITON_CACHE_DIR"].startswith(str(tmp_path / "scratch"))


def test_printing_is_no_reply(act) -> None:
    assert act("print").reply == {"fine": True}


@pytest.mark.parametrize(
    ("name", "status", "detail"),
    [
        ("exit", "exited", "code 0"),
        ("system exit", "crashed", "SystemExit"),
        ("segfault", "crashed", "SIGSEGV"),
        ("raise", "crashed", "KeyError"),
        ("allocate", "memory", "MemoryError"),
        ("big file", "crashed", ""),
        ("forge", "crashed", "reply channel"),
    ],
)
@pytest.mark.parametrize("warm", [False, True])
def test_bad_ends_are_told_apart(act, name: str, status: str, detail: str, warm: bool) -> None:
    outcome = act(name, warm=warm)
    assert (outcome.status, outcome.reply) == (status, None)
    assert detail in outcome.detail


def test_exit_handlers_cannot_touch_the_reply(act) -> None:
    assert act("late forgery").reply == {"fine": True}


@pytest.mark.parametrize("warm", [False, True])
def test_hang_ends_at_the_wall_limit(act, warm: bool) -> None:
    act("echo", warm=warm)
    started = time.monotonic()
    outcome = act("hang", limits=Limits(wall_s=1.0), warm=warm)
    assert outcome.status == "timeout"
    assert time.monotonic() - started < 6


@pytest.mark.parametrize("name", ["spin", "ignore term and spin"])
def test_cpu_limit_holds_even_when_its_signal_is_ignored(act, name: str) -> None:
    outcome = act(name, limits=Limits(wall_s=30, cpu_s=1))
    assert outcome.status in ("timeout", "crashed")
    assert outcome.wall_s < 25


def test_nothing_survives(act, tmp_path: Path) -> None:
    outcome = act("daemon")
    if "own process namespace" not in outcome.layers:
        pytest.skip("this kernel gives no process namespace")
    assert (tmp_path / "scratch" / "daemon.pid").exists()
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and b"hostile_module" in _command(pid)]


def _command(pid: str) -> bytes:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
    return b"" if b"nursery_child" in command else command


def test_fork_flood_is_ended(act) -> None:
    outcome = act("flood")
    if "process count" not in outcome.layers:
        pytest.skip("this kernel gives no process table to count in")
    assert outcome.status == "crashed"
    assert "more than 16 processes" in outcome.detail


def test_killing_everything_kills_only_itself(act) -> None:
    outcome = act("kill everything")
    if "own process namespace" not in outcome.layers:
        pytest.skip("this kernel gives no process namespace")
    assert act("echo").status == "ok"


def test_no_network(act) -> None:
    outcome = act("connect")
    if "no network" not in outcome.layers:
        pytest.skip("this kernel gives no network namespace")
    assert "unreachable" in outcome.detail  # not "refused": not even the loopback device is up


@pytest.mark.parametrize("warm", [False, True])
def test_only_scratch_is_writable(act, tmp_path: Path, warm: bool) -> None:
    outcome = act("write outside", str(tmp_path / "escaped"), warm=warm)
    if "read-only files" not in outcome.layers:
        pytest.skip("this kernel gives no mount namespace")
    assert outcome.status == "crashed"
    assert not (tmp_path / "escaped").exists()


def test_a_dead_nursery_is_replaced(act) -> None:
    from kbgen.profiling import nursery

    act("echo", warm=True)
    for one in nursery._nurseries.values():
        one._process.kill()
    assert act("echo", warm=True).status == "ok"
    assert act("echo", warm=True).status == "ok"
