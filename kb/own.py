"""The library's own pages as files: which there are, when they changed, and which cannot be read."""

import os
import time
from pathlib import Path

from .page import Page, PageError, from_markdown

LOOK_AGAIN_S = 1.0  # a file written in place changes no folder, so an unchanged folder is trusted this long


class OwnFiles:
    """`documents/` of one library."""

    def __init__(self, root: Path) -> None:
        self._folder = root / "documents"
        self._stamps: dict[str, str] = {}
        self._seen: tuple[int, float] | None = None
        self.problems: dict[str, str] = {}

    def stamps(self) -> dict[str, str]:
        """Page id -> size and time of change of its file; the same object while nothing changed."""
        changed = self._folder.stat().st_mtime_ns
        if self._seen is None or self._seen[0] != changed or time.monotonic() - self._seen[1] > LOOK_AGAIN_S:
            found = self._look()
            self._stamps = self._stamps if found == self._stamps else found
            self._seen = (changed, time.monotonic())
        return self._stamps

    def _look(self) -> dict[str, str]:
        found: dict[str, str] = {}
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(".md") and not entry.name.startswith("."):
                    stat = entry.stat()
                    found[entry.name[:-3]] = f"{stat.st_size}-{stat.st_mtime_ns}"
        return dict(sorted(found.items()))

    def read(self, page_id: str) -> Page | None:
        """The page, or None if its file is damaged; `problems` then says how."""
        name = f"documents/{page_id}.md"
        try:
            page = from_markdown((self._folder / f"{page_id}.md").read_text(encoding="utf-8"), name)
            if page.id != page_id:
                raise PageError(f"{name}: the header says id {page.id!r}; make file name and id the same.")
        except FileNotFoundError:
            return None
        except (PageError, OSError, UnicodeDecodeError) as error:
            self.problems[name] = str(error)
            return None
        self.problems.pop(name, None)
        return page
