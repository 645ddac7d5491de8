"""What the judge hands to the candidate's process and what comes back, as files in the scratch folder.

Tensors go over as one `torch.save` file, which the child deletes before it loads the candidate; expected
outputs are never among them. What comes back is read with `weights_only=True`: the child may have been taken
over.

Each call also leaves a file of its own as soon as it is over, so that the judge may end a judgement whose
outcome is known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from ....profiling.build import Input
from ....profiling.sandbox import NO_CARD
from ..interpreter.phantom import Rising
from .layout import Layout

CHILD, CARD_CHILD = f"{__package__}.child", f"{__package__}.card_child"
"""The modules that a candidate is run by."""

CHILD_ENV = {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1", **NO_CARD}
"""Variables of the candidate's process, which stand before it imports anything."""

REQUEST_FILE, RESULT_FILE, PROGRESS_FILE = "request.pt", "outputs.pt", "progress"
OTHER_PROGRESS_FILE = f"{PROGRESS_FILE}_of_the_other"
ENOUGH_FILE = "enough"
"""Made by the judge: the child makes no further call."""


@dataclass(frozen=True)
class Shape:
    """One set of sizes: the candidate file written for it, how ModelNew is built there, how many units the
    card has, where they are fewer than the target's, and how long the axis is that it stretches, if any
    (`pace.EVERY` where it stretches all)."""

    name: str
    file: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    seed: int
    units: int | None = None
    axis: int = 0


Form = tuple[tuple[int, ...], tuple[int, ...], torch.dtype, int | Rising | None]
"""Shape, strides and dtype of a tensor that nobody makes, and the highest index in it where that is known."""


@dataclass(frozen=True)
class FullSize:
    """The op as it is shipped: the candidate file for it, how ModelNew is built, the forms of its inputs.

    `tiles` are calls for conditions that it meets alone, or that calls of the shapes `asked` of values do not
    meet as it does: the first `natural` of them at sizes that are whole tiles where its own are, and others
    at shapes of the plan. `beside` is the op with its largest size one less, which is a multiple of
    nothing, and `beyond` with larger ones, by what is larger; where full size is `judged` itself, nothing
    else is walked.
    """

    file: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    seed: int
    inputs: list[Form | Input]
    tiles: tuple[Step, ...] = ()
    natural: int = 0
    asked: tuple[int, ...] = ()
    beside: FullSize | None = None
    beyond: Mapping[str, FullSize] = field(default_factory=dict)
    judged: bool = False


@dataclass(frozen=True)
class Step:
    """One call. `again` repeats it on the same pointers; `ghost` runs it with every kernel left out; `moved`
    puts the inputs at new addresses; `late` lets the instance age by many calls first, and has gradients on;
    `flipped` makes it in the other module mode, training or not."""

    shape: int
    layout: Layout
    inputs: list[Input]
    state: dict[str, torch.Tensor]
    again: bool = False
    ghost: bool = False
    optional: bool = False
    moved: bool = False
    late: bool = False
    flipped: bool = False


@dataclass(frozen=True)
class StepReport:
    """What the child saw during one call; tensors travel beside it, keyed by the step's number.

    `unsettled` are paths to what the candidate keeps and this call has changed, though not the first at its
    shape. `forced` tells which conditions were made to come out as they do at full size; `tiles` is the
    place of the call among `FullSize.tiles`, None for one of the plan's, and `repeats` the number of the one
    that it repeats, if not the one that is usually; `off`: tensors said that they lie
    on a CPU. `rounded`: numbers were brought to
    a type or a mode of fewer bits, or reckoned with as bits. `products` is the arithmetic of
    `tl.dot` and of multiplications, in operations, a multiply-add being two. `seconds` went by,
    `effort_s` is what it took as `Effort` counts.
    """

    status: str  # "ok", "raised" or "skipped"
    error: str = ""
    in_kernel: bool = False
    tree: str = ""
    odd_outputs: tuple[str, ...] = ()
    strides: tuple[tuple[int, ...], ...] = ()
    aliases: tuple[tuple[int, int], ...] = ()
    overlaps: tuple[tuple[int, int], ...] = ()  # pairs of outputs
    held_earlier: bool = False
    left_running: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    again_equal: bool | None = None
    launches: tuple[str, ...] = ()
    configurations: Mapping[str, str] = field(default_factory=dict)
    dot_precisions: tuple[str, ...] = ()
    products: int = 0
    compute: Mapping[str, int] = field(default_factory=dict)
    copies: Mapping[str, int] = field(default_factory=dict)
    violations: tuple[tuple[str, str], ...] = ()
    loads_without_other: int = 0
    rounded: bool = False
    unsettled: tuple[str, ...] = ()
    forced: str = ""
    tiles: int | None = None
    repeats: int | None = None
    off: bool = False
    traffic: Mapping[str, tuple[int, int, int, int]] = field(default_factory=dict)
    seconds: float = 0.0
    effort_s: float = 0.0


def write_request(folder: Path, shapes: list[Shape], steps: list[Step], full: FullSize | None) -> None:
    held = {"shapes": [vars(shape) for shape in shapes], "steps": [vars(step) for step in steps]}
    torch.save({**held, "full": vars(full) if full else None}, folder / REQUEST_FILE)


def take_request(folder: Path) -> tuple[list[Shape], list[Step], FullSize | None]:
    """Read the request once and delete it, so that nothing imported later finds the inputs to come."""
    path = folder / REQUEST_FILE
    held = torch.load(path, weights_only=False)
    path.unlink()
    full = FullSize(**held["full"]) if held["full"] else None
    return [Shape(**shape) for shape in held["shapes"]], [Step(**step) for step in held["steps"]], full


def report_json(report: StepReport) -> dict[str, Any]:
    return asdict(report)


def read_report(document: Mapping[str, Any]) -> StepReport:
    tuples = ("odd_outputs", "left_running", "changed", "launches", "dot_precisions", "unsettled")
    nested = ("aliases", "overlaps", "violations", "strides")
    values = dict(document)
    values.update({name: tuple(values[name]) for name in tuples})
    values.update({name: tuple(tuple(inner) for inner in values[name]) for name in nested})
    values["traffic"] = {name: tuple(bytes_) for name, bytes_ in values["traffic"].items()}
    return StepReport(**values)


def write_call(folder: Path, number: int, report: StepReport, tensors: Mapping[str, Any]) -> None:
    """Whole or not at all: whoever finds the file can read it."""
    part = folder / f"call_{number}.part"
    torch.save({"report": json.dumps(report_json(report)), "tensors": dict(tensors)}, part)
    part.rename(part.with_suffix(".pt"))


def read_call(folder: Path, number: int) -> tuple[StepReport, dict[str, Any]] | None:
    """The report and the tensors of one call; None as long as it is not over."""
    path = folder / f"call_{number}.pt"
    if not path.is_file():
        return None
    held = torch.load(path, weights_only=True)
    return read_report(json.loads(held["report"])), held["tensors"]


def read_tensors(folder: Path) -> dict[int, dict[str, Any]]:
    """Per step: `outputs`, a list of tensors, and `changed`, a dict of the tensors that the call altered."""
    found: dict[int, dict[str, Any]] = torch.load(folder / RESULT_FILE, weights_only=True)
    return found
