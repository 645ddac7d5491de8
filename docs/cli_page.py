"""Writes docs/cli.md: the help of every command, as the program itself prints it."""

from collections.abc import Iterator
from pathlib import Path

import click

from kbgen.cli import cli

PAGE = Path(__file__).with_name("cli.md")
WIDTH = 100
INTRODUCTION = """\
# Commands

Written by `make docs` from the program's own help. Exit codes: 0 done (also an honest "no win"), 1 an error
told in one sentence with its cure, 2 wrong usage. Data goes to standard output, progress to standard error.
"""


def contexts(context: click.Context) -> Iterator[click.Context]:
    """A command and everything below it, groups before their members."""
    yield context
    if isinstance(context.command, click.Group):
        for name, member in sorted(context.command.commands.items()):
            yield from contexts(click.Context(member, parent=context, info_name=name))


def page() -> str:
    """The whole page."""
    root = click.Context(
        cli,
        info_name="kbgen",
        **{**cli.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH},
    )
    parts = [INTRODUCTION]
    for context in contexts(root):
        parts.append(f"## {context.command_path}\n\n```\n{context.get_help()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
