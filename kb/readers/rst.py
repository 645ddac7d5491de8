"""Reads reStructuredText: headings, code and tables become Markdown, roles become their text."""

import re
from collections.abc import Iterator
from itertools import pairwise

from .draft import Draft, fence, first_heading, text_of

_RULE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}\s*")
_DIRECTIVE = re.compile(r"( *)\.\. ([\w:-]+)::[ ]*(.*)")
_CODE = (
    "code-block",
    "code",
    "sourcecode",
    "highlight",
    "literalinclude",
    "parsed-literal",
    "testcode",
    "prompt",
)
_KEPT = (
    "note", "warning", "tip", "important", "hint", "attention", "caution", "danger", "seealso", "admonition",
    "topic", "rubric", "deprecated", "versionadded", "versionchanged",
)  # fmt: skip
_ROLE = re.compile(r":[\w:+.-]+:`([^`]*)`")
_LINK = re.compile(r"`([^`<]+?)\s*<[^>`]+>`__?")
_GRID = re.compile(r"\s*\+[-=+]{3,}\+\s*")
_SIMPLE = re.compile(r"\s*=+(?: +=+)+\s*")


def read(data: bytes) -> Draft:
    text, flags = text_of(data)
    version = re.search(r"^:(?:[Vv]ersion|release):\s*(\S+)", text, re.MULTILINE)
    date = re.search(r"^:[Dd]ate:\s*(.+)$", text, re.MULTILINE)
    body = re.sub(r"\n{3,}", "\n\n", "\n".join(_markdown(text.expandtabs(4).split("\n")))).strip()
    return Draft(
        body, first_heading(body), version[1] if version else "", "", date[1].strip() if date else "", flags
    )


def _markdown(lines: list[str]) -> Iterator[str]:
    """The lines of the page as Markdown; a heading's level is the order in which its rule first appears."""
    levels: list[str] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        title, i_next = _heading(lines, i, levels)
        directive = _DIRECTIVE.fullmatch(line)
        if title:
            yield from ("", title, "")
        elif directive:
            inside, i_next = _indented(lines, i + 1, len(directive[1]))
            yield from _block(directive[2], directive[3], inside)
        elif re.match(r" *\.\. ", line) or line.strip() == "..":  # a comment, target or footnote
            _, i_next = _indented(lines, i + 1, len(line) - len(line.lstrip()))
        elif _GRID.fullmatch(line) or _SIMPLE.fullmatch(line):
            i_next = _table_end(lines, i)
            yield from ("", *_table(lines[i:i_next]), "")
        elif line.rstrip().endswith("::"):
            inside, i_next = _indented(lines, i + 1, len(line) - len(line.lstrip()))
            lead = _inline(line.rstrip()[:-2].rstrip())
            yield from (f"{lead}:" if lead.strip() else "", "")
            yield from (fence("\n".join(inside)), "") if inside else ()
        else:
            i_next = i + 1
            yield _inline(line)
        i = i_next


def _heading(lines: list[str], i: int, levels: list[str]) -> tuple[str, int]:
    """("## Title", next line) if a heading begins at line `i`, else ("", i)."""
    over = bool(_RULE.fullmatch(lines[i])) and i + 2 < len(lines) and lines[i + 2].strip() == lines[i].strip()
    text = lines[i + 1] if over else lines[i]
    under = lines[i + 2] if over else (lines[i + 1] if i + 1 < len(lines) else "")
    ruled = _RULE.fullmatch(under) and len(under.strip()) >= min(4, len(text.strip()))
    if not ruled or not text.strip() or _RULE.fullmatch(text) or text.startswith(("   ", "..")):
        return "", i
    if not over and i and lines[i - 1].strip():  # the end of a paragraph or a table, not a title
        return "", i
    style = under.strip()[0] + ("over" if over else "")
    if style not in levels:
        levels.append(style)
    return f"{'#' * min(6, levels.index(style) + 1)} {_inline(text.strip())}", i + (3 if over else 2)


def _indented(lines: list[str], i: int, indent: int) -> tuple[list[str], int]:
    """The block below line `i - 1` that stands further in than `indent`, brought to the left, and its end."""
    end = i
    while end < len(lines) and (
        not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent
    ):
        end += 1
    block = lines[i:end]
    margin = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    inside = [line[margin:].rstrip() for line in block]
    while inside and not inside[0]:
        inside.pop(0)
    while inside and not inside[-1]:
        inside.pop()
    return inside, end


def _block(name: str, argument: str, inside: list[str]) -> Iterator[str]:
    """A directive: code as a fence, remarks and API entries as text, tables as tables, the rest left out."""
    body = list(inside)
    while body and re.match(r":[\w-]+:", body[0]):
        body.pop(0)
    if name in _CODE:
        yield from ("", fence("\n".join(body), argument.strip()), "") if any(body) else ()
    elif name == "math":
        yield from ("", fence("\n".join([argument, *body]).strip("\n"), "math"), "")
    elif name in ("list-table", "csv-table"):
        yield from ("", *_listed(body, name), "")
    elif name == "table":
        yield from _markdown(body)
    elif name in _KEPT or name in ("tab-set", "tab-item", "tab", "dropdown", "only", "container", "details"):
        yield from ("", f"**{name.capitalize()}** {_inline(argument)}".strip() if name in _KEPT else "")
        yield from (*_markdown(body), "")
    elif ":" in name or name.startswith(("function", "class", "method", "data", "option", "envvar")):
        yield from ("", f"##### {_inline(argument)}", "")
        yield from _markdown(body)


def _inline(text: str) -> str:
    """Roles and links as their text, ``literals`` as `literals`."""
    text = _ROLE.sub(lambda found: "`" + re.sub(r"\s*<.*", "", found[1]).lstrip("~!") + "`", text)
    return re.sub(r"``(.+?)``", r"`\1`", _LINK.sub(r"\1", text))


def _table_end(lines: list[str], i: int) -> int:
    """The line after the table that begins at `i`."""
    if _GRID.fullmatch(lines[i]):
        while i < len(lines) and lines[i].strip().startswith(("+", "|")):
            i += 1
        return i
    rules = [at for at in range(i, len(lines)) if _SIMPLE.fullmatch(lines[at])]
    blank = next(
        (at for at in range(i, len(lines)) if not lines[at].strip() and at - 1 in rules[1:]), len(lines)
    )
    inside = [at for at in rules if at < blank]
    return (inside[-1] if len(inside) > 1 else i) + 1


def _table(lines: list[str]) -> list[str]:
    """A grid or simple table as a Markdown table; its columns are where the rule says."""
    if _GRID.fullmatch(lines[0]):
        marks = [found.start() for found in re.finditer(r"\+", lines[0])]
        spans = [(a + 1, b) for a, b in pairwise(marks)]
    else:
        spans = [found.span() for found in re.finditer(r"=+", lines[0])]
        spans[-1] = (spans[-1][0], 10_000)
    rows: list[list[str]] = []
    fresh = True
    for line in lines:
        if _GRID.fullmatch(line) or _SIMPLE.fullmatch(line):
            fresh = True
            continue
        cells = [_inline(line[a:b].strip()) for a, b in spans]
        if rows and not fresh and (_GRID.fullmatch(lines[0]) or not cells[0]):
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
        elif any(cells):
            rows.append(cells)
        fresh = False
    return _piped(rows)


def _listed(body: list[str], name: str) -> list[str]:
    """A list-table (`* - cell`) or csv-table as a Markdown table."""
    if name == "csv-table":
        return _piped([[cell.strip(' "') for cell in line.split(",")] for line in body if line.strip()])
    rows: list[list[str]] = []
    for line in body:
        found = re.fullmatch(r"(\* +)?- ?(.*)", line.strip())
        if found:
            rows = [*rows, []] if found[1] else rows
            if rows:
                rows[-1].append(_inline(found[2]))
        elif rows and rows[-1] and line.strip():
            rows[-1][-1] += " " + _inline(line.strip())
    return _piped(rows)


def _piped(rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    width = max(map(len, rows))
    padded = ([cell.replace("|", "\\|") for cell in row] + [""] * (width - len(row)) for row in rows)
    written = [f"| {' | '.join(row)} |" for row in padded]
    return [written[0], "|" + " --- |" * width, *written[1:]]
