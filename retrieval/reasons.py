"""Why a technique is advised: what its card says, where search put it, what was seen of it before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kb.page import Page
from ..kb.search import Hit
from .gate import UNKNOWN, Fit
from .past import Past
from .query import Question

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
class Reason:
    """Points for the ranking and the sentence that explains them."""

    points: float
    text: str


def addressed(page: Page, question: Question) -> list[tuple[int, str, str]]:
    """(place, class, confidence) of the diagnosed bottlenecks that `page` addresses, primary first."""
    return [
        (place, name, confidence)
        for place, (name, confidence) in enumerate(question.bottlenecks)
        if name in page.addresses
    ]


def by_card(page: Page, verdict: Fit, question: Question) -> list[Reason]:
    """Reasons from the card's header: bottleneck, family, architecture."""
    reasons: list[Reason] = []
    for place, name, confidence in addressed(page, question)[:1]:
        share = _BY_PLACE[min(place, len(_BY_PLACE) - 1)] * _BY_CONFIDENCE[confidence]
        rank = "the primary bottleneck" if place == 0 else f"bottleneck {place + 1}"
        reasons.append(Reason(_ADDRESSES * share, f"addresses {name}, {rank} ({confidence})"))
    if question.family in page.families:
        reasons.append(Reason(_NAMED_FAMILY, f"made for {question.family}"))
    elif "any" in page.families:
        reasons.append(Reason(_ANY_FAMILY, "made for any family"))
    elif question.family == UNKNOWN:
        made_for = ", ".join(page.families)
        reasons.append(Reason(0.0, f"made for {made_for}; the kernel's name does not say whether it is one"))
    if verdict.parent:
        text = f"written for {verdict.parent}, an older target whose code holds on {question.archs[0]}"
        reasons.append(Reason(_PARENT_ARCH, text))
    return reasons


def by_search(page: Page, best: Mapping[str, Hit]) -> list[Reason]:
    """The reason from the text search: the card's place among the cards found."""
    if page.id not in best:
        return []
    place = list(best).index(page.id)
    text = f"card {place + 1} of {len(best)} by text search: {best[page.id].why}"
    return [Reason(_FOUND * (1 - place / len(best)), text)]


def by_history(past: Sequence[Past], gained: float) -> list[Reason]:
    """Reasons from past outcomes: those of this case with their points, the nearest other one as a remark."""
    here = [one for one in past if one.here]
    elsewhere = [one for one in past if not one.here][:1]
    told = [Reason(gained, "tried here: " + "; ".join(one.told() for one in here))] if here else []
    return told + [Reason(0.0, f"tried elsewhere: {one.told()}") for one in elsewhere]
