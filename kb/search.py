"""Finds passages by words and by meaning, joins both rankings, and says for each why it was found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .catalog import Catalog, Row
from .chunk import Passage
from .embed import Embedder, spread
from .fuse import fuse
from .index import Index, Snapshot
from .page import Page
from .tokens import tokens

POOL = 50  # candidates each ranking gives to the fusion, at least
PER_PAGE = 2  # passages of one page among the first hits; more only when nothing else is left


@dataclass(frozen=True)
class Hit:
    """One passage found. `section` is its heading path; no `archs` means any; `score` orders this search."""

    id: str
    doc_id: str
    title: str
    text: str
    source: str
    section: str
    version: str
    licence: str
    vendor: str
    archs: tuple[str, ...]
    kind: str
    score: float
    why: str


@dataclass(frozen=True)
class SearchResult:
    """Hits, best first; `mode` is "hybrid" or "lexical", and `note` says why not hybrid."""

    hits: tuple[Hit, ...]
    mode: str
    note: str = ""


@dataclass(frozen=True)
class Query:
    """What is asked: words, and the boundaries a passage must lie within."""

    text: str
    vendor: str | None = None
    archs: tuple[str, ...] = ()
    kind: str | None = None
    k: int = 10

    def admits(self, row: Row) -> bool:
        """Whether `row` lies within every boundary; a page without archs or vendor holds anywhere."""
        return (
            self.kind in (None, row.kind)
            and (self.vendor is None or row.vendor in (self.vendor, "any"))
            and (not self.archs or not row.archs or not set(self.archs).isdisjoint(row.archs))
        )

    def admits_collection(self, name: str) -> bool:
        kind, _, vendor = name.rpartition("-")
        return self.kind in (None, kind) and (self.vendor is None or vendor in (self.vendor, "any"))


@dataclass(frozen=True)
class Found:
    """Passage id -> score within one ranking, best first."""

    by_words: Mapping[str, float]
    by_meaning: Mapping[str, float]


def search(index: Index, catalog: Catalog, query: Query, embedder: Embedder | None) -> tuple[Hit, ...]:
    """Hits for `query`, hybrid when there is an embedder."""
    snapshot = index.snapshot(catalog)
    found = Found(_by_words(snapshot, query), _by_meaning(index, catalog, snapshot, query, embedder))
    fused = fuse([list(found.by_words), list(found.by_meaning)])
    rows = snapshot.by_id
    chosen = _spread_over_pages(list(fused), lambda passage_id: rows[passage_id].page_id, query.k)
    passages = catalog.passages(chosen)
    pages = catalog.pages_by_id({rows[passage_id].page_id for passage_id in chosen})
    asked = _asked(snapshot, query.text)
    return tuple(
        _hit(passages[i], pages[rows[i].page_id], fused[i], _why(passages[i], asked, found)) for i in chosen
    )


def _by_words(snapshot: Snapshot, query: Query) -> dict[str, float]:
    """BM25 ranking of the passages within the boundaries; rows are ordered by id, so ties go by id."""
    pool = max(POOL, 4 * query.k)
    ranking: dict[str, float] = {}
    if snapshot.lexical is None:
        return ranking
    scores = snapshot.lexical.scores(query.text)
    for i in np.argsort(-scores, kind="stable"):
        if scores[i] <= 0 or len(ranking) == pool:
            break
        if query.admits(snapshot.rows[i]):
            ranking[snapshot.rows[i].id] = float(scores[i])
    return ranking


def _by_meaning(
    index: Index, catalog: Catalog, snapshot: Snapshot, query: Query, embedder: Embedder | None
) -> dict[str, float]:
    """Cosine ranking; fetches more until the boundaries leave enough, and is empty without an embedder."""
    if embedder is None:
        return {}
    pool = fetch = max(POOL, 4 * query.k)
    sizes = catalog.vector_counts(embedder.name)
    names = sorted(name for name in sizes if query.admits_collection(name))
    most = sum(sizes[name] for name in names)
    vector = embedder.embed_query(spread(query.text))
    rows = snapshot.by_id
    while True:
        near = index.store(embedder.name).query(names, vector, min(fetch, most)) if names else []
        ranking = {i: similarity for i, similarity in near if i in rows and query.admits(rows[i])}
        if len(ranking) >= pool or fetch >= most:
            return dict(list(ranking.items())[:pool])
        fetch *= 4


def _spread_over_pages(ids: Sequence[str], page_of: Callable[[str], str], k: int) -> list[str]:
    """The first `k` of `ids`, those beyond PER_PAGE of one page moved behind all others."""
    seen: dict[str, int] = {}
    early: list[str] = []
    late: list[str] = []
    for passage_id in ids:
        page = page_of(passage_id)
        seen[page] = seen.get(page, 0) + 1
        (early if seen[page] <= PER_PAGE else late).append(passage_id)
    return [*early, *late][:k]


def _hit(passage: Passage, page: Page, score: float, why: str) -> Hit:
    return Hit(
        id=passage.id,
        doc_id=page.id,
        title=page.title,
        text=passage.text,
        source=page.sources[0].url if page.sources else "",
        section=passage.section,
        version=page.version,
        licence=page.licence,
        vendor=page.vendor,
        archs=page.archs,
        kind=page.kind,
        score=round(score, 6),
        why=why,
    )


def _asked(snapshot: Snapshot, text: str) -> dict[str, str]:
    """Search word -> the word of the query it comes from, rarest first, without words of every page."""
    words: dict[str, str] = {}
    for word in text.split():
        parts = tokens(word)
        words |= {part: part if len(parts) > 1 else word.strip(".,;:?!()`'\"") for part in parts}
    if snapshot.lexical is None:
        return {}
    seen_in = {token: snapshot.lexical.rarity(token) for token in words}
    telling = [token for token in words if seen_in[token] <= max(2, len(snapshot.rows) // 3)]
    return {token: words[token] for token in sorted(telling, key=lambda token: (seen_in[token], token))}


def _why(passage: Passage, asked: Mapping[str, str], found: Found) -> str:
    """`words barrier, cp.async (rank 1 of 40); meaning 0.71 (rank 3 of 50)`."""
    parts: list[str] = []
    if passage.id in found.by_words:
        there = set(tokens(f"{passage.section} {passage.text}"))
        shared = list(dict.fromkeys(word for token, word in asked.items() if token in there))[:4]
        parts.append(f"words {', '.join(shared) or 'of every page'} ({_place(passage.id, found.by_words)})")
    if passage.id in found.by_meaning:
        place = _place(passage.id, found.by_meaning)
        parts.append(f"meaning {found.by_meaning[passage.id]:.2f} ({place})")
    return "; ".join(parts)


def _place(passage_id: str, ranking: Mapping[str, float]) -> str:
    return f"rank {list(ranking).index(passage_id) + 1} of {len(ranking)}"
