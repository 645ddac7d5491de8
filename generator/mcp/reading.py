"""Answers what takes no child process: searches, specs, passages and records, on one thread of their own.

The library is opened at the first question, with all that searching needs: only that one waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ... import KbgenError
from ..report.json_report import plain
from . import asked

if TYPE_CHECKING:
    from ...kb.library import Library

Document = dict[str, Any]
T = TypeVar("T")

WARMING = "128 threads"
"""A question that loads all that any question needs: words, meaning, and the reading of figures."""


class NotThereError(KbgenError):
    """A passage, a record or a device that is not there."""


class Reader:
    """`library` is None for the user's own."""

    def __init__(self, library: Path | None) -> None:
        self._place = library
        self._opened: Library | None = None
        self._warm = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kbgen-reader")

    async def search(self, given: asked.Search) -> Document:
        return await self._on_thread(lambda: self._search(given))

    async def specs(self, given: asked.Specs) -> Document:
        return await self._on_thread(lambda: device_sheet(given.name) if given.name else devices())

    async def passage(self, name: str) -> Document:
        return await self._on_thread(lambda: self._passage(name))

    async def record(self, name: str) -> Document:
        return await self._on_thread(lambda: self._record(name))

    async def records(self) -> Document:
        return await self._on_thread(lambda: {"records": _listing(self._library())["records"]})

    def close(self) -> None:
        if self._opened is not None:
            self._thread.submit(self._opened.close)
        self._thread.shutdown()

    async def _on_thread(self, act: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, act)

    def _library(self) -> Library:
        if self._opened is None:
            from ...kb.library import Library

            self._opened = Library.open(self._place)
        return self._opened

    def _search(self, given: asked.Search) -> Document:
        from ...retrieval.find import find
        from ..report.documents import search_document

        if not self._warm:
            find(self._library(), WARMING, k=1)
            self._warm = True
        boundaries = {"arch": given.arch, "vendor": given.vendor, "kind": given.kind}
        answer = find(self._library(), given.query, k=given.k, toolchain=given.toolchain, **boundaries)
        return under("search", search_document(answer))

    def _passage(self, name: str) -> Document:
        from ...kb.screen import marked, suspicious

        library = self._library()
        passage = library.passage(name)
        page = library.page(passage.doc_id) if passage else None
        if passage is None or page is None or page.id in library.quarantine.entries():
            raise NotThereError(f"no passage {name[:80]!r}; search gives the ids of those there are.")
        said = f"{page.title}\n{passage.section}\n{passage.text}"
        return {
            "id": passage.id, "page": page.id, "title": page.title, "section": passage.section,
            "text": marked(passage.text, suspicious(said)), "version": page.version, "licence": page.licence,
            "vendor": page.vendor, "archs": page.archs, "sources": plain(page.sources),
        }  # fmt: skip

    def _record(self, name: str) -> Document:
        from ...kb.screen import marked, suspicious

        library = self._library()
        episode = None if name in library.quarantine.entries() else library.episode(name)
        if episode is None:
            raise NotThereError(f"no record {name[:80]!r}; kbgen://records lists them.")
        told: Document = plain(episode)
        for step in told["steps"]:
            step["reason"] = marked(step["reason"], suspicious(step["reason"]))
        return {"id": name, **told, "source": marked(episode.source, suspicious(episode.source))}


def under(command: str, document: Any) -> Document:
    """A document under the schema that the command line gives it."""
    return {"schema": f"kbgen/{command}/1", **plain(document)}


def devices() -> Document:
    """Every device, one row each."""
    from ...hardware_specs.spec import all_specs
    from ..report.documents import specs_document

    return under("specs", specs_document(all_specs()))


def device_sheet(name: str) -> Document:
    """One device with the source of every number; UnknownDevice names those there are."""
    from ...hardware_specs.spec import find_spec
    from ..report.documents import spec_document

    return under("specs", spec_document(find_spec(name)))


def _listing(library: Library) -> Document:
    from ..report.care import listing

    return listing(library, None)
