"""The command that remembers a kernel written by somebody else, once the judge has passed it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from . import options
from .session import Command, Session


@click.command(cls=Command)
@options.op_file
@options.candidate_file
@options.gpu
@options.precision
@options.mode
@options.overrides
@click.option(
    "--technique", metavar="ID", help="The one technique that it applies, as `kbgen advise` names it."
)
@click.option(
    "--parent", type=options.PATH, metavar="PARENT.py", help="The kernel file that it was applied to."
)
@click.option("--note", default="", help="What was changed, in a sentence.")
@click.option(
    "--allow", "allowed_calls", metavar="CALL", multiple=True,
    help="A torch call that may stay, such as torch.nn.functional.linear; may be repeated.",
)  # fmt: skip
@click.pass_obj
def record(session: Session, /, op_file: Path, candidate: Path, overrides: Any, **given: Any) -> None:
    """Judge a kernel that you wrote, and remember it if it passes.

    It is compiled for the device and judged like any other, and timed where the card is here. What does not
    pass changes nothing in the library. Exits 0 whatever the verdict; scripts read "recorded" of --json."""
    from ..submission import Submission, submit

    submission = Submission(op_file, candidate, overrides=dict(overrides), library=session.library, **given)
    with session.progress() as say:
        result = submit(submission, say)
    session.show("record", result.to_json())


COMMANDS: tuple[click.Command, ...] = (record,)
