"""The command that advises: on the kernels of a profiler's report, on a saved profile, or on an op file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import options
from .session import Command, Session

if TYPE_CHECKING:
    from ...kb.library import Library


@click.command(cls=Command)
@click.argument("subject", metavar="REPORT|OP.py", type=options.PATH)
@options.gpu
@options.kernel
@click.option(
    "--out",
    type=options.PATH,
    metavar="FILE",
    help="Write the advice as a page as well: FILE.html with its plots, or FILE.md.",
)
@options.mode
@options.overrides
@click.pass_obj
def advise(
    session: Session,
    /,
    subject: Path,
    gpu: str,
    kernel: str | None,
    out: Path | None,
    mode: Any,
    overrides: Any,
) -> None:
    """Diagnose each kernel of a profile and rank cited techniques for it.

    REPORT is a .ncu-rep file, CSV or text of Nsight Compute, CSV of rocprofv3, its .db file, a folder of
    rocprof-compute, or what `kbgen profile --out` saved. No card is needed. Its device is the report's own
    unless --gpu names one; for OP.py, auto is the card here."""
    from . import advice_files

    write = advice_files.writer(out)
    with session.store() as store:
        if subject.suffix == ".py":
            document = _on_op(subject, gpu, mode, overrides, store)
        else:
            document = _on_report(subject, gpu, kernel, store)
    if write is not None:
        document = {**document, "page": str(write(document))}
    session.show("advise", document)


def _on_report(path: Path, gpu: str, kernel: str | None, store: Library) -> dict[str, Any]:
    from ...hardware_specs.spec import find_spec
    from ...profiling.counters.read import read_profile
    from ...retrieval.kernels import advise_report
    from .advice_document import report_advice
    from .saved_profile import is_saved, read_saved

    asked = None if gpu.strip().lower() == "auto" else gpu
    if not is_saved(path):
        report = read_profile(path, find_spec(asked) if asked else None)
    else:
        saved = read_saved(path)
        asked = asked or saved.device
        if saved.counters is None:
            return _on_diagnosis(saved, asked, store)
        report = saved.counters
    return report_advice(path.name, report, advise_report(report, store, gpu=asked, kernel=kernel))


def _on_diagnosis(saved: Any, gpu: str | None, store: Library) -> dict[str, Any]:
    """A saved profile without counters: what it found of the op as a whole."""
    from ...hardware_specs.spec import find_spec
    from ...profiling.counters.whose_device import NoDeviceError
    from ...retrieval.advise import Adviser
    from ...retrieval.query import ask_of_kernel
    from .advice_document import op_advice

    if gpu is None:
        raise NoDeviceError(f"{saved.name}: the profile names no device; name one with --gpu.")
    spec = find_spec(gpu)
    advice = Adviser(store).answer(ask_of_kernel(saved.diagnosis, saved.family, spec), spec)
    return op_advice(saved.name, saved.family or "unknown", saved.diagnosis, advice, advice.reading, spec)


def _on_op(path: Path, gpu: str, mode: Any, overrides: Any, store: Library) -> dict[str, Any]:
    from ...profiling.classify import diagnose_op
    from ...profiling.device import detect
    from ...profiling.facts import eager_facts, graph_facts
    from ...profiling.op import load_op
    from ...profiling.trace import trace
    from ...retrieval.advise import advise as ask
    from ...retrieval.kernels import bounded
    from ..writers.choose import choose_writer
    from ..writers.synth.transforms.inherent import INHERENT
    from .advice_document import op_advice

    spec = detect(gpu).roof
    traced = trace(load_op(path, dict(overrides)), mode)
    diagnosis = diagnose_op(traced, spec)
    advice = ask(diagnosis, traced, spec, store, (*choose_writer("synth").transforms, *INHERENT))
    facts = graph_facts(traced, spec) | eager_facts(traced, spec)
    steps = bounded((*advice.steps, *advice.reading), facts)
    return op_advice(traced.op.name, traced.family, diagnosis, advice, steps, spec)


COMMANDS: tuple[click.Command, ...] = (advise,)
