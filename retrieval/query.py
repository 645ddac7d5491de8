"""Turns a diagnosis, of an operator or of a kernel that was profiled, into a question for the library."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .gate import UNKNOWN, lineage

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
    """The question behind the diagnosis of an operator: bottlenecks with remedies, its kinds, the device."""
    kinds = " ".join(kind for kind in traced.op_kinds if kind not in _VAGUE)
    about = f"{traced.family} operator: {kinds}"
    return _question(diagnosis, traced.family, (about, f"{' '.join(traced.dtypes)} on {_called(spec)}"), spec)


def ask_of_kernel(
    diagnosis: "Diagnosis", family: str | None, spec: "DeviceSpec", library: str | None = None
) -> Question:
    """The question behind the diagnosis of one kernel; `library` is whose it is, where it cannot be edited.

    Nothing of the launch itself enters, so that kernels held back alike on one device ask the same. Where the
    roofline is reached, nothing else is asked.
    """
    found = diagnosis.bottlenecks
    if found and found[0].cls == "near_roofline":
        diagnosis = type(diagnosis)(found[:1], diagnosis.undecided, diagnosis.roofline, diagnosis.level)
    about = [f"{family} kernel"] if family else []
    about += [f"of {library}: the call, its types, layout and sizes"] if library else []
    return _question(diagnosis, family or UNKNOWN, (*about, f"on {_called(spec)}"), spec)


def _question(diagnosis: "Diagnosis", family: str, about: Iterable[str], spec: "DeviceSpec") -> Question:
    found = diagnosis.bottlenecks
    parts = [
        *(f"{item.cls}: {', '.join(item.remedies)}" for item in found[:WORDS_FOR]),
        *(item.cls for item in found[WORDS_FOR:]),
        *about,
    ]
    classes = tuple(dict.fromkeys((item.cls, item.confidence) for item in found))
    return Question(". ".join(parts), family, classes, spec.vendor, (spec.arch, *lineage(spec.arch)))


def _called(spec: "DeviceSpec") -> str:
    return f"{spec.name} {spec.architecture} {spec.arch}"
