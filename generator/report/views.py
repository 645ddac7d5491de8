"""Says what each command shows a person: a sentence first, then tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from rich.console import RenderableType
from rich.markup import escape
from rich.text import Text

from . import figures, timings
from .advice_view import advise
from .answers_page import summed
from .headline import headline, mark
from .measuring_view import calibrate, devices, doctor, eval_diagnosis, profile
from .searching_view import eval_search
from .tables import Document, grid, kernels, rows_of, styled

# key of a suite's row: its heading, short because there are many
SUITE_COLUMNS = {
    "op": "op",
    "gpu": "gpu",
    "status": "status",
    "verified": "verified",
    "kernels": "kernels",
    "traffic_ratio": "traffic",
    "spill_bytes": "spills",
    "narrowest_bits": "bits",
    "techniques": "helped",
    "estimate_over_bound": "est/bound",
    "candidates": "tried",
    "left_to_torch": "to torch",
    "seconds": "s",
}
SUITE_ON_CARD = {
    "measured_us": "us",
    "speedup": "x fastest",
    "interval": "95 %",
    "fraction_of_least": "of roofline",
}
LEVEL_COLUMNS = {
    "rows": "rows",
    "reached": "reached",
    "verified": "verified",
    "refused": "refused, by cause",
    "contradicted": "contradicted",
    "median_tensor_traffic": "tensors moved, median",
    "median_tensor_traffic_of_eager": "by eager",
    "median_tile_traffic": "with tiles read again",
    "own_flops": "own flops",
    "own_bytes": "own bytes",
}


def optimize(result: Document) -> Iterator[RenderableType]:
    """The claim, the kernels, what was tried, and where the files are."""
    yield f"[bold]{escape(str(result['op']))}[/]: {styled(mark(result))}. {escape(headline(result))}"
    if result["kernels"]:
        yield kernels(result["kernels"])
    if result.get("traffic_ratio") is not None:
        yield f"planned memory traffic {figures.ratio(result['traffic_ratio'])} the minimum"
    if result["steps"]:
        names = ("technique", "outcome", "effect", "evidence", "reason")
        rows = [{**step, "effect": figures.ratio(step.get("effect"))} for step in result["steps"]]
        yield rows_of("tried", rows, names)
    if beside := result.get("beside"):
        yield f"better: {escape(beside['better'])}; {escape(beside['why'])}"
    if result.get("spent"):
        yield escape(summed(result["spent"]))
    if beside and beside.get("path"):
        yield f"built-in {escape(str(beside['path']))}"
    for label, key in (("kernel", "candidate_path"), ("report", "report_path"), ("record", "recorded")):
        if result.get(key):
            yield f"{label:<7} {escape(str(result[key]))}"


def record(result: Document) -> Iterator[RenderableType]:
    """Whether it was remembered, and what the judge said of it."""
    verdict = result["verdict"] or {}
    said = f"{verdict.get('verdict')}: {verdict.get('cause')}: {verdict.get('detail')}"
    why = result["recorded"] or f"not recorded, {said if verdict else result['reason']}"
    yield f"[bold]{escape(str(result['op']))}[/]: {escape(str(why))}"
    if result["kernels"]:
        yield kernels(result["kernels"])
    if result["recorded"]:
        yield escape(headline(result))


def verify(verdict: Document) -> Iterator[RenderableType]:
    """The verdict and its cause, then cases and controls."""
    cause = ": ".join(str(part) for part in (verdict.get("cause"), verdict.get("detail")) if part)
    yield f"{styled(str(verdict['verdict']))} {escape(cause)}".strip()
    if verdict.get("oracle_error") is not None:
        yield (
            f"error against the fp64 oracle {figures.cell(verdict['oracle_error'])}, "
            f"eager's own {figures.cell(verdict.get('baseline_error'))}"
        )
    yield from (f"note: {escape(note)}" for note in (*verdict["labels"], *verdict["notes"]))
    yield from _beside(verdict)
    if verdict["library_calls"]:
        yield f"left to torch: {escape(', '.join(verdict['library_calls']))}"
    if verdict.get("cases"):
        yield rows_of("cases", verdict["cases"])
    if verdict.get("controls"):
        rows = [(name, figures.cell(outcome)) for name, outcome in verdict["controls"].items()]
        yield grid("controls, each must be rejected", ("control", "outcome"), rows)


def _beside(verdict: Document) -> Iterator[str]:
    """What stands beside the verdict: KernelBench's rule, the target's compiler, the time, the repetition."""
    if verdict.get("upstream"):
        words = (f"{'accepts' if ok else 'refuses'} at {rule}" for rule, ok in verdict["upstream"].items())
        yield f"KernelBench's rule (allclose) {', '.join(words)}"
    for kernel in verdict.get("target", {}).get("kernels", ()):
        yield (
            f"{escape(kernel['name'])} on {verdict['target']['arch']}: {kernel['registers']} registers, "
            f"{kernel['spill_bytes']} bytes spilled, {kernel['shared_bytes']} bytes shared"
        )
    if verdict.get("sanitizer"):
        ran = ", ".join(verdict["sanitizer"]["ran"]) or "did not run: " + "; ".join(
            verdict["sanitizer"]["reasons"]
        )
        yield f"compute-sanitizer: {escape(ran)}"
    if verdict.get("layers_missing"):
        yield f"layers of isolation missing here: {escape(', '.join(verdict['layers_missing']))}"
    if verdict.get("seconds"):
        yield "seconds: " + ", ".join(f"{stage} {spent:.2f}" for stage, spent in verdict["seconds"].items())
    if "replayed" in verdict:
        replayed = verdict["replayed"]
        yield "the same verdict as before" if replayed["same"] else "[bold]not the verdict of before[/]"
        yield from (f"otherwise: {escape(text)}" for text in (*replayed["differences"], *replayed["changed"]))


def bench(document: Document) -> Iterator[RenderableType]:
    """The verdict of the clock, then every subject's time."""
    yield f"{styled(document['label'])} {escape(document['reason'])}"
    rows = timings.rows(document["timings"].values())
    shown = set(figures.columns(rows))
    yield rows_of(None, rows, [name for name in timings.COLUMNS if name in shown])
    yield from (f"{escape(name)} did not run: {escape(why)}" for name, why in document["failures"].items())


def search(document: Document) -> Iterator[RenderableType]:
    """Hits with their place, why they were found, and the beginning of their text."""
    if document["note"]:
        yield f"[yellow]note[/]: {escape(str(document['note']))}"
    if document["asked_as"] != "words":
        yield f"read as {document['asked_as']}: {escape(_short(document['query'], 100))}"
    if not document["results"]:
        yield "Nothing found; try other words, or drop --arch and --vendor."
    for rank, hit in enumerate(document["results"], start=1):
        name, score = escape(str(hit["title"])), figures.number(hit["score"])
        yield f"{rank}. [bold]{name}[/]  {score}  {escape(str(hit['id']))}"
        yield f"   [dim]{escape(figures.place(hit))}[/]"
        yield f"   [dim]{escape(hit['why'])}[/]"
        yield from (f"   [red]{escape(flag)}[/]" for flag in hit["flags"])
        yield "   " + escape(_short(hit["text"], 240))


def _short(text: str, most: int) -> str:
    """`text` on one line of at most `most` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def ingest(document: Document) -> Iterator[RenderableType]:
    """How many documents came in; what new releases say otherwise; what was odd; what was refused and why."""
    counts = [f"{len(document[name])} {name}" for name in ("added", "changed", "unchanged", "duplicate")]
    yield f"{', '.join(counts)}, {len(document['refused'])} refused"
    for taken in document["documents"]:
        changes = taken["changes"]
        if changes:
            old = f", supersedes {taken['supersedes']}" if taken["supersedes"] else ""
            yield f"[bold]{escape(taken['page_id'])}[/]{escape(old)}: {changes['kept']} sections as before"
            for name in ("added", "changed", "removed"):
                yield from (f"   {name:<8} {escape(section)}" for section in changes[name])
        for flag in taken["flags"]:
            yield f"[yellow]odd[/] {escape(taken['source'])}: {escape(flag)}"
    for repeated in document["repeats"]:
        yield f"[dim]repeats a page[/] {escape(repeated['path'])}: {escape(repeated['reason'])}"
    for refused in document["refused"]:
        yield f"[red]refused[/] {escape(refused['path'])}: {escape(refused['reason'])}"


def library_show(document: Document) -> Iterator[RenderableType]:
    """One document or record: its fields as a table, and the text of a document below."""
    for name, value in document.items():
        told = {key: entry for key, entry in value.items() if key != "body" and entry}
        yield grid(name, ("", ""), [(key, figures.cell(entry)) for key, entry in told.items()])
        if "body" in value:
            yield ""
            yield Text(value["body"])


def specs(document: Document) -> Iterator[RenderableType]:
    """All devices in one table, or one device's sheet: every number beside its sources."""
    if "devices" in document:
        columns = {name: name.removesuffix("_tflops") for name in figures.columns(document["devices"])}
        rows = [[figures.cell(row.get(name)) for name in columns] for row in document["devices"]]
        yield grid(None, list(columns.values()), rows)
        yield "Rates from fp32 on are dense peaks in TFLOPS. One device with its sources: kbgen specs NAME"
        return
    yield f"[bold]{escape(document['name'])}[/] ({document['id']}), compiled for {document['target']}"
    yield grid(None, ("number", "value", "sources"), list(_numbers(document["sheet"])))
    for note in document["sheet"].get("notes", ()):
        yield f"note: {escape(note)}"
    sources = [
        (key, str(item["title"]), str(item.get("url") or "")) for key, item in document["sources"].items()
    ]
    yield grid("sources", ("key", "title", "where"), sources)


def _numbers(sheet: Document) -> Iterator[tuple[str, str, str]]:
    """The sheet's sections, one row per number."""
    for section, entries in sheet.items():
        if isinstance(entries, Mapping):
            sources = ", ".join(entries.get("sources", ()))
            for key, value in entries.items():
                if key not in ("sources", "note", "confidence"):
                    yield f"{section}.{key}", figures.cell(value), sources


def eval_suite(document: Document) -> Iterator[RenderableType]:
    """One line per op and device, why some have no kernel, the levels and the totals."""
    timed = any(row.get("measured_us") for row in document["rows"])
    columns = {**SUITE_COLUMNS, **(SUITE_ON_CARD if timed else {})}
    shown = [{**row, "left_to_torch": len(row.get("left_to_torch", ()))} for row in document["rows"]]
    rows = [[figures.cell(row.get(name)) for name in columns] for row in shown]
    yield grid(None, list(columns.values()), rows)
    for row in document["rows"]:
        if row["reason"]:
            yield f"{escape(row['op'])} on {escape(row['gpu'])}: {escape(row['reason'])}"
    levels = document.get("levels", {})
    if len(levels) > 1:
        each = [
            [name, *(figures.cell(found[key]) for key in LEVEL_COLUMNS)] for name, found in levels.items()
        ]
        yield grid("levels", ("", *LEVEL_COLUMNS.values()), each)
    if families := document.get("families"):
        names = ("rows", "of_copy", "of_matmul")
        each = [[name, *(figures.cell(found[key]) for key in names)] for name, found in families.items()]
        yield grid("families, of what the card was measured to reach", ("", *names), each)
    yield grid("total", ("", ""), [(name, figures.cell(value)) for name, value in document["total"].items()])
    yield f"{document['seconds']} s in all; est/bound is the estimate over the roofline's bound, not a timing"


def eval_judge(document: Document) -> Iterator[RenderableType]:
    """What the judge got wrong, its score per exploit class, and where its time goes."""
    wrong = [row for row in document["rows"] if not row["right"]]
    if wrong:
        yield rows_of("wrong", wrong, ("name", "op", "expected", "got", "detail"))
    yield rows_of("exploit classes, refused for the right cause", document["classes"])
    for row in document["references"]:
        if row["word"] != "passed":
            said = " ".join(str(row[key]) for key in ("word", "cause", "detail") if row[key])
            yield f"{escape(row['op'])}: {escape(said)}"
    yield grid("total", ("", ""), [(name, figures.cell(value)) for name, value in document["total"].items()])
    yield grid(
        "seconds", ("", ""), [(name, figures.cell(value)) for name, value in document["seconds"].items()]
    )
    yield f"isolation: {escape(', '.join(document['layers']))}"


def eval_retrieval(document: Document) -> Iterator[RenderableType]:
    """Every way of searching beside the others, then the last way by style, then what it missed."""
    names = ("queries", "hit_1", "hit_3", "hit_10", "mrr", "ndcg", "wrong_architecture")
    ways = document["scores"]
    rows = [[way, *(figures.cell(scores["all"][name]) for name in names)] for way, scores in ways.items()]
    yield grid(f"{document['split']} split", ("way", *names), rows)
    last = list(ways)[-1]
    styles = {style: score for style, score in ways[last].items() if style != "all"}
    rows = [[style, *(figures.cell(score[name]) for name in names)] for style, score in styles.items()]
    yield grid(f"{last}, by style", ("style", *names), rows)
    for missed in document["missed"]:
        wanted, found = ", ".join(missed["pages"]), ", ".join(missed["found"])
        yield f"missed at 3 ({escape(missed['style'])}): {escape(_short(missed['query'], 80))}"
        yield f"   [dim]wanted {escape(wanted)}; found {escape(found)}[/]"


VIEWS: dict[str, Callable[[Document], Iterator[RenderableType]]] = {
    view.__name__.replace("_", "-"): view
    for view in (
        *(optimize, record, verify, bench, profile, advise, search, ingest, library_show),
        *(specs, devices, calibrate, doctor, eval_suite, eval_judge, eval_retrieval, eval_diagnosis),
        eval_search,
    )
}
