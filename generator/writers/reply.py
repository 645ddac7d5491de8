"""Reads a model's reply strictly: one fenced block with the whole file, or blocks that replace spans."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from ..prompts.spans import spans, with_spans

LARGEST = 200_000
"""Characters of a reply that are looked at; no kernel file comes near."""

_OPENED = re.compile(r"(`{3,})[ \t]*(.*?)[ \t]*")
_SPAN = re.compile(r"python span=([0-9]{1,4})")


class ReplyError(Exception):
    """Why a reply cannot be used, as a sentence to answer it with; it repeats nothing of the reply."""


@dataclass(frozen=True)
class _Block:
    info: str
    text: str


def read_reply(text: str, parent: str | None) -> str:
    """The kernel file that a reply holds; edits apply to `parent`. Raises ReplyError for anything else."""
    if not text.strip():
        raise ReplyError("it holds no text.")
    if len(text) > LARGEST:
        raise ReplyError(f"it has {len(text)} characters; a kernel file has far fewer than {LARGEST}.")
    blocks = _blocks(text)
    edits = [block for block in blocks if block.info.startswith("python span")]
    if not blocks:
        raise ReplyError("it holds no fenced block.")
    if edits:
        return _checked(_edited(blocks, edits, parent))
    if len(blocks) > 1:
        raise ReplyError(f"it holds {len(blocks)} fenced blocks, expected one with the whole file.")
    if blocks[0].info not in ("python", "py"):
        raise ReplyError("its block is not opened by ```python.")
    return _checked(blocks[0].text)


def _blocks(text: str) -> list[_Block]:
    """Fenced blocks in order; a fence is closed by a line of as many backticks at least."""
    found: list[_Block] = []
    fence, info, lines = "", "", list[str]()
    for line in text.splitlines():
        opened = _OPENED.fullmatch(line)
        if not fence and opened:
            fence, info, lines = opened[1], opened[2], []
        elif fence and line.rstrip().strip("`") == "" and len(line.rstrip()) >= len(fence):
            found.append(_Block(info, "".join(f"{one}\n" for one in lines)))
            fence = ""
        elif fence:
            lines.append(line)
    if fence:
        raise ReplyError("its last fenced block is not closed: it was cut off, or the fence forgotten.")
    return found


def _edited(blocks: list[_Block], edits: list[_Block], parent: str | None) -> str:
    if parent is None:
        raise ReplyError("it edits spans, but there is no kernel to edit; send the whole file.")
    if len(edits) < len(blocks):
        raise ReplyError("it holds blocks with and without a span; send the whole file, or spans alone.")
    count = len(spans(parent))
    replaced: dict[int, str] = {}
    for block in edits:
        named = _SPAN.fullmatch(block.info)
        place = int(named[1]) if named else 0
        if not 1 <= place <= count:
            raise ReplyError(f"a block names no span; there are spans 1 to {count}.")
        if place in replaced:
            raise ReplyError(f"span {place} is replaced twice.")
        replaced[place] = block.text
    changed = with_spans(parent, replaced)
    if changed == parent:
        raise ReplyError("its edits change nothing.")
    return changed


def _checked(source: str) -> str:
    """The file, once it parses and defines ModelNew."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in its strings
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f" on line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        what = getattr(error, "msg", None) or error
        raise ReplyError(f"its file has a syntax error{where}: {what}.") from None
    if not any(isinstance(node, ast.ClassDef) and node.name == "ModelNew" for node in tree.body):
        raise ReplyError("its file does not define class ModelNew.")
    return source
