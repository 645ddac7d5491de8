"""Tells from a kernel's name whose it is, and what kind of work it does: a library's kernel is not edited.

origin("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_tn")
Origin(library="cuBLAS", family="matmul")
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

import yaml
from pydantic import BaseModel, ConfigDict

_SEAMS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d?[a-z]?")  # RMSNorm_fwd2d -> RMS, Norm, fwd2d


@dataclass(frozen=True)
class Origin:
    """`library` is None for a kernel of nobody in particular; `family` None where the name tells no work."""

    library: str | None
    family: str | None


class _Pattern(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    library: str
    pattern: str
    family: str | None = None


class _Names(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    libraries: tuple[_Pattern, ...]
    families: dict[str, tuple[str, ...]]


@cache
def origin(kernel: str) -> Origin:
    """The origin of a kernel by its name, as a profiler prints it."""
    for pattern, found in _patterns():
        if pattern.search(kernel):
            return found if found.family else Origin(found.library, _family(kernel))
    return Origin(None, _family(kernel))


def _family(kernel: str) -> str | None:
    """The first family one of whose words stands in the name; template arguments do not count."""
    path = kernel.removeprefix("void ").replace("(anonymous namespace)", "")
    name = re.split(r"[<(]", path, maxsplit=1)[0].rpartition("::")[2]
    words = [word.lower() for word in _SEAMS.findall(name)]
    joined = {*words, *(first + second for first, second in pairwise(words))}
    return next((family for family, known in _names().families.items() if joined & {*known}), None)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Origin], ...]:
    return tuple((re.compile(one.pattern), Origin(one.library, one.family)) for one in _names().libraries)


@cache
def _names() -> _Names:
    text = (files("kbgen.profiling.counters") / "origins.yaml").read_text(encoding="utf-8")
    return _Names.model_validate(yaml.safe_load(text))
