"""Carries documents and records from one library to another: a zip file, checked entry by entry."""

import hashlib
import json
import lzma
import os
import re
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import __version__
from . import shipped
from .files import LibraryError, sync_folder
from .library import Library
from .page import Page, PageError, from_markdown
from .records import RecordError, from_json, record_id
from .screen import clean

SCHEMA = "kbgen/library-export/1"
MANIFEST = "manifest.json"
LARGEST_ENTRY = 96 << 20
LARGEST_ALL = 8 << 30
MOST_ENTRIES = 500_000
_NAME = re.compile(r"documents/[a-z0-9][a-z0-9_.-]{0,120}\.md|records/[0-9TZ]{16}-[0-9a-f]{16}\.json")
# What zipfile and the decompressors behind it raise on an entry that is torn, encrypted or made up
DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, NotImplementedError, RuntimeError,
    ValueError,
)  # fmt: skip
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same library gives the same file


@dataclass
class Imported:
    """Entries by what became of them; `refused` gives each one's reason."""

    added: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


class _Refused(Exception):  # noqa: N818 - named for what was found
    """Why one entry of an archive is not taken."""


def export(library: Library, path: Path) -> int:
    """Write own documents and records to `path`, whole or not at all; gives their number.

    What is in quarantine stays here. LibraryError if the file cannot be written.
    """
    shut_out = library.quarantine.entries()
    names = [
        f"{folder}/{file.name}"
        for folder in ("documents", "records")
        for file in sorted((library.root / folder).iterdir())
        if _NAME.fullmatch(f"{folder}/{file.name}") and file.stem not in shut_out
    ]
    draft = path.with_name(f".tmp-{uuid.uuid4().hex}")
    try:
        with zipfile.ZipFile(draft, "x", zipfile.ZIP_DEFLATED) as archive:
            hashes = {}
            for name in names:
                data = (library.root / name).read_bytes()
                hashes[name] = hashlib.sha256(data).hexdigest()
                archive.writestr(_entry(name), data)
            about = {"schema": SCHEMA, "kbgen": __version__, "files": hashes}
            archive.writestr(_entry(MANIFEST), json.dumps(about, indent=1, sort_keys=True))
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.absolute().parent)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise LibraryError(f"{path} cannot be written ({error.strerror}); give another place.") from None
    return len(names)


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def load(library: Library, path: Path) -> Imported:
    """Take in an export; a bad entry is refused with its reason, the rest come in.

    Names in the archive are never used as paths, and sizes are bounded while unpacking.
    """
    report = Imported()
    try:
        with zipfile.ZipFile(path) as archive:
            hashes = _manifest(archive, path)
            taken = 0
            for info in archive.infolist():
                if info.filename == MANIFEST:
                    continue
                try:
                    data = _read(archive, info, hashes)
                    taken += len(data)
                    if taken > LARGEST_ALL:
                        raise _Refused(f"the archive unpacks to more than {LARGEST_ALL} bytes")
                    fresh = _store(library, info.filename, data)
                    (report.added if fresh else report.unchanged).append(info.filename)
                except (_Refused, PageError, RecordError) as error:
                    report.refused[info.filename[:200]] = str(error)
    except (OSError, zipfile.BadZipFile) as error:
        raise LibraryError(f"{path} is no export of a library ({error}); check the path.") from None
    return report


def _manifest(archive: zipfile.ZipFile, path: Path) -> dict[str, str]:
    """Entry name -> sha256, as the export says."""
    if len(archive.infolist()) > MOST_ENTRIES:
        raise LibraryError(f"{path} holds more than {MOST_ENTRIES} entries; export in parts.")
    try:
        about = json.loads(b"".join(_unpack(archive, archive.getinfo(MANIFEST))))
        if about["schema"] != SCHEMA:
            raise LibraryError(f"{path} has schema {about['schema']!r}, expected {SCHEMA!r}; update kbgen.")
        return {str(name): str(sha256) for name, sha256 in about["files"].items()}
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError, _Refused):
        raise LibraryError(f"{path} has no readable {MANIFEST}: it is no export of a library.") from None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, hashes: dict[str, str]) -> bytes:
    if not _NAME.fullmatch(info.filename):
        raise _Refused("is not the name of a document or record; it may lead out of the library")
    if info.filename not in hashes:
        raise _Refused("is not named in the export's manifest")
    data = b"".join(_unpack(archive, info))
    if hashes.get(info.filename) != hashlib.sha256(data).hexdigest():
        raise _Refused("is not what the export's manifest says: damaged or changed")
    return data


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The entry's bytes, stopped when they are more than any document has, whatever the header claims."""
    total = 0
    try:
        with archive.open(info) as file:
            while part := file.read(1 << 20):
                total += len(part)
                if total > LARGEST_ENTRY:
                    raise _Refused(f"unpacks to more than {LARGEST_ENTRY} bytes")
                yield part
    except DAMAGED as error:
        raise _Refused(f"cannot be unpacked ({error})") from None


def _store(library: Library, name: str, data: bytes) -> bool:
    """Put one checked entry into the library; False if it is there already."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise _Refused("is not UTF-8") from None
    stem = name.partition("/")[2].rpartition(".")[0]
    if name.startswith("records/"):
        episode = from_json(text, name)
        if record_id(episode) != stem:
            raise _Refused("has a name that is not its content's hash")
        fresh = not (library.root / name).is_file()
        library.record(episode)
        return fresh
    page = _screened(from_markdown(text, name))
    if page.id != stem or page.origin != "library":
        raise _Refused("says in its header that it is another page")
    if any(other.id == page.id for other in shipped.pages()):
        raise _Refused("would take the place of a page that is shipped with kbgen")
    held = library.own_page(page.id)
    if held is not None and held != page:
        raise _Refused("differs from the page of this name here; remove that one first")
    return library.add(page)


def _screened(page: Page) -> Page:
    """`page` without invisible characters: another library may have taken it in unscreened."""
    body, flags = clean(page.body)
    return replace(page, body=body, flags=tuple(dict.fromkeys((*page.flags, *flags))))
