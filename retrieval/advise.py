"""Advises which techniques to try, in which order, and why one may believe it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from ..kb.graph import Trial
from ..kb.library import Library
from ..kb.page import Page
from ..kb.records import minor
from ..kb.search import Hit, SearchResult
from .expected import Bound
from .gate import Fit, fit, suits
from .past import Past, outcomes, points, seen
from .query import Question, ask
from .reasons import Reason, addressed, by_card, by_history, by_search
from .seen import UNSEEN, Seen

if TYPE_CHECKING:
    from ..hardware_specs.spec import DeviceSpec
    from ..profiling.classify import Diagnosis
    from ..profiling.trace import TracedOp

SEARCH_DEPTH = 200  # passages looked at; enough to rank every technique card once
SHALLOW = 50  # passages that order the cards for a kernel; of those that address nothing none is taken
READING = 5  # cards without a transform that are listed for people to read
_CHECK = re.compile(r"^## How to see it worked\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Citation:
    """A source behind a step; `passage_id` is the passage of the library that tells it."""

    title: str
    source: str
    section: str
    version: str
    passage_id: str


@dataclass(frozen=True)
class Step:
    """One technique to try; `why` gives each reason with its points, `transform` is "" for reading.

    `bottleneck` is the diagnosed class it is for ("" where it was only found or tried); `bound` the most it
    can give, None where nothing bounds it; `seen` what measured trials let one expect; `check` how to see
    that it worked, `effect`, `cost`, `risk` and `conflicts` what its card says.
    """

    technique: str
    title: str
    transform: str
    why: str
    citations: tuple[Citation, ...]
    score: float
    outcomes: tuple[Past, ...]
    bottleneck: str = ""
    check: str = ""
    effect: str = ""
    cost: str = ""
    risk: str = ""
    conflicts: tuple[str, ...] = ()
    bound: Bound | None = None
    seen: Seen = UNSEEN


@dataclass(frozen=True)
class Withheld:
    """A technique that addresses the diagnosis but may not be used here, and the reason."""

    technique: str
    reason: str


@dataclass(frozen=True)
class Advice:
    """Steps the writer can apply, best first; `reading` is for people; `withheld` was stopped at the gate."""

    steps: tuple[Step, ...]
    query: str
    mode: str
    reading: tuple[Step, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    note: str = ""


def advise(
    diagnosis: "Diagnosis",
    traced: "TracedOp",
    spec: "DeviceSpec",
    library: Library,
    transforms: Sequence[str],
) -> Advice:
    """Rank the library's techniques for this case; equal inputs and an equal library give equal advice.

    `transforms` are the ids that the writer can apply; a technique without one of them is for reading.
    """
    return Adviser(library).answer(ask(diagnosis, traced, spec), spec, transforms)


class Adviser:
    """Answers any number of questions from one reading of a library's cards and episodes."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._cards = library.pages("technique")
        self._graph = library.graph()
        self._first = library.first_passages([page.id for page in self._cards])
        self._toolchain = toolchain_here()
        self._found: dict[tuple[str, str, int], SearchResult] = {}

    def answer(
        self,
        question: Question,
        spec: "DeviceSpec",
        transforms: Sequence[str] = (),
        only: Callable[[Page], bool] = lambda page: True,
        depth: int = SEARCH_DEPTH,
    ) -> Advice:
        """The cards that address the question, were found for it or tried before, ranked within the gate.

        Cards that `only` does not take are left out before anything is ranked.
        """
        found = self._search(question, depth)
        best = _best_hits(found.hits)
        ranked: list[_Ranked] = []
        withheld: list[Withheld] = []
        for page in filter(only, self._cards):
            verdict = fit(page, spec)
            wanted = bool(addressed(page, question))
            if not verdict.allowed or not suits(page, question.family):
                reason = (
                    verdict.refusal
                    or f"is for {', '.join(page.families)}; this operator is {question.family}"
                )
                withheld += [Withheld(page.id, reason)] if wanted else []
            elif wanted or page.id in best or self._trials(page):
                ranked.append(self._ranked(page, verdict, question, best))
        ranked.sort(key=lambda one: (-one.score, one.page.id))
        applied = [one for one in ranked if one.page.transform and one.page.transform in transforms]
        read = [one for one in ranked if one not in applied][:READING]
        return Advice(
            steps=tuple(self._step(one, question, best, one.page.transform or "") for one in applied),
            query=question.text,
            mode=found.mode,
            reading=tuple(self._step(one, question, best, "") for one in read),
            withheld=tuple(withheld),
            note=found.note,
        )

    def _search(self, question: Question, depth: int) -> SearchResult:
        """The cards found for the words of a question; equal words are searched for once."""
        key = question.text, question.vendor, depth
        if key not in self._found:
            self._found[key] = self._library.search(
                question.text, vendor=question.vendor, kind="technique", k=depth
            )
        return self._found[key]

    def _ranked(self, page: Page, verdict: Fit, question: Question, best: Mapping[str, Hit]) -> "_Ranked":
        trials = self._trials(page)
        past = outcomes(trials, question)
        reasons = (
            *by_card(page, verdict, question),
            *by_search(page, best),
            *by_history(past, points(trials, question, self._toolchain)),
        )
        return _Ranked(page, reasons, past)

    def _step(self, one: "_Ranked", question: Question, best: Mapping[str, Hit], transform: str) -> Step:
        page = one.page
        passage = best[page.id].id if page.id in best else self._first[page.id]
        return Step(
            technique=page.id,
            title=page.title,
            transform=transform,
            why="; ".join(f"{reason.text} ({reason.points:+.2f})" for reason in one.reasons),
            citations=_citations(page, passage),
            score=one.score,
            outcomes=one.past,
            bottleneck=next((name for _, name, _ in addressed(page, question)), ""),
            check=_check(page),
            effect=page.effect,
            cost=page.cost,
            risk=page.risk,
            conflicts=page.conflicts,
            seen=seen(self._trials(page), question, self._toolchain),
        )

    def _trials(self, page: Page) -> tuple[Trial, ...]:
        """Trials under the card's id, and under its transform's, as runs without knowledge record them."""
        return self._graph.trials(page.id, page.transform or page.id)


@dataclass(frozen=True)
class _Ranked:
    """A card with its reasons, before it is told."""

    page: Page
    reasons: tuple[Reason, ...]
    past: tuple[Past, ...]

    @property
    def score(self) -> float:
        return round(sum(reason.points for reason in self.reasons), 4)


def toolchain_here() -> str:
    """The toolchain of this installation, in the words of `Episode.toolchain`."""
    return ", ".join(f"{name} {_installed(name)}" for name in ("triton", "torch"))


def _installed(package: str) -> str:
    try:
        return minor(version(package))
    except PackageNotFoundError:
        return "none"


def _best_hits(hits: Sequence[Hit]) -> dict[str, Hit]:
    """Page id -> its best passage, in the order of the search."""
    best: dict[str, Hit] = {}
    for hit in sorted(hits, key=lambda hit: (-hit.score, hit.id)):
        best.setdefault(hit.doc_id, hit)
    return best


def _check(page: Page) -> str:
    """The card's own section on how to see that it worked, as one paragraph."""
    found = _CHECK.search(page.body)
    return " ".join(found[1].split()) if found else ""


def _citations(page: Page, passage_id: str) -> tuple[Citation, ...]:
    """The card's own sources, each with the passage that tells of them; the card itself if it names none."""
    return tuple(
        Citation(source.title, source.url, source.section, source.version, passage_id)
        for source in page.sources
    ) or (Citation(page.title, page.id, "", page.version, passage_id),)
