"""The command that compares search strategies, with the knowledge base and without."""

from __future__ import annotations

from pathlib import Path

import click

from . import options
from .session import Command, Session


@click.command("search", cls=Command)
@click.argument("folders", metavar="[DIR...]", type=options.PATH, nargs=-1)
@click.option(
    "--gpu", "gpus", multiple=True, default=("h100", "mi300x"), show_default=True, help="May be repeated."
)
@click.option(
    "--seeds", type=click.IntRange(2), default=12, show_default=True, metavar="N",
    help="Simulated devices of each name, where the card is not here.",
)  # fmt: skip
@click.pass_obj
def eval_search(session: Session, /, folders: tuple[Path, ...], gpus: tuple[str, ...], seeds: int) -> None:
    """Compare search strategies: how many candidates until one is within 5 % of the best there is.

    Every candidate that the techniques lead to is compiled, then timed by the card's clock where the card is
    here, else on simulated devices, whose time model is not the one that steers the search: such times
    compare searches and are no measurement of any kernel."""
    from ..search_eval.evaluate import evaluate_search, own_folders

    with session.store() as store, session.progress() as say:
        result = evaluate_search(folders or own_folders(), gpus, store, seeds=seeds, on_event=say)
    document = result.to_json()
    if not session.as_json:  # a row a search is for programs
        document = {name: value for name, value in document.items() if name != "cells"}
    session.show("eval-search", document)
