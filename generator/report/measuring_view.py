"""Says what the measuring commands show a person: profiles, cards, ceilings, what works here."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from . import figures
from .advice_view import launches
from .tables import Document, grid, kernels, rows_of, styled

COUNTED = ("share", "launches", "time", "kernel", "held back by")


def profile(document: Document) -> Iterator[RenderableType]:
    """What the subject is, what its kernels take, and what holds it back."""
    if document.get("flops") is not None:
        amount = (
            f"{figures.number(document['flops'])} flop, at least {figures.size(document['bytes_min'])} moved"
        )
        yield f"[bold]{escape(document['op'])}[/] ({document['family']}) on {document['device']}: {amount}"
    else:
        yield f"[bold]{escape(document['op'])}[/]: {launches(len(document['counters']['launches']))} counted"
    yield from (f"note: {escape(note)}" for note in document.get("notes", ()))
    if document.get("counters_refused"):
        yield f"[yellow]note[/]: {escape(document['counters_refused'])}"
    if document.get("kernels"):
        yield kernels(document["kernels"])
    if document.get("counted"):
        yield grid(None, COUNTED, [_counted(kernel) for kernel in document["counted"]])
    yield from (f"rejected: {escape(sentence)}" for sentence in document.get("rejections", ()))
    yield rows_of("bottlenecks", document["bottlenecks"] or (), ("class", "confidence", "evidence"))
    if point := document["roofline"]:
        least = figures.microseconds(point["attainable_us"])
        took = f", {figures.microseconds(point['time_us'])} taken" if point.get("time_us") else ""
        yield f"roofline: {point['bound']}-bound, at least {least} by the device's peaks (an estimate){took}"
    undecided = len(document["undecided"] or ())
    yield f"level of evidence {document['level']}; it leaves {undecided} classes undecided"
    if document.get("saved"):
        yield f"saved; next: kbgen advise {escape(str(document['saved']))}"


def _counted(kernel: Document) -> list[str]:
    primary = next(iter(kernel["bottlenecks"]), None)
    return [
        figures.percent(kernel["share"]),
        figures.number(kernel["launches"]),
        figures.microseconds(kernel["time_us"]),
        figures.kernel(kernel["name"]),
        f"{primary['class']} ({primary['confidence']})" if primary else figures.NONE,
    ]


def devices(document: Document) -> Iterator[RenderableType]:
    """The card beside its sheet, what was measured of it, and what sets it apart from others of its name."""
    if document["reason"]:
        yield f"No card here: {escape(document['reason'])}"
    for card in document["devices"]:
        name, driver = escape(str(card["live_name"])), escape(str(card["driver"]))
        yield f"[bold]{name}[/] ({card['used']}), driver {driver}"
        yield rows_of("card and sheet", card["lines"], ("what", "live", "table", "unit", "remark"))
        yield from _ceilings(card["compared"])
        yield from (f"[yellow]note[/]: {escape(warning)}" for warning in card["warnings"])


def calibrate(document: Document) -> Iterator[RenderableType]:
    """What the card reached, beside its sheet."""
    yield f"{escape(document['label'])}, in {document['seconds']:.0f} s"
    yield from _ceilings(document["compared"])
    yield from (f"note: {escape(note)}" for note in document["notes"])


def _ceilings(compared: list[Document]) -> Iterator[RenderableType]:
    if compared:
        names = ("ceiling", "measured", "unit", "peak", "share of peak", "usual")
        yield grid(
            "measured ceilings",
            names,
            [
                [
                    one["key"],
                    figures.number(one["measured"]),
                    one["unit"],
                    figures.number(one["peak"]),
                    figures.percent(one["share"]),
                    figures.percent(one["usual"]),
                ]
                for one in compared
            ],
        )
    yield from (f"[yellow]note[/]: {escape(one['warning'])}" for one in compared if one["warning"])


def eval_diagnosis(document: Document) -> Iterator[RenderableType]:
    """The share of right classes per set and level, what was taken for what, and every miss."""
    yield rows_of("first class", document["totals"])
    yield rows_of("confusion", document["confusion"])
    if document["missed"]:
        names = ("origin", "split", "level", "name", "expected", "got", "confidence")
        yield rows_of("missed", document["missed"], names)


def doctor(document: Document) -> Iterator[RenderableType]:
    """What works here, what does not, and how to get it."""
    table = Table("check", "status", "found", "to get it", box=None, pad_edge=False)
    for check in document["checks"]:
        table.add_row(
            escape(str(check["name"])),
            styled(str(check["status"])),
            escape(str(check["found"])),
            escape(str(check["cure"])),
        )
    yield table
