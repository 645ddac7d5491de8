"""Searches the library for a person or a program: the query in any form, the device as a hard boundary."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..kb.library import Library
from ..kb.search import Query, SearchResult
from ..kb.toolchain import parse_version
from .asked import Asked, recognise
from .gate import boundary
from .query import ask
from .vocabulary import counterparts

if TYPE_CHECKING:
    from ..hardware_specs.spec import DeviceSpec
    from ..profiling.classify import Diagnosis
    from ..profiling.trace import TracedOp


@dataclass(frozen=True)
class Answer:
    """What was found, for which question, and within which targets (the one asked for, then its parents)."""

    asked: Asked
    archs: tuple[str, ...]
    result: SearchResult


def find(
    library: Library,
    text: str,
    *,
    arch: str | None = None,
    vendor: str | None = None,
    kind: str | None = None,
    toolchain: Iterable[str] = (),
    k: int = 10,
) -> Answer:
    """Passages for `text`, whatever it is; `arch` names a target (`sm_90`) or a device (`h100`).

    What the target cannot run is never given; what was written for a parent of it is given and says so.
    Raises UnknownTarget for a name that means neither.
    """
    versions = dict(parse_version(one) for one in toolchain)
    asked, query = question(text, arch, vendor)
    found = library.ask(replace(query, kind=kind, k=k, toolchain=versions))
    return Answer(asked, query.archs, found)


def question(text: str, arch: str | None = None, vendor: str | None = None) -> tuple[Asked, Query]:
    """What `text` was taken for, and the query it becomes for a target, device or vendor."""
    asked = recognise(text)
    archs: tuple[str, ...] = ()
    features = None
    if asked.form == "words" and any(mark.isdigit() for mark in text):
        from .summary import in_words

        asked = Asked("profile", told) if (told := in_words(text, arch)) else asked
    if arch:
        limits = boundary(arch)
        archs, features, vendor = limits.archs, limits.features, vendor or limits.vendor
    words = f"{asked.text} {counterparts(asked.text, vendor)}".strip()
    return asked, Query(words, vendor, archs, features=features)


def find_for(
    library: Library, diagnosis: "Diagnosis", traced: "TracedOp", spec: "DeviceSpec", *, k: int = 10
) -> Answer:
    """Passages for what holds an operator back on a device."""
    question = ask(diagnosis, traced, spec)
    query = Query(question.text, question.vendor, question.archs, None, k, spec.features)
    return Answer(Asked("profile", question.text), question.archs, library.ask(query))
