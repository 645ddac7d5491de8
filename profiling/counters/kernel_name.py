"""Reduces the kernel names that ROCm tools print to the function's qualified name."""

from __future__ import annotations

import re

_DESCRIPTOR = re.compile(r"\s*(\[clone \.kd\]|\(\.kd\)|\.kd)\s*$")
_NAMED = re.compile(r"[A-Za-z_$][\w$.:]*")


def function_name(name: str) -> str:
    """ "void ns::copy<float>(float*, int) [clone .kd]" -> "ns::copy"; what is no signature stays as it is.

    Namespaces stay: they tell whose kernel it is.
    """
    whole = _DESCRIPTOR.sub("", name.strip())
    plain = _without_brackets(whole.replace("(anonymous namespace)::", ""))
    if plain is None:
        return whole
    words = plain.split("(")[0].split()
    return words[-1] if words and _NAMED.fullmatch(words[-1]) else whole


def _without_brackets(name: str) -> str | None:
    """The name without template arguments, None where the angle brackets do not pair (as in `operator<<`)."""
    kept, depth = [], 0
    for letter in name:
        if letter == "<":
            depth += 1
        elif letter == ">":
            depth -= 1
            if depth < 0:
                return None
        elif depth == 0:
            kept.append(letter)
    return "".join(kept) if depth == 0 else None
