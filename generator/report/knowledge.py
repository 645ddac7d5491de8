"""The commands of the knowledge base: search, ingest, and the care of the library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from ...corpus.kinds import KINDS
from ..training_forms import FORMATS, MARGIN
from . import care, options
from .session import Command, Group, Session


@click.command(cls=Command)
@click.argument("query", nargs=-1, required=True)
@click.option("--arch", help="What this target or device can run, such as sm_90, gfx942 or h100.")
@click.option("--vendor", type=click.Choice(["nvidia", "amd"]), help="Only passages for this vendor.")
@click.option("--kind", type=click.Choice(KINDS), help="Only passages of this kind.")
@click.option(
    "--toolchain",
    metavar="'TOOL VERSION'",
    multiple=True,
    help="Leave out what holds for other releases, such as 'triton 3.7'; may be repeated.",
)
@click.option("-k", "count", type=click.IntRange(1, 100), default=5, show_default=True, help="How many.")
@click.pass_obj
def search(session: Session, /, query: tuple[str, ...], count: int, **boundaries: Any) -> None:
    """Look into the knowledge base, by words and by meaning.

    QUERY is words, a metric's name, an error message or code; or a file that holds one of these or the JSON
    of `kbgen profile`; or - for standard input."""
    from ...retrieval.asked import read_query
    from ...retrieval.find import find
    from .documents import search_document

    text = " ".join(query)
    if text == "-":
        text = sys.stdin.read()
    elif len(query) == 1 and options.is_file(text):
        text = read_query(Path(text))
    with session.store() as store:
        session.show("search", search_document(find(store, text, k=count, **boundaries)))


@click.command(cls=Command)
@click.argument("places", metavar="PATH|URL...", nargs=-1, required=True)
@click.option("--vendor", type=click.Choice(["nvidia", "amd", "any"]), help="Whose devices it is about.")
@click.option("--arch", "archs", multiple=True, help="Compiler target it holds for; may be repeated.")
@click.option("--toolchain", multiple=True, metavar="LIMIT", help="What it holds for, such as 'triton>=3.6'.")
@click.option("--version", default="", help="Release of the document.")
@click.option("--licence", default="", help="Licence of the document.")
@click.option("--date", default="", help="Date of the document, such as 2026-01-31.")
@click.option("--title", default="", help="Title, where its first heading will not do.")
@click.pass_context
def ingest(
    ctx: click.Context, /, places: tuple[str, ...], archs: tuple[str, ...], toolchain: Any, **about: Any
) -> None:
    """Add documents: files, folders, web pages, sitemaps. Exits 1 if one was refused; the others are in.

    HTML, PDF, Markdown, reStructuredText, notebooks, plain text and source code are read. What the options
    leave open is inferred. The web is asked politely: robots.txt, one page a second; a broken-off sitemap is
    taken up where it stopped."""
    from ...kb.ingest import About
    from ...kb.ingest import ingest as take_in
    from ...kb.toolchain import parse_limit
    from ...retrieval.gate import boundary
    from .documents import ingest_document

    known = About(
        archs=tuple(boundary(arch).archs[0] for arch in archs),
        toolchain=tuple(map(parse_limit, toolchain)),
        **{name: value or "" for name, value in about.items()},
    )
    with ctx.obj.store() as store:
        with ctx.obj.bar("reading") as count:
            taken = take_in(store, places, known, watch=count)
        with ctx.obj.bar("embedding") as count:
            store.index(count)
    ctx.obj.show("ingest", ingest_document(taken))
    ctx.exit(1 if taken.of("refused") else 0)


@click.group(cls=Group)
def library() -> None:
    """Care of the store of documents and records.

    Plain files are the truth; the index beside them can be derived again at any time. With --library
    http://host:port its vectors lie on a Chroma server, started by `chroma run --path FOLDER --host 127.0.0.1
    --port 8000`, while the files stay in the user's data folder (or KBGEN_LIBRARY).
    """


def _care(name: str, act: Callable[..., dict[str, Any]], *params: click.Parameter, busy: str = "") -> None:
    """Add `kbgen library NAME`, which shows what `act` does to the library; `busy` is what a bar counts."""

    def run(session: Session, /, **given: Any) -> None:
        with session.store() as store, session.bar(busy) as count:
            document = act(store, **given, **({"watch": count} if busy else {}))
        session.show(f"library-{name}", document)

    library.add_command(Command(name, callback=click.pass_obj(run), params=[*params], help=act.__doc__))


_care("status", care.status)
_care(
    "list",
    care.listing,
    click.Option(["--kind"], type=click.Choice(KINDS), help="Only documents of this kind."),
)
_care("show", care.show, click.Argument(["name"], metavar="ID"))
_care("why", care.why, click.Argument(["name"], metavar="TECHNIQUE"))
_care("verify", care.verify)
_care("rebuild", care.rebuild, busy="embedding")
_care("remove", care.remove, click.Argument(["name"], metavar="ID"))
_care(
    "quarantine",
    care.quarantine,
    click.Argument(["name"], metavar="[ID]", required=False),
    click.Option(["--reason"], default="", help="Why, for those who read the list."),
    click.Option(["--release"], is_flag=True, help="Let it be found again."),
)
_care(
    "export",
    care.export,
    click.Argument(["out"], metavar="OUT", type=options.PATH),
    click.Option(
        ["--format", "form"],
        type=click.Choice(["library", *FORMATS]),
        default="library",
        show_default=True,
        help="A zip file of the library; JSON lines to train on, of kernels or pairs; KernelBench's folders.",
    ),
    click.Option(["--ops"], type=options.PATH, help="Folder of op files, for records that hold none."),
    click.Option(["--licence"], default="", help="SPDX licence of op files that state none."),
    click.Option(
        ["--margin"],
        type=click.FloatRange(1.0),
        default=MARGIN,
        show_default=True,
        help="Times faster that a pair's kernel must be.",
    ),
)
_care("import", care.take_in, click.Argument(["file"], metavar="FILE.zip", type=options.PATH))


@click.command("retrieval", cls=Command)
@click.option("--judged", type=options.PATH, help="Tab-separated queries; default: those of the source tree.")
@click.option(
    "--split",
    type=click.Choice(["dev", "test", "held-out", "all"]),
    help="Default: test of the source tree's queries, all of a file named with --judged.",
)
@click.option("--fail-below", type=click.FloatRange(0, 1), help="Exit 1 if hit@3 with filters is lower.")
@click.pass_context
def eval_retrieval(
    ctx: click.Context, /, judged: Path | None, split: str | None, fail_below: float | None
) -> None:
    """Measure search on judged queries: hits, MRR, nDCG by way of searching and style of query.

    Search was tuned on the dev split alone; held-out queries were written apart and before any tuning."""
    from ...retrieval.evaluate import evaluate, judged_here, read_judged

    split = split or ("all" if judged else "test")
    held_out = ("heldout.tsv", "heldout2.tsv", "heldout3.tsv")
    own = {"dev": ("judged.tsv", "dev.tsv"), "held-out": held_out}.get(split, ("judged.tsv",))
    files = [judged] if judged else [judged_here(name) for name in own]
    found_in = [one for file in files for one in read_judged(file)]
    queries = [one for one in found_in if split in (one.split, "all", "held-out")]
    with ctx.obj.store() as store, ctx.obj.bar("asking") as count:
        found = evaluate(store, queries, count)
    document = {"split": split, "mode": found.mode, "note": found.note, "scores": found.scores}
    missed = [
        {"style": one.style, "device": one.device, "query": one.query, "pages": one.pages, "found": ranked}
        for one, ranked in found.missed
    ]
    ctx.obj.show("eval-retrieval", {**document, "missed": missed})
    last = list(found.scores.values())[-1]["all"]
    short = fail_below is not None and last.hit_3 < fail_below
    ctx.exit(1 if short or last.wrong_architecture else 0)


@click.command("scale", cls=Command)
@click.option("--chunks", type=click.IntRange(1000, 2_000_000), default=100_000, show_default=True)
@click.option("--keep", type=options.PATH, help="Make the library here and leave it; default: a passing one.")
@click.pass_obj
def eval_scale(session: Session, /, chunks: int, keep: Path | None) -> None:
    """Measure a library of made-up passages: ingestion, load, search, memory, disk. Takes minutes."""
    from ...kb.scale import measure

    with TemporaryDirectory() as passing, session.bar("embedding") as count:
        session.show("eval-scale", vars(measure(keep or Path(passing) / "library", chunks, count)))


@click.command("advice", cls=Command)
@click.option("--kernels", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.pass_obj
def eval_advice(session: Session, /, kernels: int) -> None:
    """Time advice on a made-up profile of many kernels that differ in what holds them back."""
    from ...retrieval.pace import measure

    with session.store() as store:
        session.show("eval-advice", vars(measure(store, kernels)))


COMMANDS: tuple[click.Command, ...] = (search, ingest, library)
