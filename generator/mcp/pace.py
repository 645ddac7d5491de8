"""Measures the MCP server as an agent meets it: the SDK's own client, real processes, both transports.

A start lasts until `initialize` is answered. A search's time is the client's, the protocol included; the
first one opens the library and is told apart.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from ... import KbgenError
from ..job import Event
from .agent import answer, optimise
from .http import TOKEN

QUERIES = (
    "uncoalesced loads", "shared memory bank conflicts", "smsp__warp_issue_stalled_long_scoreboard",
    "register spills", "online softmax", "split-K for few tiles", "wgmma layouts", "L2 persistence",
)  # fmt: skip
PATIENCE_S = 60.0


def measure(
    op: Path, gpu: str, *, starts: int, searches: int, library: Path | None, say: Callable[[Any], None]
) -> dict[str, Any]:
    """The figures as one document; times in seconds and milliseconds as their names say."""
    if not op.is_file():
        raise KbgenError(f"there is no file {op}; give the path of an op file, such as examples/rmsnorm.py.")
    with tempfile.TemporaryDirectory(prefix="kbgen-mcp-") as folder:
        place = library or Path(folder) / "library"
        words = [sys.executable, "-m", "kbgen.cli", "mcp", "--library", str(place), "--out", f"{folder}/out"]
        return asyncio.run(_measured(words, op.absolute(), gpu, starts, searches, say))


async def _measured(
    words: list[str], op: Path, gpu: str, starts: int, searches: int, say: Callable[[Any], None]
) -> dict[str, Any]:
    taken = []
    for count in range(starts):
        say(Event("start", f"{count + 1} of {starts}"))
        begun = time.perf_counter()
        async with over_stdio(words):
            taken.append(time.perf_counter() - begun)
    async with over_stdio(words) as session:
        say(Event("search", f"{searches} queries"))
        found = await _searched(session, gpu, searches)
        sizes = [len(tool.model_dump_json(by_alias=True)) for tool in (await session.list_tools()).tools]
        told = {"stdio": await _optimised(session, op, gpu, say)}
    async with over_http(words) as session:
        told["http"] = await _optimised(session, op, gpu, say)
    return {
        "op": op.stem,
        "gpu": gpu,
        "start_s": {"median": statistics.median(taken), "worst": max(taken), "starts": starts},
        **found,
        "tools": len(sizes),
        "tools_bytes": sum(sizes),
        "optimised": told,
    }


async def _searched(session: ClientSession, gpu: str, searches: int) -> dict[str, Any]:
    """Milliseconds of the first search, and of those after it."""
    taken = []
    for count in range(searches + 1):
        query = QUERIES[count % len(QUERIES)] + " " * (count // len(QUERIES))
        begun = time.perf_counter()
        await answer(session, "search", {"query": query, "arch": gpu, "k": 5})
        taken.append((time.perf_counter() - begun) * 1e3)
    first, *others = taken
    others.sort()
    later = {
        "median": statistics.median(others),
        "p95": others[int(0.95 * (len(others) - 1))],
        "worst": others[-1],
    }
    return {"first_search_ms": first, "search_ms": {**later, "searches": searches}}


async def _optimised(
    session: ClientSession, op: Path, gpu: str, say: Callable[[Any], None]
) -> dict[str, Any]:
    begun = time.perf_counter()
    told = await optimise(session, op, gpu, lambda tool: say(Event("tool", tool)))
    return {
        "seconds": time.perf_counter() - begun,
        "calls": told.calls,
        "status": told.optimized["status"],
        "speedup": told.optimized["speedup"],
        "verdict": told.verdict,
        "recorded": told.recorded,
    }


@asynccontextmanager
async def over_stdio(words: list[str]) -> AsyncIterator[ClientSession]:
    """A session with a server that the client starts, past its handshake."""
    server = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        async with (
            stdio_client(server, errlog=nowhere) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            yield session


@asynccontextmanager
async def over_http(words: list[str]) -> AsyncIterator[ClientSession]:
    """A session with a server on a free port of this machine, past its handshake."""
    environment = {name: value for name, value in os.environ.items() if name != TOKEN}
    process = await asyncio.create_subprocess_exec(
        *words, "--http", "--port=0", "--json", stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL, env=environment,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        try:
            where = json.loads(await asyncio.wait_for(process.stdout.readuntil(b"\n}\n"), PATIENCE_S))
        except (asyncio.IncompleteReadError, asyncio.TimeoutError):
            raise KbgenError("the HTTP server did not start; `kbgen mcp --http` says why.") from None
        async with (
            create_mcp_http_client({"Authorization": f"Bearer {where['token']}"}) as http,
            streamable_http_client(where["url"], http_client=http) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            yield session
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
