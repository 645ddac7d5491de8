"""Serves one agent over standard input and output; what anything prints on the way goes to standard error."""

from __future__ import annotations

import asyncio
import contextlib
import signal

from mcp.server.stdio import stdio_server

from .calls import Calls
from .server import make_server


def serve(calls: Calls) -> None:
    """Until the agent closes its end, or the process is told to end; running jobs end with it."""
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_serve(calls))


async def _serve(calls: Calls) -> None:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    server = make_server(calls)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
