"""Toolchain limits of a page: `triton>=3.6,<3.9` holds for Triton 3.7 and says nothing of CUDA."""

import re
from collections.abc import Iterable, Mapping

from .files import LibraryError

_LIMIT = re.compile(r"([A-Za-z][\w-]*)\s*((?:(?:>=|<=|==|<|>)\s*\d+(?:\.\d+)*\s*,?\s*)+)")
_BOUND = re.compile(r"(>=|<=|==|<|>)\s*(\d+(?:\.\d+)*)")


def parse_limit(text: str) -> str:
    """`text` in one spelling (`triton>=3.6,<3.9`); LibraryError if it is no limit."""
    found = _LIMIT.fullmatch(text.strip())
    if found is None:
        raise LibraryError(
            f"{text!r} is no toolchain limit; write for example 'triton>=3.6' or 'cuda>=12,<13'."
        )
    return found[1].lower() + ",".join(f"{sign}{number}" for sign, number in _BOUND.findall(found[2]))


def parse_version(text: str) -> tuple[str, str]:
    """("triton", "3.7") of `triton 3.7` or `triton==3.7`; LibraryError for anything else."""
    found = re.fullmatch(r"([A-Za-z][\w-]*)\s*(?:==|=|\s)\s*v?(\d+(?:\.\d+)*)\S*", text.strip())
    if found is None:
        raise LibraryError(f"{text!r} is no toolchain; write for example 'triton 3.7' or 'cuda 13.1'.")
    return found[1].lower(), found[2]


def holds(limits: Iterable[str], versions: Mapping[str, str]) -> bool:
    """Whether no limit excludes the version in use; a tool that is not in `versions` excludes nothing."""
    for limit in limits:
        name = re.split(r"[<>=]", limit, maxsplit=1)[0]
        if name in versions and not all(_within(versions[name], *bound) for bound in _BOUND.findall(limit)):
            return False
    return True


def _within(version: str, sign: str, bound: str) -> bool:
    """Whether `version` keeps to one bound; compared to the bound's own length, so 3.7.1 is ==3.7."""
    limit = [int(part) for part in bound.split(".")]
    numbers = ([int(part) for part in version.split(".")] + [0] * len(limit))[: len(limit)]
    return {
        ">=": numbers >= limit, "<=": numbers <= limit, "==": numbers == limit,
        "<": numbers < limit, ">": numbers > limit,
    }[sign]  # fmt: skip
