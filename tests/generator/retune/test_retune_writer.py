"""The same file with other numbers in it: what a device allows, what is made to fit, what is declined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kbgen.generator.retune.parameters import Parameter
from kbgen.generator.retune.writer import RetuneWriter, allowed
from kbgen.generator.writers.writer import Candidate, Declined, Request
from kbgen.hardware_specs.spec import find_spec

SOURCE = '''"""A product."""
import triton
import triton.language as tl

@triton.jit
def product(a_ptr, b_ptr, c_ptr, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    for k in range(n):
        tl.dot(a, b)

class ModelNew:
    def forward(self, a, b):
        product[(triton.cdiv(n, 128), n)](a, b, c, n, BLOCK_M=128, BLOCK_N=64, num_warps=8, num_stages=4)
'''
BOTH = "product: all blocks"


def request(device: str = "mi300x", parent: Candidate | None = None, **asked: Any) -> Request:
    traced = cast(Any, SimpleNamespace(bytes_min=1000, flops=5))
    return Request(cast(Any, None), traced, (), find_spec(device), parent=parent, **asked)


def made(writer: RetuneWriter, device: str = "mi300x", **asked: Any) -> Candidate:
    candidate = writer.write(request(device, **asked))
    assert isinstance(candidate, Candidate)
    return candidate


def test_the_first_candidate_is_the_file_as_it_is() -> None:
    first = made(RetuneWriter(SOURCE, 2000.0))
    assert (first.source, first.bytes_per_kernel, first.techniques) == (SOURCE, (2000.0,), ())
    assert made(RetuneWriter(SOURCE)).bytes_per_kernel == (1000.0,)


def test_a_value_is_set_wherever_its_number_stands_and_the_head_says_so() -> None:
    writer = RetuneWriter(SOURCE)
    first = made(writer)
    child = made(writer, parent=first, transform="product: BLOCK_M")
    head, *rest = child.source.splitlines()
    assert head == "# Set by kbgen for Instinct MI300X: product: BLOCK_M 128 -> 64."
    changed = [(a, b) for a, b in zip(SOURCE.splitlines(), rest, strict=True) if a != b]
    assert [b.count("64") for _, b in changed] == [3]
    assert child.choices == (
        {
            "name": "product: BLOCK_M", "value": "64", "technique": "product: BLOCK_M",
            "why": "128 in the file, 64 here",
        },
    )  # fmt: skip
    back = [
        writer.write(request(parent=child, transform="product: BLOCK_M", sample=sample))
        for sample in range(4)
    ]
    assert SOURCE in [one.source for one in back if isinstance(one, Candidate)]


def test_every_other_value_of_the_device_is_a_variant_nearest_first() -> None:
    writer = RetuneWriter(SOURCE)
    first = made(writer)
    heads = []
    sample = 0
    while isinstance(
        child := writer.write(request(parent=first, transform="product: num_warps", sample=sample)), Candidate
    ):
        heads.append(child.source.splitlines()[0].rpartition(" ")[2])
        sample += 1
    assert heads == ["4.", "2.", "1.", "16."]
    assert isinstance(child, Declined)


def test_blocks_go_together_and_not_below_what_a_product_takes() -> None:
    writer = RetuneWriter(SOURCE)
    first = made(writer)
    assert writer.transforms[0] == BOTH
    half = made(writer, parent=first, transform=BOTH)
    assert "BLOCK_M=64, BLOCK_N=32" in half.source
    assert "BLOCK_M=256, BLOCK_N=128" in made(writer, parent=first, transform=BOTH, sample=1).source
    assert isinstance(writer.write(request(parent=first, transform=BOTH, sample=9)), Declined)


@pytest.mark.parametrize(
    ("complaint", "changed"),
    [
        ("product asks for 131072 bytes of shared memory", "num_stages 4 -> 3"),
        ("product spills 20 bytes a thread", "num_warps 8 -> 16"),
    ],
)
def test_the_file_as_it_came_is_made_to_fit(complaint: str, changed: str) -> None:
    writer = RetuneWriter(SOURCE)
    first = made(writer)
    mended = made(writer, parent=first, complaint=complaint)
    assert changed in mended.source.splitlines()[0]
    again = made(writer, parent=mended, complaint=complaint)
    assert again.id not in {first.id, mended.id}


def test_a_value_that_does_not_fit_is_passed_over_and_not_mended() -> None:
    writer = RetuneWriter(SOURCE)
    child = made(writer, parent=made(writer), transform="product: num_stages")
    assert isinstance(writer.write(request(parent=child, complaint="spills")), Declined)
    assert isinstance(writer.write(request(parent=child, transform="nothing of it")), Declined)
    other = replace(child, plan=None)
    assert isinstance(writer.write(request(parent=other, transform="product: BLOCK_M")), Declined)


@pytest.mark.parametrize(
    ("kind", "value", "dots", "device", "values"),
    [
        ("stages", 3, True, "mi300x", [1, 2, 3]),
        ("stages", 3, True, "h100", [1, 2, 3, 4, 5]),
        ("block", 32, True, "h100", [16, 32, 64, 128]),
        ("block", 32, False, "h100", [8, 16, 32, 64, 128]),
        ("block", 96, False, "h100", [96]),
        ("waves", 2, True, "mi300x", [0, 1, 2, 3, 4]),
        ("waves", 2, True, "h100", [2]),
        ("shape", 0, True, "mi300x", [0, 16, 32]),
        ("pack", 1, True, "mi300x", [1, 2]),
        ("pack", 1, True, "mi355x", [1]),
        ("cluster", 1, True, "h100", [1, 2]),
        ("cluster", 1, True, "a100", [1]),
        ("registers", 0, False, "h100", [0, 64, 96, 128, 168]),
        ("registers", 0, False, "mi300x", [0]),
    ],
)
def test_what_a_device_allows(kind: Any, value: int, dots: bool, device: str, values: Sequence[int]) -> None:
    assert allowed(Parameter("k: P", kind, value, (), dots), find_spec(device)) == list(values)


def test_an_option_that_the_launch_leaves_out_is_written_only_for_its_vendor() -> None:
    writer = RetuneWriter(SOURCE)
    asked = [f"product: {name}" for name in ("waves_per_eu", "matrix_instr_nonkdim", "kpack")]
    for name in asked:
        child = made(writer, parent=made(writer), transform=name)
        assert f", {name.removeprefix('product: ')}=" in child.source.splitlines()[-1]
        assert isinstance(writer.write(request("h100", parent=made(writer), transform=name)), Declined)
    bounded = made(writer, "h100", parent=made(writer, "h100"), transform="product: maxnreg")
    assert bounded.source.splitlines()[-1].endswith(", num_stages=4, maxnreg=64)")
    assert "product: maxnreg unset -> 64" in bounded.source
    free = made(writer, "h100", parent=bounded, transform="product: maxnreg", sample=1)
    assert "maxnreg" not in free.source


def test_a_configuration_is_chosen_as_a_whole() -> None:
    configs = 'triton.Config({"BLOCK_M": 64}), triton.Config({"BLOCK_M": 32})'
    head = f"@triton.autotune(configs=[{configs}], key=[])\n@triton.jit"
    writer = RetuneWriter(SOURCE.replace("@triton.jit", head))
    child = made(writer, parent=made(writer), transform="product: configuration")
    assert 'configs=[triton.Config({"BLOCK_M": 32})]' in child.source
    assert "number 2 of 2 alone" in child.source.splitlines()[0]
