"""Finds passages by words and by meaning, joins both rankings, and says for each why it was found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .catalog import Catalog, Standing
from .chunk import Passage
from .embed import Embedder, spread
from .fuse import fuse
from .index import Index
from .page import Page
from .screen import marked, suspicious
from .snapshot import Mask, Snapshot
from .tokens import tokens
from .toolchain import holds

POOL = 50  # candidates each ranking gives to the fusion, at least
PER_PAGE = 2  # passages of one page among the first hits; more only when nothing else is left
NAMES_WEIGH = 2.0  # weight of the words of a query that is mostly identifiers
SUPPORT, SUPPORTERS = 0.3, 4  # what a page's second to fourth passage add to each of its passages
MOST_NEAR = 4000  # neighbours asked of the vector index at most, however few of them the boundaries admit


@dataclass(frozen=True)
class Hit:
    """One passage found. `section` is its heading path; no `archs` means any; `score` orders this search.

    `source` leads to the place itself (`...#page=12`). `fallback` is the older target a passage was written
    for, where it is not the one asked for; `superseded_by` the page of a newer release; `flags` what makes
    its text suspicious, which then begins with a mark that says so.
    """

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
    date: str = ""
    fallback: str = ""
    superseded_by: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchResult:
    """Hits, best first; `mode` is "hybrid", "lexical" or "dense", and `note` says what was missing."""

    hits: tuple[Hit, ...]
    mode: str
    note: str = ""


OF_ONE_TARGET = ("architecture", "instruction")
"""Kinds of page that list every target they hold for, limits and encodings included: no parent stands in."""


@dataclass(frozen=True)
class Query:
    """What is asked: words, and the boundaries a passage must lie within.

    `archs` are the target asked for and its parents, nearest first; `features` are what the device has,
    None where no device was named; `toolchain` is tool -> version; `rankings` are those that are joined.
    """

    text: str
    vendor: str | None = None
    archs: tuple[str, ...] = ()
    kind: str | None = None
    k: int = 10
    features: frozenset[str] | None = None
    toolchain: Mapping[str, str] = field(default_factory=dict)
    rankings: tuple[str, ...] = ("words", "meaning")

    def admits(self, standing: Standing) -> bool:
        """Whether such a passage lies within every boundary; one that names none holds anywhere."""
        return (
            self.kind in (None, standing.kind)
            and (self.vendor is None or standing.vendor in (self.vendor, "any"))
            and self._admits_targets(standing)
            and (self.features is None or self.features.issuperset(standing.requires))
            and holds(standing.toolchain, self.toolchain)
        )

    def _admits_targets(self, standing: Standing) -> bool:
        archs = self.archs[:1] if standing.kind in OF_ONE_TARGET else self.archs
        return not self.archs or not standing.archs or not set(archs).isdisjoint(standing.archs)

    def admits_collection(self, name: str) -> bool:
        kind, _, vendor = name.rpartition("-")
        return self.kind in (None, kind) and (self.vendor is None or vendor in (self.vendor, "any"))

    def fallback(self, archs: Sequence[str]) -> str:
        """The nearest parent by which a passage for `archs` holds on the target asked for."""
        if not self.archs or not archs or self.archs[0] in archs:
            return ""
        return next((parent for parent in self.archs if parent in archs), "")


@dataclass(frozen=True)
class Found:
    """Passage id -> score within one ranking, best first."""

    by_words: Mapping[str, float]
    by_meaning: Mapping[str, float]


def search(
    index: Index, catalog: Catalog, query: Query, embedder: Embedder | None, shut_out: Sequence[str] = ()
) -> tuple[Hit, ...]:
    """Hits for `query`, hybrid when there is an embedder; passages of the pages `shut_out` are not there."""
    snapshot = index.snapshot(catalog)
    mask = snapshot.admitted(query.admits, shut_out)
    found = Found(
        _by_words(snapshot, query, mask) if "words" in query.rankings else {},
        _by_meaning(index, snapshot, query, mask, embedder)
        if embedder and "meaning" in query.rankings
        else {},
    )
    weights = (NAMES_WEIGH if _names(query.text) else 1.0, 1.0)
    fused = fuse([list(found.by_words), list(found.by_meaning)], weights)
    rows = {passage_id: snapshot.rows[snapshot.position[passage_id]] for passage_id in fused}
    fused = _supported(fused, lambda passage_id: rows[passage_id].page_id)
    spread_out = _spread_over_pages(list(fused), lambda passage_id: rows[passage_id].page_id)
    chosen = sorted(spread_out, key=lambda passage_id: rows[passage_id].standing.superseded)[: query.k]
    passages = catalog.passages(chosen)
    pages = catalog.pages_by_id({rows[passage_id].page_id for passage_id in chosen}, bodies=False)
    asked = _asked(snapshot, query.text)
    return tuple(
        _hit(
            query,
            passages[i],
            pages[rows[i].page_id],
            rows[i].standing,
            fused[i],
            _why(passages[i], asked, found),
        )
        for i in chosen
    )


def _names(text: str) -> bool:
    """Whether most of a query is identifiers, which words find better than meaning does."""
    words = text.split()
    return 2 * sum(len(tokens(word)) > 1 for word in words) > len(words)


def _supported(scores: Mapping[str, float], page_of: Callable[[str], str]) -> dict[str, float]:
    """`scores` with SUPPORT of what the next best passages of the same page have, best first, ties by id."""
    by_page: dict[str, list[float]] = {}
    for passage_id, score in scores.items():  # best first, so each list is, too
        by_page.setdefault(page_of(passage_id), []).append(score)
    support = {page: SUPPORT * sum(found[1:SUPPORTERS]) for page, found in by_page.items()}
    total = {passage_id: score + support[page_of(passage_id)] for passage_id, score in scores.items()}
    return dict(sorted(total.items(), key=lambda pair: (-pair[1], pair[0])))


def _by_words(snapshot: Snapshot, query: Query, mask: Mask) -> dict[str, float]:
    """BM25 ranking of the passages within the boundaries; rows are ordered by id, so ties go by id."""
    if snapshot.lexical is None:
        return {}
    pool = max(POOL, 4 * query.k)
    scores = np.where(mask, snapshot.lexical.scores(query.text), 0)
    if pool < len(scores):
        least = np.partition(scores, -pool)[-pool]
        places = np.flatnonzero(scores >= max(least, np.finfo(np.float32).tiny))
    else:
        places = np.flatnonzero(scores)
    best = places[np.argsort(-scores[places], kind="stable")][:pool]
    return {snapshot.rows[place].id: float(scores[place]) for place in best}


def _by_meaning(
    index: Index, snapshot: Snapshot, query: Query, mask: Mask, embedder: Embedder
) -> dict[str, float]:
    """Cosine ranking; asks for as many neighbours as the boundaries make likely to leave enough."""
    names = sorted(name for name in snapshot.collections if query.admits_collection(name))
    most, admitted = sum(snapshot.collections[name] for name in names), int(mask.sum())
    if not names or not admitted:
        return {}
    pool = max(POOL, 4 * query.k)
    fetch = min(most, MOST_NEAR, max(pool, int(1.3 * pool * most / admitted)))
    vector = embedder.embed_query(spread(query.text))
    while True:
        near = index.store(embedder.name).query(names, vector, fetch)
        ranking = {
            i: similarity
            for i, similarity in near
            if mask[snapshot.position.get(i, 0)] and i in snapshot.position
        }
        if len(ranking) >= min(pool, admitted) or fetch >= min(most, MOST_NEAR):
            return dict(list(ranking.items())[:pool])
        fetch = min(most, MOST_NEAR, fetch * 4)


def _spread_over_pages(ids: Sequence[str], page_of: Callable[[str], str]) -> list[str]:
    """`ids`, those beyond PER_PAGE of one page moved behind all others."""
    seen: dict[str, int] = {}
    early: list[str] = []
    late: list[str] = []
    for passage_id in ids:
        page = page_of(passage_id)
        seen[page] = seen.get(page, 0) + 1
        (early if seen[page] <= PER_PAGE else late).append(passage_id)
    return [*early, *late]


def _hit(query: Query, passage: Passage, page: Page, standing: Standing, score: float, why: str) -> Hit:
    fallback = query.fallback(standing.archs)
    orders = suspicious(passage.text)
    remarks = [
        *((f"written for {fallback}, whose code holds on {query.archs[0]}",) if fallback else ()),
        *((f"superseded by {page.superseded_by}",) if page.superseded_by else ()),
    ]
    source = page.sources[0].url if page.sources else ""
    return Hit(
        id=passage.id,
        doc_id=page.id,
        title=page.title,
        text=marked(passage.text, orders),
        source=f"{source}#{passage.place}" if source and passage.place else source,
        section=passage.section,
        version=page.version,
        licence=page.licence,
        vendor=page.vendor,
        archs=standing.archs,
        kind=page.kind,
        score=round(score, 6),
        why="; ".join((why, *remarks)),
        date=page.date,
        fallback=fallback,
        superseded_by=page.superseded_by,
        flags=(f"reads like instructions to a model: {orders!r}",) if orders else (),
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
