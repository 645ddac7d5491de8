"""The library: a folder of plain files that is the truth, and an index beside it that may be lost."""

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from .catalog import Catalog
from .choice import Choice, choose
from .chunk import Passage, chunk
from .files import LibraryError, Manifest
from .graph import Graph
from .index import Index, OwnPages
from .page import Page, PageError, from_markdown, to_markdown
from .records import Episode, RecordError, check, from_json, record_id, to_json
from .root import SCHEMA, default_root, prepare
from .search import Query, SearchResult, search


class Library:
    """Documents and episodes, searchable; any number of processes may read and write one library at once."""

    def __init__(self, root: Path, choice: Choice | None = None) -> None:
        self.root = root
        self._settings = prepare(root)
        self._choice = choice
        self._manifest = Manifest(root)
        self._index = Index(root / "index", self._own_pages)
        self._episodes: dict[str, Episode] = {}
        self._problems: dict[str, str] = {}

    @classmethod
    def open(cls, path: Path | str | None = None, *, choice: Choice | None = None) -> "Library":
        """The library at `path`, made if it is not there; `choice` stands in for this machine's own."""
        return cls(default_root() if path is None else Path(path).expanduser(), choice)

    def __enter__(self) -> "Library":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._index.close()

    @property
    def choice(self) -> Choice:
        """The embedder in use and why, chosen at first need."""
        if self._choice is None:
            self._choice = choose(self._settings.get("embedder"))
        return self._choice

    def search(
        self,
        text: str,
        *,
        vendor: str | None = None,
        arch: str | Sequence[str] | None = None,
        kind: str | None = None,
        k: int = 10,
    ) -> SearchResult:
        """Passages for `text`. `arch` is a hard boundary: pages for other targets only are never given."""
        if not text.strip():
            raise LibraryError(
                "the search text is empty; give words, a metric, an error message or a code snippet."
            )
        archs = (arch,) if isinstance(arch, str) else tuple(arch or ())
        query = Query(text, vendor or _vendor_of(archs), archs, kind, k)
        embedder = self.choice.embedder
        hits = self._index.use(embedder, lambda catalog: search(self._index, catalog, query, embedder))
        return SearchResult(hits, "hybrid" if embedder else "lexical", "" if embedder else self.choice.reason)

    def pages(self, kind: str | None = None) -> tuple[Page, ...]:
        """Shipped and own pages by id, of one kind or all."""
        return tuple(self._index.use(None, lambda catalog: catalog.pages(kind)).values())

    def passages(self, page_id: str) -> tuple[Passage, ...]:
        """The passages of one page in reading order."""
        page = self._index.use(None, lambda catalog: catalog.pages_by_id([page_id])).get(page_id)
        if page is None:
            raise LibraryError(f"no document {page_id!r} in {self.root}; 'kbgen library list' names them.")
        return chunk(page.id, page.title, page.body)

    def add(self, page: Page) -> bool:
        """Store `page` under its id; False if the very same page is already there."""
        data = to_markdown(page).encode()
        name = f"documents/{page.id}.md"
        held = self._manifest.entries().get(name) == hashlib.sha256(data).hexdigest()
        if held and (self.root / name).is_file() and (self.root / name).read_bytes() == data:
            return False
        self._manifest.put(name, data)
        return True

    def remove(self, page_id: str) -> None:
        """Remove one of the library's own pages."""
        name = f"documents/{page_id}.md"
        if not (self.root / name).is_file():
            raise LibraryError(f"no document {page_id!r} in {self.root}; 'kbgen library list' names them.")
        self._manifest.remove(name)

    def record(self, episode: Episode) -> str:
        """Store an episode; once the id is returned, it is on disk. RecordError refuses a false claim."""
        check(episode)
        name = record_id(episode)
        path = f"records/{name}.json"
        if path not in self._manifest.entries():
            self._manifest.put(path, to_json(episode).encode())
        return name

    def records(self) -> dict[str, Episode]:
        """Every episode by id, oldest first; a damaged file is left out and named by `status`."""
        found: dict[str, Episode] = {}
        for path in sorted((self.root / "records").glob("*.json")):
            episode = self._episodes.get(path.stem) or self._read_record(path)
            if episode:
                found[path.stem] = self._episodes[path.stem] = episode
        return found

    def episodes(self, family: str | None = None, arch: str | None = None) -> tuple[Episode, ...]:
        """Episodes of one family and architecture, or all, oldest first."""
        return tuple(
            episode
            for episode in self.records().values()
            if family in (None, episode.family) and arch in (None, episode.arch)
        )

    def graph(self) -> Graph:
        """What the episodes say of each technique, by family, bottleneck, architecture and toolchain."""
        return Graph(self.records())

    def status(self) -> dict[str, Any]:
        """Counts, embedder, health and size; repairs what it can on the way and says so."""
        return self._index.use(self.choice.embedder, self._status)

    def _status(self, catalog: Catalog) -> dict[str, Any]:
        records = self.records()
        pages = catalog.pages().values()
        kinds = sorted({page.kind for page in pages})
        return {
            "path": str(self.root),
            "schema": SCHEMA,
            "documents": {kind: sum(page.kind == kind for page in pages) for kind in kinds},
            "own_documents": sum(page.origin == "library" for page in pages),
            "passages": catalog.counts(),
            "records": len(records),
            "embedder": self.choice.name,
            "embedder_reason": self.choice.reason,
            "vectors": catalog.vector_counts(self.choice.name) if self.choice.name else {},
            "index": "repaired" if self._index.repairs else "ok",
            "repairs": list(self._index.repairs),
            "problems": dict(self._problems),
            "size_bytes": sum(path.stat().st_size for path in self.root.rglob("*") if path.is_file()),
        }

    def verify(self) -> dict[str, str]:
        """Fault by name, from reading every file and vector; empty when all is well. Changes no file."""
        self.records()
        index_faults = self._index.use(self.choice.embedder, self._index_faults)
        return {**self._manifest.verify(), **self._problems, **index_faults}

    def _index_faults(self, catalog: Catalog) -> dict[str, str]:
        verdict = catalog.check()
        faults = {} if verdict == "ok" else {"index/catalog.sqlite": verdict}
        model = self.choice.name
        for name in catalog.vector_counts(model) if model else ():
            lost = self._index.store(model or "").unreadable(name, sorted(catalog.marked(model or "", name)))
            if lost:
                faults[f"index/chroma {name}"] = f"{len(lost)} vectors lost; run 'kbgen library rebuild'"
        return faults

    def rebuild(self) -> None:
        """Derive the whole index from the files again."""
        self._index.rebuild(self.choice.embedder)

    def _own_pages(self) -> OwnPages:
        """The library's pages as the index wants them; any write to a file changes its stamp."""
        found: dict[str, tuple[str, Callable[[], Page | None]]] = {}
        with os.scandir(self.root / "documents") as entries:
            for entry in sorted(entries, key=lambda item: item.name):
                if entry.name.endswith(".md") and not entry.name.startswith("."):
                    stat = entry.stat()
                    stamp = f"{stat.st_size}-{stat.st_mtime_ns}"
                    found[entry.name[:-3]] = (stamp, partial(self._read_page, Path(entry.path)))
        return found

    def _read_page(self, path: Path) -> Page | None:
        name = f"documents/{path.name}"
        try:
            page = from_markdown(path.read_text(encoding="utf-8"), name)
            if page.id != path.stem:
                raise PageError(f"{name}: the header says id {page.id!r}; make file name and id the same.")
        except (PageError, OSError, UnicodeDecodeError) as error:
            self._problems[name] = str(error)
            return None
        self._problems.pop(name, None)
        return page

    def _read_record(self, path: Path) -> Episode | None:
        name = f"records/{path.name}"
        try:
            return from_json(path.read_text(encoding="utf-8"), name)
        except (RecordError, OSError, UnicodeDecodeError) as error:
            self._problems[name] = str(error)
            return None


def _vendor_of(archs: Sequence[str]) -> str | None:
    """The vendor whose targets `archs` are: `sm_*` is NVIDIA's naming, `gfx*` AMD's."""
    vendors = {"nvidia" if arch.startswith("sm_") else "amd" for arch in archs}
    return vendors.pop() if len(vendors) == 1 else None
