"""Searches the passages for a query within its boundaries, and says of each hit why it was found."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from .catalog import Catalog
from .chunk import Passage
from .embed import Embedder, Vectors
from .lexical import SMALL_WORDS
from .page import Page
from .rank import POOL, Ranking, by_words, join, led
from .screen import marked, suspicious
from .snapshot import Snapshot
from .standing import Standing
from .tokens import tokens
from .toolchain import holds
from .view import View

RECENT = 4096  # passages whose words are kept between questions, some 10 MB
PER_PAGE = 2  # passages of one page among the first hits; more only when nothing else is left


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

    @property
    def boundary(self) -> Hashable:
        """What `admits` depends on."""
        return self.vendor, self.archs, self.kind, self.features, tuple(sorted(self.toolchain.items()))

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


def search(
    view: View,
    catalog: Catalog,
    query: Query,
    asked_by: tuple[Embedder, Vectors] | None,
    shut_out: Sequence[str] = (),
) -> tuple[Hit, ...]:
    """Hits for `query`, hybrid with its vector under an embedder; none of the pages `shut_out`."""
    snapshot = view.snapshot(catalog)
    mask = snapshot.admitted(query.boundary, query.admits, shut_out)
    words, meaning = Ranking(), Ranking()
    if "words" in query.rankings:
        words = by_words(snapshot, query.text, mask, query.k)
    if asked_by is not None:
        embedder, vector = asked_by
        pool = max(POOL, 4 * query.k)
        near = view.nearest(catalog, snapshot, embedder, query.admits_collection, vector, mask, pool)
        meaning = led(snapshot, near, min(near.values(), default=0.0))
    joined = join(snapshot, words, meaning)
    chosen = _current_first(_spread_over_pages(list(joined), snapshot), snapshot)[: query.k]
    questions = [
        found[place] for found in (words.through, meaning.through) for place in chosen if place in found
    ]
    passages = catalog.passages([snapshot.id(place) for place in (*chosen, *questions)])
    pages = catalog.pages_by_id({snapshot.page(place) for place in chosen}, bodies=False)
    asked = _asked(snapshot, query.text)

    def hit(place: int) -> Hit:
        through = {
            name: passages[snapshot.id(found.through.get(place, place))]
            for name, found in (("words", words), ("meaning", meaning))
        }
        why = _why(place, through, asked, words, meaning)
        passage = passages[snapshot.id(place)]
        return _hit(query, passage, pages[passage.doc_id], snapshot.standing(place), joined[place], why)

    return tuple(hit(place) for place in chosen)


def _spread_over_pages(places: Sequence[int], snapshot: Snapshot) -> list[int]:
    """`places`, those beyond PER_PAGE of one page moved behind all others."""
    seen: dict[int, int] = {}
    early: list[int] = []
    late: list[int] = []
    for place, page in zip(places, snapshot.page_of[places].tolist() if places else (), strict=True):
        seen[page] = seen.get(page, 0) + 1
        (early if seen[page] <= PER_PAGE else late).append(place)
    return [*early, *late]


def _current_first(places: Sequence[int], snapshot: Snapshot) -> list[int]:
    """`places`, those of superseded pages behind all others."""
    old = snapshot.superseded[snapshot.standing_of[places]].tolist() if places else []
    return [
        *(place for place, late in zip(places, old, strict=True) if not late),
        *(place for place, late in zip(places, old, strict=True) if late),
    ]


def _hit(query: Query, passage: Passage, page: Page, standing: Standing, score: float, why: str) -> Hit:
    fallback = query.fallback(standing.archs)
    orders = _orders(f"{page.title}\n{passage.section}\n{passage.text}")
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
    seen_in = {token: snapshot.lexical.rarity(token) for token in words if token not in SMALL_WORDS}
    telling = [token for token in seen_in if seen_in[token] <= max(2, len(snapshot.ids) // 3)]
    return {token: words[token] for token in sorted(telling, key=lambda token: (seen_in[token], token))}


def _why(
    place: int, through: Mapping[str, Passage], asked: Mapping[str, str], words: Ranking, meaning: Ranking
) -> str:
    """`words barrier, cp.async (rank 1 of 40); meaning 0.71 of "do barriers cost time?" (rank 3 of 50)`."""
    parts: list[str] = []
    if place in words.scores:
        there = _words_of(through["words"].section, through["words"].text)
        shared = list(dict.fromkeys(word for token, word in asked.items() if token in there))[:4]
        parts.append(f"words {', '.join(shared) or 'of every page'} ({words.rank(place)})")
    if place in meaning.scores:
        of = f' of "{through["meaning"].text}"' if place in meaning.through else ""
        parts.append(f"meaning {meaning.scores[place]:.2f}{of} ({meaning.rank(place)})")
    return "; ".join(parts)


@lru_cache(maxsize=RECENT)
def _words_of(section: str, text: str) -> frozenset[str]:
    """The search words of a passage; many questions in a row find the same ones."""
    return frozenset(tokens(f"{section} {text}"))


@lru_cache(maxsize=RECENT)
def _orders(text: str) -> str:
    return suspicious(text)
