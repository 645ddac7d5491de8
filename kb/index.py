"""Keeps the index in step with the pages: catalog, BM25 and vectors, rebuilt when they are not right."""

import shutil
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import numpy as np
from filelock import FileLock

from . import shipped
from .catalog import SCHEMA_VERSION, Catalog, Row
from .chunk import Passage, chunk
from .embed import Embedder, Vectors
from .files import LOCK_TIMEOUT_S, LibraryError
from .lexical import LexicalIndex, open_lexical
from .page import Page, digest
from .store import VectorIndexError, VectorStore
from .vectors import VectorCache

EMBED_BATCH = 512  # passages embedded before their vectors are kept: the most that a crash makes embed again
T = TypeVar("T")
OwnPages = Mapping[str, tuple[str, Callable[[], Page | None]]]


@dataclass(frozen=True)
class Snapshot:
    """One revision of the lexical side in memory: passage rows, and BM25 over them in the same order."""

    revision: str
    rows: tuple[Row, ...]
    lexical: LexicalIndex | None

    @cached_property
    def by_id(self) -> dict[str, Row]:
        return {row.id: row for row in self.rows}


class Index:
    """The derived half of a library, safe to use from any number of processes at once.

    `own_pages` gives the library's pages: id -> (stamp, reader). A stamp changes when the file may have;
    a reader gives None for a damaged file.
    """

    def __init__(self, folder: Path, own_pages: Callable[[], OwnPages]) -> None:
        self._folder = folder
        self._own_pages = own_pages
        self._lock = FileLock(folder.with_suffix(".lock"), timeout=LOCK_TIMEOUT_S)
        self._snapshot: Snapshot | None = None
        self._reconciled: set[str] = set()
        self.repairs: list[str] = []

    def catalog(self) -> Catalog:
        """The catalog, empty if it was not there; vectors without a catalog are nobody's and go."""
        path = self._folder / "catalog.sqlite"
        self._folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            self._drop_vectors()
        catalog = Catalog(path)
        if catalog.state()["schema"] != SCHEMA_VERSION:
            self._drop_all()
            catalog = Catalog(path)
        return catalog

    def use(self, embedder: Embedder | None, action: Callable[[Catalog], T]) -> T:
        """Bring the index in step with the files, then do `action`; what is damaged is built anew.

        A first failure may be another process's rebuild seen half-way, so only a second one drops anything.
        """
        failure: Exception | None = None
        for attempt in range(3):
            try:
                with self._lock:
                    if attempt == 2 and failure:
                        self._drop(failure)
                    self._reconciled -= self._reconciled if failure else set()
                    catalog = self._sync(embedder)
                return action(catalog)
            except (VectorIndexError, sqlite3.DatabaseError) as error:
                failure = error
                if not is_damage(error):
                    break
        raise LibraryError(f"the index in {self._folder} cannot be used ({failure}); {_CURE}") from failure

    def snapshot(self, catalog: Catalog) -> Snapshot:
        """The lexical side as of the catalog's revision."""
        with self._lock:
            revision = catalog.state()["revision"]
            if self._snapshot is None or self._snapshot.revision != revision:
                texts = [f"{section}\n{text}" for section, text in catalog.texts()]
                lexical = open_lexical(self._folder / "lexical", revision, texts)
                self._snapshot = Snapshot(revision, tuple(catalog.rows()), lexical)
            return self._snapshot

    def store(self, model: str) -> VectorStore:
        return VectorStore(self._folder / "chroma", self._lock, model)

    def rebuild(self, embedder: Embedder | None) -> None:
        """Drop everything derived and derive it again."""
        with self._lock:
            self._drop_all()
            self.use(embedder, self.snapshot)

    def close(self) -> None:
        self.store("").close()

    def _sync(self, embedder: Embedder | None) -> Catalog:
        catalog = self.catalog()
        self._refresh_pages(catalog)
        if embedder is not None:
            self._refresh_vectors(catalog, embedder)
        return catalog

    def _refresh_pages(self, catalog: Catalog) -> None:
        """Chunk what is new or changed, forget what is gone; an own page wins over a shipped one."""
        known = catalog.stamps()
        corpus = shipped.corpus_hash()
        own = self._own_pages()
        gone = {i for i, (origin, _) in known.items() if origin == "library" and i not in own}
        changed: list[tuple[Page, str]] = []
        for page_id, (stamp, read) in own.items():
            if known.get(page_id) != ("library", stamp):
                page = read()
                changed += [(page, stamp)] if page else []
                gone |= {page_id} if page is None and page_id in known else set()
        stale = catalog.state()["corpus"] != corpus
        if stale or gone:
            pages = {page.id: page for page in shipped.pages() if page.id not in own}
            gone |= {i for i, (origin, _) in known.items() if origin == "shipped" and i not in pages}
            stamped = [(page, digest(page)) for page in pages.values()]
            changed += [(page, stamp) for page, stamp in stamped if known.get(page.id) != ("shipped", stamp)]
        if changed or gone or stale:
            passages = ((page, stamp, chunk(page.id, page.title, page.body)) for page, stamp in changed)
            catalog.put(passages, gone - {page.id for page, _ in changed}, corpus)

    def _refresh_vectors(self, catalog: Catalog, embedder: Embedder) -> None:
        """Remove vectors of passages that are gone, embed passages that are new."""
        store = self.store(embedder.name)
        if embedder.name not in self._reconciled:
            self._reconcile(catalog, embedder.name, store)
            self._reconciled.add(embedder.name)
        for collection, ids in catalog.orphans(embedder.name).items():
            store.delete(collection, ids)
            catalog.unmark(embedder.name, collection, ids)
        waiting = catalog.unembedded(embedder.name)
        ready = shipped.ready_vectors(embedder.name) if waiting else {}
        for collection, group in groupby(sorted(waiting, key=lambda pair: pair[0]), key=lambda pair: pair[0]):
            passages = [passage for _, passage in group]
            for start in range(0, len(passages), EMBED_BATCH):
                part = passages[start : start + EMBED_BATCH]
                store.upsert(collection, part, self._vectors(part, ready, embedder))
                catalog.mark_embedded(embedder.name, collection, [passage.id for passage in part])

    def _reconcile(self, catalog: Catalog, model: str, store: VectorStore) -> None:
        """Settle what a crash left between Chroma and catalog: unknown vectors go, lost ones come again."""
        expected, found = catalog.vector_counts(model), store.counts()
        for collection in sorted(
            {name for name in {*expected, *found} if expected.get(name) != found.get(name)}
        ):
            marked, present = catalog.marked(model, collection), store.ids(collection)
            self.repairs.append(
                f"{collection}: {len(marked - present)} vectors lost, {len(present - marked)} unknown"
            )
            store.delete(collection, sorted(present - marked))
            catalog.unmark(model, collection, sorted(marked - present))

    def _vectors(self, passages: list[Passage], ready: Mapping[str, Vectors], embedder: Embedder) -> Vectors:
        """Vectors of `passages`: shipped with the corpus, or known from before, or embedded now and kept."""
        texts = {
            passage.id: shipped.embedding_text(passage) for passage in passages if passage.id not in ready
        }
        known = self._cache().get(embedder.name, list(texts.values()))
        missing = list(dict.fromkeys(text for text in texts.values() if text not in known))
        if missing:
            fresh = dict(zip(missing, embedder.embed(missing), strict=True))
            self._cache().put(embedder.name, fresh)
            known |= fresh
        return np.stack([ready[p.id] if p.id in ready else known[texts[p.id]] for p in passages])

    def _cache(self) -> VectorCache:
        return VectorCache(self._folder / "vectors.sqlite")

    def _drop(self, damage: Exception) -> None:
        """Drop the part that is damaged, and keep word of it."""
        if isinstance(damage, VectorIndexError):
            self.repairs.append(f"vectors rebuilt: {damage}")
            self._drop_vectors()
        else:
            self.repairs.append(f"index rebuilt: {damage}")
            self._drop_all()

    def _drop_vectors(self) -> None:
        self._reconciled.clear()
        self.store("").destroy()
        if (self._folder / "catalog.sqlite").exists():
            Catalog(self._folder / "catalog.sqlite").unmark_all()

    def _drop_all(self) -> None:
        self._snapshot = None
        for name in ("catalog.sqlite", "catalog.sqlite-journal", "vectors.sqlite", "vectors.sqlite-journal"):
            (self._folder / name).unlink(missing_ok=True)
        self._drop_vectors()
        shutil.rmtree(self._folder / "lexical", ignore_errors=True)


_CURE = "free disk space or fix permissions, then run 'kbgen library rebuild'."


def is_damage(error: Exception) -> bool:
    """Whether the index complains of its files' content rather than of the disk, a lock or permissions."""
    passing = ("locked", "full", "readonly", "unable to open", "disk i/o")
    return isinstance(error, VectorIndexError) or not any(word in str(error).lower() for word in passing)
