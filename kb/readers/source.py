"""Reads source code: one section per function or class with the comments above it, lines as places."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..blocks import place_line
from .draft import Draft, fence, text_of

LANGUAGES = {
    ".py": "python", ".cu": "cuda", ".cuh": "cuda", ".hip": "hip", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp",
    ".c": "c", ".h": "cpp", ".hpp": "cpp", ".ptx": "ptx", ".s": "asm",
}  # fmt: skip
_LITERAL = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|R\"(\w*)\(.*?(?:\)\1\"|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
_WRAPPER = re.compile(r"\s*(?:inline\s+)?(?:namespace\b[^(){;]*|extern\s+\"?\s*\"?C?\"?\s*)$")
_NAMED = re.compile(r"\b(?:struct|class|union|enum(?: class)?)\s+(?:\w+\([^)]*\)\s*)*(\w+)|([~\w]+)\s*\(")
_NOT_NAMES = {"__launch_bounds__", "__attribute__", "__align__", "alignas", "if", "for", "while", "template"}
_SPDX = re.compile(r"SPDX-License-Identifier:\s*([\w.+-]+(?: (?:WITH|OR|AND) [\w.+-]+)*)")


@dataclass(frozen=True)
class Part:
    """A stretch of a file from line `first` (from 1) on, and the name of what it defines, if one thing."""

    first: int
    name: str
    text: str


def read(data: bytes, suffix: str) -> Draft:
    text, flags = text_of(data)
    language = LANGUAGES[suffix]
    parts = list(_python(text) if language == "python" else _braces(text))
    written: list[str] = []
    for part in parts:
        if part.text.strip():
            written += [f"## {part.name or '(file)'}"] if part.name or written else []
            blank = len(part.text) - len(part.text.lstrip("\n"))
            written += [place_line(f"L{part.first + blank}"), fence(part.text, language)]
    licence = _SPDX.search(text[:4000])
    return Draft("\n\n".join(written), licence=licence[1] if licence else "", flags=flags)


def _python(text: str) -> Iterator[Part]:
    """Top-level definitions with their decorators and the comments above; the rest between them."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield Part(1, "", text)
        return
    lines = text.split("\n")
    done = 0
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)]) - 1
            while first > done and lines[first - 1].startswith("#"):
                first -= 1
            yield Part(done + 1, "", "\n".join(lines[done:first]))
            done = node.end_lineno or node.lineno
            yield Part(first + 1, node.name, "\n".join(lines[first:done]))
    yield Part(done + 1, "", "\n".join(lines[done:]))


def _braces(text: str) -> Iterator[Part]:
    """Top-level `{...}` blocks of a C-like file with what leads to them; namespaces count as no level."""
    plain = _LITERAL.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    start = depth = 0
    head = 0  # where the words that lead to the next brace begin
    for found in re.finditer(r"[{};]", plain):
        mark, at = found[0], found.start()
        if mark == "{":
            if depth == 0 and _WRAPPER.fullmatch(re.sub(r"^\s*#.*$", "", plain[head:at], flags=re.MULTILINE)):
                head = at + 1
                continue
            depth += 1
        elif mark == "}":
            if depth == 0:
                head = at + 1  # the end of a namespace, or of what a macro opened
                continue
            depth -= 1
            if depth == 0:
                end = at + 2 if plain[at + 1 : at + 2] == ";" else at + 1
                yield from _lead_and_block(text, plain, start, head, end)
                start = head = end
        elif depth == 0:
            head = at + 1
    yield Part(_line(text, start), "", text[start:])


def _lead_and_block(text: str, plain: str, start: int, head: int, end: int) -> Iterator[Part]:
    """What stands before a block and belongs to nothing, then the block with the comments right above it."""
    words = re.sub(r"^\s*#.*$", "", plain[head:end], flags=re.MULTILINE)
    yield Part(_line(text, start), "", text[start:head])
    yield Part(_line(text, head), _name(words), text[head:end])


def _name(words: str) -> str:
    """The name of what a block defines: a type's own, or the function's before its parameters."""
    lead = words.partition("{")[0]
    for found in _NAMED.finditer(lead):
        name = found[1] or found[2]
        if name not in _NOT_NAMES:
            return name
    return ""


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
