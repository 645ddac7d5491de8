"""Turns a diagnosis, of an operator or of a kernel that was profiled, into a question for the library."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .gate import UNKNOWN, lineage

if TYPE_CHECKING:
    from ..hardware_specs.spec import DeviceSpec
    from ..profiling.classify import Bottleneck, Diagnosis
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
    """The question behind the diagnosis of an operator: bottlenecks with remedies, its kinds, the device."""
    kinds = " ".join(kind for kind in traced.op_kinds if kind not in _VAGUE)
    found = diagnosis.bottlenecks
    parts = [
        *(f"{item.cls}: {', '.join(item.remedies)}" for item in found[:WORDS_FOR]),
        *(item.cls for item in found[WORDS_FOR:]),
        f"{traced.family} operator: {kinds}",
        f"{' '.join(traced.dtypes)} on {_called(spec)}",
    ]
    archs = (spec.arch, *lineage(spec.arch))
    return Question(". ".join(parts), traced.family, _classes(found), spec.vendor, archs)


def ask_of_kernel(
    diagnosis: "Diagnosis", family: str | None, spec: "DeviceSpec", library: str | None = None
) -> Question:
    """The question behind the diagnosis of one kernel; `library` is whose it is, where it cannot be edited.

    The words are those of the first bottleneck and of the family alone, so that kernels held back alike are
    searched for once; the cards are judged by every class found. Where the roofline is reached, nothing else
    is asked.
    """
    found = diagnosis.bottlenecks
    if found and found[0].cls == "near_roofline":
        found = found[:1]
    parts = [f"{item.cls}: {', '.join(item.remedies)}" for item in found[:1]]
    parts += [f"{family} kernel"] if family else []
    parts += ["the library's call, its types, layout and sizes"] if library else []
    return Question(
        ". ".join(parts), family or UNKNOWN, _classes(found), spec.vendor, (spec.arch, *lineage(spec.arch))
    )


def _classes(found: Sequence["Bottleneck"]) -> tuple[tuple[str, str], ...]:
    """(class, confidence) of each, once."""
    return tuple(dict.fromkeys((item.cls, item.confidence) for item in found))


def _called(spec: "DeviceSpec") -> str:
    return f"{spec.name} {spec.architecture} {spec.arch}"
