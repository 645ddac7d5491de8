"""Completes the head of a kernel file that was judged: target, toolchain, decisions, the sizes it held at.

What was judged is the code: a head is text, and one that would change what the file does is not written.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH = 110
QUOTES = '"""'


def headed(source: str, document: Mapping[str, Any]) -> str:
    """The file with what `document`, an optimize result, says of it at the end of its docstring; as it is
    where it begins with none, or would mean something else."""
    end = source.find(QUOTES, len(QUOTES))
    if not source.startswith(QUOTES) or end < 0:
        return source
    head = source[:end].rstrip("\n")
    told = "\n\n".join(_paragraphs(_squeezed(source), document)).replace("\\", "/").replace(QUOTES, "'''")
    whole = f"{head}\n\n{told}\n{source[end:]}"
    return whole if _meaning(whole) == _meaning(source) else source


def _paragraphs(body: str, document: Mapping[str, Any]) -> Iterator[str]:
    versions = document["versions"]
    tools = " and ".join(f"{name} {versions[name]}" for name in ("triton", "torch") if versions.get(name))
    yield _filled(f"Compiled for {document['device']['arch']} by {tools}.")
    decided = [one for one in document["choices"] if _squeezed(str(one["why"])) not in body]
    if decided:
        yield "\n".join(["Decided, beside what the comments below tell:", *(_item(_choice(one)) for one in decided)])
    yield _judged(document["verdict"], document["verified"], document["precision"])


def _choice(one: Mapping[str, Any]) -> str:
    return f"{one['choice']} = {one['value']}: {one['why']}"


def _judged(verdict: Mapping[str, Any] | None, verified: bool, precision: str) -> str:
    if verdict is None or not verified:
        why = f" ({verdict['cause']})" if verdict and verdict.get("cause") else ""
        return f"Not verified{why}: do not use it before somebody has found out why."
    calls = sum(case["outcome"] == "passed" for case in verdict["cases"])
    first = (
        f"Verified against float64 within the error of {precision}, {calls} calls in Triton's interpreter; "
        "sizes that are not named are those of the op file:"
    )
    sizes = dict.fromkeys(_sizes(shape) for shape in verdict["shapes"].values())
    return "\n".join([_filled(first), *(_item(text) for text in sizes)])


def _sizes(shape: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in shape.items()) or "as in the op file"


def _item(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="        ")


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH)


def _squeezed(text: str) -> str:
    """One line of words, comment marks left out."""
    return " ".join(re.sub(r"#", " ", text).split())


def _meaning(source: str) -> str | None:
    """What the file does, whatever its docstring says; None for one that is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    body: Sequence[ast.stmt] = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    return "\n".join(map(ast.dump, body))
