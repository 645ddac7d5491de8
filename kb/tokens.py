"""Cuts text into search words; a hardware identifier is found whole, by its parts and by pairs of parts."""

import re
from functools import lru_cache
from itertools import pairwise

_WORD = re.compile(r"[a-z0-9_]+(?:(?:::|[.])[a-z0-9_]+)*")
_SEAM = re.compile(r"[_.:]+")
_SUFFIX = re.compile(r"(?<=[a-z]{3})(?:ations?|ating|ates?|ions?|ings?|ers?|ed|es|s)$")


def tokens(text: str) -> list[str]:
    """Lower-case words of `text`, in order, repeats kept.

    `smsp__warp_issue_stalled` gives the whole, each part (`smsp`, `warp`, ...) and each neighbouring pair
    (`warp_issue`); plain words lose a light suffix, so that "spills", "spilled" and "spilling" meet.
    """
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        whole = word.strip("_")
        parts = [part for part in _SEAM.split(whole) if part]
        if len(parts) > 1:
            pairs = ["_".join(pair) for pair in pairwise(parts)]
            found += [whole, *(pair for pair in pairs if pair != whole)]
        found += [stem(part) for part in parts]
    return found


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """`word` without its inflection ("coalescing" -> "coalesc") and in one spelling of -ise/-ize."""
    if len(word) < 5 or not word.isalpha():
        return word
    cut = _SUFFIX.sub("", word).removesuffix("e")
    if len(cut) > 4 and cut[-1] == cut[-2] and cut[-1] not in "lsz":
        cut = cut[:-1]
    return cut[:-1] + "s" if cut.endswith("iz") else cut
