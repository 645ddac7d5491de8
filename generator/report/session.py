"""What every command shares: its four options, where its data goes, how its errors are told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import KbgenError

if TYPE_CHECKING:
    from ...kb.library import Library
    from .bar import Count
    from .progress import Say


@dataclass(frozen=True)
class Session:
    """One run of one command; `library` is None for the user's own."""

    as_json: bool
    library: Path | None
    quiet: bool
    debug: bool

    def show(self, command: str, document: Mapping[str, Any]) -> None:
        """Data on standard output: one JSON document, or tables for a person."""
        from . import json_report

        if self.as_json:
            click.echo(json_report.dumps(command, document))
        else:
            from . import terminal

            terminal.show(command, json_report.plain(document))

    def store(self) -> Library:
        """The library, open; to be closed by `with`."""
        from ...kb.library import Library

        return Library.open(self.library)

    @contextmanager
    def bar(self, what: str) -> Iterator[Count]:
        """A function that shows on standard error how far `what` is."""
        from .bar import bar

        with bar(what, self.quiet) as count:
            yield count

    @contextmanager
    def progress(self) -> Iterator[Say]:
        """A function that shows the events of a long command on standard error."""
        from .progress import progress

        with progress(self.quiet) as say:
            yield say


LIBRARY = "Library folder, or http://host:port of a Chroma server; default: the user's data folder."


class Command(click.Command):
    """Adds the options of every command, and turns an error into one sentence and exit code 1."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        folder = click.Path(file_okay=False, path_type=Path)
        self.params += [
            click.Option(["--json", "as_json"], is_flag=True, help="One JSON document on standard output."),
            click.Option(["--library"], type=folder, metavar="DIR|URL", help=LIBRARY),
            click.Option(["--quiet"], is_flag=True, help="No progress on standard error."),
            click.Option(["--debug"], is_flag=True, help="A traceback with every error."),
        ]

    def invoke(self, ctx: click.Context) -> Any:
        shared = {name: ctx.params.pop(name) for name in ("as_json", "library", "quiet", "debug")}
        session = ctx.obj = Session(**shared)
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if session.debug:
                raise
            click.echo(f"kbgen: {_sentence(error)}", err=True)
            ctx.exit(1)


class Group(click.Group):
    """A group whose members are such commands."""

    command_class = Command
    group_class = type


def _sentence(error: Exception) -> str:
    if isinstance(error, KbgenError):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; check the path, its permissions and the free space."
    message = (str(error).strip().splitlines() or ["no message"])[0]
    return f"unexpected {type(error).__name__}: {message}; run again with --debug to see where."
