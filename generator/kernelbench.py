"""Lays lessons out as KernelBench does: its folders of problems, and runs of samples that its scripts judge.

    OUT/KernelBench/level100/1_rmsnorm.py                                    the reference, class Model
    OUT/runs/kbgen_nvidia-h200-sxm/level_100_problem_1_sample_0_kernel.py    the kernel, class ModelNew
    OUT/manifest.json, OUT/manifest.jsonl                                    what is there and what is not

Names and numbers follow ScalingIntelligence/KernelBench (`src/kernelbench/dataset.py`,
`scripts/generate_samples.py`, 2026): a problem's id is the number that its file's name begins with.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import KbgenError
from ..kb.lessons import Lesson
from .lesson_row import kernel_file, op_file, sft_row
from .report.files import write_whole

OWN_LEVEL = 100
"""Where ops stand that are none of KernelBench's, whose levels are 1 to 4; others have published up to 8."""


class FolderInUseError(KbgenError):
    """The folder holds something already."""


@dataclass(frozen=True)
class _Problem:
    level: int
    number: int
    name: str

    @property
    def path(self) -> str:
        return f"KernelBench/level{self.level}/{self.name}"


def write_folders(lessons: Sequence[Lesson], out: Path) -> int:
    """Write one reference a problem and one sample a kernel, fastest first; gives the number of samples."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FolderInUseError(f"{out} holds something already; give a folder that is new or empty.")
    samples: Counter[tuple[str, _Problem]] = Counter()
    rows = []
    for lesson, problem in _numbered(lessons):
        run = f"kbgen_{lesson.episode.device_id}"
        sample = samples[run, problem]
        samples[run, problem] += 1
        kernel = f"runs/{run}/level_{problem.level}_problem_{problem.number}_sample_{sample}_kernel.py"
        _write(out / problem.path, op_file(lesson))
        _write(out / kernel, kernel_file(lesson))
        rows.append(_row(lesson, problem, sample, kernel))
    rows.sort(key=lambda row: (row["level"], row["problem_id"], row["kernel_path"]))
    lines = [json.dumps(row, sort_keys=True, ensure_ascii=False) for row in rows]
    _write(out / "manifest.jsonl", "".join(f"{line}\n" for line in lines))
    return len(rows)


def _numbered(lessons: Sequence[Lesson]) -> Iterator[tuple[Lesson, _Problem]]:
    """Lessons with their problems: a task of KernelBench as it stands there has its own number, every other
    op, or the same one with other constants, has the next of our level."""
    taken: dict[tuple[int, int], str] = {}
    known: dict[str, _Problem] = {}
    for lesson in sorted(lessons, key=_fastest_first):
        text = op_file(lesson)
        own = re.fullmatch(r"level(\d+)/((\d+)_.+)", lesson.task.problem)
        place = (int(own[1]), int(own[3])) if own and not lesson.task.constants else None
        if text not in known:
            if own and place and place not in taken:
                known[text] = _Problem(*place, f"{own[2]}.py")
                taken[place] = text
            else:
                number = 1 + sum(one.level == OWN_LEVEL for one in known.values())
                name = re.sub(r"\W", "_", lesson.episode.op_name)
                known[text] = _Problem(OWN_LEVEL, number, f"{number}_{name}.py")
        yield lesson, known[text]


def _fastest_first(lesson: Lesson) -> tuple[str, float, str]:
    gained = lesson.episode.speedup if lesson.measured else None
    return lesson.episode.op_name, -(gained or 0.0), lesson.record


def _row(lesson: Lesson, problem: _Problem, sample: int, kernel: str) -> dict[str, Any]:
    """The fields of KernelBench's published dataset (`code`, `level`, `name`, `problem_id`) and ours."""
    full = sft_row(lesson)
    return {
        "schema": "kbgen/kernelbench/1",
        "level": problem.level,
        "problem_id": problem.number,
        "name": problem.name.removesuffix(".py"),
        "sample_id": sample,
        "code": full["op"].pop("source"),
        "code_path": problem.path,
        "kernel_path": kernel,
        "kernel_sha256": full["kernel"]["sha256"],
        "writer": full["kernel"]["writer"],
        **{name: full[name] for name in ("op", "device", "reward", "provenance")},
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
