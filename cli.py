"""The door for people and scripts: parses, calls a room, hands what comes back to the report."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from pathlib import Path
from typing import Any

import click

from . import __version__
from .generator.report import (
    advising,
    knowledge,
    measuring,
    options,
    prompting,
    recording,
    searching,
    serving,
    suites,
)
from .generator.report.session import Group, Session
from .generator.strategies.choose import DEFAULT, STRATEGIES


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, message="kbgen %(version)s")
def cli() -> None:
    """Writes faster GPU kernels for PyTorch operators, proves them, and remembers what helped."""


@cli.command()
@options.op_file
@options.gpu
@click.option(
    "--writer",
    default="synth",
    show_default=True,
    help="synth, files:DIR, or a model: openai:NAME, anthropic:NAME, ollama:NAME, synth+openai:NAME.",
)
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
@click.option(
    "--strategy",
    type=click.Choice(list(STRATEGIES)),
    default=DEFAULT,
    show_default=True,
    help="How to search: beam looks at more candidates, advised follows the advice word for word.",
)
@click.option("--no-knowledge", is_flag=True, help="Do not ask the knowledge base, to see what it is worth.")
@click.option(
    "--out", type=options.PATH, default="kbgen-out", show_default=True, help="Folder for the results."
)
@click.option(
    "--reference",
    type=options.PATH,
    metavar="REF.py",
    help="OP.py is a kernel file with ModelNew, and REF.py the op that it computes: set the kernel's tiles, "
    "warps and stages for the device. A file that holds Model and ModelNew is its own reference.",
)
@options.asking
@click.pass_obj
def optimize(
    session: Session, /, op_file: Path, reference: Path | None, overrides: Any, budget: float,
    no_knowledge: bool, **asked: Any,
) -> None:  # fmt: skip
    """Write a faster, verified kernel for an op file, with a report and a record."""
    from .generator.loop import Asking, OptimizeRequest
    from .generator.loop import optimize as run
    from .generator.retune.both import holds_both
    from .generator.retune.run import retune

    if reference is None and holds_both(op_file):
        reference = op_file
    request = OptimizeRequest(
        op_path=reference or op_file,
        overrides=dict(overrides),
        budget_s=budget,
        knowledge=not no_knowledge,
        library=session.library,
        asking=Asking(**{one.name: asked.pop(one.name) for one in dataclasses.fields(Asking)}),
        **asked,
    )
    with session.progress() as say:
        result = retune(request, op_file, say) if reference else run(request, say)
    session.show("optimize", result.to_json())


@cli.command()
@click.argument("op_file", metavar="[OP.py]", type=options.PATH, required=False)
@click.argument("candidate", metavar="[CANDIDATE.py]", type=options.PATH, required=False)
@options.gpu
@options.precision
@options.mode
@options.overrides
@click.option(
    "--allow",
    "allowed_calls",
    metavar="CALL",
    multiple=True,
    help="A torch call that may stay, such as torch.nn.functional.linear; may be repeated.",
)
@click.option(
    "--replay", type=options.PATH, metavar="VERDICT.json", help="Judge again what a verdict was about."
)
@click.pass_obj
def verify(
    session: Session,
    /,
    op_file: Path | None,
    candidate: Path | None,
    replay: Path | None,
    gpu: str,
    **asked: Any,
) -> None:
    """Judge any kernel file that defines ModelNew. Exits 0 whatever the verdict; scripts read --json."""
    from .generator.verify.judge import verify as judge
    from .generator.verify.replay import replay as judge_again
    from .profiling.device import DeviceError, detect
    from .profiling.op import load_op

    if replay is None and (op_file is None or candidate is None):
        raise click.UsageError("give OP.py and CANDIDATE.py, or --replay VERDICT.json")
    if replay is not None and op_file is not None:
        raise click.UsageError("--replay takes its files from the verdict; leave OP.py and CANDIDATE.py out")
    with tempfile.TemporaryDirectory(prefix="kbgen-") as scratch:
        if replay is not None:
            session.show("verify", judge_again(replay, Path(scratch)).to_json())
            return
        assert op_file is not None
        assert candidate is not None
        op, device = load_op(op_file, dict(asked.pop("overrides"))), None
        if gpu != "auto":
            device = detect(gpu)
        else:
            with contextlib.suppress(
                DeviceError
            ):  # no card here: the interpreter judges for none in particular
                device = detect(gpu)
        verdict = judge(
            candidate, op, device.spec if device else None,
            scratch=Path(scratch), live=bool(device and device.live), **asked,
        )  # fmt: skip
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
    """Judge a kernel file, then time it against eager, compile and compile max-autotune. Needs the card."""
    from .generator.trial import trial
    from .profiling.device import detect
    from .profiling.op import load_op
    from .profiling.source import read_source
    from .profiling.trace import trace

    read_source(candidate, "class ModelNew").tree()
    device, op = detect(gpu), load_op(op_file, dict(overrides))
    with tempfile.TemporaryDirectory(prefix="kbgen-") as scratch:
        tried = trial(candidate, op, device, trace(op, mode), scratch=Path(scratch), precision=precision)
    session.show("bench", tried.to_json())


for command in (
    *measuring.COMMANDS,
    *advising.COMMANDS,
    *prompting.COMMANDS,
    *recording.COMMANDS,
    *knowledge.COMMANDS,
    *serving.COMMANDS,
):
    cli.add_command(command)


@cli.group("eval")
def evaluate() -> None:
    """Measured quality."""


evaluate.add_command(knowledge.eval_retrieval)
evaluate.add_command(measuring.eval_diagnosis)
evaluate.add_command(knowledge.eval_scale)
evaluate.add_command(knowledge.eval_advice)
evaluate.add_command(serving.eval_mcp)
evaluate.add_command(prompting.eval_prompts)
evaluate.add_command(suites.suite)
evaluate.add_command(searching.eval_search)


@evaluate.command("judge")
@click.option(
    "--cheats", type=options.PATH, help="Folder of candidates to refuse; default: the project's own."
)
@click.option("--honest", type=options.PATH, help="Folder of candidates to pass; default: the project's own.")
@click.option("--ops", type=options.PATH, help="Folder of the op files that their headers name.")
@click.option("--references", type=options.PATH, help="Folder of op files; each is judged against itself.")
@click.option(
    "--jobs", type=click.IntRange(1), metavar="N", default=1, show_default=True,
    help="Judgements at once; each has cores of its own, and its seconds, where there are two for each.",
)  # fmt: skip
@click.pass_context
def judge_(
    ctx: click.Context, /, cheats: Path | None, honest: Path | None, ops: Path | None,
    references: Path | None, jobs: int,
) -> None:  # fmt: skip
    """Measure the judge: cheats refused for the right cause, honest kernels passed. Exits 1 if any is not."""
    from .generator.judge_eval import evaluate_judge, folders

    with ctx.obj.progress() as say:
        asked = folders(cheats, honest, ops)
        result = evaluate_judge(*asked, references=references, jobs=jobs, on_event=say)
    ctx.obj.show("eval-judge", result.to_json())
    ctx.exit(0 if result.right else 1)


def main() -> None:
    """The entry point of the installed `kbgen`."""
    cli(prog_name="kbgen")


if __name__ == "__main__":
    main()
