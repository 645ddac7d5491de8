"""The briefing: all that a run knows before any candidate is written, as parts of a prompt.

It is made once a run and goes into its journal, so that a resumed run says the same whatever the library has
learnt since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...hardware_specs.spec import DeviceSpec
from ...kb.library import Library
from ...profiling.classify import Diagnosis
from ...profiling.trace import TracedOp
from ...retrieval.advise import Advice, Step
from ...retrieval.find import find_for
from ..job import Language
from .advised import advice_part, documents_part, ranked
from .device import device_part
from .past import kernels_part, setbacks_part
from .prompt import Item, Part
from .work import diagnosis_part, operator_part

_DOCUMENTS = 4
_SEARCHED = 24  # passages looked at for those few that are no technique cards


@dataclass(frozen=True)
class Focus:
    """One technique that a model can be asked for: the id it is remembered by, and what it is."""

    id: str
    title: str


@dataclass(frozen=True)
class Briefing:
    """`focuses` in the order of the advice; `refused` are the ids of pages and records that were left out
    because their text gives orders to its reader; `language` is what kernels are asked for in."""

    op: str
    precision: str
    parts: tuple[Part, ...]
    focuses: tuple[Focus, ...] = ()
    refused: tuple[str, ...] = ()
    language: Language = "triton"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def from_json(document: Mapping[str, Any]) -> Briefing:
    """The briefing that `to_json` gave."""
    parts = tuple(
        Part(
            part["name"],
            part["heading"],
            tuple(Item(item["text"], tuple(item["passages"])) for item in part["items"]),
            part["needed"],
        )
        for part in document["parts"]
    )
    focuses = tuple(Focus(**one) for one in document["focuses"])
    refused, language = tuple(document["refused"]), document["language"]
    return Briefing(document["op"], document["precision"], parts, focuses, refused, language)


def brief(
    traced: TracedOp, spec: DeviceSpec, diagnosis: Diagnosis, *,
    advice: Advice | None, library: Library | None, precision: str = "fp32", language: Language = "triton",
) -> Briefing:  # fmt: skip
    """What is known of the operator on the device; without a library, nothing of what others knew of it."""
    parts = [operator_part(traced), device_part(spec, traced), diagnosis_part(traced, diagnosis)]
    refused: list[str] = []
    steps: list[Step] = []
    if library is not None and advice is not None:
        told, of_cards = advice_part(advice, library)
        kernels, of_records = kernels_part(library, traced, spec.arch)
        setbacks, of_setbacks = setbacks_part(library, traced, spec.arch)
        hits = find_for(library, diagnosis, traced, spec, k=_SEARCHED).result.hits
        documents, of_pages = documents_part([hit for hit in hits if hit.kind != "technique"][:_DOCUMENTS])
        parts += [told, kernels, setbacks, documents]
        refused = [*of_cards, *of_records, *of_setbacks, *of_pages]
        steps = [step for step in ranked(advice) if step.technique not in of_cards]
    focuses = tuple(Focus(step.transform or step.technique, step.title) for step in steps)
    left_out = tuple(dict.fromkeys(refused))
    return Briefing(traced.op.name, precision, tuple(parts), focuses, left_out, language)
