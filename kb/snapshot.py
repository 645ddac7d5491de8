"""The snapshot: one revision of the searchable passages as arrays, which a search maps into memory."""

import json
import shutil
import uuid
from collections.abc import Callable, Collection, Hashable
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .catalog import Catalog
from .lexical import LexicalIndex, mapped, write
from .standing import Standing

Mask = NDArray[np.bool_]
Places = NDArray[np.int32]
BOUNDARIES = 16  # masks kept, a byte a passage each
DAMAGE = (OSError, ValueError, KeyError, TypeError, IndexError, EOFError)  # what a torn folder raises


@dataclass(frozen=True)
class Snapshot:
    """Passages by place, in the order of their ids; BM25 over them in the same order, None without passages.

    `ids` are 32 bytes each; `page_of` and `standing_of` are places in `pages` and `standings`; `leads_to` is
    the place of the passage that a question leads to, its own place for any other.
    """

    revision: str
    ids: NDArray[np.bytes_]
    pages: tuple[str, ...]
    standings: tuple[Standing, ...]
    page_of: Places
    standing_of: Places
    leads_to: Places
    lexical: LexicalIndex | None

    def id(self, place: int) -> str:
        return bytes(self.ids[place]).decode()

    def page(self, place: int) -> str:
        return self.pages[int(self.page_of[place])]

    def standing(self, place: int) -> Standing:
        return self.standings[int(self.standing_of[place])]

    def place(self, passage_id: str) -> int | None:
        """Where a passage is, None if it is not in this revision."""
        place = int(np.searchsorted(self.ids, passage_id.encode()))
        return place if place < len(self.ids) and self.id(place) == passage_id else None

    @cached_property
    def collections(self) -> dict[str, int]:
        """Collection of the vector index -> passages that belong there."""
        sizes: dict[str, int] = {}
        for standing, count in zip(self.standings, np.bincount(self.standing_of), strict=True):
            name = f"{standing.kind}-{standing.vendor}"
            sizes[name] = sizes.get(name, 0) + int(count)
        return sizes

    def admitted(
        self, boundary: Hashable, admits: Callable[[Standing], bool], shut_out: Collection[str]
    ) -> Mask:
        """Which rows `admits` lets pass, those of the pages `shut_out` never; a standing is asked once.

        A question passes with the passage that it leads to. Equal boundaries promise equal answers of
        `admits`: the mask is kept for the next such question, so it is not to be written to.
        """
        key = boundary, tuple(sorted(shut_out))
        if (kept := self._masks.get(key)) is not None:
            return kept
        table = np.array([admits(standing) for standing in self.standings], dtype=np.bool_)
        mask: Mask = table[self.standing_of]
        if shut_out:
            out = [place for place, page in enumerate(self.pages) if page in shut_out]
            mask &= ~np.isin(self.page_of, out)
        mask &= mask[self.leads_to]
        mask.flags.writeable = False
        while len(self._masks) >= BOUNDARIES:
            self._masks.pop(next(iter(self._masks)), None)
        self._masks[key] = mask
        return mask

    @cached_property
    def superseded(self) -> Mask:
        """Of each standing, whether its pages have a newer release."""
        return np.array([standing.superseded for standing in self.standings], dtype=np.bool_)

    @cached_property
    def _masks(self) -> dict[tuple[Hashable, tuple[str, ...]], Mask]:
        """The masks of the boundaries asked for last."""
        return {}


def open_snapshot(folder: Path, revision: str, catalog: Catalog) -> Snapshot:
    """The snapshot of `revision` from `folder`, or made from the catalog and kept there."""
    path = folder / revision
    with suppress(*DAMAGE):  # not there, or torn: it is made again
        return _load(path, revision)
    put_folder(path, lambda draft: _make(draft, catalog))
    return _load(path, revision)


def put_folder(path: Path, fill: Callable[[Path], None]) -> None:
    """Put a folder that `fill` makes at `path`, whole or not at all, in the place of all others beside it."""
    draft = path.with_name(f".tmp-{uuid.uuid4().hex}")
    draft.mkdir(parents=True)
    try:
        fill(draft)
        for stale in path.parent.iterdir():
            if stale != draft:
                shutil.rmtree(stale, ignore_errors=True)
        draft.replace(path)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _load(path: Path, revision: str) -> Snapshot:
    names = json.loads((path / "names.json").read_bytes())
    ids, page_of, standing_of, leads_to = (
        mapped(path / f"{name}.npy") for name in ("ids", "page_of", "standing_of", "leads_to")
    )
    standings = tuple(
        Standing(kind, vendor, tuple(archs), tuple(requires), tuple(toolchain), superseded)
        for kind, vendor, archs, requires, toolchain, superseded in names["standings"]
    )
    for places, size in ((page_of, len(names["pages"])), (standing_of, len(standings)), (leads_to, len(ids))):
        if len(places) != len(ids) or (len(ids) and not 0 <= places.min() <= places.max() < size):
            raise ValueError("a place lies outside of what it is a place in")
    lexical = LexicalIndex(path) if len(ids) else None
    if lexical and lexical.size != len(ids):
        raise ValueError("the words are of another revision")
    return Snapshot(revision, ids, tuple(names["pages"]), standings, page_of, standing_of, leads_to, lexical)


def _make(path: Path, catalog: Catalog) -> None:
    rows = catalog.rows()
    pages = {page_id: place for place, page_id in enumerate(dict.fromkeys(row.page_id for row in rows))}
    standings = {each: place for place, each in enumerate(dict.fromkeys(row.standing for row in rows))}
    places = {row.id: place for place, row in enumerate(rows)}
    arrays = {
        "ids": np.array([row.id.encode() for row in rows], dtype="S32"),
        "page_of": np.array([pages[row.page_id] for row in rows], dtype=np.int32),
        "standing_of": np.array([standings[row.standing] for row in rows], dtype=np.int32),
        "leads_to": np.array([places[row.leads_to or row.id] for row in rows], dtype=np.int32),
    }
    for name, array in arrays.items():
        np.save(path / f"{name}.npy", array)
    names = {"pages": list(pages), "standings": [astuple(standing) for standing in standings]}
    (path / "names.json").write_text(json.dumps(names), "utf-8")
    if rows:
        write(path, (f"{section}\n{section}\n{text}" for section, text in catalog.texts()))
