"""Serves one agent over standard input and output; what anything prints on the way goes to standard error."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

from mcp.server.stdio import stdio_server

from .calls import Calls
from .server import make_server


def serve(calls: Calls) -> None:
    """Until the agent closes its end, or the process is told to end; running jobs end with it."""
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(calls))


async def _serve(calls: Calls) -> None:
    async def end() -> None:
        """The thread that waits for input cannot be woken, so the process goes without it."""
        await calls.jobs.close()
        os._exit(0)

    loop = asyncio.get_running_loop()
    ending: list[asyncio.Task[None]] = []
    loop.add_signal_handler(signal.SIGTERM, lambda: ending.append(loop.create_task(end())))
    server = make_server(calls)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
