"""Every op of the zoo and every example, read once a worker; candidates run in one kept interpreter."""

from __future__ import annotations

import importlib.util
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kbgen import KbgenError
from kbgen.generator.writers.synth.program import Program, read_program, write_program
from kbgen.generator.writers.synth.schedule import Schedule
from kbgen.generator.writers.synth.space import CannotFuseError
from kbgen.generator.writers.synth.writer import SynthWriter
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.constructors import is_built_in
from kbgen.profiling.op import Op, load_op
from kbgen.profiling.trace import TracedOp, trace

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
REVIEWED = HERE / "reviewed"
"""Ops at full size whose files stand beside those of the examples for review."""

RUN_AS = (
    "plain",
    "steps",
    "fused",
    "peeled",
    "peeled-fused",
    "nested-split",
    "whole-two-rows",
    "persistent",
    "cut",
    "split-fused",
    "h100",
    "mi300x",
)
KEPT = {"head_dim": 2, "channels": 2}
"""Sizes that must stay divisible are multiplied where others are counted up."""


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


variants = _load("variants")


@cache
def _op(path: Path) -> Op:
    return load_op(path)


def _larger(op: Op) -> tuple[TracedOp, ...]:
    """The op at other sizes, so that its sizes are no literals; none where they cannot change."""
    sizes = {k: v for k, v in op.constants.items() if isinstance(v, int) and not is_built_in(k)}
    changed = {k: v * KEPT[k] if k in KEPT else v + 2 for k, v in sizes.items()}
    logging.disable(logging.CRITICAL)
    try:
        return (trace(op.with_overrides(changed)),)
    except KbgenError:
        return ()
    finally:
        logging.disable(logging.NOTSET)


@cache
def _zoo(name: str) -> Program | str:
    op = _op(HERE / "ops" / f"{name}.py")
    try:
        return read_program([trace(op), *_larger(op)])
    except CannotFuseError as refusal:
        return str(refusal)


@cache
def _example(name: str) -> tuple[Op, TracedOp, tuple[TracedOp, ...]]:
    folder = REVIEWED if (REVIEWED / f"{name}.py").exists() else EXAMPLES
    op = _op(folder / f"{name}.py")
    sets = [s.overrides for s in op.shape_sets() if s.fits]
    return op, trace(op), tuple(trace(op.with_overrides(o)) for o in sets)


@cache
def _read_example(name: str) -> Program:
    _, full, smaller = _example(name)
    return read_program([full, *smaller])


@cache
def _candidate(name: str, device: str) -> Candidate:
    """Every transform that applies, in one fixed order."""
    op, full, smaller = _example(name)
    writer, request = SynthWriter(), Request(op, full, smaller, find_spec(device))
    best = writer.write(request)
    assert isinstance(best, Candidate)
    for transform in variants.ORDER:
        step = writer.write(Request(op, full, smaller, request.spec, parent=best, transform=transform))
        best = step if isinstance(step, Candidate) else best
    return best


@pytest.fixture(scope="session")
def zoo() -> Callable[[str], Program | str]:
    """An op of the zoo as a program, or why the whole of it is declined."""
    return _zoo


@pytest.fixture(scope="session")
def example() -> Callable[[str], Program]:
    return _read_example


@pytest.fixture(scope="session")
def candidate() -> Callable[[str, str], Candidate]:
    return _candidate


@pytest.fixture(scope="session")
def sized() -> Callable[..., Program]:
    """An op of the zoo at sizes of one's own."""

    def read(name: str, **sizes: int) -> Program:
        op = _op(HERE / "ops" / f"{name}.py").with_overrides(sizes)
        return read_program([trace(op)])

    return read


@cache
def _written(name: str) -> Mapping[str, str]:
    program = _zoo(name)
    if isinstance(program, str) or not program.loops:
        return {}
    sources: dict[str, str] = {}
    for variant in RUN_AS:
        plans: dict[int, Schedule] = variants.schedules(program, variant)
        source = _source(program, plans)
        if source is not None and source not in sources.values():
            sources[variant] = source
    return sources


@pytest.fixture(scope="session")
def written() -> Callable[[str], Mapping[str, str]]:
    """Sources of an op of the zoo under every schedule, equal ones once; none where nothing is fused."""
    return _written


def _source(program: Program, plans: dict[int, Schedule]) -> str | None:
    try:
        return write_program(program, plans, program.op.name)
    except CannotFuseError:
        return None


@pytest.fixture(scope="session")
def interpret(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str, Mapping[str, str]], dict[str, dict[str, Any]]]]:
    """Runs sources of an op of the zoo in Triton's interpreter, in one kept child: what became of each."""
    folder = tmp_path_factory.mktemp("candidates")
    with subprocess.Popen(
        [sys.executable, str(HERE / "interpreted.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        asked, told = child.stdin, child.stdout

        def run(
            name: str, sources: Mapping[str, str], sizes: Mapping[str, int] = {}, *, truncating: bool = False
        ) -> dict[str, dict[str, Any]]:
            found: dict[str, dict[str, Any]] = {}
            for variant, source in sources.items():
                file = folder / f"{name}.{variant}.py"
                file.write_text(source, encoding="utf-8")
                job = {
                    "op": str(HERE / "ops" / f"{name}.py"), "candidate": str(file),
                    "overrides": dict(sizes), "truncating": truncating,
                }  # fmt: skip
                print(json.dumps(job), file=asked, flush=True)
                found[variant] = json.loads(told.readline())
            return found

        yield run
        asked.close()
