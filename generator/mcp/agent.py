"""An agent that needs no model: it optimises an op through the tools alone, as the guide tells it to.

async with Client(...) as session:
    told = await optimise(session, Path("examples/rmsnorm.py"), "h100")
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ... import KbgenError

Say = Callable[[str], None]


class Caller(Protocol):
    """The client of the SDK, as far as it is needed here."""

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Awaitable[Any]: ...


class RefusedError(KbgenError):
    """A tool answered with an error."""


@dataclass
class Told:
    """What came of it: the kernel's verdict, the document of optimize, the id of the agent's own record."""

    calls: list[str] = field(default_factory=list)
    optimized: Mapping[str, Any] = field(default_factory=dict)
    verdict: str = ""
    recorded: str | None = None


async def optimise(caller: Caller, op: Path, gpu: str, say: Say = lambda line: None) -> Told:
    """Advise, look up, optimise, verify, record; RefusedError for the first answer that is an error."""
    told = Told()

    async def call(tool: str, **arguments: Any) -> dict[str, Any]:
        """One tool's document, through its job where it gave a handle."""
        told.calls.append(tool)
        say(tool)
        document = await answer(caller, tool, arguments)
        while document["schema"] == "kbgen/job/1" and document["status"] in ("queued", "running"):
            told.calls.append("job")
            document = await answer(caller, "job", {"job": document["job"], "action": "result"})
        return document

    subject = {"op_path": str(op), "gpu": gpu}
    await call("specs", name=gpu)
    (kernel,) = (await call("advise", **subject))["kernels"]
    for step in kernel["advice"][:1]:
        await call("search", query=step["technique"], arch=gpu, k=3)
    told.optimized = await call("optimize", **subject, wait_s=0)
    kernel_file = {"candidate_path": told.optimized["candidate_path"]}
    told.verdict = (await call("verify", **subject, **kernel_file))["verdict"]
    told.recorded = (await call("record", **subject, **kernel_file, note="as the built-in writer left it"))[
        "recorded"
    ]
    return told


async def answer(caller: Caller, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The structured document of one call."""
    found = await caller.call_tool(tool, arguments)
    if found.is_error:
        raise RefusedError(f"{tool}: {found.content[0].text}")
    document: dict[str, Any] = found.structured_content
    return document
