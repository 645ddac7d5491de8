"""The library: a folder of plain files that is the truth, and an index beside it that may be lost."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import releases, shipped
from .catalog import Catalog
from .choice import Choice, choose
from .chunk import Passage, chunk
from .files import LibraryError, Manifest, bytes_below
from .foreseen import Foreseen
from .graph import Graph
from .index import Index, Watch
from .own import OwnFiles
from .page import Page, to_markdown
from .quarantine import Quarantine
from .records import Episode, RecordError, check, from_json, record_id, to_json
from .rerank import DEPTH, Reranker, named, reranked
from .root import SCHEMA, default_root, prepare, server_of
from .search import Query, SearchResult, search

if TYPE_CHECKING:
    from .server import ServerStore


class Library:
    """Documents and episodes, searchable; any number of processes may read and write one library at once."""

    def __init__(self, root: Path, choice: Choice | None = None, server: str | None = None) -> None:
        self.root = root
        self._settings = prepare(root)
        self._choice = choice
        self._manifest = Manifest(root)
        self._own = OwnFiles(root)
        self._index = Index(root / "index", self._own, self._stores(server or self._settings.get("chroma")))
        self.quarantine = Quarantine(root)
        self._episodes: dict[str, Episode] = {}
        self._problems: dict[str, str] = {}
        self._foreseen = Foreseen()

    @classmethod
    def open(cls, path: Path | str | None = None, *, choice: Choice | None = None) -> "Library":
        """The library at `path`, made if it is not there; `choice` stands in for this machine's own.

        The address of a Chroma server as `path` means the default folder, with its vectors on that server.
        """
        server = server_of(path)
        root = default_root() if path is None or server else Path(path).expanduser()
        return cls(root, choice, server)

    def _stores(self, server: str | None) -> "Callable[[str], ServerStore] | None":
        """How the index opens a vector store on a server; None where the vectors lie in its own folder."""
        if server is None:
            return None

        from .server import ServerStore

        def on_server(model: str) -> ServerStore:
            return ServerStore(server, str(self._settings.get("id", self.root)), model)

        return on_server

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

    @cached_property
    def reranker(self) -> Reranker | None:
        """The model that reads the first hits again; none unless the user named one."""
        return named(self._settings.get("reranker"))

    def search(
        self,
        text: str,
        *,
        vendor: str | None = None,
        arch: str | Sequence[str] | None = None,
        kind: str | None = None,
        k: int = 10,
        features: frozenset[str] | None = None,
        toolchain: Mapping[str, str] | None = None,
    ) -> SearchResult:
        """Passages for `text`. `arch` is a hard boundary: pages for other targets only are never given.

        Several archs are a target and its parents, nearest first. `features` of a device shut out pages that
        require others, `toolchain` (tool -> version) those that hold for other releases.
        """
        archs = (arch,) if isinstance(arch, str) else tuple(arch or ())
        query = Query(text, vendor or _vendor_of(archs), archs, kind, k, features, toolchain or {})
        return self.ask(query)

    def ask(self, query: Query) -> SearchResult:
        """Passages for a query, by the rankings it names as far as there are any."""
        if not query.text.strip():
            raise LibraryError(
                "the search text is empty; give words, a metric, an error message or a code snippet."
            )
        embedder = self.choice.embedder if "meaning" in query.rankings else None
        shut_out = tuple(self.quarantine.entries())
        asked_by = (embedder, self._foreseen.vector(embedder, query.text)) if embedder else None
        deep = replace(query, k=max(query.k, DEPTH)) if self.reranker else query
        hits = self._index.use(
            embedder, lambda catalog: search(self._index.view, catalog, deep, asked_by, shut_out)
        )
        if self.reranker:
            hits = reranked(hits, query.text, self.reranker)[: query.k]
        if embedder is None:
            return SearchResult(hits, "lexical", self.choice.reason if "meaning" in query.rankings else "")
        return SearchResult(hits, "hybrid" if "words" in query.rankings else "dense", self._unembedded())

    def foresee(self, texts: Iterable[str]) -> None:
        """Embed questions that will be asked, together."""
        if self.choice.embedder is not None:
            self._foreseen.prepare(self.choice.embedder, texts)

    def _unembedded(self) -> str:
        left = self._index.unembedded
        words = f"{left} passages have no vectors under {self.choice.name} yet and are found by words only"
        return f"{words}; run 'kbgen library rebuild'" if left else ""

    def index(self, watch: Watch) -> None:
        """Bring the index in step with the files and embed all that is new, telling `watch` how far it is."""
        embedder = self.choice.embedder
        self._index.use(embedder, lambda catalog: self._index.view.prepare(catalog, embedder), watch)

    def pages(self, kind: str | None = None) -> tuple[Page, ...]:
        """Shipped and own pages by id, of one kind or all, those in quarantine left out."""
        shut_out = self.quarantine.entries()
        found = self._index.use(None, lambda catalog: catalog.pages(kind))
        return tuple(page for page in found.values() if page.id not in shut_out)

    def page(self, page_id: str) -> Page | None:
        """One page, in quarantine or not."""
        return self._index.use(None, lambda catalog: catalog.pages_by_id([page_id])).get(page_id)

    def own_page(self, page_id: str) -> Page | None:
        """One of the library's own pages, read from its file."""
        return self._own.read(page_id)

    def passages(self, page_id: str) -> tuple[Passage, ...]:
        """The passages of one page in reading order."""
        page = self.page(page_id)
        if page is None:
            raise LibraryError(f"no document {page_id!r} in {self.root}; 'kbgen library list' names them.")
        return chunk(page.id, page.title, page.body)

    def passage(self, passage_id: str) -> Passage | None:
        """One passage by its id, in quarantine or not."""
        return self._index.use(None, lambda catalog: catalog.passages([passage_id])).get(passage_id)

    def first_passages(self, page_ids: Sequence[str]) -> dict[str, str]:
        """Page id -> id of its first passage, for those of `page_ids` that are there and have text."""
        return self._index.use(None, lambda catalog: catalog.first_passages(page_ids))

    def add(self, page: Page) -> bool:
        """Store `page` under its id; False if the very same page is already there."""
        if not re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,120}", page.id):
            raise LibraryError(f"{page.id[:80]!r} is no id of a page; use small letters, digits and dashes.")
        data = to_markdown(page).encode()
        name = f"documents/{page.id}.md"
        held = self._manifest.entries().get(name) == hashlib.sha256(data).hexdigest()
        if held and (self.root / name).is_file() and (self.root / name).read_bytes() == data:
            return False
        self._manifest.put(name, data)
        return True

    def remove(self, page_id: str) -> None:
        """Remove one of the library's own pages; of those that it superseded the newest is in force again."""
        name = f"documents/{page_id}.md"
        if name not in self._manifest.entries() and page_id not in self._own.stamps():
            raise LibraryError(f"no document {page_id!r} in {self.root}; 'kbgen library list' names them.")
        self._manifest.remove(name)
        own = (self._own.read(left) for left in self._own.stamps())
        for page in releases.without(page_id, [page for page in own if page]):
            self.add(page)

    def record(self, episode: Episode) -> str:
        """Store an episode; once the id is returned, it is on disk. RecordError refuses a false claim."""
        check(episode)
        name = record_id(episode)
        path = f"records/{name}.json"
        if path not in self._manifest.entries():
            self._manifest.put(path, to_json(episode).encode())
        return name

    def records(self) -> dict[str, Episode]:
        """Every episode by id, oldest first, but those in quarantine; `status` names damaged files."""
        found: dict[str, Episode] = {}
        shut_out = self.quarantine.entries()
        for path in sorted((self.root / "records").glob("*.json")):
            episode = self._episodes.get(path.stem) or self._read_record(path)
            if episode:
                self._episodes[path.stem] = episode
                if path.stem not in shut_out:
                    found[path.stem] = episode
        return found

    def episodes(self, family: str | None = None, arch: str | None = None) -> tuple[Episode, ...]:
        """Episodes of one family and architecture, or all, oldest first."""
        return tuple(
            episode
            for episode in self.records().values()
            if family in (None, episode.family) and arch in (None, episode.arch)
        )

    def graph(self) -> Graph:
        """What the episodes, its own and the shipped ones, say of each technique by family, bottleneck,
        architecture and toolchain."""
        shut_out = self.quarantine.entries()
        ready = {name: one for name, one in shipped.episodes().items() if name not in shut_out}
        return Graph({**ready, **self.records()})

    def episode(self, name: str) -> Episode | None:
        """An episode of this library, or a shipped one."""
        return self.records().get(name) or shipped.episodes().get(name)

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
            "unembedded": self._index.unembedded,
            "superseded": sum(bool(page.superseded_by) for page in pages),
            "quarantined": len(self.quarantine.entries()),
            "index": "repaired" if self._index.repairs else "ok",
            "repairs": list(self._index.repairs),
            "problems": {**self._own.problems, **self._problems},
            "size_bytes": bytes_below(self.root),
        }

    def verify(self) -> dict[str, str]:
        """Fault by name, from reading every file and vector; empty when all is well. Changes no file."""
        self.records()
        index_faults = self._index.use(self.choice.embedder, self._index_faults)
        return {**self._manifest.verify(), **self._own.problems, **self._problems, **index_faults}

    def _index_faults(self, catalog: Catalog) -> dict[str, str]:
        verdict = catalog.check()
        cure = "run 'kbgen library rebuild'"
        faults = {} if verdict == "ok" else {"index/catalog.sqlite": f"{verdict}; {cure}"}
        model = self.choice.name
        for name in catalog.vector_counts(model) if model else ():
            lost = self._index.store(model or "").unreadable(name, sorted(catalog.marked(model or "", name)))
            if lost:
                faults[f"index/chroma {name}"] = f"{len(lost)} vectors lost; {cure}"
        return faults

    def rebuild(self, watch: Watch = lambda done, total: None) -> None:
        """Derive the whole index from the files again; texts that were embedded before keep their vectors."""
        self._index.rebuild(self.choice.embedder, watch)

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
