"""The view: what a search looks at, derived once per revision of the catalog and then only mapped."""

import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import BaseFileLock

from . import shipped
from .catalog import Catalog
from .chunk import Passage
from .embed import Embedder, Vectors
from .near import Near, open_near
from .snapshot import Mask, Snapshot, open_snapshot

if TYPE_CHECKING:
    from .server import ServerStore

Known = Callable[[Sequence[Passage], Mapping[str, Vectors], str], Mapping[str, Vectors]]


class View:
    """The snapshot of the passages, and their vectors: a matrix beside it, or on a server.

    `known` gives the vectors of passages that were ever embedded: (passages, shipped ones, model) -> by id.
    """

    def __init__(
        self, folder: Path, lock: BaseFileLock, server: "Callable[[str], ServerStore] | None", known: Known
    ) -> None:
        self._folder = folder
        self._lock = lock
        self._server = server
        self._known = known
        self._snapshot: Snapshot | None = None
        self._near: tuple[tuple[str, str], Near] | None = None

    def prepare(self, catalog: Catalog, embedder: Embedder | None) -> None:
        """Make now what the next search would have to make first."""
        snapshot = self.snapshot(catalog)
        if embedder is not None and self._server is None:
            self._matrix(catalog, snapshot, embedder)

    def snapshot(self, catalog: Catalog) -> Snapshot:
        """The searchable passages as of the catalog's revision."""
        with self._lock:
            revision = catalog.state()["revision"]
            if self._snapshot is None or self._snapshot.revision != revision:
                self._snapshot = open_snapshot(self._folder / "snapshot", revision, catalog)
            return self._snapshot

    def nearest(
        self,
        catalog: Catalog,
        snapshot: Snapshot,
        embedder: Embedder,
        admits: Callable[[str], bool],
        vector: Vectors,
        mask: Mask,
        k: int,
    ) -> dict[int, float]:
        """Place in `snapshot` -> cosine similarity of the `k` passages nearest to `vector` that `mask`
        admits, best first.

        `admits` says which collections of a server can hold any.
        """
        if not mask.any():
            return {}
        if self._server is None:
            return self._matrix(catalog, snapshot, embedder).nearest(vector, mask, k)
        return self._server(embedder.name).nearest(snapshot, admits, vector, mask, k)

    def _matrix(self, catalog: Catalog, snapshot: Snapshot, embedder: Embedder) -> Near:
        with self._lock:
            key = f"{snapshot.revision} {catalog.state()['vectors']}"
            key = hashlib.sha256(key.encode()).hexdigest()[:32]
            if self._near is None or self._near[0] != (embedder.name, key):
                folder = self._folder / "near" / hashlib.sha256(embedder.name.encode()).hexdigest()[:8]
                ready = cache(lambda: shipped.ready_vectors(embedder.name))

                def known(ids: list[str]) -> Mapping[str, Vectors]:
                    return self._known(list(catalog.passages(ids).values()), ready(), embedder.name)

                self._near = (embedder.name, key), open_near(folder, key, snapshot.ids, embedder.dim, known)
            return self._near[1]

    def drop(self) -> None:
        """Forget and remove everything; the next search makes it again."""
        self._snapshot, self._near = None, None
        for name in ("snapshot", "near"):
            shutil.rmtree(self._folder / name, ignore_errors=True)
