"""A writer that takes candidates from a folder: kernel files, and replies of a model as they were saved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ... import KbgenError
from .journal import Journal
from .reply import ReplyError, read_reply
from .writer import Candidate, Declined, Effort, Request

LARGEST_BYTES = 1 << 20


class FolderError(KbgenError):
    """The folder of candidates cannot be used."""


class FilesWriter:
    """Each file of the folder, in the order of the names, is one candidate; nothing is mended.

    `.py` is a kernel file, `.md` and `.txt` a reply that holds one; other names are passed over.
    """

    transforms: tuple[str, ...] = ()
    refinements: tuple[str, ...] = ()
    journal: Journal | None = None
    spent: Mapping[str, Any] | None = None

    def __init__(self, folder: Path) -> None:
        self.name = f"files:{folder}"
        try:
            self._paths = sorted(
                path for path in folder.iterdir() if path.suffix in (".py", ".md", ".txt") and path.is_file()
            )
        except OSError as error:
            raise FolderError(
                f"{folder} cannot be read ({error.strerror}); give --writer files:DIR a folder of candidates."
            ) from None
        if not self._paths:
            raise FolderError(
                f"{folder} holds no candidate; save kernels there as .py, replies to 'kbgen prompt' as .md."
            )
        self.effort = Effort(drafts=len(self._paths), repairs=0, samples=0)

    def write(self, request: Request) -> Candidate | Declined:
        if request.parent is not None or request.sample >= len(self._paths):
            return Declined("a folder holds what it holds")
        path = self._paths[request.sample]
        try:
            if path.stat().st_size > LARGEST_BYTES:
                return Declined(f"{path.name} is larger than 1 MiB")
            text = path.read_text(encoding="utf-8")
            source = text if path.suffix == ".py" else read_reply(text, None)
        except ReplyError as error:
            return Declined(f"{path.name}: {error}")
        except (OSError, UnicodeDecodeError) as error:
            return Declined(f"{path.name} cannot be read: {error}")
        return Candidate(source, self.name, flops=float(request.traced.flops))
