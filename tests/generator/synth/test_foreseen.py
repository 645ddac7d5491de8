"""What is foreseen of kernels before a compiler ran is near what the compiler then finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kbgen.generator.evaluated import compiled, foreseen_us
from kbgen.generator.writers.synth.foreseen import foreseen
from kbgen.generator.writers.synth.program import Program
from kbgen.generator.writers.synth.schedule import Schedule, start_schedule
from kbgen.generator.writers.synth.writer import SynthWriter
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.compile_cache import CompileCache
from kbgen.profiling.op import load_op
from kbgen.profiling.trace import trace

EXAMPLES = Path(__file__).parents[3] / "examples"
SPEC = find_spec("h100")


def test_the_estimate_before_and_after_compiling_agree(tmp_path: Path) -> None:
    op = load_op(EXAMPLES / "rmsnorm.py")
    full = trace(op)
    request = Request(op, full, (), SPEC)
    made = SynthWriter().write(request)
    assert isinstance(made, Candidate)
    found = compiled(made, request, tmp_path, CompileCache())
    before = foreseen_us(made, SPEC)
    assert found.estimate is not None
    assert before is not None
    assert before / found.estimate.total_us == pytest.approx(1.0, abs=0.25)
    assert [k.num_warps for k in made.foreseen] == [k.num_warps for k in found.static.kernels]
    assert [k.blocks for k in made.foreseen] == [k.blocks for k in found.static.kernels]


def test_what_a_schedule_takes_follows_from_it(sized: Callable[..., Program]) -> None:
    """Rows of a norm: more warps leave a thread fewer registers, parts of rows make more programs."""
    (loops,) = sized("layernorm_max", rows=64, width=65536).loops.values()
    walked: Schedule = start_schedule(loops)
    (plain,) = foreseen(loops, walked, SPEC)
    (wide,) = foreseen(loops, replace(walked, num_warps=16), SPEC)
    parts = foreseen(loops, replace(walked, splits=8), SPEC)
    (held,) = foreseen(loops, replace(walked, one_tile=True, block=65536, num_warps=32), SPEC)
    assert plain.blocks == 64
    assert wide.registers < plain.registers < held.registers
    assert len(parts) > 1
    assert {kernel.blocks for kernel in parts} == {512}
    assert held.occupancy.blocks_per_unit == 1


def test_copies_under_way_take_shared_memory_where_a_device_has_them(sized: Callable[..., Program]) -> None:
    (loops,) = sized("layernorm_max", rows=64, width=65536).loops.values()
    staged = replace(start_schedule(loops), num_stages=3)
    assert foreseen(loops, staged, SPEC)[0].shared_bytes > 0
    assert foreseen(loops, staged, find_spec("mi300x"))[0].shared_bytes == 0
