"""The vector index: Chroma embedded in a folder, used by one process at a time, never taken for the truth."""

import hashlib
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import BaseFileLock

from .chunk import Passage
from .embed import Vectors

BATCH = 2000  # below Chroma's limit of 5,461 rows a call
# Chroma drops vectors without an error when two processes write one folder, so every use takes the lock.


class VectorIndexError(Exception):
    """The index on disk is damaged; the caller builds it anew from the pages."""


class VectorStore:
    """Vectors of one model by collection; a client stays open while no other process has written since."""

    def __init__(self, folder: Path, lock: BaseFileLock, model: str) -> None:
        self._folder = folder
        self._lock = lock
        self._suffix = "." + hashlib.sha256(model.encode()).hexdigest()[:8]
        self._client: Any = None
        self._collections: dict[str, Any] = {}
        self._seen: bytes = b""

    def upsert(self, collection: str, passages: Sequence[Passage], vectors: Vectors) -> None:
        with self._session(write=True) as client:
            target = self._collection(client, collection)
            for start in range(0, len(passages), BATCH):
                part = passages[start : start + BATCH]
                target.upsert(
                    ids=[passage.id for passage in part],
                    embeddings=vectors[start : start + BATCH],
                    documents=[passage.text for passage in part],
                    metadatas=[{"page": passage.doc_id, "section": passage.section} for passage in part],
                )

    def delete(self, collection: str, ids: Sequence[str]) -> None:
        with self._session(write=True) as client:
            target = self._collection(client, collection)
            for start in range(0, len(ids), BATCH):
                target.delete(ids=list(ids[start : start + BATCH]))

    def query(self, collections: Sequence[str], vector: Vectors, k: int) -> list[tuple[str, float]]:
        """(passage id, cosine similarity) of the `k` nearest over `collections`, best first, ties by id."""
        found: list[tuple[str, float]] = []
        with self._session() as client:
            for name in collections:
                reply = self._collection(client, name).query(
                    query_embeddings=[vector], n_results=k, include=["distances"]
                )
                found += [(i, 1.0 - d) for i, d in zip(reply["ids"][0], reply["distances"][0], strict=True)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def counts(self) -> dict[str, int]:
        """Vectors per collection, of this model."""
        with self._session() as client:
            names = [c.name for c in client.list_collections() if c.name.endswith(self._suffix)]
            return {
                name.removesuffix(self._suffix): client.get_collection(name, embedding_function=None).count()
                for name in names
            }

    def ids(self, collection: str) -> set[str]:
        """Ids Chroma holds in `collection`."""
        with self._session() as client:
            return set(self._collection(client, collection).get(include=[])["ids"])

    def unreadable(self, collection: str, ids: Sequence[str]) -> set[str]:
        """Those of `ids` whose vector cannot be read back."""
        read: set[str] = set()
        with self._session() as client:
            for start in range(0, len(ids), BATCH):
                part = list(ids[start : start + BATCH])
                read |= set(self._collection(client, collection).get(ids=part, include=["embeddings"])["ids"])
        return set(ids) - read

    def destroy(self) -> None:
        """Remove the whole folder, every model's vectors with it."""
        with self._lock:
            self.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._bump()

    def close(self) -> None:
        client, self._client = self._client, None
        self._collections.clear()
        if client is not None:
            client.close()

    @contextmanager
    def _session(self, *, write: bool = False) -> Iterator[Any]:
        """The lock, and a client that has seen every write; a writer closes it and tells the others."""
        with self._lock:
            try:
                yield self._open()
            except VectorIndexError:
                raise
            except Exception as error:  # Chroma raises its own, sqlite3's and the Rust side's types alike
                self._abandon()
                raise VectorIndexError(f"{type(error).__name__}: {error}") from error
            except BaseException as error:
                self._abandon()
                if type(error).__name__ == "PanicException":  # a panic in Chroma's Rust side is no Exception
                    raise VectorIndexError(str(error)) from error
                raise
            if write:
                self.close()
                self._bump()

    def _open(self) -> Any:
        if self._client is not None and self._stamp() != self._seen:
            self.close()
        if self._client is None:
            import chromadb
            from chromadb.config import Settings

            self._folder.mkdir(parents=True, exist_ok=True)
            self._seen = self._stamp()
            try:
                self._client = chromadb.PersistentClient(
                    str(self._folder), Settings(anonymized_telemetry=False)
                )
            except BaseException:
                self._forget()
                raise
        return self._client

    def _forget(self) -> None:
        """Chroma keeps the system of a folder that failed to open, and would hand it out again."""
        from chromadb.api.shared_system_client import SharedSystemClient

        SharedSystemClient._identifier_to_system.pop(str(self._folder), None)
        SharedSystemClient._identifier_to_refcount.pop(str(self._folder), None)

    def _abandon(self) -> None:
        with suppress(Exception):  # it is being given up because something in it already failed
            self.close()

    def _collection(self, client: Any, name: str) -> Any:
        if name not in self._collections:
            self._collections[name] = client.get_or_create_collection(
                name + self._suffix, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
            )
        return self._collections[name]

    @property
    def _generation(self) -> Path:
        return self._folder.with_suffix(".generation")

    def _stamp(self) -> bytes:
        try:
            return self._generation.read_bytes()
        except FileNotFoundError:
            return b""

    def _bump(self) -> None:
        """A fresh stamp tells every other process that its open client is out of date."""
        self._generation.write_bytes(uuid.uuid4().bytes)
