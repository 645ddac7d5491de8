"""Over standard input and output an agent optimises an op through the tools alone, in real processes."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kbgen.generator.mcp.agent import RefusedError, answer, optimise
from kbgen.generator.mcp.pace import over_stdio

RMSNORM = Path(__file__).parents[3] / "examples" / "rmsnorm.py"
NOISE = "\nimport os\nos.write(1, b'this is no message\\n')\nprint('nor is this')\n"


def serving(folder: Path) -> list[str]:
    words = [sys.executable, "-m", "kbgen.cli", "mcp"]
    return [*words, "--library", str(folder / "library"), "--out", str(folder / "out")]


def test_an_agent_optimises_rmsnorm_through_tools_alone(
    tmp_path: Path, indexed_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_EMBEDDER", "hashing")
    shutil.copytree(indexed_library, tmp_path / "library")

    async def act() -> None:
        async with over_stdio(serving(tmp_path)) as session:
            found = await answer(session, "search", {"query": "row in registers", "arch": "h100", "k": 1})
            assert found["results"]
            asked = {"op_text": RMSNORM.read_text() + NOISE, "op_name": "rmsnorm", "gpu": "h100"}
            asked["overrides"] = {"tokens": 64, "hidden": 256}
            document = await answer(session, "optimize", {**asked, "max_candidates": 1, "wait_s": 0})
            handle = document["job"]
            assert (document["schema"], document["status"]) == ("kbgen/job/1", "queued")
            while document["schema"] == "kbgen/job/1":
                assert document["status"] in ("queued", "running"), document
                document = await answer(session, "job", {"job": handle, "action": "result", "wait_s": 60})
            assert (document["schema"], document["op"]) == ("kbgen/optimize/1", "rmsnorm")
            assert (document["verified"], document["status"]) == (True, "unmeasured")
            assert document["speedup"] is None
            kernel = Path(document["candidate_path"])
            assert kernel.parent == tmp_path / "out" / handle
            assert "class ModelNew" in kernel.read_text()
            record = await session.read_resource(f"kbgen://record/{document['recorded']}")
            assert '"op_name": "rmsnorm"' in record.contents[0].text

    asyncio.run(act())
    assert {path.name for path in tmp_path.iterdir()} == {"library", "out"}


def test_a_server_that_is_told_to_end_leaves_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        serving(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert '"id":1' in process.stdout.readline()
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stdout.read() == ""
    assert list(tmp_path.iterdir()) == []


HEAVY = ("torch", "triton", "chromadb", "llama_index", "sentence_transformers", "numpy")


def test_the_server_loads_nothing_heavy_before_a_tool_needs_it() -> None:
    code = (
        "import sys, kbgen.generator.mcp.stdio, kbgen.generator.mcp.http; print(*sys.modules);"
        "import kbgen.retrieval.summary; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    started, reading_figures = (set(line.split()) for line in done.stdout.splitlines())
    assert not set(HEAVY) & started
    assert "torch" not in reading_figures  # a search for words with a number in them


class Scripted:
    """A client whose server gives prepared documents."""

    def __init__(self, **documents: Any) -> None:
        self.documents = documents
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        self.asked.append((name, arguments))
        given = self.documents[name]
        document = given.pop(0) if isinstance(given, list) else given
        text = SimpleNamespace(text="a sentence")
        return SimpleNamespace(is_error=document is None, content=[text], structured_content=document)


def test_the_agent_waits_for_handles_and_stops_at_an_error() -> None:
    handle = {"schema": "kbgen/job/1", "job": "optimize-1", "status": "running"}
    caller = Scripted(
        specs={"schema": ""},
        advise={"schema": "", "kernels": [{"advice": [{"technique": "online-softmax"}]}]},
        search={"schema": ""},
        optimize=handle,
        job=[handle, {"schema": "kbgen/optimize/1", "candidate_path": "k.py"}],
        verify={"schema": "", "verdict": "passed"},
        record={"schema": "", "recorded": "r1"},
    )
    told = asyncio.run(optimise(caller, Path("op.py"), "h100"))
    assert told.calls == ["specs", "advise", "search", "optimize", "job", "job", "verify", "record"]
    assert (told.verdict, told.recorded) == ("passed", "r1")
    assert dict(caller.asked)["verify"]["candidate_path"] == "k.py"
    caller.documents["verify"] = None
    caller.documents["optimize"] = {"schema": "kbgen/optimize/1", "candidate_path": "k.py"}
    with pytest.raises(RefusedError, match=re.escape("verify: a sentence")):
        asyncio.run(optimise(caller, Path("op.py"), "h100"))
