"""Keeps what the compilers said of a candidate, by all that it depends on, so that nothing is compiled twice.

The key holds the text of the candidate and of the op, and of the modules beside them that they import (an op
may take its sizes from there), the card, the toolchain and the code that asks it. What the cache holds is a
child's reply as it came, so it says as much as the child did; a file that is lost or torn is made anew.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

MOST_ENTRIES = 20_000
"""Some 100 MB; the oldest tenth goes when there are more."""

_ASKS = (
    "build", "compile", "dots", "flow", "isa", "kernel_key", "launches", "source", "standin", "static_child",
)  # fmt: skip
"""Modules that decide what is compiled and what is read from the result."""


def default_folder() -> Path:
    """`KBGEN_CACHE`, else a folder of the user's caches."""
    from platformdirs import user_cache_path

    asked = os.environ.get("KBGEN_CACHE")
    return Path(asked).expanduser() if asked else user_cache_path("kbgen", appauthor=False)


class CompileCache:
    """Replies in a folder, one file each; one that cannot be written keeps nothing, which is no error.
    `kernels` are those of the replies that were met while this one lives, by their keys."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (folder or default_folder()) / "compiled"
        self.kernels: dict[str, Any] = {}

    def get(self, key: str) -> dict[str, Any] | None:
        try:
            found = json.loads(self._path(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def put(self, key: str, reply: Mapping[str, Any]) -> None:
        path = self._path(key)
        temporary = path.with_name(f".tmp-{uuid.uuid4().hex}")
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(reply), encoding="utf-8")
            temporary.replace(path)
            self._trim(path.parent)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _trim(self, shelf: Path) -> None:
        """Keep each of the 256 shelves below its share."""
        entries = list(shelf.glob("*.json"))
        if len(entries) > MOST_ENTRIES // 256:
            for old in sorted(entries, key=lambda path: path.stat().st_mtime)[: len(entries) // 10 + 1]:
                old.unlink(missing_ok=True)


def key_of(request: Mapping[str, Any], candidate: str) -> str:
    """`request` is the child's, in which the candidate is named by a path that says nothing of its text.

    Of what the files import only modules of their own folders are looked at, not data that they read.
    """
    asked = {name: value for name, value in request.items() if name not in ("candidate", "op")}
    knobs = {name: value for name, value in os.environ.items() if name.startswith("TRITON_")}
    beside = [
        neighbours(text, Path(request[name]).parent)
        for name, text in (("candidate", candidate), ("op", request["source"]))
    ]
    whole = json.dumps([candidate, asked, beside, _toolchain(), knobs], sort_keys=True, default=repr)
    return hashlib.sha256(whole.encode()).hexdigest()


def neighbours(text: str, folder: Path) -> dict[str, str]:
    """The modules of `folder` that a file of this text imports, and those that they do, by name: a digest of
    a module's file, or of a package's files."""
    found: dict[str, str] = {}
    waiting = [text]
    while waiting:
        for name in _imported(waiting.pop()) - found.keys():
            places = sorted((folder / f"{name}.py", *(folder / name).rglob("*.py")))
            parts = {str(one.relative_to(folder)): one.read_bytes() for one in places if one.is_file()}
            if parts:
                found[name] = hashlib.sha256(repr(parts).encode()).hexdigest()
                waiting += [part.decode("utf-8", "replace") for part in parts.values()]
    return found


def _imported(text: str) -> set[str]:
    """The first part of every imported name; of a text that does not parse none."""
    try:
        return {name.split(".")[0] for node in ast.walk(ast.parse(text)) for name in _names(node)}
    except (SyntaxError, ValueError):
        return set()


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module


@cache
def _toolchain() -> tuple[str, ...]:
    """The compilers, and the code that asks them."""
    room = files("kbgen.profiling")
    asking = b"".join(room.joinpath(f"{name}.py").read_bytes() for name in _ASKS)
    return (*(_installed(name) for name in ("triton", "torch")), hashlib.sha256(asking).hexdigest())


def _installed(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} none"
