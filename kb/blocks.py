"""Reads Markdown as blocks that belong together (fences, tables, paragraphs) and parts the oversize ones."""

import math
import re
from dataclasses import dataclass
from typing import Literal

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)")
_HELD = re.compile("\ue000([0-9]+)\ue001")
_PLACE = re.compile(r"<!-- #([^\s<>]{1,200}) -->")
_DELIMITER_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]")


@dataclass(frozen=True)
class Block:
    """A run of lines that belongs together; a "place" is no text, it says where the source goes on."""

    kind: Literal["fence", "table", "prose", "place"]
    text: str


def place_line(fragment: str) -> str:
    """The line of a page body after which its source stands at `#fragment` (`page=12`, `L40`, an anchor)."""
    return f"<!-- #{re.sub(r'[^!-;=?-~]', '', fragment)[:200]} -->"


def estimated_tokens(text: str) -> int:
    """WordPiece tokens of `text`, guessed: a word by its length, a number by its digits, a mark is one."""
    return sum(
        math.ceil(len(piece) / 6) if piece.isalpha() and piece.isascii() else math.ceil(len(piece) / 2)
        for piece in _PIECE.findall(text)
    )


def lift_fences(text: str) -> tuple[str, list[str]]:
    """`text` with each fenced block replaced by one placeholder line, and the blocks lifted out.

    A fence that is never closed runs to the end of the page, as in CommonMark, and is closed here.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ue000", "").replace("\ue001", "")
    lines: list[str] = []
    fences: list[str] = []
    inside: list[str] = []
    mark = ""
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        if inside:
            inside.append(line)
            if fence and fence[1].startswith(mark) and not fence[2].strip():
                lines.append(f"\ue000{len(fences)}\ue001")
                fences.append("\n".join(inside))
                inside = []
        elif fence and not (fence[1][0] == "`" and "`" in fence[2]):
            mark, inside = fence[1], [line]
        else:
            lines.append(line)
    if inside:
        lines.append(f"\ue000{len(fences)}\ue001")
        fences.append("\n".join([*inside, mark]))
    return "\n".join(lines), fences


def read_blocks(text: str, fences: list[str]) -> list[Block]:
    """The blocks of a section whose fences were lifted out by `lift_fences`."""
    blocks: list[Block] = []
    run: list[str] = []
    for line in [*text.split("\n"), ""]:
        held, place = _HELD.fullmatch(line.strip()), _PLACE.fullmatch(line.strip())
        if line.strip() and not held and not place:
            run.append(line.rstrip())
            continue
        blocks += _runs(run)
        run = []
        if held:
            blocks.append(Block("fence", fences[int(held[1])]))
        if place:
            blocks.append(Block("place", place[1]))
    return blocks


def _runs(lines: list[str]) -> list[Block]:
    """Blocks of lines that no blank line parts: prose, and tables by their delimiter row or leading pipes."""
    start = next((i for i, line in enumerate(lines) if _opens_table(lines, i)), len(lines))
    end = next((i for i in range(start, len(lines)) if "|" not in lines[i]), len(lines))
    blocks = [Block("prose", "\n".join(lines[:start]))] if start else []
    if start < end:
        blocks.append(Block("table", "\n".join(lines[start:end])))
    return blocks + (_runs(lines[end:]) if end < len(lines) else [])


def _opens_table(lines: list[str], i: int) -> bool:
    follows = lines[i + 1] if i + 1 < len(lines) else ""
    ruled = "|" in lines[i] and "|" in follows and _DELIMITER_ROW.fullmatch(follows) is not None
    return ruled or lines[i].lstrip().startswith("|")


def split(block: Block, limit: int) -> list[str]:
    """`block` as one text if it fits `limit` estimated tokens, else parts cut at line or sentence ends.

    Each part stands alone: parts of a fence are fences again, parts of a table repeat its header.
    """
    if estimated_tokens(block.text) <= limit:
        return [block.text]
    head, pieces, tail = _anatomy(block)
    frame = estimated_tokens(head + tail)
    parts: list[str] = []
    room = 0
    for piece in (part for whole in pieces for part in _cut(whole, limit)):
        size = estimated_tokens(piece)
        if parts and size <= room:
            parts[-1] += piece
            room -= size
        else:
            parts.append(piece)
            room = limit - frame - size
    return [head + part.strip("\n") + tail for part in parts if part.strip()]


def _anatomy(block: Block) -> tuple[str, list[str], str]:
    """(head, pieces, tail): what each part repeats before and after, and the pieces between."""
    lines = re.split(r"(?<=\n)", block.text)
    if block.kind == "fence":
        return lines[0], lines[1:-1], "\n" + lines[-1]
    if block.kind == "table":
        header = 2 if len(lines) > 1 and _DELIMITER_ROW.fullmatch(lines[1].rstrip("\n")) else 0
        return "".join(lines[:header]), lines[header:], ""
    return "", re.split(r"(?<=[.!?;])(?=\s)|(?<=\n)", block.text), ""


def _cut(piece: str, limit: int) -> list[str]:
    """`piece` whole, or cut by characters where one line alone exceeds `limit`, as in hostile pages."""
    if estimated_tokens(piece) <= limit:
        return [piece]
    return [piece[start : start + limit] for start in range(0, len(piece), limit)]
