"""The commands that measure: profile, devices, specs, calibrate, doctor, and how well diagnosis does."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import options
from .session import Command, Session

if TYPE_CHECKING:
    from ...hardware_specs.device import DeviceSpec


@click.command(cls=Command)
@click.argument("op_file", metavar="[OP.py]", type=options.PATH, required=False)
@click.argument("candidate", metavar="[CANDIDATE.py]", type=options.PATH, required=False)
@click.option(
    "--cmd", "command", metavar="COMMAND", help="Count the kernels of any command, such as 'python train.py'."
)
@options.kernel
@click.option(
    "--level",
    type=click.Choice(["auto", "counters", "static"]),
    default="auto",
    show_default=True,
    help="The best that is to be had; counters or nothing; nothing run on the card.",
)
@click.option("--out", type=options.PATH, metavar="FILE.json", help="Save it, for `kbgen advise FILE.json`.")
@click.option(
    "--skip",
    type=click.IntRange(0),
    metavar="N",
    help="Of a command: launches to pass over, such as warm-up, compiling and autotuning.",
)
@click.option(
    "--count", type=click.IntRange(1), metavar="N", help="Of a command: launches to count; default: 20."
)
@click.option(
    "--nvtx", metavar="NAME", help="Of a command: only in this NVTX range, as torch.cuda.nvtx.range sets it."
)
@click.option(
    "--ranged",
    is_flag=True,
    help="Of a command: only between torch.cuda.profiler.start() and stop().",
)
@click.option("--quick", is_flag=True, help="Of a command: twelve metrics in few passes, not all.")
@options.gpu
@options.mode
@options.overrides
@click.pass_obj
def profile(
    session: Session,
    /,
    op_file: Path | None,
    candidate: Path | None,
    command: str | None,
    kernel: str | None,
    level: Any,
    out: Path | None,
    gpu: str,
    mode: Any,
    overrides: Any,
    **watched: Any,
) -> None:
    """Say what an op, a kernel file or any command takes on a device, and what holds it back.

    With the card and the right to read its counters each kernel is counted; without, it is timed, or compiled
    for the device offline, and the level of evidence says which."""
    if (op_file is None) == (command is None):
        raise click.UsageError("give OP.py, or --cmd with a command that launches kernels")
    asked = {name: value for name, value in watched.items() if value not in (None, False)}
    if asked and command is None:
        raise click.UsageError(
            f"--{', --'.join(asked)}: goes with --cmd; an OP.py is counted in one warm call"
        )
    with tempfile.TemporaryDirectory(prefix="kbgen-") as scratch:
        if command is not None:
            if level == "static":
                raise click.UsageError("--level static compiles an OP.py; a command can only be counted")
            document = _of_command(command, kernel, gpu, Path(scratch), asked)
        else:
            assert op_file is not None
            document = _of_op(op_file, candidate, gpu, mode, overrides, level, Path(scratch))
    if out is not None:
        from . import json_report

        json_report.write(out, "profile", document)
        document = {**document, "saved": out}
    session.show("profile", document)


def _of_op(
    op_file: Path, candidate: Path | None, gpu: str, mode: Any, overrides: Any, level: Any, scratch: Path
) -> dict[str, Any]:
    from ...profiling.device import detect
    from ...profiling.op import load_op
    from ...profiling.source import read_source
    from ...profiling.trace import trace
    from ..gather import gather
    from .profile_document import op_profile

    op, device = load_op(op_file, dict(overrides)), detect(gpu)
    if candidate is not None:
        read_source(candidate, "class ModelNew").tree()
    found = gather(op, candidate, device, trace(op, mode), scratch=scratch, wanted=level)
    return op_profile(found)


def _of_command(
    command: str, kernel: str | None, gpu: str, scratch: Path, asked: dict[str, Any]
) -> dict[str, Any]:
    from ...profiling.counters.collect import collect_command
    from .profile_document import command_profile

    full = not asked.pop("quick", False)
    report = collect_command(shlex.split(command), kernel=kernel, full=full, scratch=scratch, **asked)
    return command_profile(command, report, named(gpu))


def named(gpu: str) -> DeviceSpec | None:
    """The device that was named; None for "auto", which leaves it to what the report says."""
    from ...hardware_specs.spec import find_spec

    return None if gpu.strip().lower() == "auto" else find_spec(gpu)


@click.command(cls=Command)
@click.pass_obj
def devices(session: Session, /) -> None:
    """The cards in this machine, their live facts beside the table and what was measured of them."""
    from .documents import devices_document

    session.show("devices", devices_document())


@click.command(cls=Command)
@click.argument("name", required=False)
@click.pass_obj
def specs(session: Session, /, name: str | None) -> None:
    """List the devices kbgen knows, or show one with every number and its source."""
    from ...hardware_specs.spec import all_specs, find_spec
    from .documents import spec_document, specs_document

    session.show("specs", spec_document(find_spec(name)) if name else specs_document(all_specs()))


@click.command(cls=Command)
@click.pass_obj
def doctor(session: Session, /) -> None:
    """Try what kbgen needs on this machine, and say how to get what is missing."""
    from ...kb.root import default_root
    from ...profiling.doctor import checks
    from .documents import doctor_document

    session.show("doctor", doctor_document(checks(session.library or default_root())))


@click.command(cls=Command)
@click.pass_obj
def calibrate(session: Session, /) -> None:
    """Measure the ceilings of the card here, in a minute, and keep them for its rooflines."""
    from ...profiling.calibrate import calibrate as measure
    from ...profiling.device import detect
    from ..job import Event
    from .documents import calibration_document

    with session.progress() as say:
        found = measure(lambda line: say(Event("calibrate", line)))
    session.show("calibrate", calibration_document(found, detect("auto").spec))


@click.command("diagnosis", cls=Command)
@click.option(
    "--profiles", type=options.PATH, help="Folder of labelled profiles; default: the project's own."
)
@click.pass_obj
def eval_diagnosis(session: Session, /, profiles: Path | None) -> None:
    """Measure diagnosis on labelled profiles: right classes with counters and without, and the confusions."""
    from ..diagnosis_eval import evaluate_diagnosis

    session.show("eval-diagnosis", evaluate_diagnosis(profiles).to_json())


COMMANDS: tuple[click.Command, ...] = (profile, devices, specs, calibrate, doctor)
