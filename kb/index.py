"""Keeps the index in step with the pages: catalog, BM25 and vectors, rebuilt when they are not right."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from filelock import FileLock

from . import shipped
from .catalog import SCHEMA_VERSION, Catalog
from .chunk import Passage, chunk
from .embed import Embedder, Vectors
from .files import LOCK_TIMEOUT_S, LibraryError
from .page import Page, digest
from .store import VectorIndexError, VectorStore
from .vectors import VectorCache
from .view import View

if TYPE_CHECKING:
    from .server import ServerStore

EMBED_BATCH = 512  # passages embedded before their vectors are kept: the most that a crash makes embed again
SEAL_EVERY = 10  # batches between two closings of the vector index: the most that a crash makes insert again
AT_ONCE_S = 5.0  # a search begins no batch on its way after this; the rest waits for 'kbgen library rebuild'
T = TypeVar("T")
Watch = Callable[[int, int], None]  # (passages embedded so far, passages to embed)


class OwnPages(Protocol):
    """The library's own pages as the index wants them."""

    def stamps(self) -> dict[str, str]:
        """Page id -> stamp, which changes when its file may have; the same object while nothing changed."""
        ...

    def read(self, page_id: str) -> Page | None:
        """The page, or None if its file is damaged."""
        ...


class Index:
    """The derived half of a library, safe to use from any number of processes at once."""

    def __init__(
        self, folder: Path, own: OwnPages, server: "Callable[[str], ServerStore] | None" = None
    ) -> None:
        self._folder = folder
        self._own = own
        self._lock = FileLock(folder.with_suffix(".lock"), timeout=LOCK_TIMEOUT_S)
        self._server = server
        self.view = View(folder, self._lock, server, self._known)
        self._reconciled: set[str] = set()
        self._in_step: tuple[dict[str, str], str, str, str] | None = None
        self.repairs: list[str] = []
        self.unembedded = 0  # passages that the last look left without a vector

    def catalog(self) -> Catalog:
        """The catalog, empty if it was not there; vectors without a catalog are nobody's and go."""
        path = self._folder / "catalog.sqlite"
        self._folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            self._drop_vectors()
        catalog = Catalog(path)
        if catalog.opened["schema"] != SCHEMA_VERSION:
            self._drop_all()
            catalog = Catalog(path)
        return catalog

    def use(self, embedder: Embedder | None, action: Callable[[Catalog], T], watch: Watch | None = None) -> T:
        """Bring the index in step with the files, then do `action` before any other process changes it.

        With `watch` every passage gets its vector now, else as many as AT_ONCE_S allows. What is damaged is
        built anew; but a first failure may have been a passing one, so only a second one drops anything.
        """
        failure: Exception | None = None
        for attempt in range(3):
            try:
                with self._lock:
                    if attempt == 2 and failure:
                        self._drop(failure)
                    if failure:
                        self._reconciled.clear()
                        self._in_step = None
                    with self._sync(embedder, watch).held() as catalog:
                        return action(catalog)
            except OSError as error:  # a full disk, a read-only folder, a lock that nobody lets go
                reason = error.strerror or f"a write was cut short: {error}"
                raise LibraryError(
                    f"the index in {self._folder} cannot be used ({reason}); {_CURE}"
                ) from error
            except (VectorIndexError, sqlite3.DatabaseError) as error:
                failure = error
                if not is_damage(error):
                    break
        raise LibraryError(f"the index in {self._folder} cannot be used ({failure}); {_CURE}") from failure

    def store(self, model: str) -> VectorStore:
        if self._server is not None:
            return self._server(model)
        return VectorStore(self._folder / "chroma", self._lock, model)

    def rebuild(self, embedder: Embedder | None, watch: Watch) -> None:
        """Drop everything derived but the vectors of known texts, and derive it again."""
        with self._lock:
            self._drop_all()
            self.use(embedder, lambda catalog: self.view.prepare(catalog, embedder), watch)

    def close(self) -> None:
        self.store("").close()

    def _sync(self, embedder: Embedder | None, watch: Watch | None) -> Catalog:
        """The catalog in step; nothing is compared again while neither files nor catalog have changed."""
        catalog = self.catalog()
        stamps, corpus, model = self._own.stamps(), shipped.corpus_hash(), embedder.name if embedder else ""
        now = (stamps, corpus, model, catalog.opened["revision"])
        if now != self._in_step or (watch and self.unembedded):
            self._refresh_pages(catalog, stamps, corpus)
            if embedder is not None:
                self._refresh_vectors(catalog, embedder, watch)
            self._in_step = (stamps, corpus, model, catalog.state()["revision"])
        return catalog

    def _refresh_pages(self, catalog: Catalog, own: Mapping[str, str], corpus: str) -> None:
        """Chunk what is new or changed, forget what is gone; an own page wins over a shipped one."""
        known = catalog.stamps()
        gone = {i for i, (origin, _) in known.items() if origin == "library" and i not in own}
        fresh = [i for i, stamp in own.items() if known.get(i) != ("library", stamp)]
        read = {i: self._own.read(i) for i in fresh}
        changed = [(page, own[i]) for i, page in read.items() if page]
        gone |= {i for i, page in read.items() if page is None and i in known}
        stale = catalog.state()["corpus"] != corpus
        if stale or gone:
            pages = {page.id: page for page in shipped.pages() if page.id not in own}
            gone |= {i for i, (origin, _) in known.items() if origin == "shipped" and i not in pages}
            stamped = [(page, digest(page)) for page in pages.values()]
            changed += [(page, stamp) for page, stamp in stamped if known.get(page.id) != ("shipped", stamp)]
        if changed or gone or stale:
            passages = (
                (page, stamp, chunk(page.id, page.title, page.body, page.asks)) for page, stamp in changed
            )
            catalog.put(passages, gone - {page.id for page, _ in changed}, corpus)

    def _refresh_vectors(self, catalog: Catalog, embedder: Embedder, watch: Watch | None) -> None:
        """Remove vectors of passages that are gone, embed passages that are new."""
        store = self.store(embedder.name)
        if catalog.settled(embedder.name, store.mark()):
            self.unembedded = 0
            return
        if embedder.name not in self._reconciled:
            self._reconcile(catalog, embedder.name, store)
            self._reconciled.add(embedder.name)
        for collection, ids in catalog.orphans(embedder.name).items():
            store.delete(collection, ids)
            catalog.unmark(embedder.name, collection, ids)
        waiting = sorted(catalog.unembedded(embedder.name), key=lambda pair: pair[0])
        ready = shipped.ready_vectors(embedder.name) if waiting else {}
        parts = list(_parts(waiting))
        started, done, left = time.monotonic(), 0, 0
        for start in range(0, len(parts), SEAL_EVERY):
            with store.writing():
                for collection, part in parts[start : start + SEAL_EVERY]:
                    vectors = self._known(part, ready, embedder.name)
                    missing = [passage for passage in part if passage.id not in vectors]
                    if watch or time.monotonic() - started < AT_ONCE_S:
                        vectors |= self._embedded(missing, embedder)
                    held = [passage for passage in part if passage.id in vectors]
                    if held:
                        store.upsert(collection, held, np.stack([vectors[passage.id] for passage in held]))
                        catalog.mark_embedded(embedder.name, collection, [passage.id for passage in held])
                    left += len(part) - len(held)
                    done += len(part)
                    if watch:
                        watch(done, len(waiting))
        self.unembedded = left
        if not left:
            store.close()
            catalog.settle(embedder.name, store.mark())

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

    def _known(
        self, passages: Sequence[Passage], ready: Mapping[str, Vectors], model: str
    ) -> dict[str, Vectors]:
        """Passage id -> vector, where it was shipped with the corpus or computed before."""
        found = {passage.id: ready[passage.id] for passage in passages if passage.id in ready}
        texts = {p.id: shipped.embedding_text(p) for p in passages if p.id not in found}
        known = self._cache().get(model, list(dict.fromkeys(texts.values())))
        return found | {name: known[text] for name, text in texts.items() if text in known}

    def _embedded(self, passages: list[Passage], embedder: Embedder) -> dict[str, Vectors]:
        """Passage id -> vector, computed now and kept; equal texts once."""
        texts = {passage.id: shipped.embedding_text(passage) for passage in passages}
        fresh = list(dict.fromkeys(texts.values()))
        if not fresh:
            return {}
        vectors = dict(zip(fresh, embedder.embed(fresh), strict=True))
        self._cache().put(embedder.name, vectors)
        return {name: vectors[text] for name, text in texts.items()}

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
        self._in_step = None
        self.store("").destroy()
        if (self._folder / "catalog.sqlite").exists():
            Catalog(self._folder / "catalog.sqlite").unmark_all()

    def _drop_all(self) -> None:
        """Drop catalog, index and view, and what was computed before only if it is damaged: it is dear."""
        self._in_step = None
        for name in ["catalog.sqlite", *(() if self._cache().sound() else ("vectors.sqlite",))]:
            (self._folder / name).unlink(missing_ok=True)
            (self._folder / f"{name}-journal").unlink(missing_ok=True)
        self._drop_vectors()
        self.view.drop()


def _parts(waiting: list[tuple[str, Passage]]) -> Iterator[tuple[str, list[Passage]]]:
    """Batches of `waiting`, which is sorted by collection, none over two collections."""
    for collection, group in groupby(waiting, key=lambda pair: pair[0]):
        passages = [passage for _, passage in group]
        for start in range(0, len(passages), EMBED_BATCH):
            yield collection, passages[start : start + EMBED_BATCH]


_CURE = "free disk space or fix permissions, then run 'kbgen library rebuild'."


def is_damage(error: Exception) -> bool:
    """Whether the index complains of its files' content rather than of the disk, a lock or permissions."""
    passing = ("locked", "full", "readonly", "unable to open", "disk i/o")
    return isinstance(error, VectorIndexError) or not any(word in str(error).lower() for word in passing)
