"""Measures retrieval on judged queries: each ranking alone, both joined, and within the device's bounds."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .. import KbgenError
from ..kb.infer import targets
from ..kb.library import Library
from ..kb.page import Page
from ..kb.search import Hit, Query
from .find import question
from .gate import boundary, fit

if TYPE_CHECKING:
    from ..hardware_specs.spec import DeviceSpec

Split = Literal["dev", "test"]
WAYS: dict[str, tuple[tuple[str, ...], bool]] = {  # name -> (rankings, within the device's bounds)
    "dense only": (("meaning",), False),
    "lexical only": (("words",), False),
    "hybrid": (("words", "meaning"), False),
    "hybrid + filters": (("words", "meaning"), True),
}
DEPTH = 10


class JudgedError(KbgenError):
    """A file of judged queries that cannot be read."""


@dataclass(frozen=True)
class Judged:
    """One query, the pages that answer it, and the device it is asked for ("" for none)."""

    style: str
    split: Split
    device: str
    pages: tuple[str, ...]
    query: str


@dataclass(frozen=True)
class Score:
    """Means over queries, 0 to 1; `wrong_architecture` counts passages that the device must not be given."""

    queries: int
    hit_1: float
    hit_3: float
    hit_10: float
    mrr: float
    ndcg: float
    wrong_architecture: int


@dataclass(frozen=True)
class Evaluation:
    """Scores by way of searching, over all of a split and per style; `missed`: the last way's misses at 3."""

    mode: str
    note: str
    scores: dict[str, dict[str, Score]]
    missed: tuple[tuple[Judged, tuple[str, ...]], ...] = field(default=())


def judged_here(name: str = "judged.tsv") -> Path:
    """Judged queries that come with the source tree; search is tuned on `dev.tsv` and the dev split of
    `judged.tsv`, on none of the rest."""
    path = Path(__file__).resolve().parents[1] / "tests" / "retrieval" / name
    if not path.is_file():
        raise JudgedError("the judged queries come with the source tree of kbgen; name a file with --judged.")
    return path


def read_judged(path: Path) -> tuple[Judged, ...]:
    """Queries of a tab-separated file: style, device or -, pages, query with \\n for a line end.

    Within a style the queries fall to dev and test in turn, so that both splits hold every style; those of a
    file called `dev` are all for development.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise JudgedError(
            f"{path} cannot be read ({error.strerror}); give a file of judged queries."
        ) from None
    seen: dict[str, int] = {}
    found: list[Judged] = []
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        if len(cells) != 4 or not all(cells):
            raise JudgedError(
                f"{path}:{number}: expected style, device or -, pages, query, with tabs between."
            )
        style, device, pages, query = cells
        seen[style] = seen.get(style, 0) + 1
        split: Split = "test" if seen[style] % 2 == 0 and path.stem != "dev" else "dev"
        text = query.replace("\\n", "\n")
        found.append(Judged(style, split, "" if device == "-" else device, tuple(pages.split(",")), text))
    return tuple(found)


def evaluate(
    library: Library, judged: Iterable[Judged], watch: Callable[[int, int], None] = lambda done, total: None
) -> Evaluation:
    """Ask every query in every way."""
    queries = tuple(judged)
    pages = {page.id: page for page in library.pages()}
    scores: dict[str, dict[str, Score]] = {}
    missed: list[tuple[Judged, tuple[str, ...]]] = []
    mode = note = ""
    for number, (name, (rankings, bounded)) in enumerate(WAYS.items()):
        if "words" not in rankings and library.choice.embedder is None:
            continue
        rows: list[tuple[Judged, tuple[str, ...], int]] = []
        for place, one in enumerate(queries):
            query, spec = _query(one, rankings, bounded)
            result = library.ask(query)
            mode, note = result.mode, result.note
            ranked = tuple(dict.fromkeys(hit.doc_id for hit in result.hits))
            rows.append((one, ranked[:DEPTH], _wrong(result.hits[:DEPTH], pages, spec)))
            watch(number * len(queries) + place + 1, len(WAYS) * len(queries))
        styles = dict.fromkeys(one.style for one in queries)
        scores[name] = {"all": _score(rows)}
        scores[name] |= {style: _score([row for row in rows if row[0].style == style]) for style in styles}
        missed = [(one, ranked[:3]) for one, ranked, _ in rows if not set(ranked[:3]) & set(one.pages)]
    return Evaluation(mode, note, scores, tuple(missed))


def _query(one: Judged, rankings: tuple[str, ...], bounded: bool) -> tuple[Query, "DeviceSpec | None"]:
    """The query as `find` would ask it; several passages of a page count once, so more are asked for."""
    from ..hardware_specs.spec import find_spec

    _, query = question(one.query, one.device if bounded and one.device else None)
    spec = find_spec(one.device) if one.device else None
    return replace(query, k=3 * DEPTH, rankings=rankings), spec


def _wrong(hits: Sequence[Hit], pages: dict[str, Page], spec: "DeviceSpec | None") -> int:
    """Hits that `spec` must not be given, by the page's header and by the passage's own instructions."""
    if spec is None:
        return 0
    return sum(
        not fit(pages[hit.doc_id], spec).allowed or _foreign(hit, pages[hit.doc_id], spec) for hit in hits
    )


def _foreign(hit: Hit, page: Page, spec: "DeviceSpec") -> bool:
    """Whether a passage of a page without targets is about instructions that other targets alone have."""
    of_text = targets(f"{hit.section}\n{hit.text}") if not page.archs else ()
    return bool(of_text) and set(boundary(spec.id).archs).isdisjoint(of_text)


def _score(rows: Sequence[tuple[Judged, tuple[str, ...], int]]) -> Score:
    firsts = [
        next((rank for rank, page in enumerate(ranked, start=1) if page in one.pages), 0)
        for one, ranked, _ in rows
    ]
    count = max(1, len(rows))
    return Score(
        queries=len(rows),
        hit_1=sum(first == 1 for first in firsts) / count,
        hit_3=sum(1 <= first <= 3 for first in firsts) / count,
        hit_10=sum(1 <= first <= DEPTH for first in firsts) / count,
        mrr=sum(1 / first for first in firsts if first) / count,
        ndcg=sum(_ndcg(one.pages, ranked) for one, ranked, _ in rows) / count,
        wrong_architecture=sum(wrong for _, _, wrong in rows),
    )


def _ndcg(pages: Sequence[str], ranked: Sequence[str]) -> float:
    """nDCG at ten with relevance 0 or 1: the gain of the ranking over that of the best one."""
    gained = sum(1 / math.log2(rank + 1) for rank, page in enumerate(ranked, start=1) if page in pages)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(pages), DEPTH) + 1))
    return gained / best
