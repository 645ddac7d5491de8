"""A sandboxed child gets what honest work needs and says which walls stood; tests/hostile tries them."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from kbgen.profiling import nursery, sandbox, sandbox_namespaces
from kbgen.profiling.sandbox import LAYERS, Limits, Outcome, run_child

MODULE = """
import os, socket, subprocess, sys, threading, time
from kbgen.profiling.sandbox_child import serve

def honest():
    os.makedirs("cache/deep")
    with open("cache/deep/draft", "w") as file:
        file.write("kernel")
    os.replace("cache/deep/draft", "cache/final")  # as compilers fill their caches
    with open("/dev/null", "w") as file:
        file.write("gone")
    with open(f"/proc/self/task/{os.getpid()}/comm", "w") as file:
        file.write("named")  # as CUDA names its threads
    seen = []
    thread = threading.Thread(target=lambda: seen.append(1))
    thread.start()
    thread.join()
    compiler = subprocess.run([sys.executable, "-Sc", "print(6 * 7)"], capture_output=True, text=True)
    ours, theirs = socket.socketpair()
    unix = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    unix.bind("\\0kbgen-test")  # as CUDA does
    return {"seen": seen, "compiler": compiler.stdout, "file": open("cache/final").read()}

def attempts():
    found = {}
    for name, attempt in {
        "socket": lambda: socket.create_connection(("127.0.0.1", 9), timeout=2),
        "write": lambda: open("../escaped", "w"),
        "signal": lambda: os.kill(os.getppid(), 0),
    }.items():
        try:
            attempt()
            found[name] = "done"
        except OSError as error:
            found[name] = error.strerror
    return found

def end_guard():
    os.kill(os.getppid(), 9)
    time.sleep(600)

def nested():
    from pathlib import Path
    from kbgen.profiling.sandbox import run_child

    inner = run_child("sandboxed_module", {"act": "print"}, scratch=Path("inner"))
    return {"status": inner.status, "missing": inner.missing}

def flood():
    while True:
        os.fork()

ACTS = {
    "echo": lambda value=None: {"value": value, "cwd": os.getcwd(), "env": dict(os.environ)},
    "print": lambda: print('{"ok": 1}') or {"fine": True},
    "raise": lambda: {}["missing"],
    "sleep": lambda: time.sleep(600),
    "large": lambda: {"text": "x" * (3 << 20)},
    "honest": honest,
    "attempts": attempts,
    "end guard": end_guard,
    "nested": nested,
    "flood": flood,
}

if __name__ == "__main__":
    serve(lambda request: ACTS[request["act"]](*request.get("args", [])))
"""

LIMITS = Limits(wall_s=60, cpu_s=20, memory_bytes=4 << 30, file_bytes=4 << 20, processes=16)
Act = Callable[..., Outcome]


@pytest.fixture
def act(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Act:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "sandboxed_module.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path / "code")

    def run(
        name: str, *args: object, limits: Limits = LIMITS, without: tuple[str, ...] = (), warm: bool = False
    ):
        monkeypatch.setattr(sandbox, "_WITHOUT", without)
        request = {"act": name, "args": list(args)}
        return run_child("sandboxed_module", request, scratch=tmp_path / "scratch", limits=limits, warm=warm)

    return run


def need(outcome: Outcome, *layers: str) -> None:
    if missing := set(layers) - set(outcome.layers):
        pytest.skip(f"this machine lacks {', '.join(sorted(missing))}")


@pytest.mark.parametrize("warm", [False, True])
def test_request_goes_in_and_reply_comes_back(act: Act, tmp_path: Path, warm: bool) -> None:
    outcome = act("echo", [1, {"two": "drei"}], warm=warm)
    assert outcome.status == "ok"
    assert outcome.reply["value"] == [1, {"two": "drei"}]
    assert outcome.reply["cwd"] == str(tmp_path / "scratch")
    assert act("large", warm=warm).reply == {"text": "x" * (3 << 20)}


@pytest.mark.parametrize("warm", [False, True])
def test_environment_is_scrubbed(
    act: Act, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, warm: bool
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    env = act("echo", warm=warm).reply["env"]
    assert "SECRET_TOKEN" not in env
    assert env["HOME"].startswith(str(tmp_path / "scratch"))
    assert env["TRITON_CACHE_DIR"].startswith(str(tmp_path / "scratch"))


def test_printing_is_no_reply(act: Act) -> None:
    assert act("print").reply == {"fine": True}


@pytest.mark.parametrize("warm", [False, True])
def test_an_error_is_told_in_its_own_words(act: Act, warm: bool) -> None:
    outcome = act("raise", warm=warm)
    assert (outcome.status, outcome.detail) == ("crashed", "KeyError: 'missing'")
    assert "Traceback" in outcome.stderr


@pytest.mark.parametrize("without", [(), ("namespaces",), ("landlock",), ("filter",)], ids=str)
def test_honest_work_goes_on(act: Act, without: tuple[str, ...]) -> None:
    outcome = act("honest", without=without)
    assert outcome.reply == {"seen": [1], "compiler": "42\n", "file": "kernel"}, outcome.stderr
    assert outcome.left_running == 0


ALONE = {
    "namespaces": {"own namespaces", "no network", "read-only files"},
    "landlock": {"Landlock", "read-only files"},
    "filter": {"system call filter", "no network", "process count"},
}


@pytest.mark.parametrize("alone", ALONE)
def test_each_mechanism_holds_without_the_others(act: Act, tmp_path: Path, alone: str) -> None:
    outcome = act("attempts", without=tuple(ALONE.keys() - {alone}))
    need(outcome, *ALONE[alone])
    assert set(outcome.layers) == {"clean environment", "resource limits", "guard"} | ALONE[alone]
    assert set(outcome.layers) | set(outcome.missing) == set(LAYERS)
    done = {name for name, result in outcome.reply.items() if result == "done"}
    assert "socket" not in done or "no network" not in ALONE[alone]
    assert "write" not in done or "read-only files" not in ALONE[alone]
    assert "signal" not in done or alone == "namespaces"  # there, the guard is all that it sees
    (tmp_path / "escaped").unlink(missing_ok=True)


def test_a_machine_that_forbids_everything_is_told(act: Act) -> None:
    outcome = act("echo", without=tuple(ALONE))
    assert outcome.status == "ok"
    assert outcome.layers == ("clean environment", "resource limits", "guard")
    assert "no network" in outcome.missing


def test_a_sandbox_in_a_sandbox_says_what_the_outer_one_leaves_it(act: Act) -> None:
    outcome = act("nested")
    need(outcome, *LAYERS)
    assert outcome.reply == {"status": "ok", "missing": ["process count", "own namespaces"]}


def test_a_flood_is_ended_even_where_the_guard_can_only_count(act: Act) -> None:
    outcome = act("flood", limits=replace(LIMITS, wall_s=10.0), without=("filter",))
    need(outcome, "own namespaces")
    assert outcome.status in ("crashed", "timeout")  # on a machine that is busy, counting may come too late
    assert "and was ended" in outcome.detail
    assert outcome.wall_s < 10 + 5


def test_the_guard_cannot_be_ended_from_inside(act: Act) -> None:
    outcome = act("end guard", limits=Limits(wall_s=20.0), without=("namespaces",))
    need(outcome, "system call filter")
    assert "not permitted" in outcome.detail


@pytest.mark.parametrize("without", [(), ("namespaces",)], ids=str)
def test_a_guard_that_is_ended_from_outside_is_no_reply(act: Act, without: tuple[str, ...]) -> None:
    def end_guard() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                if _grandparent(pid) == os.getpid() and _leads_a_session(int(pid)):
                    os.kill(int(pid), signal.SIGKILL)
                    return
            time.sleep(0.02)

    killer = Thread(target=end_guard)
    killer.start()
    outcome = act("sleep", limits=Limits(wall_s=60.0), without=without)
    killer.join()
    assert outcome.reply is None
    assert (outcome.status, outcome.detail[:15]) == ("crashed", "its guard ended")


def _leads_a_session(pid: int) -> bool:
    try:
        return os.getsid(pid) == pid
    except ProcessLookupError:
        return False


def _grandparent(pid: str) -> int:
    def parent(of: str) -> str:
        try:
            return Path(f"/proc/{of}/stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            return "0"

    return int(parent(parent(pid)))


def test_a_process_that_was_expected_is_the_one_that_is_asked(
    act: Act, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nursery, "_nurseries", {})
    sandbox.expect("sandboxed_module", scratch=tmp_path / "scratch")
    sandbox.expect("sandboxed_module", scratch=tmp_path / "scratch")
    (kept,) = nursery._nurseries.values()
    assert act("echo", warm=True).status == "ok"
    assert kept._used
    assert [*nursery._nurseries.values()] == [kept]
    kept.close()


def test_one_that_nobody_asked_is_ended_before_it_has_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nursery, "_nurseries", {})
    (tmp_path / "slow_module.py").write_text("import time; time.sleep(600)")
    monkeypatch.syspath_prepend(tmp_path)
    sandbox.expect("slow_module", scratch=tmp_path / "scratch")
    (kept,) = nursery._nurseries.values()
    kept.close()
    assert kept._process is not None
    assert kept._process.returncode == -signal.SIGKILL


def test_a_dead_nursery_is_replaced(act: Act) -> None:
    act("echo", warm=True)
    for one in nursery._nurseries.values():
        one._process.kill()
    assert act("echo", warm=True).status == "ok"
    assert act("echo", warm=True).status == "ok"


def test_namespaces_that_nobody_may_act_in_are_left_alone() -> None:
    """As under Ubuntu's AppArmor: unshare succeeds, and the user map may not be written."""
    unshared = []

    class Kernel:
        def unshare(self, flags: int) -> int:
            unshared.append(flags)
            return 0

    assert not sandbox_namespaces.possible(Kernel())
    assert unshared == []  # in this process
