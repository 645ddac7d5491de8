"""The library's folder: where it is, what makes it one, and its settings."""

import json
import os
from pathlib import Path
from typing import Any

from .files import LibraryError, write_durably

SCHEMA = "kbgen-library/1"
FOLDERS = ("documents", "records")


def default_root() -> Path:
    """`KBGEN_LIBRARY`, else the user's data folder."""
    from platformdirs import user_data_path

    configured = os.environ.get("KBGEN_LIBRARY")
    return (
        Path(configured).expanduser() if configured else user_data_path("kbgen", appauthor=False) / "library"
    )


def prepare(root: Path) -> dict[str, Any]:
    """Settings of the library at `root`, made if new; refuses a folder that is something else."""
    settings = root / "library.json"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if not settings.is_file():
            strangers = [
                p.name for p in root.iterdir() if not p.name.startswith(".") and p.name != settings.name
            ]
            if strangers and not all((root / folder).is_dir() for folder in FOLDERS):
                raise LibraryError(
                    f"{root} holds other files ({strangers[0]}, ...) and no library.json; "
                    "give --library a new or empty folder."
                )
            write_durably(settings, json.dumps({"schema": SCHEMA}, indent=1).encode())
        for folder in FOLDERS:
            (root / folder).mkdir(exist_ok=True)
        found = json.loads(settings.read_text(encoding="utf-8"))
    except OSError as error:
        raise LibraryError(
            f"{root} cannot be used as a library ({error.strerror}); give --library a folder you can write."
        ) from None
    except ValueError:
        raise LibraryError(
            f'{settings} is not valid JSON; restore it, or write {{"schema": "{SCHEMA}"}} into it.'
        ) from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise LibraryError(f"{settings} is not of schema {SCHEMA!r}; update kbgen or give another --library.")
    return found
