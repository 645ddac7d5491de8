"""A stand-in for the kbgen command that starts in milliseconds, and a server in this process around it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp import Client

from kbgen.generator.mcp.calls import Calls
from kbgen.generator.mcp.jobs import Jobs
from kbgen.generator.mcp.reading import Reader
from kbgen.generator.mcp.server import make_server

STAND_IN = '''
"""Does what the op file's first line says, under the command line's own conventions."""
import json, os, signal, subprocess, sys, time
command, op, *words = sys.argv[1:]
does = open(op).readline().strip("# \\n")
print("[   0.1 s] trace     first line", file=sys.stderr, flush=True)
if does == "refuse":
    print("kbgen: the op is no op; give one.", file=sys.stderr)
    sys.exit(1)
if does == "misuse":
    print("Usage: kbgen ...\\n\\nError: no such option", file=sys.stderr)
    sys.exit(2)
if does == "die":
    os.kill(os.getpid(), signal.SIGKILL)
if does == "forever":
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)", op])
    open(os.environ["TMPDIR"] + "/left", "w").write("x")
    print("[   0.2 s] write     pids %d %d in %s" % (os.getpid(), child.pid, os.environ["TMPDIR"]),
          file=sys.stderr, flush=True)
    time.sleep(600)
if does == "orphan":
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)", op])
    print("[   0.2 s] write     pids %d" % child.pid, file=sys.stderr, flush=True)
if does == "chatter":
    for _ in range(40):
        os.write(2, b"chatter " * 4096 + b"\\n")
    print("kbgen: in the end it was told.", file=sys.stderr)
    sys.exit(1)
if does == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("[   0.2 s] write     pids %d" % os.getpid(), file=sys.stderr, flush=True)
    time.sleep(600)
if does == "noise":
    os.write(1, b'{"schema": "kbgen/verify/1"}\\n{\\n  "schema": "kbgen/verify/1", \\xff broken\\n')
    os.write(2, b"x" * 200000 + b"\\n\\x1b[31mred\\n")
if does == "silent":
    sys.exit(0)
document = {"schema": f"kbgen/{command}/1", "verdict": "passed", "cause": None, "detail": "", "cases": [],
            "words": words, "token": os.environ.get("KBGEN_MCP_TOKEN"), "replay": {"seed": 1}}
print(json.dumps(document, indent=2))
'''

T = TypeVar("T")


@pytest.fixture
def stand_in(tmp_path: Path) -> tuple[str, ...]:
    """The stand-in as a command."""
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    return (sys.executable, "-S", str(script))


@pytest.fixture
def op(tmp_path: Path) -> Callable[[str], str]:
    """Write an op file that tells the stand-in what to do; its path."""

    def write(does: str) -> str:
        path = tmp_path / f"{does or 'plain'}.py"
        path.write_text(f"# {does}\n")
        return str(path)

    return write


Talk = Callable[[Callable[[Client], Awaitable[Any]]], Any]


@pytest.fixture
def talk(tmp_path: Path, stand_in: tuple[str, ...]) -> Talk:
    """Let a real client of the SDK talk to a server in this process, whose commands are the stand-in."""

    def run(act: Callable[[Client], Awaitable[Any]]) -> Any:
        async def whole() -> Any:
            calls = Calls(Jobs(tmp_path / "out", None, stand_in), Reader(tmp_path / "library"))
            async with Client(make_server(calls)) as client:
                return await act(client)

        return asyncio.run(whole())

    return run
