"""The door for people and scripts: parses, calls a room, hands what comes back to the report."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from . import __version__
from .generator.report import care, options
from .generator.report.session import Command, Group, Session


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, message="kbgen %(version)s")
def cli() -> None:
    """Writes faster GPU kernels for PyTorch operators, proves them, and remembers what helped."""


@cli.command()
@options.op_file
@options.gpu
@click.option("--writer", default="synth", show_default=True, help="Who writes the candidates.")
@options.precision
@options.mode
@options.overrides
@click.option(
    "--budget",
    type=options.seconds,
    metavar="TIME",
    default="10m",
    show_default=True,
    help="When to stop with the best so far, such as 90s or 1h.",
)
@click.option("--max-candidates", type=click.IntRange(1), help="Judge no more than this many candidates.")
@click.option("--no-knowledge", is_flag=True, help="Do not ask the knowledge base, to see what it is worth.")
@click.option(
    "--out", type=options.PATH, default="kbgen-out", show_default=True, help="Folder for the results."
)
@click.pass_obj
def optimize(
    session: Session, /, op_file: Path, overrides: Any, budget: float, no_knowledge: bool, **asked: Any
) -> None:
    """Write a faster, verified kernel for an op file, with a report and a record."""
    from .generator.loop import OptimizeRequest
    from .generator.loop import optimize as run

    request = OptimizeRequest(
        op_path=op_file,
        overrides=dict(overrides),
        budget_s=budget,
        knowledge=not no_knowledge,
        library=session.library,
        **asked,
    )
    with session.progress() as say:
        result = run(request, say)
    session.show("optimize", result.to_json())


@cli.command()
@options.op_file
@options.candidate_file
@options.gpu
@options.precision
@options.mode
@options.overrides
@click.pass_obj
def verify(
    session: Session, /, op_file: Path, candidate: Path, gpu: str, precision: Any, mode: Any, overrides: Any
) -> None:
    """Judge any kernel file that defines ModelNew. Exits 0 whatever the verdict; scripts read --json."""
    from .generator.verify.judge import verify as judge
    from .hardware_specs.spec import find_spec
    from .profiling.op import load_op

    op = load_op(op_file, dict(overrides))
    spec = None if gpu == "auto" else find_spec(gpu)
    with tempfile.TemporaryDirectory(prefix="kbgen-") as scratch:
        verdict = judge(candidate, op, spec, precision=precision, mode=mode, scratch=Path(scratch))
    session.show("verify", verdict.to_json())


@cli.command()
@options.op_file
@options.candidate_file
@options.gpu
@options.precision
@options.mode
@options.overrides
@click.pass_obj
def bench(
    session: Session, /, op_file: Path, candidate: Path, gpu: str, precision: str, mode: Any, overrides: Any
) -> None:
    """Time a kernel file against eager, compile and compile max-autotune. Needs the card."""
    from .generator.benchmark import benchmark
    from .profiling.device import detect
    from .profiling.op import load_op
    from .profiling.source import read_source
    from .profiling.trace import trace

    read_source(candidate, "class ModelNew").tree()
    device, op = detect(gpu), load_op(op_file, dict(overrides))
    with tempfile.TemporaryDirectory(prefix="kbgen-") as scratch:
        taken = benchmark(candidate, op, device, trace(op, mode), scratch=Path(scratch), precision=precision)
    session.show("bench", taken.to_json())


@cli.command()
@options.op_file
@click.argument("candidate", metavar="[CANDIDATE.py]", type=options.PATH, required=False)
@options.gpu
@options.mode
@options.overrides
@click.pass_obj
def profile(
    session: Session, /, op_file: Path, candidate: Path | None, gpu: str, mode: Any, overrides: Any
) -> None:
    """Say what an op or a kernel file takes on a device, and what holds it back."""
    from .generator.report.documents import profile_document
    from .profiling.classify import classify, diagnose_op
    from .profiling.device import detect
    from .profiling.op import load_op
    from .profiling.profile import Profile
    from .profiling.source import read_source
    from .profiling.static import inspect
    from .profiling.trace import trace

    op, spec = load_op(op_file, dict(overrides)), detect(gpu).spec
    traced = trace(op, mode)
    if candidate is None:
        session.show("profile", profile_document(Profile(traced, spec), diagnose_op(traced, spec)))
        return
    read_source(candidate, "class ModelNew").tree()
    with tempfile.TemporaryDirectory(prefix="kbgen-") as scratch:
        found = Profile(traced, spec, inspect(candidate, op, spec, Path(scratch)))
    session.show("profile", profile_document(found, classify(found)))


@cli.command()
@options.op_file
@options.gpu
@options.mode
@options.overrides
@click.pass_obj
def advise(session: Session, /, op_file: Path, gpu: str, mode: Any, overrides: Any) -> None:
    """Diagnose an op on a device and rank cited techniques for it."""
    from .generator.report.documents import advise_document
    from .generator.writers.choose import choose_writer
    from .generator.writers.synth.transforms.inherent import INHERENT
    from .profiling.classify import diagnose_op
    from .profiling.device import detect
    from .profiling.op import load_op
    from .profiling.trace import trace
    from .retrieval.advise import advise as ask

    writer = choose_writer("synth")
    spec = detect(gpu).spec
    traced = trace(load_op(op_file, dict(overrides)), mode)
    diagnosis = diagnose_op(traced, spec)
    with session.store() as store:
        advice = ask(diagnosis, traced, spec, store, (*writer.transforms, *INHERENT))
    session.show("advise", advise_document(traced.op.name, diagnosis, advice))


@cli.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--arch", help="Only passages that hold for this compiler target, such as sm_90 or gfx942.")
@click.option("--vendor", type=click.Choice(["nvidia", "amd"]), help="Only passages for this vendor.")
@click.option("--kind", help="Only passages of this kind, such as technique or architecture.")
@click.option("-k", "count", type=click.IntRange(1, 100), default=5, show_default=True, help="How many.")
@click.pass_obj
def search(session: Session, /, query: tuple[str, ...], count: int, **boundaries: Any) -> None:
    """Look into the knowledge base, by words and by meaning."""
    from .generator.report.documents import search_document

    with session.store() as store:
        session.show("search", search_document(store.search(" ".join(query), k=count, **boundaries)))


@cli.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--vendor", type=click.Choice(["nvidia", "amd", "any"]), default="any", help="Whose devices it is about."
)
@click.option("--arch", "archs", multiple=True, help="Compiler target it holds for; may be repeated.")
@click.option("--version", default="", help="Version of the document.")
@click.option("--licence", default="", help="Licence of the document.")
@click.option("--title", default="", help="Title, where its first heading will not do.")
@click.pass_context
def ingest(ctx: click.Context, /, paths: tuple[str, ...], **about: Any) -> None:
    """Add Markdown or text files, or folders of them. Exits 1 if a file was refused; the others are in."""
    from .kb.ingest import About
    from .kb.ingest import ingest as take_in

    with ctx.obj.store() as store:
        taken = take_in(store, paths, About(**about))
    refused = [{"path": path, "reason": reason} for path, reason in taken.refused.items()]
    ctx.obj.show("ingest", {"added": taken.added, "unchanged": taken.unchanged, "refused": refused})
    ctx.exit(1 if refused else 0)


@cli.group()
def library() -> None:
    """Care of the store of documents and records."""


def _care(name: str, act: Callable[..., dict[str, Any]], *params: click.Parameter) -> None:
    """Add `kbgen library NAME`, which shows what `act` does to the library."""

    def run(session: Session, /, **given: Any) -> None:
        with session.store() as store:
            session.show(f"library-{name}", act(store, **given))

    library.add_command(Command(name, callback=click.pass_obj(run), params=[*params], help=act.__doc__))


_care("status", care.status)
_care("list", care.listing, click.Option(["--kind"], help="Only documents of this kind."))
_care("show", care.show, click.Argument(["name"], metavar="ID"))
_care("why", care.why, click.Argument(["name"], metavar="TECHNIQUE"))
_care("verify", care.verify)
_care("rebuild", care.rebuild)
_care("remove", care.remove, click.Argument(["name"], metavar="ID"))


@cli.group("eval")
def evaluate() -> None:
    """Measured quality."""


@evaluate.command()
@click.argument("folder", metavar="DIR", type=options.PATH)
@click.option("--gpu", "gpus", multiple=True, default=("h100",), show_default=True, help="May be repeated.")
@click.option("--no-knowledge", is_flag=True, help="Do not ask the knowledge base, to see what it is worth.")
@click.pass_obj
def suite(session: Session, /, folder: Path, gpus: tuple[str, ...], no_knowledge: bool) -> None:
    """Optimize every op file of a folder and print one line of figures for each."""
    from .generator.suite import run_suite

    with session.progress() as say:
        result = run_suite(folder, gpus, knowledge=not no_knowledge, library=session.library, on_event=say)
    session.show("eval-suite", result.to_json())


@cli.command()
@click.pass_obj
def devices(session: Session, /) -> None:
    """The card in this machine, checked against its specification."""
    from .generator.report.documents import devices_document

    session.show("devices", devices_document())


@cli.command()
@click.argument("name", required=False)
@click.pass_obj
def specs(session: Session, /, name: str | None) -> None:
    """List the devices kbgen knows, or show one with every number and its source."""
    from .generator.report.documents import spec_document, specs_document
    from .hardware_specs.spec import all_specs, find_spec

    session.show("specs", spec_document(find_spec(name)) if name else specs_document(all_specs()))


@cli.command()
@click.pass_obj
def doctor(session: Session, /) -> None:
    """Try what kbgen needs on this machine, and say how to get what is missing."""
    from .generator.report.documents import doctor_document
    from .kb.root import default_root
    from .profiling.doctor import checks

    session.show("doctor", doctor_document(checks(session.library or default_root())))


def main() -> None:
    """The entry point of the installed `kbgen`."""
    cli(prog_name="kbgen")


if __name__ == "__main__":
    main()
