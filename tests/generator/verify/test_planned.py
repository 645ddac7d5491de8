"""What calls one judgement makes."""

from pathlib import Path

import torch

from kbgen.generator.verify.inputs.families import HALVES
from kbgen.generator.verify.stages.at_sizes import beside_plan
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.build import seeded
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"


def test_every_kind_of_call_is_planned() -> None:
    cases = plan(settings(load_op(OPS / "layernorm.py"), "as-is", 1), 1)
    names = [case.name for case in cases]
    assert {case.setting.name for case in cases} == {
        "small", "odd", "wide", "tall", "alike", "longer", "short", "one of each", "one past tiles",
        "tiles exactly", "three times WIDTH", "three times ROWS",
    }  # fmt: skip
    layouts = {case.step.layout for case in cases}
    assert layouts == {
        "contiguous", "transposed", "shifted", "expanded", "stepped", "pitched", "turned", "no rows",
    }  # fmt: skip
    assert {"small, as shipped, one element changed", "small, as shipped, moved"} <= set(names)
    assert sum(case.step.ghost for case in cases) == 1
    assert not any(case.step.optional for case in cases if case.step.layout == "transposed")
    assert len(set(names)) == len(names)


def test_sums_of_halves_pass_the_end_of_float16_where_rows_are_longest_too() -> None:
    cases = plan(settings(load_op(OPS / "linear_half.py"), "as-is", 1), 1)
    rows = {case.name: case.step.inputs[0].shape[-1] for case in cases if case.family == HALVES}  # type: ignore[union-attr]
    assert rows["small, opposed halves"] < 256 < rows["wide, opposed halves"]


def test_whole_tiles_are_a_shape_behind_all_others() -> None:
    op = load_op(OPS / "relu.py")
    found = settings(op, "as-is", 1, source="def kernel(n):\n    return n % 16 == 0\n")
    assert {one.name for one in found} >= {"multiples of 16"}
    planned = plan(found, 1)
    natural = beside_plan(op, found, planned, "as-is", 1).natural
    assert natural
    assert {case.step.shape for case in natural} == {len(found)}
    assert all(case.step.shape == found.index(case.setting) for case in planned)


def test_other_draws_are_those_of_public_seeds_and_the_first_are_secret() -> None:
    cases = plan(settings(load_op(OPS / "rgb_to_hsv.py"), "as-is", 7), 7)
    drawn = {case.name: case.inputs[0] for case in cases if case.family == "as shipped"}
    first = {name: torch.as_tensor(one).reshape(-1)[:1] for name, one in drawn.items()}
    for name, seed in (("small, as shipped, other draw", 42), ("odd, as shipped, other draw", 0)):
        with seeded(seed):
            assert first[name] == torch.rand(1)
        assert first["small, as shipped"] != first[name]
