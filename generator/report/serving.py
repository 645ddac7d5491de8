"""The commands that open kbgen to coding agents: the MCP server, its installation, and its figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import KbgenError
from . import options
from .session import Command, Session

if TYPE_CHECKING:
    from ..mcp.calls import Calls

CLIENTS = ("claude", "cursor", "vscode", "codex")


class MissingMcpError(KbgenError):
    """The MCP SDK is not installed."""


class CommandGroup(Command, click.Group):
    """A command of its own that has others below it."""

    command_class = Command


@click.command("mcp", cls=CommandGroup, invoke_without_command=True)
@click.option("--http", is_flag=True, help="Serve HTTP on a loopback address, not standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Loopback address for --http.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8791,
    show_default=True,
    help="For --http; 0: a free one.",
)
@click.option(
    "--out", type=options.PATH, default="kbgen-out", show_default=True, help="Folder for what jobs leave."
)
@click.pass_context
def mcp(ctx: click.Context, /, http: bool, host: str, port: int, out: Path) -> None:
    """Serve coding agents: search, advise, profile, verify, bench, optimize, record as MCP tools.

    A client starts it by itself and speaks to it over standard input and output. With --http it serves this
    machine alone, and only who brings the token: that of the environment variable KBGEN_MCP_TOKEN, or else
    one that is made and printed once. Nothing is written outside the library and --out."""
    if ctx.invoked_subcommand is not None:
        return
    session: Session = ctx.obj
    calls = _calls(session, out)
    if not http:
        from ..mcp.stdio import serve

        serve(calls)
        return
    from ..mcp import http as over_http

    token, made = over_http.token_of_environment()
    listening = over_http.bind(host, port)
    where = {"url": over_http.url_of(listening), "token": token if made else None}
    if session.as_json:
        session.show("mcp", where)
    else:
        click.echo(f"kbgen: serving MCP on {where['url']}", err=True)
        click.echo(f"kbgen: token: {token}" if made else f"kbgen: token: that of {over_http.TOKEN}", err=True)
    over_http.serve(calls, listening, token)


def _calls(session: Session, out: Path) -> Calls:
    """What the tools do, for this library and folder; the SDK is asked for here, in one sentence."""
    try:
        import mcp.types  # noqa: F401
    except ImportError:
        raise MissingMcpError("the MCP SDK is not installed; run: pip install 'kbgen[mcp]'") from None
    from ..mcp.calls import Calls
    from ..mcp.jobs import Jobs
    from ..mcp.reading import Reader

    return Calls(Jobs(out, session.library), Reader(session.library))


@mcp.command("install")
@click.option(
    "--client", type=click.Choice(CLIENTS), default="claude", show_default=True, help="Whose files."
)
@click.option("--print", "only_print", is_flag=True, help="Print the stanza and the guide; write nothing.")
@click.option("--into", type=options.PATH, metavar="DIR", help="The project's folder to write them into.")
@click.option("--replace", is_flag=True, help="Replace settings of kbgen and a guide that are there.")
@click.pass_obj
def install(session: Session, /, client: str, only_print: bool, into: Path | None, replace: bool) -> None:
    """Tell a coding agent's client of the server, and give it the guide as a skill.

    Settings of other servers stay; one of kbgen that is there and differs is refused without --replace."""
    from ..mcp.install import own_command, plan, stanzas, write

    if only_print == (into is not None):
        raise click.UsageError("give --print, or --into with the project's folder")
    command = own_command(session.library)
    about = {"client": client, "command": command}
    if into is None:
        shown = stanzas(client, command)
        if session.as_json:
            files = [{"path": path, "status": "printed", "stanza": text} for path, text in shown.items()]
            session.show("mcp-install", {**about, "files": files})
            return
        for path, text in shown.items():
            click.echo(f"# {path}\n{text.rstrip()}\n")
        return
    planned = plan(client, into, command, replace=replace)
    write(planned)
    files = [
        {"path": str(one.path), "status": "unchanged" if one.unchanged else "written"} for one in planned
    ]
    session.show("mcp-install", {**about, "files": files})


@click.command("mcp", cls=Command)
@options.op_file
@options.gpu
@click.option("--starts", type=click.IntRange(1, 100), default=5, show_default=True, help="Starts to time.")
@click.option("--searches", type=click.IntRange(1, 1000), default=40, show_default=True)
@click.pass_obj
def eval_mcp(session: Session, /, op_file: Path, gpu: str, starts: int, searches: int) -> None:
    """Measure the MCP server: its start, a search, an op optimised through its tools on both transports."""
    from ..mcp.pace import measure

    with session.progress() as say:
        found: Any = measure(op_file, gpu, starts=starts, searches=searches, library=session.library, say=say)
    session.show("eval-mcp", found)


COMMANDS: tuple[click.Command, ...] = (mcp,)
