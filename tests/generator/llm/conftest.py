"""A real HTTP server on loopback that speaks three providers' wire formats and says what a script says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from kbgen.generator.prompts.briefing import Briefing, Focus
from kbgen.generator.prompts.prompt import Item, Part
from kbgen.generator.writers.llm.settings import Endpoint

KEY = "sk-secret-of-the-test"


@dataclass
class Move:
    """One answer of the server. `cut` closes the connection after the headers; `raw` replaces the body."""

    text: str | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    ended: str = "stop"
    cut: bool = False
    raw: bytes | None = None
    tools: bool = False


def body_of(move: Move, path: str) -> dict[str, Any]:
    """The answer in the format of the provider whose address was asked."""
    if move.status != 200:
        return {"type": "error", "error": {"type": "api_error", "message": f"refused, you sent {KEY}"}}
    if path.endswith("/chat/completions"):
        message: dict[str, Any] = {"role": "assistant", "content": move.text}
        if move.tools:
            call = {"name": "write_file", "arguments": '{"path": "../../x.py"}'}
            message["tool_calls"] = [{"id": "1", "type": "function", "function": call}]
        return {
            "id": "1", "object": "chat.completion", "created": 0, "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": move.ended}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200},
        }  # fmt: skip
    if path.endswith("/messages"):
        blocks: list[dict[str, Any]] = [{"type": "text", "text": move.text}] if move.text else []
        if move.tools:
            blocks.append({"type": "tool_use", "id": "1", "name": "write_file", "input": {"path": "../../x"}})
        return {
            "id": "1", "type": "message", "role": "assistant", "model": "scripted", "content": blocks,
            "stop_reason": {"stop": "end_turn", "length": "max_tokens"}[move.ended], "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 200},
        }  # fmt: skip
    return {
        "model": "scripted", "created_at": "2026-01-01T00:00:00Z", "done": True, "done_reason": move.ended,
        "message": {"role": "assistant", "content": move.text or ""},
        "prompt_eval_count": 1000, "eval_count": 200,
    }  # fmt: skip


@dataclass
class Server:
    """`asked` are the requests in order: path, headers, body; a move may be decided by the headers."""

    moves: list[Move | Callable[[dict[str, str]], Move]]
    port: int = 0
    asked: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)

    def endpoint(self, provider: str = "openai", **fields: Any) -> Endpoint:
        path = {"openai": "/v1", "anthropic": "", "ollama": ""}[provider]
        stated = {"key": KEY, "price_in": 2.0, "price_out": 10.0}
        given: dict[str, Any] = {"base_url": f"http://127.0.0.1:{self.port}{path}", **stated, **fields}
        return Endpoint(provider, "scripted", **given)


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts a server that makes the given moves, one a request; the last one is repeated."""
    running: list[ThreadingHTTPServer] = []

    def start(*moves: Move | Callable[[dict[str, str]], Move]) -> Server:
        server = Server(list(moves))

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {k.lower(): v for k, v in self.headers.items()}
                server.asked.append((self.path, headers, sent))
                made = server.moves[min(len(server.asked), len(server.moves)) - 1]
                move = made if isinstance(made, Move) else made(headers)
                body = json.dumps(body_of(move, self.path)).encode() if move.raw is None else move.raw
                self.send_response(move.status)
                for name, value in {"content-type": "application/json", **move.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                if move.cut:
                    self.close_connection = True
                    return
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is printed."""

        http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        http.daemon_threads = True
        server.port = http.server_address[1]
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        running.append(http)
        return server

    yield start
    for http in running:
        http.shutdown()
        http.server_close()


@pytest.fixture
def briefing() -> Briefing:
    """What is known of a made-up operator."""
    parts = (
        Part("operator", "The operator: double", (Item("```\nclass Model: ...\n```"),), needed=True),
        Part("advice", "Advice", (Item('### 1. Wide loads\n<passage id="p1">\nWide.\n</passage>', ("p1",)),)),
    )
    return Briefing("double", "fp32", parts, (Focus("wide", "Wide loads"), Focus("warps", "More warps")))
