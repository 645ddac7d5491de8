"""Renders advice as one HTML page: no script, no network, its plots inline, readable on paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from . import figures, plots
from .advice_view import AT_MOST, SUMMARY, notes, summary_row, taken, told_of

DRAWN = 12  # kernels with plots of their own; more would make a page of minutes and megabytes
LONG_NAME = 100
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
ROOFLINE_NOTE = (
    "Each mark is a kernel by its number in the table: how much it computes for a byte of DRAM, and how "
    "fast it ran, under the device's peaks."
)


def render(document: Mapping[str, Any]) -> str:
    """The whole page; `document` is the advise document of the command line, as plain data."""
    kernels: Sequence[Mapping[str, Any]] = document["kernels"]
    title = f"Advice for {document['subject']}"
    style = (files("kbgen.generator.report") / "page.css").read_text(encoding="utf-8")
    body = [
        _element("h1", title),
        _element("p", taken(document)),
        *(_element("p", note, "note") for note in notes(document)),
        _summary(kernels),
        *_roofline(kernels),
        *(
            part
            for rank, kernel in enumerate(kernels, 1)
            for part in _kernel(rank, kernel, document["level"])
        ),
        _element("p", AT_MOST[0].upper() + AT_MOST[1:], "foot"),
    ]
    return "\n".join([
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>\n{style}</style></head><body>",
        *body,
        "</body></html>\n",
    ])  # fmt: skip


def _summary(kernels: Sequence[Mapping[str, Any]]) -> str:
    rows = [summary_row(rank, kernel) for rank, kernel in enumerate(kernels, 1)]
    links = {0: [f"#kernel-{row[0]}" for row in rows]}
    return _table(SUMMARY, rows, kind="kernels", links=links) if rows else ""


def _roofline(kernels: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    drawn = plots.roofline(kernels)
    if drawn:
        yield _element("h2", "Under the roofline")
        yield f"<figure>{drawn}<figcaption>{escape(ROOFLINE_NOTE)}</figcaption></figure>"
    elif any(kernel.get("launch") for kernel in kernels):
        yield _element(
            "p", "No roofline: the report counts no arithmetic, or none of DRAM's traffic.", "faint"
        )


def _kernel(rank: int, kernel: Mapping[str, Any], level: str) -> Iterator[str]:
    launch = kernel.get("launch") or {}
    yield f'<section id="kernel-{rank}">'
    yield _element("h2", f"{rank}. {figures.kernel(kernel['name'], LONG_NAME)}")
    if kernel["name"] != figures.kernel(kernel["name"], LONG_NAME):
        yield _element("p", kernel["name"], "faint long")
    told = told_of(kernel, level)
    yield _element("p", f"{told[0].upper()}{told[1:]}.")
    yield from (_element("p", flag, "note") for flag in launch.get("flags", ()))
    yield from _diagnosis(kernel["bottlenecks"])
    if rank <= DRAWN and launch and (drawn := plots.launch(launch["readings"], rank)):
        yield f"<figure>{drawn}</figure>"
    for place, step in enumerate(kernel["advice"], start=1):
        yield from _step(place, step)
    if kernel["withheld"]:
        yield _element("h3", "Not for this kernel or device")
        yield _list(f"{one['technique']}: {one['reason']}" for one in kernel["withheld"])
    yield from _remarks(launch.get("remarks", ()))
    yield "</section>"


def _diagnosis(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not found:
        yield _element("p", "Nothing stands out in what was counted.")
        return
    rows = [[one["class"], one["confidence"], one["evidence"].partition("): ")[2]] for one in found]
    yield _table(("held back by", "confidence", "evidence"), rows)


def _remarks(remarks: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    told = [
        f"{one['rule']}: {one['text']}"
        + (
            f" ({one['speedup_scope'] or ''} estimate {one['speedup_pct']:.0f} %)"
            if one["speedup_pct"]
            else ""
        )
        for one in remarks
    ]
    if told:
        summary = _element("summary", f"What the profiler's own rules say ({len(told)})")
        yield f"<details>{summary}{_list(told)}</details>"


def _step(place: int, step: Mapping[str, Any]) -> Iterator[str]:
    most = f", at most {figures.ratio(step['at_most'])}" if step.get("at_most") else ""
    title = _element("h3", f"{place}. {step['title']}{most}")
    yield f'<div class="step">{title}<dl>'
    told = {
        "technique": step["technique"],
        "for": step.get("for"),
        "why": step["why"],
        "bound": step.get("at_most_how"),
        "the card says": step.get("card_effect"),
        "cost": step.get("cost"),
        "risk": step.get("risk"),
        "to check": step.get("check"),
        "not together with": ", ".join(step.get("conflicts", ())),
    }
    for label, text in told.items():
        if text:
            yield f"{_element('dt', label)}{_element('dd', text)}"
    for past in step.get("outcomes", ()):
        yield f"{_element('dt', 'seen before')}{_element('dd', past['told'])}"
    for citation in step["citations"]:
        yield f"{_element('dt', 'source')}<dd>{_source(citation)}</dd>"
    yield "</dl></div>"


def _source(citation: Mapping[str, Any]) -> str:
    """Its place, as a link where it is a page of the web; any other scheme stays text."""
    text, url = escape(figures.place(citation)), str(citation.get("source") or "")
    return f'<a href="{escape(url)}">{text}</a>' if url.startswith("https://") else text


def _element(name: str, text: str, kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f"<{name}{attribute}>{escape(str(text))}</{name}>"


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(_element("li", item) for item in items) + "</ul>"


def _table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    kind: str = "",
    links: Mapping[int, Sequence[str]] | None = None,
) -> str:
    """A table; `links` gives a column's cells a place in the page to lead to."""
    head = "".join(_element("th", text) for text in header)
    lines = []
    for number, row in enumerate(rows):
        cells = (
            f'<td><a href="{links[column][number]}">{escape(text)}</a></td>'
            if links and column in links
            else _element("td", text)
            for column, text in enumerate(row)
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    attribute = f' class="{kind}"' if kind else ""
    return f"<table{attribute}><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
