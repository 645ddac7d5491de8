"""The vector index on a Chroma server: the same collections, for many machines, no lock needed."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from .embed import Vectors
from .files import LibraryError
from .snapshot import Mask, Snapshot
from .store import Open, VectorIndexError, VectorStore

_CLIENTS: dict[str, Open] = {}
MOST_NEAR = 4000  # neighbours asked of a server at most, however few of them the boundaries admit


class ServerStore(VectorStore):
    """Vectors of one model of one library; several libraries may share a server, their collections differ."""

    def __init__(self, address: str, library_id: str, model: str) -> None:
        self._address = address
        self._writing: Open | None = None
        self._mine = "." + hashlib.sha256(library_id.encode()).hexdigest()[:8]
        self._suffix = self._mine + hashlib.sha256(model.encode()).hexdigest()[:8]

    def mark(self) -> str:
        """Nothing: others write to the server, so that its state is looked at once by every process."""
        return ""

    def nearest(
        self, snapshot: Snapshot, admits: Callable[[str], bool], vector: Vectors, mask: Mask, k: int
    ) -> dict[int, float]:
        """Place -> cosine similarity of the `k` nearest that `mask` admits, in collections that `admits`.

        Chroma knows no mask, so as many neighbours are asked for as the boundaries let expect enough.
        """
        names = sorted(name for name in snapshot.collections if admits(name))
        most, admitted = sum(snapshot.collections[name] for name in names), int(mask.sum())
        if not most or not admitted:
            return {}
        fetch = min(most, MOST_NEAR, max(k, int(1.3 * k * most / admitted)))
        while True:
            near = [(snapshot.place(i), similarity) for i, similarity in self.query(names, vector, fetch)]
            found = {place: similarity for place, similarity in near if place is not None and mask[place]}
            if len(found) >= min(k, admitted) or fetch >= min(most, MOST_NEAR):
                return dict(list(found.items())[:k])
            fetch = min(most, MOST_NEAR, fetch * 4)

    def destroy(self) -> None:
        """Remove this library's collections, every model's."""
        with self._session() as opened:
            for item in opened.client.list_collections():
                if item.name.rpartition(".")[2].startswith(self._mine[1:]):
                    opened.client.delete_collection(item.name)
            opened.collections.clear()

    def close(self) -> None:
        """Forget the connection; the next use makes another."""
        opened = _CLIENTS.pop(self._address, None)
        if opened is not None:
            with suppress(Exception):  # a server that is gone cannot be told good-bye
                opened.client.close()
            with suppress(AttributeError):  # Chroma's own close leaves its sockets open (seen in 1.5.9)
                for client in (opened.client, opened.client._admin_client):
                    client._server._session.close()

    @contextmanager
    def _session(self, *, write: bool = False) -> Iterator[Open]:
        """A client; a server that is silent is told with its cure, other failures are VectorIndexError."""
        try:
            if self._address not in _CLIENTS:
                _CLIENTS[self._address] = Open(_connect(self._address), "")
            yield _CLIENTS[self._address]
        except (VectorIndexError, LibraryError):
            raise
        except Exception as error:  # Chroma's, httpx's and built-in types
            self.close()
            if type(error).__module__.partition(".")[0] == "httpx" or isinstance(error, OSError):
                raise _silent(self._address, error) from None
            raise VectorIndexError(f"{type(error).__name__}: {error}") from error


def _connect(address: str) -> Any:
    import chromadb
    from chromadb.config import Settings

    parts = urlsplit(address)
    try:
        return chromadb.HttpClient(
            host=parts.hostname or "",
            port=parts.port or (443 if parts.scheme == "https" else 80),
            ssl=parts.scheme == "https",
            settings=Settings(anonymized_telemetry=False),
        )
    except Exception as error:  # whatever is wrong, nothing answers there as Chroma does
        raise _silent(address, error) from None


def _silent(address: str, error: Exception) -> LibraryError:
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return LibraryError(
        f"no Chroma server answers at {address} ({first}); start one with "
        "'chroma run --path FOLDER --host 127.0.0.1 --port 8000', or leave --library out."
    )
