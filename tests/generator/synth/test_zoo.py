"""What is fused of each op, what is left to torch and why, and that every candidate is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.verify.text.scan import scan
from kbgen.generator.writers.synth.program import Program
from kbgen.generator.writers.synth.traces import aten_name

NAMES = sorted(path.stem for path in (Path(__file__).parent / "ops").glob("*.py"))
WORST = 3e-6
"""Relative error in the Frobenius norm of an fp32 result, an order above rounding."""

UNKNOWN = "not an operator this writer fuses yet"
COUNTER = ("add_.Tensor", "one number, the count of batches seen")
DECLINED = {
    "input_overwritten": "forward overwrites x, which is not its own, in place (relu_)",
    "part_overwritten": "forward overwrites a part of a tensor in place (fill_)",
    "view_in_use": "forward overwrites a tensor in place while views of it are in use (relu_)",
}
REGIONS = {
    "adaptive_pools": 3, "alike_blocks": 8, "attentions": 8, "bool_extrema": 3, "conv_block": 3,
    "convolutions": 6, "diagonals": 3, "dot_products": 2, "eight_bit_floats": 4, "gathered": 2,
    "int32_columns": 2, "int64_rows": 2, "joined": 5, "layernorms": 3, "linear_between": 2, "long_chain": 2,
    "losses": 8, "many_factors": 3, "normalize": 2, "norms": 2, "one_element": 3, "one_pixel": 5,
    "pools": 11, "pooled_parts": 2, "products": 7, "reshaped": 2, "rolled": 2, "scalars": 2, "scans": 5,
    "self_transpose": 2, "shuffled": 4, "strided": 3, "sums_of_products": 5, "tile_reductions": 6,
    "transposed_convolutions": 3, "triangles": 3, "truth": 3, "two_dims_reduced": 4, "two_regions": 2,
    "unequal_parts": 3, "uneven_pools": 5, "untouched": 0,
}  # fmt: skip
"""Regions of the ops that do not become one."""

LEFT = {
    "batchnorm_1d": [COUNTER],
    "batchnorm_2d": [COUNTER],
    "batchnorm_3d": [COUNTER],
    "conv_block": [COUNTER],
    "doubles": [
        ("to.dtype", "double precision is left to torch"),
        ("relu.default", "double precision is left to torch"),
    ],
    "instancenorm_running": [("instance_norm.default", "instance norm with running statistics")],
    "norms": [
        (
            "linalg_vector_norm.default",
            "a norm of order 3 needs the power 1/3, which has no short exact form",
        )
    ],
    "one_element": [
        ("argmax.default", "nothing is read, so there is nothing to take sizes and the device from")
    ],
    "powers": [("pow.Tensor_Scalar", "a power of 2.5 has no short exact form")],
    "strided": [
        (
            "sum.dim_IntList",
            "a size of 3 follows neither from a shape nor from an integer of the model",
        )
    ],
    "untouched": [("linalg_inv.default", UNKNOWN)],
}
"""What stays with torch, in the order of the new forward."""


Written = Callable[[str], Mapping[str, str]]
Interpret = Callable[[str, Mapping[str, str]], dict[str, dict[str, Any]]]

each_op = pytest.mark.parametrize("name", NAMES, scope="module")
"""All that is asked of an op stands together, so that one worker reads and writes it once."""


@each_op
def test_what_can_be_fused_is_and_the_rest_says_why(name: str, zoo: Callable[[str], Program | str]) -> None:
    program = zoo(name)
    if name in DECLINED:
        assert program == DECLINED[name]
        return
    assert isinstance(program, Program), program
    assert len(program.loops) == REGIONS.get(name, 1)
    assert [(aten_name(c.node), c.reason) for c in program.left_to_torch] == LEFT.get(name, [])


@each_op
def test_every_candidate_computes_what_the_op_does(name: str, written: Written, interpret: Interpret) -> None:
    """Against double precision, under every schedule; stray accesses and changed inputs are failures too."""
    sources = written(name)
    assert (not sources) is (name in {*DECLINED, "untouched", "named_tuple"})
    outcomes = interpret(name, sources)
    assert {v: o for v, o in outcomes.items() if not o.get("worst", float("inf")) < WORST} == {}


@each_op
def test_no_candidate_is_refused_unseen(
    name: str, written: Written, zoo: Callable[[str], Program | str]
) -> None:
    """The judge reads a file before it runs it: private names and undeclared library calls end there."""
    program = zoo(name)
    for variant, source in written(name).items():
        assert isinstance(program, Program)
        assert scan(source, program.allowed_calls).fault is None, variant


@each_op
def test_lines_are_short_and_none_is_dead(name: str, written: Written) -> None:
    assert [line for s in written(name).values() for line in s.splitlines() if len(line) > 110] == []


@each_op
def test_the_tile_that_is_told_is_the_tile_that_is_launched(name: str, written: Written) -> None:
    for variant, source in written(name).items():
        for function in source.split("\ndef ")[1:]:
            for tile in re.findall(r"# tile = (\d+) x (\d+) x (\d+)", function):
                sides = zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), tile, strict=True)
                assert [f"{side}={size}" for side, size in sides if f"{side}={size}" not in function] == [], (
                    variant
                )


def test_kernels_for_one_mode_refuse_the_other(written: Written) -> None:
    assert "if not self.training:" in written("batchnorm_2d")["plain"]
    assert "self.training" not in written("rmsnorm_module")["plain"]


def test_a_kept_class_keeps_its_constructor_alone(written: Written) -> None:
    source = written("rmsnorm_submodule")["plain"]
    assert "class RMSNorm(nn.Module):" in source
    assert ".pow(" not in source
    assert source.count("def forward") == 1


def test_regions_that_compute_alike_share_their_kernels(written: Written) -> None:
    """Four blocks of two regions each: two functions, called four times."""
    source = written("alike_blocks")["plain"]
    assert source.count("@triton.jit") == 2
    assert source.count("alike_blocks_2(") == 1 + 4


def test_all_results_of_one_tensor_share_one_read(written: Written) -> None:
    assert written("siblings")["plain"].count("tl.load(x_ptr") == 1
