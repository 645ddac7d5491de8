"""Has a constructor that takes a logarithm from numpy take it from the standard library: kernel files have no
numpy."""

from __future__ import annotations

import ast

_ALIKE = frozenset({"cos", "e", "exp", "inf", "log", "log10", "log2", "pi", "sin", "sqrt", "tan"})
"""What numpy and math call by the same name and give the same of a number."""


def with_plain_math(text: str) -> str:
    """The source of an op file with `np.log2(8)` as `math.log2(8)`, and math imported below numpy; as it is
    where math is something else in it."""
    tree = ast.parse(text)
    imports = [one for one in tree.body if isinstance(one, ast.Import)]
    numpy = {a.asname or a.name: one for one in imports for a in one.names if a.name == "numpy"}
    uses = [node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in _ALIKE]
    names = [name for name in uses if isinstance(name, ast.Name) and name.id in numpy]
    there = any(a.name == "math" and a.asname is None for one in imports for a in one.names)
    if not names or (not there and _names_math(tree)):
        return text
    lines = text.encode().splitlines(keepends=True)  # ast counts columns in bytes
    for name in sorted(names, key=lambda name: (name.lineno, name.col_offset), reverse=True):
        line = lines[name.lineno - 1]
        lines[name.lineno - 1] = line[: name.col_offset] + b"math" + line[name.end_col_offset :]
    if not there:
        lines.insert(max(one.end_lineno or one.lineno for one in numpy.values()), b"import math\n")
    return b"".join(lines).decode()


def _names_math(tree: ast.Module) -> bool:
    """Whether the file calls anything math."""
    found = (getattr(node, key, None) for node in ast.walk(tree) for key in ("id", "name", "asname", "arg"))
    return "math" in found
