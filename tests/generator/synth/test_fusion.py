"""One kernel or two: cut where both parts are estimated to be faster apart, with the reason in the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.writers.synth.fusion import Cut, read_fused
from kbgen.generator.writers.synth.program import Program, read_program, write_program
from kbgen.generator.writers.synth.schedule import start_schedule
from kbgen.generator.writers.synth.splitting import Splitter
from kbgen.generator.writers.synth.writer import Plan, SynthWriter
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.op import load_op
from kbgen.profiling.trace import TracedOp, trace

OPS = Path(__file__).parent / "ops"
WIDE = {"rows": 4096, "width": 4096, "hidden": 8192}
"""32 tiles of columns, for each of which the activation would be computed anew."""

LONG = {"rows": 256, "width": 524288}
"""Rows of 2 MiB, of which no unit holds one and no L2 one for each unit."""


def traced(name: str, sizes: Mapping[str, int]) -> TracedOp:
    return trace(load_op(OPS / f"{name}.py").with_overrides(dict(sizes)))


def fused(name: str, sizes: Mapping[str, int], device: str) -> tuple[Program, tuple[Cut, ...]]:
    return read_fused([traced(name, sizes)], find_spec(device))


@pytest.fixture
def in_bf16(tmp_path: Path) -> Callable[[Mapping[str, int]], TracedOp]:
    """The activated linear map for the matrix units, which leave the activation no time to hide in."""
    source = (OPS / "activated_linear.py").read_text()
    source = source.replace("(width, hidden)\n\n    def", "(width, hidden, dtype=torch.bfloat16)\n\n    def")
    source = source.replace("randn(rows, width) * 3", "randn(rows, width, dtype=torch.bfloat16)")
    path = tmp_path / "activated_linear.py"
    path.write_text(source)
    return lambda sizes: trace(load_op(path).with_overrides(dict(sizes)))


def test_an_activation_before_a_wide_product_is_a_kernel_of_its_own(
    in_bf16: Callable[[Mapping[str, int]], TracedOp],
) -> None:
    """Measured on an H200: 897 us in one kernel, 528 us in two."""
    program, (cut,) = read_fused([in_bf16(WIDE)], find_spec("h200"))
    assert len(program.loops) == 2
    assert cut.at == "linear"
    assert cut.two_us < 0.9 * cut.one_us


@pytest.mark.parametrize("sizes", [{**WIDE, "hidden": 64}, {**WIDE, "rows": 16}])
def test_it_is_fused_where_no_tile_repeats_it(
    sizes: Mapping[str, int], in_bf16: Callable[[Mapping[str, int]], TracedOp]
) -> None:
    program, cuts = read_fused([in_bf16(sizes)], find_spec("h200"))
    assert (len(program.loops), cuts) == (1, ())


def test_a_long_row_of_many_tensors_is_made_once_where_passes_would_repeat_it() -> None:
    program, (cut,) = fused("gated_norm", LONG, "mi300x")
    assert (len(program.loops), cut.at) == (2, "layer_norm")
    assert "for every pass" in cut.why


def test_a_row_that_stays_on_chip_is_one_kernel() -> None:
    program, cuts = fused("gated_norm", {"rows": 8192, "width": 4096}, "mi300x")
    assert (len(program.loops), cuts) == (1, ())


def test_the_file_and_the_choices_say_why(in_bf16: Callable[[Mapping[str, int]], TracedOp]) -> None:
    full = in_bf16(WIDE)
    made = SynthWriter().write(Request(full.op, full, (), find_spec("h200")))
    assert isinstance(made, Candidate)
    header = " ".join(made.source.split('"""')[1].split())
    assert "Two kernels at linear: what stands in a factor would be computed for every tile;" in header
    (choice,) = [c for c in made.choices if c["name"] == "kernels"]
    assert "(estimated)" in choice["why"]
    assert len(made.bytes_per_kernel or ()) == 2


def test_a_complaint_mends_the_kernels_that_it_names(
    in_bf16: Callable[[Mapping[str, int]], TracedOp],
) -> None:
    full = in_bf16(WIDE)
    asked = Request(full.op, full, (), find_spec("h200"))
    made = SynthWriter().write(asked)
    assert isinstance(made, Candidate)
    assert isinstance(made.plan, Plan)
    *_, last = made.plan.schedules
    (name,) = made.plan.kernels[last]
    mended = SynthWriter().write(replace(asked, parent=made, complaint=f"{name} spills 8 bytes a thread"))
    assert isinstance(mended, Candidate)
    assert isinstance(mended.plan, Plan)
    changed = [i for i, schedule in mended.plan.schedules.items() if schedule != made.plan.schedules[i]]
    assert changed == [last]


@pytest.mark.parametrize("name", ["activated_linear", "gated_norm"])
def test_both_parts_compute_what_the_whole_does(
    name: str, interpret: Callable[[str, Mapping[str, str]], dict[str, dict[str, Any]]]
) -> None:
    small, larger = traced(name, {}), traced(name, {"rows": 8, "width": 44})
    whole = read_program([small, larger])
    (loops,) = whole.loops.values()
    splitter = Splitter(whole.traces, {})
    members = splitter.members(loops.region)
    last = max(members, key=lambda node: len(splitter.following(members, node)) == 1)
    pairs = frozenset(frozenset((last.name, other.name)) for other in members - {last})
    program = read_program([small, larger], pairs)
    assert len(program.loops) == 2
    source = write_program(program, {i: start_schedule(x) for i, x in program.loops.items()}, name)
    assert interpret(name, {"apart": source})["apart"]["worst"] < 3e-6


def test_what_follows_and_what_feeds_a_node_alone() -> None:
    program = read_program([traced("gated_norm", {})])
    (loops,) = program.loops.values()
    splitter = Splitter(program.traces, {})
    named = {node.name: node for node in splitter.members(loops.region)}
    members = frozenset(named.values())
    after = {node.name for node in splitter.following(members, named["mul"])}
    assert after == {"mul", "add", "layer_norm"}
    assert {n.name for n in splitter.feeding_only(members, named["mul"])} == {"mish", "tanh"}
