"""The MCP server itself: binds tools and resources to the protocol of the official SDK.

    server = make_server(Calls(Jobs(out), Reader(None)))

An error is a result that says so, in the one sentence that the command line would print, never a traceback.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp.types import Tool as Offered

from ... import KbgenError, __version__
from . import resources
from .calls import Calls
from .tools import TOOLS, Tool

INSTRUCTIONS = (
    "kbgen diagnoses PyTorch operators on GPUs, advises cited techniques, judges kernel files and "
    "remembers what helped. Loop: advise, write one technique, verify, mend what failed, bench where the "
    "card is here, record. Never report a speed-up without a bench label of win or an optimize status of "
    "win; verify's passed means right, not fast. Read kbgen://guide before the first kernel."
)
log = logging.getLogger("kbgen.mcp")


def make_server(calls: Calls) -> Server[Any]:
    """The server, for any transport; when it ends, so does what `calls` still has running."""

    @asynccontextmanager
    async def lifespan(server: Server[Any]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await calls.close()

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(tools=[_offered(tool) for tool in TOOLS.values()])

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        async def tell(seconds: float, line: str) -> None:
            await context.session.report_progress(round(seconds, 1), None, line)

        try:
            document = await calls.answer(params.name, params.arguments or {}, tell)
        except Exception as error:
            return CallToolResult(content=[TextContent(type="text", text=_sentence(error))], is_error=True)
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=document)

    async def list_resources(context: Any, params: Any) -> ListResourcesResult:
        listed = [
            Resource(uri=uri, name=name, description=about, mime_type=_media(uri))
            for uri, (name, about) in resources.LISTED.items()
        ]
        return ListResourcesResult(resources=listed)

    async def list_templates(context: Any, params: Any) -> ListResourceTemplatesResult:
        listed = [
            ResourceTemplate(uri_template=uri, name=name, description=about, mime_type=_media(uri))
            for uri, (name, about) in resources.TEMPLATES.items()
        ]
        return ListResourceTemplatesResult(resource_templates=listed)

    async def read_resource(context: Any, params: Any) -> ReadResourceResult:
        uri = str(params.uri)
        try:
            text, media = await resources.read(uri, calls.reader, calls.jobs)
        except Exception as error:
            raise MCPError(INVALID_PARAMS, _sentence(error), {"uri": uri}) from None
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=media)])

    return Server(
        "kbgen",
        version=__version__,
        title="kbgen",
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _offered(tool: Tool) -> Offered:
    return Offered(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=ToolAnnotations(
            read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=False
        ),
    )


def _media(uri: str) -> str:
    return resources.GUIDE_TYPE if uri == "kbgen://guide" else resources.DOCUMENT_TYPE


def _sentence(error: Exception) -> str:
    """What an agent is told of an error; what nobody foresaw goes to the log whole."""
    if isinstance(error, KbgenError):
        return str(error)
    log.error("a call failed in a way that nobody foresaw", exc_info=error)
    message = (str(error).strip().splitlines() or ["no message"])[0][:300]
    return f"unexpected {type(error).__name__}: {message}; the server's standard error holds more."
