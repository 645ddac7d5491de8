"""Measures how wrong honest kernels of a declared class are, beside impostors, for the room in `budget.py`.

    python -m kbgen.generator.verify.calibration FOLDER_OF_OP_FILES

The honest kernel is the reference with the operands of its matrix products rounded to the class and all else
in float32, as tensor cores have it. Per op and class: `needed`, the multiple of the op's answer to operands
off by the class's roundoff that this kernel needs where the floor is not enough; `error`, its largest error
there; and `weakest`, the impostor nearest to passing, by the largest error that any call shows of it.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from ... import KbgenError
from ...profiling.op import Op, load_op
from .comparison.controls import IMPOSTORS
from .comparison.right import Answer, right_answer
from .reference.budget import ALLOWANCE, FLOORS, ROUNDOFF, SENSITIVITY, UNIT_ROUNDOFF
from .reference.measures import difference
from .stages.cases import plan
from .stages.settings import settings

CLASSES = ("tf32", "fp16", "bf16")
_FAMILIES = {"as shipped", "normal", "shifted normal", "equal rows", "spikes", "near one", "scaled up"}
_LOWER = {"bf16 twin"}  # what the declared class allows is no impostor


@dataclass(frozen=True)
class Row:
    """One op in one class; see above. `impostor` is the weakest one's name."""

    op: str
    precision: str
    needed: float
    error: float
    weakest: float
    impostor: str


def measure(op: Op, seed: int = 0) -> Iterator[Row]:
    """A row per class for an op in float32; none where the reference has no answer."""
    answers = list(_answers(op, seed))
    if not answers or not all(output.dtype.is_floating_point for output in answers[0].eager.outputs):
        return
    weakest, impostor = _weakest(answers)
    for precision in CLASSES:
        needs = [need for answer in answers for need in _needs(answer, precision)]
        needed = max((multiple for multiple, _ in needs), default=0.0)
        yield Row(
            op.name, precision, needed, max((error for _, error in needs), default=0.0), weakest, impostor
        )


def _answers(op: Op, seed: int) -> Iterator[Answer]:
    found = settings(op, "as-is", seed)
    for case in plan(found, seed) if found else ():
        if case.family in _FAMILIES and not case.step.ghost and case.step.layout == "contiguous":
            with contextlib.suppress(Exception):  # a reference may refuse a family; another one will do
                yield right_answer(case, case.step.state)


def _needs(answer: Answer, precision: str) -> Iterator[tuple[float, float]]:
    """Per output that the floor does not hold: the multiple and the error of the honest kernel."""
    case = answer.case
    honest = case.setting.reference.rounded(case.inputs, case.step.state, precision).outputs
    for found, target in zip(honest, answer.targets(), strict=True):
        error, eager = difference(found, target.oracle).worst, difference(target.eager, target.oracle).worst
        shaken = difference(target.shaken, target.oracle).worst
        if error > max(FLOORS[precision], ALLOWANCE * eager, SENSITIVITY * shaken):
            once = shaken * ROUNDOFF[precision] / UNIT_ROUNDOFF
            yield (error / once if once else float("inf")), error


def _weakest(answers: list[Answer]) -> tuple[float, str]:
    """Of all impostors that apply, the smallest of their largest errors."""
    shown: dict[str, float] = {}
    for name, impostor in IMPOSTORS.items():
        for answer in answers:
            outputs = impostor(answer) if name not in _LOWER else None
            if outputs is not None:
                pairs = zip(outputs, answer.oracle.outputs, strict=True)
                worst = max(difference(one.double(), right).worst for one, right in pairs)
                shown[name] = max(shown.get(name, 0.0), worst)
    name = min(shown, key=lambda one: shown[one], default="")
    return shown.get(name, float("inf")), name


def main(folders: list[str]) -> None:
    """Print a row per op and class, and what the constants would have to be."""
    rows: list[Row] = []
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.py")):
        try:
            rows += (found := list(measure(load_op(path))))
        except (KbgenError, RuntimeError, ValueError, TypeError) as error:
            print(f"{path.stem}: left out: {str(error)[:100]}", flush=True)
            continue
        for row in found:
            print(
                f"{row.op[:44]:44} {row.precision}  needed {row.needed:8.3g}  error {row.error:8.2g}  "
                f"weakest {row.weakest:8.2g} {row.impostor}", flush=True,
            )  # fmt: skip
    for precision in CLASSES:
        needed = sorted(row.needed for row in rows if row.precision == precision and row.needed)
        if len(needed) > 1:
            cuts = quantiles(needed, n=20)
            print(
                f"{precision}: {len(needed)} ops beyond the floor; half need {cuts[9]:.2g}, "
                f"19 of 20 {cuts[18]:.2g}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
