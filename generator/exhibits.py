"""Reads candidates whose own headers say which op they are for and what the judge must make of them.

A header is the file's docstring: a sentence, then lines such as `op: softmax`, `class: B9 cached result`,
`expected: stale-output`, and where needed `allowed: torch.softmax`, `precision: tf32`, `device: h100` or
`wall_s: 8`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import KbgenError
from ..hardware_specs.spec import find_spec
from ..profiling.op import load_op
from .verify.judge import CHILD_LIMITS, verify
from .verify.verdict import CAUSES, Verdict

PASSED = "passed"
_LINE = re.compile(r"^(op|class|expected|allowed|precision|device|wall_s): (.+)$", re.MULTILINE)


class ExhibitError(KbgenError):
    """A folder or a header that no judgement can start from."""


@dataclass(frozen=True)
class Exhibit:
    """One candidate file; `expected` is "passed" or the cause to be named, `kind` a cheat's exploit class."""

    path: Path
    op_path: Path
    expected: str
    kind: str
    allowed: tuple[str, ...]
    precision: str
    device: str | None
    wall_s: float

    def judge(self, scratch: Path, **more: Any) -> Verdict:
        """The judge's verdict as it would be for anyone; `more` goes to `verify`."""
        spec = find_spec(self.device) if self.device else None
        given = {"precision": self.precision, "allowed_calls": self.allowed, **more}
        limits = replace(CHILD_LIMITS, wall_s=self.wall_s)
        return verify(self.path, load_op(self.op_path), spec, scratch=scratch, limits=limits, **given)


def read_exhibits(folder: Path, ops: Path) -> tuple[Exhibit, ...]:
    """Every `*.py` of `folder` in order of name, for the op files in `ops`; raises ExhibitError."""
    files = sorted(folder.glob("*.py")) if folder.is_dir() else []
    if not files:
        raise ExhibitError(f"{folder} holds no candidate; give a folder of kernel files with headers.")
    return tuple(_read(path, ops) for path in files)


def one_of_each(exhibits: Iterable[Exhibit]) -> tuple[Exhibit, ...]:
    """A cheat of each rule, one of each cause, an honest kernel of each op: the shortest that shows any."""
    seen, found = set[str](), []
    for one in sorted(exhibits, key=_length):
        shown = {one.kind.partition(" ")[0] or one.op_path.stem, one.expected}
        if not shown <= seen:
            found.append(one)
        seen |= shown
    return tuple(found)


def _length(one: Exhibit) -> tuple[int, Path]:
    """Bytes of its text and of its op's, and for equal ones the path."""
    return one.path.stat().st_size + one.op_path.stat().st_size, one.path


def _read(path: Path, ops: Path) -> Exhibit:
    found = dict(_LINE.findall(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""))
    expected = found.get("expected", "")
    if "op" not in found or expected not in (PASSED, *CAUSES):
        raise ExhibitError(
            f"{path} does not say what is expected of it; its docstring needs lines such as "
            f'"op: softmax" and "expected: {PASSED}" or a cause that the judge knows.'
        )
    op_path = ops / f"{found['op']}.py"
    if not op_path.is_file():
        raise ExhibitError(f"{path} is for the op {found['op']}, and there is no {op_path}.")
    return Exhibit(
        path,
        op_path,
        expected,
        kind=found.get("class", ""),
        allowed=tuple(found.get("allowed", "").split()),
        precision=found.get("precision", "fp32"),
        device=found.get("device"),
        wall_s=float(found.get("wall_s", CHILD_LIMITS.wall_s)),
    )
