"""Over HTTP only this machine is served, only who brings the token, and no page in a browser."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from kbgen.cli import cli
from kbgen.generator.mcp.agent import answer
from kbgen.generator.mcp.http import TOKEN, ServingError, bind, token_of_environment, url_of

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com", "", "127.0.0.1.example.com"])
def test_no_other_machine_is_served(host: str) -> None:
    with pytest.raises(ServingError, match="loopback"):
        bind(host, 0)


@pytest.mark.parametrize("host", ["0.0.0.0", "example.com"])
def test_the_command_says_so_in_one_sentence(host: str) -> None:
    told = CliRunner().invoke(cli, ["mcp", "--http", "--host", host])
    assert told.exit_code == 1
    assert told.stderr.startswith(f"kbgen: {host!r} is not a loopback address;")
    assert told.stderr.count("\n") == 1


def test_without_the_sdk_the_command_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    told = CliRunner().invoke(cli, ["mcp"])
    assert told.exit_code == 1
    assert "pip install 'kbgen[mcp]'" in told.stderr


def test_a_port_in_use_is_told() -> None:
    with bind("localhost", 0) as taken, pytest.raises(ServingError, match="--port 0"):
        bind("127.0.0.1", taken.getsockname()[1])


def test_the_address_is_told_with_its_port() -> None:
    with bind("127.0.0.1", 0) as listening:
        assert url_of(listening) == f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"


def test_the_token_is_long_and_new_or_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    (first, made), (second, _) = token_of_environment(), token_of_environment()
    assert made
    assert first != second
    assert len(first) >= 40
    monkeypatch.setenv(TOKEN, "x" * 16)
    assert token_of_environment() == ("x" * 16, False)
    for bad in ("short", "y" * 15 + " ", "é" * 20):
        monkeypatch.setenv(TOKEN, bad)
        with pytest.raises(ServingError, match="at least 16"):
            token_of_environment()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, indexed_library: Path) -> Iterator[tuple[str, str]]:
    """A server of its own process on a free port: its address and its token."""
    folder = tmp_path_factory.mktemp("served")
    library = shutil.copytree(indexed_library, folder / "library")
    words = [sys.executable, "-m", "kbgen.cli", "mcp", "--http", "--port", "0", "--json"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [*words, "--library", str(library), "--out", str(folder / "out")],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "KBGEN_EMBEDDER": "hashing", TOKEN: ""},
        )
    assert process.stdout is not None
    with process, process.stdout as out:
        told = ""
        while not told.endswith("\n}\n"):
            line = out.readline()
            assert line, (folder / "log").read_text()
            told += line
        where = json.loads(told)
        yield where["url"], where["token"]
        process.terminate()


def post(url: str, **headers: str) -> int:
    """The status of an `initialize` with exactly these headers beside the necessary ones."""
    place = urlsplit(url)
    body = json.dumps(INITIALIZE)
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
    connection.request("POST", place.path, body, {"Host": place.netloc, **sent})
    status = connection.getresponse().status
    connection.close()
    return status


def test_only_the_token_opens(served: tuple[str, str]) -> None:
    url, token = served
    assert post(url, Authorization=f"Bearer {token}") == 200
    assert post(url) == 401
    for wrong in (
        f"Bearer {token}x",
        f"Bearer {token[:-1]}",
        "Bearer ",
        f"Basic {token}",
        token,
        "Bearer null",
    ):
        assert post(url, Authorization=wrong) == 401


@pytest.mark.parametrize("protocol", [{}, {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "initialize"}])
def test_a_page_of_a_browser_is_refused_even_with_the_token(
    protocol: dict[str, str], served: tuple[str, str]
) -> None:
    url, token = served
    known = {"Authorization": f"Bearer {token}", **protocol}
    here = urlsplit(url)
    for origin in ("http://evil.example", "null", "http://127.0.0.1", f"https://{here.netloc}"):
        assert post(url, **known, Origin=origin) == 403
    for host in ("evil.example", f"evil.example:{here.port}", "127.0.0.1", f"127.0.0.1.evil:{here.port}"):
        assert post(url, **known, Host=host) == 421


def test_a_client_of_the_sdk_works_over_http(served: tuple[str, str]) -> None:
    url, token = served

    async def act() -> dict[str, Any]:
        async with (
            create_mcp_http_client({"Authorization": f"Bearer {token}"}) as http_client,
            streamable_http_client(url, http_client=http_client) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return await answer(session, "search", {"query": "bank conflicts", "k": 1})

    found = asyncio.run(act())
    assert found["schema"] == "kbgen/search/1"
    assert len(found["results"]) == 1
