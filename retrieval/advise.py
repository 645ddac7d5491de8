"""Advises which techniques to try on an operator and device, in which order, and why one may believe it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from ..kb.graph import Graph, Trial
from ..kb.library import Library
from ..kb.page import Page
from ..kb.records import minor
from ..kb.search import Hit
from .gate import Fit, fit, suits
from .past import Past, outcomes, points
from .query import Question, ask

if TYPE_CHECKING:
    from ..hardware_specs.spec import DeviceSpec
    from ..profiling.classify import Diagnosis
    from ..profiling.trace import TracedOp

SEARCH_DEPTH = 200  # passages looked at; enough to rank every technique card once
READING = 5  # cards without a transform that are listed for people to read

# Points of the ranking. What addresses the diagnosis leads; what was proven or disproven here outweighs any
# other single reason; the text search orders what the header cannot tell apart.
_ADDRESSES = 1.0
_BY_PLACE = (
    1.0,
    0.6,
    0.4,
    0.25,
)  # of the primary bottleneck, the second, ...; the last holds for all that follow
_BY_CONFIDENCE = {"high": 1.0, "medium": 0.85, "low": 0.6}
_NAMED_FAMILY, _ANY_FAMILY = 0.4, 0.2
_FOUND = 0.5
_PARENT_ARCH = -0.3


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
    """One technique to try; `why` gives each reason with its points, `transform` is "" for reading."""

    technique: str
    title: str
    transform: str
    why: str
    citations: tuple[Citation, ...]
    score: float
    outcomes: tuple[Past, ...]


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


@dataclass(frozen=True)
class _Reason:
    """Points for the ranking and the sentence that explains them."""

    points: float
    text: str


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
    question = ask(diagnosis, traced, spec)
    found = library.search(question.text, vendor=question.vendor, kind="technique", k=SEARCH_DEPTH)
    best = _best_hits(found.hits)
    graph, toolchain = library.graph(), toolchain_here()
    steps: list[Step] = []
    withheld: list[Withheld] = []
    for page in library.pages("technique"):
        verdict = fit(page, spec)
        addressed = _addressed(page, question)
        if not verdict.allowed or not suits(page, question.family):
            reason = (
                verdict.refusal or f"is for {', '.join(page.families)}; this operator is {question.family}"
            )
            withheld += [Withheld(page.id, reason)] if addressed else []
        elif addressed or page.id in best or _trials(page, graph):
            steps.append(_step(page, verdict, question, best, graph, toolchain, transforms, library))
    steps.sort(key=lambda step: (-step.score, step.technique))
    applicable = tuple(step for step in steps if step.transform)
    reading = tuple(step for step in steps if not step.transform)[:READING]
    return Advice(applicable, question.text, found.mode, reading, tuple(withheld), found.note)


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


def _addressed(page: Page, question: Question) -> list[tuple[int, str, str]]:
    """(place, class, confidence) of the diagnosed bottlenecks that `page` addresses, primary first."""
    return [
        (place, name, confidence)
        for place, (name, confidence) in enumerate(question.bottlenecks)
        if name in page.addresses
    ]


def _step(
    page: Page,
    verdict: Fit,
    question: Question,
    best: Mapping[str, Hit],
    graph: Graph,
    toolchain: str,
    transforms: Sequence[str],
    library: Library,
) -> Step:
    trials = _trials(page, graph)
    past = outcomes(trials, question)
    reasons = [
        *_matching(page, verdict, question),
        *_finding(page, best),
        *_history(past, points(trials, question, toolchain)),
    ]
    hit = best.get(page.id)
    return Step(
        technique=page.id,
        title=page.title,
        transform=page.transform if page.transform in transforms and page.transform else "",
        why="; ".join(f"{reason.text} ({reason.points:+.2f})" for reason in reasons),
        citations=_citations(page, hit.id if hit else library.passages(page.id)[0].id),
        score=round(sum(reason.points for reason in reasons), 4),
        outcomes=past,
    )


def _trials(page: Page, graph: Graph) -> tuple[Trial, ...]:
    """Trials under the card's id, and under its transform's, as runs without knowledge record them."""
    return graph.trials(page.id, page.transform or page.id)


def _matching(page: Page, verdict: Fit, question: Question) -> list[_Reason]:
    """Reasons from the card's header: bottleneck, family, architecture."""
    reasons: list[_Reason] = []
    for place, name, confidence in _addressed(page, question)[:1]:
        share = _BY_PLACE[min(place, len(_BY_PLACE) - 1)] * _BY_CONFIDENCE[confidence]
        rank = "the primary bottleneck" if place == 0 else f"bottleneck {place + 1}"
        reasons.append(_Reason(_ADDRESSES * share, f"addresses {name}, {rank} ({confidence})"))
    if question.family in page.families:
        reasons.append(_Reason(_NAMED_FAMILY, f"made for {question.family}"))
    elif "any" in page.families:
        reasons.append(_Reason(_ANY_FAMILY, "made for any family"))
    if verdict.parent:
        text = f"written for {verdict.parent}, an older target whose code holds on {question.archs[0]}"
        reasons.append(_Reason(_PARENT_ARCH, text))
    return reasons


def _finding(page: Page, best: Mapping[str, Hit]) -> list[_Reason]:
    """The reason from the text search: the card's place among the cards found."""
    if page.id not in best:
        return []
    place = list(best).index(page.id)
    text = f"card {place + 1} of {len(best)} by text search: {best[page.id].why}"
    return [_Reason(_FOUND * (1 - place / len(best)), text)]


def _history(past: Sequence[Past], gained: float) -> list[_Reason]:
    """Reasons from past outcomes: those of this case with their points, the nearest other one as a remark."""
    here = [one for one in past if one.here]
    elsewhere = [one for one in past if not one.here][:1]
    told = [_Reason(gained, "tried here: " + "; ".join(one.told() for one in here))] if here else []
    return told + [_Reason(0.0, f"tried elsewhere: {one.told()}") for one in elsewhere]


def _citations(page: Page, passage_id: str) -> tuple[Citation, ...]:
    """The card's own sources, each with the passage that tells of them; the card itself if it names none."""
    return tuple(
        Citation(source.title, source.url, source.section, source.version, passage_id)
        for source in page.sources
    ) or (Citation(page.title, page.id, "", page.version, passage_id),)
