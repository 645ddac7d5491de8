"""Reads PDF: headings by their type size, code by its typeface, tables by their lines, pages as places."""

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..blocks import place_line
from ..screen import clean
from .draft import Draft, Unreadable, fence, hidden

MOST_PAGES = 6000
_MONO = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|inconsolata|sourcecode", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:(?:chapter|appendix|section) )?[A-Z]?\d+(?:\.\d+){0,5}\.? +\S", re.IGNORECASE)
TINY_PT = 2.0
EDGE = 0.08  # share of the page's height


@dataclass(frozen=True)
class Line:
    """One line of a page, lengths in points; a table is one line; `edge` is where heads and feet run."""

    page: int
    x: float
    top: float
    bottom: float
    size: float
    bold: bool
    mono: bool
    text: str
    edge: bool = False
    rows: tuple[tuple[str, ...], ...] = ()


def read(data: bytes) -> Draft:
    import pdfplumber
    from pdfminer.pdfdocument import PDFPasswordIncorrect
    from pdfminer.pdfparser import PDFSyntaxError

    if not data[:1024].lstrip().startswith(b"%PDF-"):
        raise Unreadable("does not begin with %PDF: it is no PDF file")
    try:
        with pdfplumber.open(io.BytesIO(data)) as document:
            if len(document.pages) > MOST_PAGES:
                raise Unreadable(f"has {len(document.pages)} pages; at most {MOST_PAGES} are read, split it")
            unseen: list[str] = []
            lines = [line for page in document.pages for line in _lines(page, unseen)]
            count, about = len(document.pages), document.metadata or {}
    except PDFPasswordIncorrect:
        raise Unreadable("is encrypted; save it without its password first") from None
    except (PDFSyntaxError, pdfplumber.utils.exceptions.PdfminerException) as error:
        if "Password" in repr(error):
            raise Unreadable("is encrypted; save it without its password first") from None
        raise Unreadable(f"is damaged ({str(error)[:80] or 'not a PDF'})") from None
    if sum(len(line.text) for line in lines) < 20 * min(count, 5):
        raise Unreadable(f"has no text on its {count} pages: pictures of pages; run OCR on it first")
    body, flags = clean("\n".join(_markdown(_without_margins(lines, count))))
    title = str(about.get("Title") or "")
    date = re.match(r"D:(\d{4})(\d\d)?(\d\d)?", str(about.get("ModDate") or ""))
    return Draft(
        re.sub(r"\n{3,}", "\n\n", body).strip(),
        title="" if re.search(r"\.(docx?|indd|tex|md|fm)$|^untitled|^microsoft", title, re.I) else title,
        date="-".join(part for part in date.groups() if part) if date else "",
        flags=flags + hidden(" ".join(unseen), "text too small to read"),
    )


def _lines(page: Any, unseen: list[str]) -> Iterator[Line]:
    """Lines and tables of one page from top to bottom; type below TINY_PT goes to `unseen`."""
    tables = [table for table in page.find_tables() if len(table.rows) > 1]
    boxes = [table.bbox for table in tables]
    words = page.extract_words(extra_attrs=["size", "fontname"], keep_blank_chars=False, use_text_flow=False)
    unseen += [word["text"] for word in words if word["size"] < TINY_PT]
    free = [
        word for word in words if word["size"] >= TINY_PT and not any(_inside(word, box) for box in boxes)
    ]
    found = [_line(page, group) for group in _rows(free)]
    for table in tables:
        rows = tuple(tuple(" ".join((cell or "").split()) for cell in row) for row in table.extract())
        x, top, _, bottom = table.bbox
        if sum(bool(cell) for row in rows for cell in row) > 1:
            text = " ".join(" ".join(row) for row in rows)
            found.append(Line(page.page_number, x, top, bottom, 0, False, False, text, rows=rows))
    page.close()
    yield from sorted(found, key=lambda line: (line.top, line.x))


def _inside(word: Any, box: tuple[float, float, float, float]) -> bool:
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])


def _rows(words: list[Any]) -> Iterator[list[Any]]:
    """Words that stand on one line, left to right."""
    row: list[Any] = []
    for word in sorted(words, key=lambda word: (round(word["bottom"] / 3), word["x0"])):
        if row and abs(word["bottom"] - row[-1]["bottom"]) > 3:
            yield sorted(row, key=lambda word: float(word["x0"]))
            row = []
        row.append(word)
    if row:
        yield sorted(row, key=lambda word: float(word["x0"]))


def _line(page: Any, words: list[Any]) -> Line:
    fonts = Counter[str]()
    for word in words:
        fonts[str(word["fontname"])] += len(word["text"])
    font = fonts.most_common(1)[0][0]
    mono = bool(_MONO.search(font))
    text, end = "", float(words[0]["x0"])
    for word in words:
        advance = (word["x1"] - word["x0"]) / max(1, len(word["text"]))
        gap = round((word["x0"] - end) / advance) if mono and text and advance > 0 else int(bool(text))
        text += " " * max(int(bool(text)), min(gap, 60)) + word["text"]
        end = word["x1"]
    first = words[0]
    size = max(float(word["size"]) for word in words)
    bold = bool(re.search(r"bold|black|heavy|semib", font, re.IGNORECASE))
    top, bottom = float(first["top"]), max(float(word["bottom"]) for word in words)
    edge = bottom < EDGE * page.height or top > (1 - EDGE) * page.height
    return Line(page.page_number, float(first["x0"]), top, bottom, round(size, 1), bold, mono, text, edge)


def _without_margins(lines: list[Line], pages: int) -> list[Line]:
    """`lines` without running heads and feet: what recurs at the edge of many pages, numbers aside."""
    seen = Counter(_recurring(line) for line in lines if line.edge)
    often = max(3, pages // 5)
    return [line for line in lines if not line.edge or seen[_recurring(line)] < often]


def _recurring(line: Line) -> tuple[int, str]:
    return round(line.top / 4), re.sub(r"\d+|\b[ivxlc]+\b", "0", line.text)


def _markdown(lines: list[Line]) -> Iterator[str]:
    """The page's lines as Markdown."""
    body = _body_size(lines)
    sizes = sorted({line.size for line in lines if _is_heading(line, body)}, reverse=True)[:5]
    page = 0
    code: list[Line] = []
    last: Line | None = None
    for line in lines:
        if code and (not line.mono or line.rows or line.page != code[-1].page):
            yield from _code(code)
            code = []
        if line.page != page:
            page = line.page
            yield from ("", place_line(f"page={page}"), "")
            last = None
        if line.rows:
            yield from ("", *_table(line.rows), "")
        elif line.mono and not _is_heading(line, body):
            code.append(line)
        elif _is_heading(line, body) and line.size in sizes:
            yield from ("", f"{'#' * (sizes.index(line.size) + 1)} {line.text}", "")
        else:
            gap = last is not None and line.top - last.bottom > 0.7 * line.size
            yield from ("", line.text) if gap else (line.text,)
        last = line
    yield from _code(code)


def _body_size(lines: list[Line]) -> float:
    sizes = Counter[float]()
    for line in lines:
        sizes[line.size] += 0 if line.rows else len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _is_heading(line: Line, body: float) -> bool:
    """Larger than the text, or bold and numbered; and short, as headings are."""
    if line.rows or len(line.text) > 120 or not re.search(r"[A-Za-z]", line.text):
        return False
    return line.size > 1.12 * body or (line.bold and line.size >= body and bool(_NUMBERED.match(line.text)))


def _code(lines: list[Line]) -> Iterator[str]:
    """Lines of a fixed-width typeface as a fence, indented as on the page; one alone stays in the text."""
    if len(lines) == 1:
        yield f"`{lines[0].text}`"
    elif lines:
        left = min(line.x for line in lines)
        text = [" " * round((line.x - left) / (0.6 * line.size or 1)) + line.text for line in lines]
        yield from ("", fence("\n".join(text)), "")


def _table(rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        if number == 0:
            yield "|" + " --- |" * len(row)
