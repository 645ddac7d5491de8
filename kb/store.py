"""The vector index: Chroma embedded in a folder, used by one process at a time, never taken for the truth."""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filelock import BaseFileLock

from . import seal
from .chunk import Passage
from .embed import Vectors

BATCH = 2000  # rows a call; Chroma refuses more than 5,461


class VectorIndexError(Exception):
    """The index on disk is damaged; the caller builds it anew."""


@dataclass
class Open:
    """Chroma's client of one folder in this process, and the seal it was opened under."""

    client: Any
    token: str
    collections: dict[str, Any] = field(default_factory=dict)


_OPEN: dict[Path, Open] = {}  # Chroma itself keeps one system per folder and process, so this does too


class VectorStore:
    """Vectors of one model by collection.

    Chroma loses vectors without an error when two processes write one folder, and a client never sees what
    another process wrote after it opened. So every use takes the lock, a writer closes its client before it
    lets go, and a reader keeps its client only while the seal says that nobody has written since.
    """

    def __init__(self, folder: Path, lock: BaseFileLock, model: str) -> None:
        self._folder = folder
        self._lock = lock
        self._suffix = "." + hashlib.sha256(model.encode()).hexdigest()[:8]
        self._sealed_at = folder.with_suffix(".seal")
        self._writing: Open | None = None

    def upsert(self, collection: str, passages: Sequence[Passage], vectors: Vectors) -> None:
        with self._session(write=True) as opened:
            target = self._collection(opened, collection)
            for start in range(0, len(passages), BATCH):
                part = passages[start : start + BATCH]
                target.upsert(
                    ids=[passage.id for passage in part],
                    embeddings=vectors[start : start + BATCH],
                    metadatas=[{"page": passage.doc_id, "section": passage.section} for passage in part],
                )

    def delete(self, collection: str, ids: Sequence[str]) -> None:
        with self._session(write=True) as opened:
            target = self._collection(opened, collection)
            for start in range(0, len(ids), BATCH):
                target.delete(ids=list(ids[start : start + BATCH]))

    def query(self, collections: Sequence[str], vector: Vectors, k: int) -> list[tuple[str, float]]:
        """(passage id, cosine similarity) of the `k` nearest over `collections`, best first, ties by id."""
        found: list[tuple[str, float]] = []
        with self._session() as opened:
            for name in collections:
                target = self._collection(opened, name)
                reply = target.query(query_embeddings=[vector], n_results=k, include=["distances"])
                found += [(i, 1.0 - d) for i, d in zip(reply["ids"][0], reply["distances"][0], strict=True)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def counts(self) -> dict[str, int]:
        """Vectors per collection, of this model."""
        with self._session() as opened:
            names = [item.name for item in opened.client.list_collections()]
            mine = [name.removesuffix(self._suffix) for name in names if name.endswith(self._suffix)]
            return {name: self._collection(opened, name).count() for name in mine}

    def ids(self, collection: str) -> set[str]:
        """Ids Chroma holds in `collection`."""
        with self._session() as opened:
            return set(self._collection(opened, collection).get(include=[])["ids"])

    def unreadable(self, collection: str, ids: Sequence[str]) -> set[str]:
        """Those of `ids` whose vector cannot be read back."""
        read: set[str] = set()
        with self._session() as opened:
            target = self._collection(opened, collection)
            for start in range(0, len(ids), BATCH):
                part = list(ids[start : start + BATCH])
                read |= set(target.get(ids=part, include=["embeddings"])["ids"])
        return set(ids) - read

    def destroy(self) -> None:
        """Remove the whole folder, every model's vectors with it."""
        with self._lock:
            self.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True)
            seal.renew(self._sealed_at, self._folder)

    def mark(self) -> str:
        """How the folder looks from outside, without opening Chroma; "" where a file is not as sealed."""
        with self._lock:
            sealed, database = seal.read(self._sealed_at), self._folder / "chroma.sqlite3"
            if not database.is_file() or not sealed.holds_times(self._folder):
                return ""
            return f"{sealed.token} {database.stat().st_size} {database.stat().st_mtime_ns}"

    def close(self) -> None:
        """Close this process's client of the folder; the next use opens another."""
        with self._lock:
            opened = _OPEN.pop(self._folder, None)
            if opened is not None:
                opened.client.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Several writes under one lock and one client, sealed at the end."""
        with self._session(write=True) as opened:
            self._writing = opened
            try:
                yield
            finally:
                self._writing = None

    @contextmanager
    def _session(self, *, write: bool = False) -> Iterator[Open]:
        """The lock, and a client that has seen every write; what goes wrong becomes VectorIndexError."""
        if self._writing is not None:
            yield self._writing
            return
        with self._lock:
            try:
                yield self._open()
            except VectorIndexError:
                raise
            except BaseException as error:
                with suppress(Exception):  # it is given up because something in it has already failed
                    self.close()
                # Chroma raises its own, sqlite3's and built-in types; a panic in its Rust is no Exception
                if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                    raise VectorIndexError(f"{type(error).__name__}: {error}") from error
                raise
            if write:
                self.close()
            if write or not seal.read(self._sealed_at).holds_times(self._folder):
                renewed = seal.renew(self._sealed_at, self._folder)
                if self._folder in _OPEN:
                    _OPEN[self._folder].token = renewed.token

    def _open(self) -> Open:
        sealed = seal.read(self._sealed_at)
        if self._folder in _OPEN and _OPEN[self._folder].token != sealed.token:
            self.close()
        if self._folder not in _OPEN:
            faults = sealed.faults(self._folder)
            if faults:
                raise VectorIndexError(f"{len(faults)} graph files are not as they were left ({faults[0]})")
            _OPEN[self._folder] = Open(self._connect(), sealed.token)
        return _OPEN[self._folder]

    def _connect(self) -> Any:
        import chromadb
        from chromadb.api.shared_system_client import SharedSystemClient
        from chromadb.config import Settings

        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            return chromadb.PersistentClient(str(self._folder), Settings(anonymized_telemetry=False))
        except BaseException:  # Chroma keeps the system that failed to start, and would hand it out again
            SharedSystemClient._identifier_to_system.pop(str(self._folder), None)
            SharedSystemClient._identifier_to_refcount.pop(str(self._folder), None)
            raise

    def _collection(self, opened: Open, name: str) -> Any:
        name += self._suffix
        if name not in opened.collections:
            opened.collections[name] = opened.client.get_or_create_collection(
                name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
            )
        return opened.collections[name]
