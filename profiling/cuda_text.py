"""Cuts CUDA C++ at its outermost level: one item a function, type, directive or declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["include", "directive", "item", "open", "close", "space"]
_TOKEN = re.compile(
    r'R"(?P<mark>[^()\s\\]{0,16})\((?:.|\n)*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*|/\*(?:.|\n)*?\*/"
)
_CONTAINER = re.compile(r'\s*(?:(?:inline\s+)?namespace(?:\s+[\w:]+)?|extern\s+"C")\s*\{')


@dataclass(frozen=True)
class Item:
    """A piece of the text; all join to it again. What opens and closes a namespace is a piece of its own."""

    kind: Kind
    text: str


def without_comments(text: str) -> str:
    """`text` with every comment as blanks; line ends stay."""

    def blank(found: re.Match[str]) -> str:
        said = found[0]
        return re.sub(r"[^\n]", " ", said) if said.startswith(("//", "/*")) else said

    return _TOKEN.sub(blank, text)


def items(text: str) -> Iterator[Item]:
    """The items of a text without comments; braces inside strings count for nothing."""
    flat = _TOKEN.sub(lambda found: re.sub(r"[^\n]", "_", found[0]), text)
    place = 0
    while place < len(flat):
        space = re.compile(r"\s*").match(flat, place)
        assert space is not None
        if space.end() > place:
            yield Item("space", text[place : space.end()])
            place = space.end()
            continue
        end, kind = _item(flat, text, place)
        yield Item(kind, text[place:end])
        place = end


def _item(flat: str, text: str, place: int) -> tuple[int, Kind]:
    """Where the item that begins at `place` ends, and what it is."""
    if flat[place] == "#":
        line = re.compile(r"(?:[^\n\\]|\\\n|\\.)*\n?").match(flat, place)
        assert line is not None
        included = re.match(r"#\s*include\b", flat[place : line.end()])
        return line.end(), "include" if included else "directive"
    opened = _CONTAINER.match(text, place)
    if opened:
        return opened.end(), "open"
    if flat[place] == "}":
        return place + 1, "close"
    depth, begun = 0, False
    for at in range(place, len(flat)):
        mark = flat[at]
        if mark in "({[":
            depth += 1
            begun = begun or mark == "{"
        elif mark in ")}]":
            depth -= 1
            if depth < 0:
                return max(at, place + 1), "item"  # a bracket that nothing opened
            if depth == 0 and mark == "}" and not re.match(r"\s*[;,=)(]", flat[at + 1 :]):
                return _after_type(flat, place, at + 1), "item"
        elif mark == ";" and depth == 0:
            return at + 1, "item"
    return len(flat), "item"


def _after_type(flat: str, place: int, end: int) -> int:
    """A type's declarators stand behind its brace; a function ends with it."""
    declared = re.match(
        r"\s*(?:typedef|(?:template\s*<[^;{]*>\s*)?(?:struct|class|union|enum)\b)", flat[place:end]
    )
    rest = re.compile(r"[^;{}]*;").match(flat, end)
    return rest.end() if declared and rest and "(" not in flat[place : flat.find("{", place)] else end
