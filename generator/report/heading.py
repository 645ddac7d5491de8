"""Completes the head of a kernel file that was judged: target, toolchain, decisions, the sizes it held at.

What was judged is the code: a head is text, and one that would change what the file does is not written.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH = 108
"""Columns, of which a comment mark leaves 110."""
QUOTES = '"""'
SET_ANEW = "# Set by kbgen for "


def headed(source: str, document: Mapping[str, Any]) -> str:
    """The file with what `document`, an optimize result, says of it: at the end of the docstring of our own,
    as comments below the line that tells what was set anew in a given one. What others wrote stays as it is,
    and what would mean something else."""
    if source.startswith(QUOTES) and document["writer"] == "synth":
        whole = _in_docstring(source, document)
    elif source.startswith(SET_ANEW):
        whole = _in_comments(source, document)
    else:
        return source
    meaning = _meaning(source)
    return whole if meaning is not None and _meaning(whole) == meaning else source


def _in_docstring(source: str, document: Mapping[str, Any]) -> str:
    end = source.find(QUOTES, len(QUOTES))
    parts = (_compiled(document), *_decided(_squeezed(source), document), _judged(document))
    told = "\n\n".join(parts).replace("\\", "/").replace(QUOTES, "'''")
    return source[:end].rstrip("\n") + f"\n\n{told}\n{source[end:]}"


def _in_comments(source: str, document: Mapping[str, Any]) -> str:
    first, _, rest = source.partition("\n")
    told = f"{_compiled(document)}\n{_judged(document)}".splitlines()
    return "\n".join([first, *(f"# {line}" for line in told), rest])


def _compiled(document: Mapping[str, Any]) -> str:
    versions = document["versions"]
    tools = " and ".join(f"{name} {versions[name]}" for name in ("triton", "torch") if versions.get(name))
    return _filled(f"Compiled for {document['device']['arch']} by {tools}.")


def _decided(body: str, document: Mapping[str, Any]) -> Iterator[str]:
    """Decisions that no comment of the file tells."""
    decided = [one for one in document["choices"] if _squeezed(str(one["why"])) not in body]
    if decided:
        told = [_item(f"{one['choice']} = {one['value']}: {one['why']}") for one in decided]
        yield "\n".join(["Decided, beside what the comments below tell:", *told])


def _judged(document: Mapping[str, Any]) -> str:
    verdict, precision = document["verdict"], document["precision"]
    if verdict is None or not document["verified"]:
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
