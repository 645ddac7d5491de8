"""Compares releases of one document: which sections are new, changed or gone, and which is the newer."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .chunk import Passage, chunk
from .page import Page

_NUMBER_IN_NAME = re.compile(
    r"(?<![A-Za-z0-9])v?\d+(?:[._]\d+)+(?![A-Za-z0-9])|(?<=[/_-])(?:latest|stable)(?=[/_.-]|$)"
)


@dataclass(frozen=True)
class Changes:
    """Section paths, each in the order of its release; `kept` counts those that say the same in both."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    kept: int


def series(source: str) -> str:
    """What all releases of a document share: its address without the release (`/13.1/` -> `/*/`)."""
    return _NUMBER_IN_NAME.sub("*", source)


def compare(old: Page, new: Page) -> Changes:
    """What `new` says otherwise than `old`, section by section."""
    before, after = _sections(old), _sections(new)
    return Changes(
        added=tuple(name for name in after if name not in before),
        changed=tuple(name for name in after if name in before and after[name] != before[name]),
        removed=tuple(name for name in before if name not in after),
        kept=sum(after[name] == before.get(name) for name in after),
    )


def _sections(page: Page) -> dict[str, str]:
    """Section path -> its text; the title, which may hold the release's number, is left off."""
    texts: dict[str, list[str]] = defaultdict(list)
    for passage in chunk(page.id, "", page.body):
        texts[_path(passage)].append(" ".join(passage.text.split()))
    return {name: "\n".join(parts) for name, parts in texts.items()}


def _path(passage: Passage) -> str:
    """The section path without release numbers, so that "PTX ISA 9.0" and "PTX ISA 9.1" are one heading."""
    return re.sub(r"\b\d+\.\d+(?:\.\d+)*\b", "*", passage.section.removeprefix(" > ")) or "(beginning)"


@dataclass(frozen=True)
class Release:
    """One page among the releases of its document; `said` is the hash of what it says."""

    id: str
    source: str
    series: str
    version: str
    date: str
    said: str

    @property
    def age(self) -> tuple[list[int], str, str]:
        """Greater is newer: by release number, then date."""
        return [int(part) for part in re.findall(r"\d+", self.version)], self.date, self.id


def release_of(page: Page) -> Release:
    said = "\0".join((page.body, page.version, page.vendor, *page.archs, *page.toolchain))
    source = page.sources[0].url if page.sources else ""
    hashed = hashlib.sha256(said.encode()).hexdigest()
    return Release(page.id, source, page.series, page.version, page.date, hashed)


def without(gone: str, pages: Iterable[Page]) -> list[Page]:
    """Those of `pages` that the release `gone` superseded, marked anew: the newest of them is in force."""
    older = [page for page in pages if page.superseded_by == gone and page.id != gone]
    newest = max(older, key=lambda page: release_of(page).age, default=None)
    return [
        replace(page, superseded_by="" if page is newest or newest is None else newest.id) for page in older
    ]
