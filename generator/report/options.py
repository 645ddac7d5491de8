"""The arguments and options that several commands share, and the values they take."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

PATH = click.Path(path_type=Path)
SECONDS = {"s": 1, "m": 60, "h": 3600}


def assignment(text: str) -> tuple[str, Any]:
    """NAME=VALUE with a Python literal as value."""
    name, _, value = text.partition("=")
    try:
        literal = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        literal = None
    if literal is None or not name.isidentifier():
        raise click.BadParameter(f"{text!r} is not NAME=VALUE; write for example --set batch_size=8")
    return name, literal


def seconds(text: str) -> float:
    """A time such as 90s, 10m or 1h."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if match is None or float(match[1]) == 0:
        raise click.BadParameter(f"{text!r} is not a time; write for example 90s, 10m or 1h")
    return float(match[1]) * SECONDS[match[2] or "s"]


def is_file(text: str) -> bool:
    """Whether `text` is the path of a file; a query of any length may be asked this."""
    try:
        return Path(text).is_file()
    except OSError:  # a name too long for a path
        return False


op_file = click.argument("op_file", metavar="OP.py", type=PATH)
candidate_file = click.argument("candidate", metavar="CANDIDATE.py", type=PATH)
gpu = click.option(
    "--gpu",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="A device of `kbgen specs`; auto is the card here.",
)
kernel = click.option(
    "--kernel", metavar="REGEX", help="Only kernels whose name this is found in, such as 'softmax|norm'."
)
precision = click.option(
    "--precision",
    type=click.Choice(["fp32", "tf32", "bf16", "fp16"]),
    default="fp32",
    show_default=True,
    help="Error budget: the class of rounding error that is admitted.",
)
mode = click.option(
    "--mode",
    type=click.Choice(["as-is", "train", "eval"]),
    default="as-is",
    show_default=True,
    help="Module mode; as-is calls neither train() nor eval().",
)
overrides = click.option(
    "--set",
    "overrides",
    type=assignment,
    metavar="NAME=VALUE",
    multiple=True,
    help="Override a module-level constant of the op file; may be repeated.",
)
resume = click.option(
    "--resume", is_flag=True, help="Go on with the run that was broken off in --out; pays for nothing twice."
)
drafts = click.option(
    "--drafts", type=click.IntRange(1), default=1, show_default=True, help="First kernels to ask a model for."
)
samples = click.option(
    "--samples", type=click.IntRange(1), default=2, show_default=True,
    help="Answers a round to ask for each of the best kernels.",
)  # fmt: skip
beam = click.option(
    "--beam", type=click.IntRange(1), default=2, show_default=True, help="Best kernels to work on at once."
)
repairs = click.option(
    "--repairs", type=click.IntRange(0), default=2, show_default=True,
    help="Times that a refused kernel goes back to the model with the complaint.",
)  # fmt: skip
max_tokens = click.option(
    "--max-tokens", type=click.IntRange(1), help="Tokens that all prompts and answers may take together."
)
max_cost = click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    help="Money that they may; needs prices in models.yaml.",
)
prompt_tokens = click.option(
    "--prompt-tokens",
    type=click.IntRange(1000),
    default=16_000,
    show_default=True,
    help="Tokens that a prompt may have; the most telling evidence is chosen within them.",
)
language = click.option(
    "--language", type=click.Choice(["triton", "cuda"]), default="triton", show_default=True,
    help="What a model is asked to write in; CUDA C++ is judged on the card alone.",
)  # fmt: skip
ASKING = (drafts, samples, beam, repairs, language, prompt_tokens, max_tokens, max_cost, resume)
"""How a writer that answers is asked; the names are those of `job.Asking`."""


def asking(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds these options, in their order."""
    for option in reversed(ASKING):
        command = option(command)
    return command
