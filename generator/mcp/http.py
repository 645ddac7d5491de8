"""Serves agents on this machine over HTTP: on a loopback address only, and only who brings the token.

A page in a browser can reach a loopback port: it does not know the token, and what it sends names the page as
its origin or a foreign host (DNS rebinding), which is refused as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import json
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from ... import KbgenError
from .calls import Calls
from .server import make_server

TOKEN = "KBGEN_MCP_TOKEN"
SHORTEST_TOKEN = 16
PATH = "/mcp"

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]


class ServingError(KbgenError):
    """A server that may not or cannot be started as asked."""


class Guard:
    """Lets through to `app` only who brings the token; compares it in constant time."""

    def __init__(self, app: App, token: str) -> None:
        self._app, self._token = app, token.encode()

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        if scope["type"] == "lifespan" or (scope["type"] == "http" and self._admits(scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await _refuse(send)

    def _admits(self, scope: Scope) -> bool:
        brought = [value for name, value in scope["headers"] if name.lower() == b"authorization"]
        if len(brought) != 1:
            return False
        scheme, _, token = brought[0].partition(b" ")
        return hmac.compare_digest(token.strip(), self._token) and scheme.lower() == b"bearer"


async def _refuse(send: Callable[[Any], Awaitable[None]]) -> None:
    cure = f"send 'Authorization: Bearer TOKEN' with the token that kbgen mcp printed, or that {TOKEN} held"
    body = json.dumps({"error": "no valid token", "cure": cure}).encode()
    headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def token_of_environment() -> tuple[str, bool]:
    """The token, and whether it was made here because the environment has none."""
    given = os.environ.get(TOKEN, "")
    if not given:
        return secrets.token_urlsafe(32), True
    if len(given) < SHORTEST_TOKEN or not given.isascii() or not given.isprintable() or " " in given:
        raise ServingError(
            f"{TOKEN} must be at least {SHORTEST_TOKEN} printable ASCII characters without spaces; "
            "give a random one, or unset it to have one made."
        )
    return given, False


def bind(host: str, port: int) -> socket.socket:
    """A listening socket on a loopback address; port 0 takes a free one."""
    address = "127.0.0.1" if host == "localhost" else host
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        found = None
    if found is None or not found.is_loopback:
        raise ServingError(
            f"{host!r} is not a loopback address; kbgen mcp serves this machine alone: use 127.0.0.1 or "
            "::1, and an SSH tunnel from elsewhere."
        )
    family = socket.AF_INET6 if found.version == 6 else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise ServingError(
            f"port {port} cannot be used ({error.strerror}); use --port 0 for a free one."
        ) from None
    return listening


def url_of(listening: socket.socket) -> str:
    """Where the server is reached."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def serve(calls: Calls, listening: socket.socket, token: str) -> None:
    """Until the process is told to end; running jobs end with it."""
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_server(calls, listening, token).serve(sockets=[listening]))


def _server(calls: Calls, listening: socket.socket, token: str) -> uvicorn.Server:
    port = listening.getsockname()[1]
    here = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=here,
        allowed_origins=[f"http://{h}" for h in here],
    )
    app = make_server(calls).streamable_http_app(streamable_http_path=PATH, transport_security=security)
    config = uvicorn.Config(
        Guard(app, token), log_level="warning", access_log=False, server_header=False, ws="none",
        timeout_graceful_shutdown=2,
    )  # fmt: skip
    return uvicorn.Server(config)
