"""Turns a diagnosis of an operator on a device into a question for the library."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .gate import lineage

if TYPE_CHECKING:
    from ..hardware_specs.spec import DeviceSpec
    from ..profiling.classify import Diagnosis
    from ..profiling.trace import TracedOp

_VAGUE = ("other", "move")  # kinds every graph has
WORDS_FOR = 4  # bottlenecks whose remedies enter the text; more would dilute the first


@dataclass(frozen=True)
class Question:
    """The words to search with, and what answers are judged by: (bottleneck class, confidence), ..."""

    text: str
    family: str
    bottlenecks: tuple[tuple[str, str], ...]
    vendor: str
    archs: tuple[str, ...]


def ask(diagnosis: "Diagnosis", traced: "TracedOp", spec: "DeviceSpec") -> Question:
    """The question behind `diagnosis`: bottlenecks with remedies, the operator's kinds, the device."""
    found = diagnosis.bottlenecks
    parts = [
        *(f"{item.cls}: {', '.join(item.remedies)}" for item in found[:WORDS_FOR]),
        *(item.cls for item in found[WORDS_FOR:]),
        f"{traced.family} operator: {' '.join(kind for kind in traced.op_kinds if kind not in _VAGUE)}",
        f"{' '.join(traced.dtypes)} on {spec.name} {spec.architecture} {spec.arch}",
    ]
    classes = tuple(dict.fromkeys((item.cls, item.confidence) for item in found))
    return Question(". ".join(parts), traced.family, classes, spec.vendor, (spec.arch, *lineage(spec.arch)))
