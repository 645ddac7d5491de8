"""Tells the advice: techniques in their order, each with its reasons, past outcomes and quoted passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...kb.library import Library
from ...kb.search import Hit
from ...retrieval.advise import Advice, Step
from .prompt import Item, Part
from .quoting import blunted, gives_orders, quoted

_SHOWN = ("In Triton", "When")
"""Sections of a card that are quoted, those that show code first."""

_QUOTED_STEPS = 6


def ranked(advice: Advice) -> list[Step]:
    """Every advised technique, those for reading too: a model can apply what no transform does."""
    return sorted((*advice.steps, *advice.reading), key=lambda step: (-step.score, step.technique))


def advice_part(advice: Advice, library: Library) -> tuple[Part, list[str]]:
    """The part, and the ids of the cards that were left out because they give orders to their reader."""
    items, refused = [], []
    for place, step in enumerate(ranked(advice), 1):
        told = _told(step)
        passages = _passages(step, library) if place <= _QUOTED_STEPS else []
        if gives_orders(told, *(text for _, text in passages)):
            refused.append(step.technique)
            continue
        items.append(Item(*_item(place, step, told, passages)))
    return Part("advice", "Advice from the library, most promising first", tuple(items)), refused


def documents_part(hits: Iterable[Hit]) -> tuple[Part, list[str]]:
    """Passages of documents, as search found them for the diagnosis; those flagged are left out."""
    items, refused = [], []
    for hit in hits:
        if hit.flags or gives_orders(hit.text, hit.title, hit.section):
            refused.append(hit.doc_id)
            continue
        said = {
            "id": hit.id, "title": hit.title, "section": hit.section, "source": hit.source,
            "version": hit.version, "licence": hit.licence,
        }  # fmt: skip
        items.append(Item(quoted("passage", hit.text, said), (hit.id,)))
    return Part("documents", "From the documents of the library", tuple(items)), refused


def _told(step: Step) -> str:
    sources = dict.fromkeys(
        " ".join(filter(None, (one.title, one.section, one.version, one.source))) for one in step.citations
    )
    lines = [
        f"against: {step.bottleneck}" if step.bottleneck else "",
        f"gives: {step.effect}" if step.effect else "",
        f"costs: {step.cost}" if step.cost else "",
        f"risk: {step.risk}" if step.risk else "",
        f"excludes: {', '.join(step.conflicts)}" if step.conflicts else "",
        *(f"tried{' here' if past.here else ''}: {past.told()}" for past in step.outcomes[:2]),
        f"sources: {'; '.join(sources)}" if sources else "",
    ]
    return "\n".join(f"- {' '.join(blunted(line).split())}" for line in lines if line)


def _passages(step: Step, library: Library) -> list[tuple[str, str]]:
    """(id, text) of the card's sections that a writer needs, as they stand in the library."""
    found = library.passages(step.technique)
    wanted = [one for name in _SHOWN for one in found if one.section.endswith(f"> {name}")]
    return [(one.id, one.text) for one in wanted[:2]]


def _item(
    place: int, step: Step, told: str, passages: Sequence[tuple[str, str]]
) -> tuple[str, tuple[str, ...]]:
    said = {"page": step.technique}
    blocks = [quoted("passage", text, {"id": name, **said}) for name, text in passages]
    title = f"### {place}. {blunted(step.title)} (`{step.technique}`)"
    return "\n".join((title, told, *blocks)), tuple(name for name, _ in passages)
