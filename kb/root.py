"""The library's folder: where it is, what makes it one, and its settings."""

import json
import os
import re
import uuid
from pathlib import Path
from typing import Any

from .files import LibraryError, write_durably

SCHEMA = "kbgen-library/1"
FOLDERS = ("documents", "records")
_FILES = ("library", "manifest", "index", "quarantine", "crawls")


def default_root() -> Path:
    """`KBGEN_LIBRARY`, else the user's data folder."""
    from platformdirs import user_data_path

    configured = os.environ.get("KBGEN_LIBRARY")
    return (
        Path(configured).expanduser() if configured else user_data_path("kbgen", appauthor=False) / "library"
    )


def server_of(place: Path | str | None) -> str | None:
    """The address of a Chroma server if `place` is one; pathlib folds its two slashes into one."""
    found = re.fullmatch(r"(https?):/{1,2}([^/\s]+)/?", str(place))
    return f"{found[1]}://{found[2]}" if found else None


def prepare(root: Path) -> dict[str, Any]:
    """Settings of the library at `root`, made if new; refuses a folder that is something else."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        settings = _settings(root)
        for folder in FOLDERS:
            (root / folder).mkdir(exist_ok=True)
    except OSError as error:
        raise LibraryError(
            f"{root} cannot be used as a library ({error.strerror}); give --library a folder you can write."
        ) from None
    return settings


def _settings(root: Path) -> dict[str, Any]:
    path = root / "library.json"
    if not path.is_file():
        strangers = sorted(item.name for item in root.iterdir() if not _is_ours(item.name))
        if strangers:
            raise LibraryError(
                f"{root} holds other files ({strangers[0]}) and no library.json; "
                "give --library a new or empty folder."
            )
        write_durably(path, json.dumps({"schema": SCHEMA, "id": uuid.uuid4().hex}, indent=1).encode())
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise LibraryError(
            f'{path} is not valid JSON; restore it, or write {{"schema": "{SCHEMA}"}} into it.'
        ) from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise LibraryError(f"{path} is not of schema {SCHEMA!r}; update kbgen or give another --library.")
    return found


def _is_ours(name: str) -> bool:
    """Whether a library has a file of this name: another process may be making the same one right now."""
    return name.startswith(".") or name.partition(".")[0] in (*FOLDERS, *_FILES)
