"""Keeps every vector ever computed by the text it stands for, so that no text is embedded twice."""

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from .embed import Vectors

BUSY_TIMEOUT_S = 60
_TABLE = """create table if not exists vectors(
  model text not null, text_sha256 blob not null, vector blob not null, primary key(model, text_sha256)
) without rowid"""


class VectorCache:
    """One SQLite file; the key is model and text hash, the value 32-bit floats.

    Raises sqlite3.DatabaseError when the file is damaged; removing it costs embedding the texts again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, model: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """Text -> vector for those of `texts` that are known."""
        found: dict[str, Vectors] = {}
        with self._connect() as db:
            for text in texts:
                row = db.execute(
                    "select vector from vectors where model = ? and text_sha256 = ?", (model, _key(text))
                ).fetchone()
                if row:
                    found[text] = np.frombuffer(row[0], dtype="<f4")
        return found

    def put(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep text -> vector; once this returns a crash does not lose them."""
        rows = [(model, _key(text), vector.astype("<f4").tobytes()) for text, vector in vectors.items()]
        with self._connect() as db:
            db.executemany("insert or replace into vectors values(?, ?, ?)", rows)

    def sound(self) -> bool:
        """Whether SQLite finds no fault in the file and it holds such a table; no file at all is sound."""
        try:
            with self._connect() as db:
                db.execute("select model, text_sha256, vector from vectors limit 1").fetchall()
                return bool(db.execute("pragma quick_check(1)").fetchone()[0] == "ok")
        except sqlite3.DatabaseError:
            return False

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S)
        try:
            with db:
                db.execute(_TABLE)
                yield db
        finally:
            db.close()


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
