"""The catalog: what the index holds, as one SQLite file derived from the pages."""

import json
import sqlite3
import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from .chunk import CHUNKER, Passage
from .infer import targets
from .page import Page, from_json, to_json
from .standing import Row, standing

SCHEMA_VERSION = f"4/{CHUNKER}"
BUSY_TIMEOUT_S = 60
_TABLES = """
create table state(key text primary key, value text not null);
create table pages(
  id text primary key, origin text not null, kind text not null, stamp text not null,
  page text not null, body text not null, limits text not null);
create table passages(
  row integer primary key, id text not null unique, page_id text not null references pages(id),
  section text not null, text text not null, place text not null, leads_to text not null,
  kind text not null, vendor text not null, archs text not null);
create index passages_by_page on passages(page_id);
create table vectors(
  id text not null, model text not null, collection text not null, primary key(model, collection, id));
"""


class Catalog:
    """Pages, their passages, and which passages have a vector under which model.

    Raises sqlite3.DatabaseError when the file is damaged; the caller then removes it and builds it anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: sqlite3.Connection | None = None
        with self._connect() as db:
            if not db.execute("select 1 from sqlite_master where name = 'state'").fetchone():
                self._create(db)
            self.opened = _state(db)  # the state as this object found it

    @staticmethod
    def _create(db: sqlite3.Connection) -> None:
        db.executescript("begin exclusive;" + _TABLES + "commit;")
        state = {
            "schema": SCHEMA_VERSION,
            "revision": uuid.uuid4().hex,
            "vectors": uuid.uuid4().hex,
            "corpus": "",
        }
        db.executemany("insert into state values(?, ?)", state.items())

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed at the end, rolled back on an error."""
        if self._held is not None:
            with self._held:
                yield self._held
            return
        db = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S)
        try:
            with db:
                yield db
        finally:
            db.close()

    @contextmanager
    def held(self) -> Iterator["Catalog"]:
        """The catalog with one connection for all that is asked of it meanwhile."""
        self._held = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S)
        try:
            yield self
        finally:
            self._held.close()
            self._held = None

    def state(self) -> dict[str, str]:
        with self._connect() as db:
            return _state(db)

    def stamps(self) -> dict[str, tuple[str, str]]:
        """Page id -> (origin, stamp); a stamp changes when its page's file may have."""
        with self._connect() as db:
            return {row[0]: (row[1], row[2]) for row in db.execute("select id, origin, stamp from pages")}

    def put(
        self, changed: Iterable[tuple[Page, str, Sequence[Passage]]], gone: Iterable[str], corpus: str
    ) -> None:
        """Replace the given pages (with stamp and passages) and drop those that are gone, all or nothing.

        `corpus` is the hash of the shipped corpus that this state agrees with. A page that names no targets
        holds anywhere, but for its passages on instructions that only some targets have.
        """
        with self._connect() as db:
            for page_id in gone:
                self._drop(db, page_id)
            for page, stamp, passages in changed:
                self._drop(db, page.id)
                limits = json.dumps([page.requires, page.toolchain, bool(page.superseded_by)])
                db.execute(
                    "insert into pages values(?, ?, ?, ?, ?, ?, ?)",
                    (
                        page.id,
                        page.origin,
                        page.kind,
                        stamp,
                        to_json(replace(page, body="")),
                        page.body,
                        limits,
                    ),
                )
                archs = json.dumps(page.archs)
                db.executemany(
                    "insert into passages(id, page_id, section, text, place, leads_to, kind, vendor, archs) "
                    "values(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        (
                            p.id, page.id, p.section, p.text, p.place, p.leads_to, page.kind, page.vendor,
                            archs if page.archs else json.dumps(targets(f"{p.section}\n{p.text}")),
                        )
                        for p in passages
                    ],
                )  # fmt: skip
            state = {"revision": uuid.uuid4().hex, "corpus": corpus}
            db.executemany("insert or replace into state values(?, ?)", state.items())

    @staticmethod
    def _drop(db: sqlite3.Connection, page_id: str) -> None:
        db.execute("delete from passages where page_id = ?", (page_id,))
        db.execute("delete from pages where id = ?", (page_id,))

    def pages(self, kind: str | None = None) -> dict[str, Page]:
        """Pages by id, of one kind or all."""
        with self._connect() as db:
            found = db.execute(
                "select page, body from pages where ? is null or kind = ? order by id", (kind, kind)
            )
            return {page.id: page for page in (_page(*row) for row in found)}

    def pages_by_id(self, ids: Collection[str], *, bodies: bool = True) -> dict[str, Page]:
        """The pages of `ids` that are there; without `bodies` their text is left empty."""
        column = "body" if bodies else "''"
        with self._connect() as db:
            found = db.execute(f"select page, {column} from pages where id in ({_marks(ids)})", tuple(ids))
            return {page.id: page for page in (_page(*row) for row in found)}

    def rows(self) -> list[Row]:
        """One row per passage, ordered by id, so that ties rank the same in every copy of a library."""
        with self._connect() as db:
            limits = dict(db.execute("select id, limits from pages").fetchall())
            found = db.execute("select id, page_id, kind, vendor, archs, leads_to from passages order by id")
            return [
                Row(i, page, standing(kind, vendor, archs, limits[page]), leads_to)
                for i, page, kind, vendor, archs, leads_to in found
            ]

    def texts(self) -> Iterator[tuple[str, str]]:
        """(section, text) of every passage, in the order of `rows`."""
        with self._connect() as db:
            yield from db.execute("select section, text from passages order by id")

    def passages(self, ids: Collection[str]) -> dict[str, Passage]:
        with self._connect() as db:
            found = db.execute(
                "select id, page_id, section, text, place, leads_to from passages "
                f"where id in ({_marks(ids)})",
                tuple(ids),
            )
            return {row[0]: Passage(*row) for row in found}

    def first_passages(self, page_ids: Collection[str]) -> dict[str, str]:
        """Page id -> id of its first passage in reading order, for those of `page_ids` that have any."""
        with self._connect() as db:
            found = db.execute(
                "select page_id, id, min(row) from passages "
                f"where leads_to = '' and page_id in ({_marks(page_ids)}) group by page_id",
                tuple(page_ids),
            )
            return {page_id: passage_id for page_id, passage_id, _ in found}

    def counts(self) -> dict[str, int]:
        """Passages per kind, without questions."""
        with self._connect() as db:
            return dict(
                db.execute(
                    "select kind, count(*) from passages where leads_to = '' group by kind order by kind"
                ).fetchall()
            )

    def unembedded(self, model: str) -> list[tuple[str, Passage]]:
        """(collection, passage) of passages that have no vector under `model` yet."""
        with self._connect() as db:
            found = db.execute(
                "select kind || '-' || vendor, p.id, page_id, section, text, place, leads_to from passages p "
                "left join vectors v on v.id = p.id and v.model = ? and v.collection = kind || '-' || vendor "
                "where v.id is null order by row",
                (model,),
            ).fetchall()
        return [(row[0], Passage(*row[1:])) for row in found]

    def orphans(self, model: str) -> dict[str, list[str]]:
        """Collection -> ids of vectors whose passage is gone or has moved to another collection."""
        with self._connect() as db:
            found = db.execute(
                "select collection, v.id from vectors v left join passages p "
                "on p.id = v.id and kind || '-' || vendor = v.collection where v.model = ? and p.id is null",
                (model,),
            ).fetchall()
        gone: dict[str, list[str]] = {}
        for collection, vector_id in found:
            gone.setdefault(collection, []).append(vector_id)
        return gone

    def mark_embedded(self, model: str, collection: str, ids: Sequence[str]) -> None:
        with self._connect() as db:
            db.executemany(
                "insert or replace into vectors values(?, ?, ?)", [(i, model, collection) for i in ids]
            )
            self._vectors_changed(db)

    def unmark(self, model: str, collection: str, ids: Sequence[str]) -> None:
        """Forget vectors that were removed from the index."""
        with self._connect() as db:
            db.executemany(
                "delete from vectors where model = ? and collection = ? and id = ?",
                [(model, collection, i) for i in ids],
            )
            self._vectors_changed(db)

    def unmark_all(self) -> None:
        """Forget every vector, of every model: the vector index is about to be built anew."""
        with self._connect() as db:
            db.execute("delete from vectors")
            self._vectors_changed(db)

    @staticmethod
    def _vectors_changed(db: sqlite3.Connection) -> None:
        db.execute("update state set value = ? where key = 'vectors'", (uuid.uuid4().hex,))

    def settled(self, model: str, mark: str) -> bool:
        """Whether `settle` was told of this very state of catalog and vector index; never of the mark ""."""
        return bool(mark) and self.state().get(f"settled {model}") == self._standing_of(model, mark)

    def settle(self, model: str, mark: str) -> None:
        """Keep that every passage has its vector in the index that now looks like `mark`."""
        standing = self._standing_of(model, mark)
        with self._connect() as db:
            db.execute("insert or replace into state values(?, ?)", (f"settled {model}", standing))

    def _standing_of(self, model: str, mark: str) -> str:
        state = self.state()
        return f"{state['revision']} {state['vectors']} {sum(self.vector_counts(model).values())} {mark}"

    def vector_counts(self, model: str) -> dict[str, int]:
        """Vectors per collection, as Chroma should hold them."""
        with self._connect() as db:
            return dict(
                db.execute(
                    "select collection, count(*) from vectors where model = ? group by collection", (model,)
                )
            )

    def marked(self, model: str, collection: str) -> set[str]:
        """Ids that should have a vector in `collection`."""
        with self._connect() as db:
            found = db.execute(
                "select id from vectors where model = ? and collection = ?", (model, collection)
            )
            return {row[0] for row in found}

    def check(self) -> str:
        """SQLite's own verdict on the file: "ok" or the first fault."""
        with self._connect() as db:
            return str(db.execute("pragma integrity_check(1)").fetchone()[0])


def _state(db: sqlite3.Connection) -> dict[str, str]:
    return dict(db.execute("select key, value from state").fetchall())


def _page(header: str, body: str) -> Page:
    return replace(from_json(header), body=body)


def _marks(values: Collection[str]) -> str:
    """One SQL placeholder per value."""
    return ",".join("?" * len(values))
