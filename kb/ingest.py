"""Takes files and folders of Markdown or plain text into the library; a bad file never stops the rest."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .files import LibraryError
from .library import Library
from .page import Page, Reference

READERS = {".md": "markdown", ".markdown": "markdown", ".txt": "text"}
LARGEST_BYTES = 32 << 20
LONGEST_LINE = 1 << 20


@dataclass(frozen=True)
class About:
    """What the user says of the documents; empty fields are left as found or unknown."""

    title: str = ""
    vendor: str = "any"
    archs: tuple[str, ...] = ()
    version: str = ""
    licence: str = ""


@dataclass(frozen=True)
class Report:
    """What became of each file, by path; `refused` gives the reason."""

    added: tuple[str, ...]
    unchanged: tuple[str, ...]
    refused: dict[str, str] = field(default_factory=dict)


class Unreadable(Exception):  # noqa: N818 - named for what was found
    """A file that cannot be taken in; the message is the reason."""


def ingest(library: Library, paths: Iterable[Path | str], about: About | None = None) -> Report:
    """Store every readable document under `paths`; the index follows at the next search."""
    added: list[str] = []
    unchanged: list[str] = []
    refused: dict[str, str] = {}
    for path in tuple(_files(paths)):  # a path that is not there is told before anything is added
        try:
            fresh = library.add(read(path, about or About()))
            (added if fresh else unchanged).append(str(path))
        except Unreadable as error:
            refused[str(path)] = str(error)
    return Report(tuple(added), tuple(unchanged), refused)


def read(path: Path, about: About) -> Page:
    """One file as a page; Unreadable with the reason if it is not text of bounded size."""
    if path.suffix.lower() not in READERS:
        raise Unreadable(f"{path.suffix or 'a file without suffix'} is not read; known: {', '.join(READERS)}")
    text = _text(path)
    source = str(path.resolve())
    title = about.title or _title(text) or path.stem
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:48] or "document"
    mark = hashlib.sha256(f"{source}\0{about.version}".encode()).hexdigest()[:8]
    return Page(
        id=f"{slug}-{mark}",
        kind="document",
        title=title,
        body=text,
        origin="library",
        vendor=about.vendor,
        archs=about.archs,
        version=about.version,
        licence=about.licence,
        sources=(Reference(title, source, version=about.version),),
    )


def _files(paths: Iterable[Path | str]) -> Iterator[Path]:
    """Every known document under `paths`, folders walked in order, links to folders not followed."""
    for given in map(Path, paths):
        if given.is_dir():
            for folder, folders, names in os.walk(given):
                folders.sort()
                yield from (
                    Path(folder, name) for name in sorted(names) if Path(name).suffix.lower() in READERS
                )
        elif given.exists():
            yield given
        else:
            raise LibraryError(f"no file or folder at {given}; check the path.")


def _text(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise Unreadable(f"{size} bytes; at most {LARGEST_BYTES} are read, split the file")
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from None
    if b"\0" in data:
        raise Unreadable("holds zero bytes: a binary file, not text")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").strip()
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start} is not UTF-8; save the file as UTF-8") from None
    if not text:
        raise Unreadable("holds no text")
    if max(map(len, text.split("\n"))) > LONGEST_LINE:
        raise Unreadable(f"has a line of more than {LONGEST_LINE} characters: data, not text")
    return text


def _title(text: str) -> str:
    """The first heading of the first level, if there is one."""
    match = re.search(r"^# +(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else ""
