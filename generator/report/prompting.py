"""The command that prints the prompt of an op file, so that any model, or person, can be asked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from . import options
from .session import Command, Session


@click.command(cls=Command)
@options.op_file
@options.gpu
@options.precision
@options.mode
@options.overrides
@click.option("--parent", type=options.PATH, metavar="CANDIDATE.py", help="A kernel file to improve or mend.")
@click.option(
    "--verdict", type=options.PATH, metavar="VERDICT.json",
    help="What `kbgen verify --json` said of the parent; where it failed, the prompt asks to mend it.",
)  # fmt: skip
@click.option("--technique", metavar="ID", help="A technique of the advice to ask for.")
@options.language
@options.prompt_tokens
@click.option("--no-knowledge", is_flag=True, help="Do not ask the knowledge base, to see what it is worth.")
@click.pass_obj
def prompt(
    session: Session, /, op_file: Path, gpu: str, precision: str, mode: Any, overrides: Any,
    parent: Path | None, verdict: Path | None, technique: str | None, language: Any, prompt_tokens: int,
    no_knowledge: bool,
) -> None:  # fmt: skip
    """Print the prompt that a model would be sent for an op file.

    The reply, saved as a file that ends in .md, or the kernel alone as .py, goes into a folder for
    `kbgen optimize OP.py --writer files:DIR`, which judges it like any other candidate."""
    from ..by_hand import Wanted, by_hand

    wanted = Wanted(
        op_file, gpu, precision, mode, dict(overrides), parent, verdict, technique, prompt_tokens, language
    )
    with session.store() as store:
        made = by_hand(wanted, None if no_knowledge else store)
    if session.as_json:
        session.show("prompt", made.to_json())
    else:
        click.echo(made.text)


@click.command("prompts", cls=Command)
@click.argument("places", metavar="OP.py|DIR...", nargs=-1, required=True, type=options.PATH)
@options.gpu
@options.prompt_tokens
@click.pass_context
def eval_prompts(ctx: click.Context, /, places: tuple[Path, ...], gpu: str, prompt_tokens: int) -> None:
    """Measure prompts: whether each keeps its budget, and whether what it cites really stands in it.

    Op files are traced and diagnosed, no kernel is compiled and no model asked. Exits 1 if any prompt is too
    long or cites what it does not show."""
    from ..prompt_eval import measure

    with ctx.obj.store() as store, ctx.obj.progress() as say:
        found = measure(places, gpu, store, budget=prompt_tokens, say=say)
    document = found.to_json()
    if not ctx.obj.as_json:  # every row is for programs; a person is shown what is wrong
        rows = document.pop("rows")
        document["why"] = {row["op"]: row["fault"] for row in rows if row["fault"]} or None
    ctx.obj.show("eval-prompts", document)
    ctx.exit(0 if found.right else 1)


COMMANDS = (prompt,)
