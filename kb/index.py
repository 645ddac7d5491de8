"""Keeps the index in step with the pages: catalog, BM25 and vectors, rebuilt when they are not right."""

import shutil
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

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

EMBED_BATCH = 512  # passages embedded before they are stored: the most that a crash makes embed again
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
        self._stores: dict[str, VectorStore] = {}
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

    def sync(self, embedder: Embedder | None) -> Catalog:
        """Bring the index in step with the files; what turns out damaged is dropped and built anew, once."""
        with self._lock:
            try:
                return self._sync(embedder)
            except VectorIndexError as error:
                self.repairs.append(f"vectors rebuilt: {error}")
                self._drop_vectors()
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise LibraryError(
                        f"the index in {self._folder} cannot be used ({error}); {_CURE}"
                    ) from None
                self.repairs.append(f"index rebuilt: {error}")
                self._drop_all()
            try:
                return self._sync(embedder)
            except (VectorIndexError, sqlite3.DatabaseError) as error:
                raise LibraryError(
                    f"the index in {self._folder} cannot be built ({error}); {_CURE}"
                ) from None

    def snapshot(self, catalog: Catalog) -> Snapshot:
        """The lexical side as of the catalog's revision."""
        with self._lock:
            revision = catalog.state()["revision"]
            if self._snapshot is None or self._snapshot.revision != revision:
                texts = [f"{section}\n{text}" for section, text in catalog.texts()]
                lexical = open_lexical(self._folder / "lexical", revision, texts)
                self._snapshot = Snapshot(revision, tuple(catalog.rows()), lexical)
            return self._snapshot

    def store(self, embedder: Embedder) -> VectorStore:
        if embedder.name not in self._stores:
            self._stores[embedder.name] = VectorStore(self._folder / "chroma", self._lock, embedder.name)
        return self._stores[embedder.name]

    def doubt(self) -> None:
        """Forget what was believed of the vectors: the next `sync` compares them with the catalog again."""
        self._reconciled.clear()

    def rebuild(self, embedder: Embedder | None) -> None:
        """Drop everything derived and derive it again."""
        with self._lock:
            self._drop_all()
            self.snapshot(self.sync(embedder))

    def close(self) -> None:
        for store in self._stores.values():
            store.close()

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
        store = self.store(embedder)
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
                store.upsert(collection, part, _vectors(part, ready, embedder))
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

    def _drop_vectors(self) -> None:
        for store in self._stores.values():
            store.close()
        self._reconciled.clear()
        VectorStore(self._folder / "chroma", self._lock, "").destroy()
        if (self._folder / "catalog.sqlite").exists():
            Catalog(self._folder / "catalog.sqlite").unmark_all()

    def _drop_all(self) -> None:
        self._snapshot = None
        for name in ("catalog.sqlite", "catalog.sqlite-journal"):
            (self._folder / name).unlink(missing_ok=True)
        self._drop_vectors()
        shutil.rmtree(self._folder / "lexical", ignore_errors=True)


_CURE = "free disk space or fix permissions, then run 'kbgen library rebuild'."


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether SQLite complains of the file's content rather than of the disk, a lock or permissions."""
    passing = ("locked", "full", "readonly", "unable to open", "disk i/o")
    return not any(word in str(error).lower() for word in passing)


def _vectors(passages: list[Passage], ready: Mapping[str, Vectors], embedder: Embedder) -> Vectors:
    """Vectors of `passages`: the shipped ones where there are any, the rest embedded now."""
    missing = [passage for passage in passages if passage.id not in ready]
    fresh: Vectors | list[Vectors] = (
        embedder.embed([shipped.embedding_text(passage) for passage in missing]) if missing else []
    )
    made = {**ready, **{passage.id: vector for passage, vector in zip(missing, fresh, strict=True)}}
    return np.stack([made[passage.id] for passage in passages])
