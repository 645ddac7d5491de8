"""Tells a coding agent's client of the server: its stanza in the client's own file, and the guide as a skill.

    files = plan("claude", Path("my-project"), ["/usr/bin/kbgen", "mcp"])
    write(files)

Nothing of anybody's is overwritten: what is there and differs is refused, unless it is to be replaced.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import KbgenError
from ...kb.root import server_of
from .resources import guide

SERVER = "kbgen"
TOOL_TIMEOUT_S = 660
"""A client must wait longer than a call may: `wait_s` goes up to 600."""


@dataclass(frozen=True)
class Client:
    """Where a client looks in a project's folder: settings, the key of its servers in them, skills."""

    settings: str
    servers: str
    skills: str
    typed: bool = False


CLIENTS = {
    "claude": Client(".mcp.json", "mcpServers", ".claude/skills", typed=True),
    "cursor": Client(".cursor/mcp.json", "mcpServers", ".cursor/skills"),
    "vscode": Client(".vscode/mcp.json", "servers", ".github/skills", typed=True),
    "codex": Client(".codex/config.toml", "mcp_servers", ".agents/skills"),
}
"""Claude Code, Cursor, VS Code and Codex, by their own documentation as of 2026."""


class InstallError(KbgenError):
    """A file that cannot be written without harm to what is there."""


@dataclass(frozen=True)
class Planned:
    """One file as it will be; `text` is the whole of it."""

    path: Path
    text: str
    unchanged: bool


def own_command(library: Path | None) -> list[str]:
    """How a client starts the server, from whatever folder: the script of this very installation."""
    script = Path(sys.executable).with_name("kbgen")
    found = str(script) if script.is_file() else shutil.which("kbgen")
    words = [found] if found else [sys.executable, "-m", "kbgen.cli"]
    if library is None:
        return [*words, "mcp"]
    return [*words, "mcp", "--library", server_of(library) or str(library.expanduser().absolute())]


def stanzas(client: str, command: Sequence[str]) -> dict[str, str]:
    """What belongs into each file of a project, by its path there: our part of the settings, the guide."""
    known = CLIENTS[client]
    return {known.settings: _stanza(known, command), _skill(known): guide()}


def plan(client: str, folder: Path, command: Sequence[str], *, replace: bool = False) -> list[Planned]:
    """The files that tell `client` of the server, none of them written yet. Raises InstallError."""
    if not folder.is_dir():
        raise InstallError(f"{folder} is no folder; give the folder of a project that is there.")
    known = CLIENTS[client]
    settings = folder / known.settings
    merged = _toml if _is_toml(known) else _json
    return [
        _planned(settings, merged(settings, known, command, replace)),
        _guide(folder / _skill(known), replace),
    ]


def write(planned: Sequence[Planned]) -> None:
    """Write what changes; each file is there whole or as it was."""
    for one in planned:
        if one.unchanged:
            continue
        target = one.path.resolve()
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_name(target.name + ".part")
            part.write_text(one.text, encoding="utf-8")
            os.replace(part, target)
        except OSError as error:
            raise InstallError(
                f"{one.path} cannot be written ({error.strerror}); check its folder."
            ) from None


def _skill(client: Client) -> str:
    return f"{client.skills}/{SERVER}/SKILL.md"


def _is_toml(client: Client) -> bool:
    return client.settings.endswith(".toml")


def _entry(client: Client, command: Sequence[str]) -> dict[str, Any]:
    """Our server as a client's JSON has it."""
    kind = {"type": "stdio"} if client.typed else {}
    return {**kind, "command": command[0], "args": list(command[1:])}


def _stanza(client: Client, command: Sequence[str]) -> str:
    """Our part of the settings as it stands in a file of its own; a TOML string is a JSON string."""
    if not _is_toml(client):
        return json.dumps({client.servers: {SERVER: _entry(client, command)}}, indent=2)
    words = (f"command = {json.dumps(command[0])}", f"args = {json.dumps(list(command[1:]))}")
    return "\n".join([_head(client), *words, f"tool_timeout_sec = {TOOL_TIMEOUT_S}"])


def _head(client: Client) -> str:
    return f"[{client.servers}.{SERVER}]"


def _planned(path: Path, text: str) -> Planned:
    return Planned(path, text, text == _held(path))


def _held(path: Path) -> str | None:
    """What the file holds, None where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InstallError(f"{path} cannot be read ({error}); add the stanza of --print by hand.") from None


def _guide(path: Path, replace: bool) -> Planned:
    text, held = guide(), _held(path)
    if held not in (None, text) and not replace:
        raise InstallError(
            f"{path} is there and is not this version's guide; pass --replace to have it replaced."
        )
    return _planned(path, text)


def _json(path: Path, client: Client, command: Sequence[str], replace: bool) -> str:
    """The settings with our server among the others."""
    entry, held = _entry(client, command), _held(path)
    try:
        settings = json.loads(held) if held and held.strip() else {}
        servers = settings.setdefault(client.servers, {})
        there = servers.get(SERVER)
    except (ValueError, AttributeError):
        raise InstallError(
            f"{path} is not plain JSON with an object {client.servers!r}; add the stanza of --print by hand."
        ) from None
    if held and there == entry:
        return held
    if there is not None and not replace:
        raise InstallError(_differs(path))
    servers[SERVER] = entry
    return json.dumps(settings, indent=2, ensure_ascii=False) + "\n"


def _toml(path: Path, client: Client, command: Sequence[str], replace: bool) -> str:
    """The settings with our table at their end."""
    stanza, held = _stanza(client, command), _held(path) or ""
    if stanza in held:
        return held
    table = re.compile(rf"^{re.escape(_head(client))}[^\n]*\n(?:(?!\[)[^\n]*\n?)*", re.MULTILINE)
    if table.search(held):
        if not replace:
            raise InstallError(_differs(path))
        held = table.sub("", held)
    gap = "\n\n" if held.strip() else ""
    return f"{held.rstrip()}{gap}{stanza}\n"


def _differs(path: Path) -> str:
    return f"{path} has a server {SERVER!r} that differs; pass --replace, or change it by hand."
