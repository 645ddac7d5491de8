"""The command that runs suites: many op files through the loop, and on a card through the clock."""

from __future__ import annotations

from pathlib import Path

import click

from . import options
from .session import Command, Session


@click.command("suite", cls=Command)
@click.argument("folders", metavar="DIR...", type=options.PATH, nargs=-1, required=True)
@click.option("--gpu", "gpus", multiple=True, default=("h100",), show_default=True, help="May be repeated.")
@click.option("--no-knowledge", is_flag=True, help="Do not ask the knowledge base, to see what it is worth.")
@click.option(
    "--jobs",
    type=click.IntRange(0),
    metavar="N",
    help="Op files at once, a process each; default: as many as the machine bears. 0: one after another "
    "in this process, for a debugger.",
)
@click.option(
    "--out", type=options.PATH, metavar="DIR",
    help="Keep rows and results here; a run that finds its rows there goes on with them.",
)  # fmt: skip
@click.option(
    "--also", multiple=True, metavar="NAME",
    help="Compile what was found for this device too, with its own schedule; may be repeated.",
)  # fmt: skip
@click.option(
    "--limit", type=options.seconds, metavar="TIME", default="10m", show_default=True,
    help="End an op file's process after this long; its row says so.",
)  # fmt: skip
@click.option(
    "--memory", type=click.FloatRange(0, min_open=True), metavar="GIB", default=8.0, show_default=True,
    help="End an op file's processes where they hold more together.",
)  # fmt: skip
@click.option(
    "--for", "for_s", type=options.seconds, metavar="TIME",
    help="Stop after this long with what is done; --out goes on from there.",
)  # fmt: skip
@click.option(
    "--processes", type=click.IntRange(1), default=3, show_default=True,
    help="Fresh processes that time each kernel on the card.",
)  # fmt: skip
@click.pass_obj
def suite(
    session: Session, /, folders: tuple[Path, ...], gpus: tuple[str, ...], no_knowledge: bool,
    jobs: int | None, out: Path | None, also: tuple[str, ...], limit: float, memory: float,
    for_s: float | None, processes: int,
) -> None:  # fmt: skip
    """Optimize every op file of folders, many at once, and print a line of figures for each, then totals.

    A crash, a hang or too much memory is a row with its reason. Where the card is here, what the judge passed
    is timed against eager, compile and compile max-autotune, each kernel on a card of its own."""
    from ..suite.pool import Bounds
    from ..suite.run import SuitePlan, run_suite

    plan = SuitePlan(
        knowledge=not no_knowledge,
        library=session.library,
        out=out,
        jobs=jobs,
        bounds=Bounds(limit, int(memory * 2**30)),
        also=also,
        for_s=for_s,
        processes=processes,
    )
    with session.progress() as say:
        result = run_suite(folders, gpus, plan, on_event=say)
    session.show("eval-suite", result.to_json())
