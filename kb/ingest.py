"""Takes documents into the library: files, folders, addresses; a bad one never stops the rest."""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from . import infer, releases
from .fetch import Fetched, Web, is_address
from .files import LibraryError
from .library import Library
from .page import Page, Reference
from .readers.draft import Draft, Unreadable
from .reading import Reading
from .releases import Changes, Release, release_of
from .screen import suspicious

SUFFIXES = (
    ".html", ".htm", ".xhtml", ".pdf", ".md", ".markdown", ".mdx", ".rst", ".rest", ".ipynb", ".txt", ".text",
    ".py", ".cu", ".cuh", ".hip", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".ptx", ".s",
)  # fmt: skip
SKIPPED_FOLDERS = {"node_modules", "__pycache__", "_static", "_sources", "build", "dist"}
EVERYWHERE = {"index", "main", "readme", "__init__"}  # names of files that say nothing without their folder
Status = Literal["added", "changed", "unchanged", "duplicate", "refused"]


@dataclass(frozen=True)
class About:
    """What the user says of the documents; empty fields are inferred, or left unknown."""

    title: str = ""
    vendor: str = ""
    archs: tuple[str, ...] = ()
    version: str = ""
    licence: str = ""
    date: str = ""
    toolchain: tuple[str, ...] = ()


@dataclass(frozen=True)
class Taken:
    """What became of one document; `reason` says why refused, or which page it repeats."""

    source: str
    status: Status
    page_id: str = ""
    reason: str = ""
    supersedes: str = ""
    changes: Changes | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """Every document in the order it was met."""

    taken: tuple[Taken, ...] = field(default_factory=tuple)

    def of(self, status: Status) -> tuple[Taken, ...]:
        return tuple(one for one in self.taken if one.status == status)


Watch = Callable[[int, int], None]  # (documents done, documents in all; more once a sitemap has been read)


def ingest(
    library: Library,
    places: Iterable[Path | str],
    about: About | None = None,
    *,
    web: Web | None = None,
    watch: Watch = lambda done, total: None,
) -> Report:
    """Store every readable document under `places`; the index follows at the next search.

    A place is a file, a folder, the address of a page or of a sitemap.
    """
    found: list[Taken] = []
    places = list(places)
    files = _files([Path(place) for place in places if not is_address(place)])
    addresses = [str(place) for place in places if is_address(place)]
    with Reading() as reading:
        intake = _Intake(library, about or About(), reading)
        for path in files:
            found.append(intake.file(path))
            watch(len(found), len(files) + len(addresses))
        if addresses:
            with web or Web(library.root / "crawls") as internet:
                for fetched in internet.documents(addresses):
                    found.append(intake.fetched(fetched))
                    watch(len(found), len(files) + internet.expected)
    return Report(tuple(found))


class _Intake:
    """Turns one document after another into a page of the library."""

    def __init__(self, library: Library, about: About, reading: Reading) -> None:
        self._library = library
        self._about = about
        self._reading = reading
        own = (page for page in library.pages() if page.origin == "library")
        self._held = {page.id: release_of(page) for page in own}

    def file(self, path: Path) -> Taken:
        named = os.fsencode(path).decode("utf-8", "backslashreplace")
        if named != str(path):
            return Taken(named, "refused", reason="has a name that is not UTF-8; rename it")
        try:
            return self._store(str(path), str(path.resolve()), self._reading.read(path), _name(path))
        except (Unreadable, OSError, RuntimeError) as error:  # a loop of links is a RuntimeError before 3.13
            return Taken(str(path), "refused", reason=str(error))

    def fetched(self, fetched: Fetched) -> Taken:
        if fetched.path is None:
            return Taken(fetched.address, "refused", reason=fetched.reason)
        try:
            draft = self._reading.read(fetched.path, fetched.suffix)
            draft = replace(draft, date=draft.date or fetched.date)
            name = fetched.address.rstrip("/").rpartition("/")[2]
            taken = self._store(fetched.address, fetched.address, draft, name)
        except Unreadable as error:
            taken = Taken(fetched.address, "refused", reason=str(error))
        finally:
            fetched.path.unlink(missing_ok=True)
        fetched.done()
        return taken

    def _store(self, shown: str, source: str, draft: Draft, fallback: str) -> Taken:
        """Store one page; the newest release of its document supersedes the others, whichever came last."""
        page = make_page(draft, source, self._about, fallback)
        page = replace(page, id=self._known_as(release_of(page)))
        release = release_of(page)
        twin = next(
            (one.id for one in self._held.values() if one.said == release.said and one.id != page.id), ""
        )
        if twin:
            return Taken(shown, "duplicate", twin, f"says the same as {twin}", flags=page.flags)
        before = self._library.own_page(page.id)
        kin = [one for one in self._held.values() if one.series == release.series and one.id != page.id]
        newest = max([release, *kin], key=lambda one: one.age)
        page = replace(page, superseded_by="" if newest.id == page.id else newest.id)
        fresh = self._library.add(page)
        self._held[page.id] = release
        self._mark(kin if newest.id == page.id else [], page.id)
        if not fresh:
            return Taken(shown, "unchanged", page.id, flags=page.flags)
        last = before or (self._library.own_page(max(kin, key=lambda one: one.age).id) if kin else None)
        return Taken(
            shown,
            "changed" if before else "added",
            page.id,
            supersedes=last.id if last and not before and newest.id == page.id else "",
            changes=releases.compare(last, page) if last else None,
            flags=page.flags,
        )

    def _known_as(self, release: Release) -> str:
        """The id under which this release of this source is held already, whatever its title was."""
        same = (
            one
            for one in self._held.values()
            if (one.source, one.version) == (release.source, release.version)
        )
        return next((one.id for one in same), release.id)

    def _mark(self, older: list[Release], newest: str) -> None:
        """Say in each older release which page is the newest one; `add` leaves alone what already says so."""
        for release in older:
            page = self._library.own_page(release.id)
            if page is not None:
                self._library.add(replace(page, superseded_by=newest))


def make_page(draft: Draft, source: str, about: About, fallback: str) -> Page:
    """`draft` as a page: what the user says of it, else what it says itself, else what can be inferred."""
    title = about.title or draft.title or fallback
    stated = {
        "vendor": about.vendor,
        "version": about.version or draft.version,
        "licence": about.licence or draft.licence,
        "date": about.date or infer.date(draft.date),
    }
    guessed = {
        "vendor": infer.vendor(source, f"{title}\n{draft.body}"),
        "version": infer.version(title, source, draft.body),
        "licence": infer.licence(draft.body),
    }
    archs = about.archs or infer.targets_of_title(title)
    known = {name: value or guessed.get(name, "") for name, value in stated.items()}
    inferred = [name for name in guessed if not stated[name] and guessed[name] not in ("", "any")]
    inferred += ["archs"] if archs and not about.archs else []
    orders = suspicious(f"{title}\n{draft.body}")
    flags = (*draft.flags, *((f"reads like instructions to a model: {orders!r}",) if orders else ()))
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:48].strip("-") or "document"
    mark = hashlib.sha256(f"{source}\0{known['version']}".encode()).hexdigest()[:8]
    return Page(
        id=f"{slug}-{mark}",
        kind="document",
        title=title,
        body=draft.body,
        origin="library",
        vendor=known["vendor"],
        archs=archs,
        version=known["version"],
        licence=known["licence"],
        date=known["date"],
        toolchain=about.toolchain,
        sources=(Reference(title, source, version=known["version"]),),
        series=releases.series(source),
        inferred=tuple(inferred),
        flags=tuple(dict.fromkeys(flags)),
    )


def _name(path: Path) -> str:
    """What a file without a title is called; a name that every folder has gets the folder's before it."""
    return f"{path.parent.name}/{path.name}" if path.stem.lower() in EVERYWHERE else path.stem


def _files(places: list[Path]) -> list[Path]:
    """Every file named and every known document below the folders named, links to folders not followed."""
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            for folder, folders, names in os.walk(place):
                folders[:] = sorted(
                    set(folders) - SKIPPED_FOLDERS - {name for name in folders if name[0] == "."}
                )
                found += _documents(Path(folder), names)
        elif os.path.lexists(place):
            found.append(place)
        else:
            raise LibraryError(f"no file or folder at {place}; check the path.")
    return found


def _documents(folder: Path, names: list[str]) -> Iterator[Path]:
    return (folder / name for name in sorted(names) if Path(name).suffix.lower() in SUFFIXES)
