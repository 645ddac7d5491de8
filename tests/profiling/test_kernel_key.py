"""A kernel is told by what it needs of its file, and not by where it stands."""

from types import SimpleNamespace
from typing import Any

import pytest

from kbgen.profiling.kernel_key import kernel_key, kernel_texts
from kbgen.profiling.launches import Request

FILE = """
import triton
SCALE = 2
OTHER = 3

@triton.jit
def helper(x):
    return x * SCALE

@triton.jit
def first(x):
    return helper(x)

@triton.jit
def second(x):
    return x * OTHER
"""


def key(text: str, name: str = "first", **changed: Any) -> str | None:
    overrides = changed.pop("overrides", {})
    source = SimpleNamespace(name=name, signature={"x": "*fp32"}, constants={}, attrs={})
    options = {"num_warps": changed.pop("num_warps", 4)}
    vars(source).update(changed)
    return kernel_key(kernel_texts(text, overrides), Request(source, "sm_90", options))


def test_a_kernel_is_the_same_wherever_it_stands_and_whatever_stands_beside_it() -> None:
    moved = FILE.replace("@triton.jit\ndef second(x):\n    return x * OTHER\n", "").replace("OTHER = 3\n", "")
    assert key(moved) == key(FILE) == key("# a comment\n" + FILE)


@pytest.mark.parametrize(
    ("old", "new"), [("return helper(x)", "return -x"), ("x * SCALE", "SCALE"), ("SCALE = 2", "SCALE = 4")]
)
def test_what_a_kernel_names_at_any_depth_is_part_of_it(old: str, new: str) -> None:
    assert key(FILE.replace(old, new)) != key(FILE)
    assert key(FILE.replace(old, new), "second") == key(FILE, "second")


def test_what_is_run_at_import_is_part_of_every_kernel() -> None:
    assert key(FILE + "\nhelper.fn = None\n", "second") != key(FILE, "second")


@pytest.mark.parametrize(
    "changed",
    [
        {"num_warps": 8},
        {"signature": {"x": "*bf16"}},
        {"constants": {(0,): 64}},
        {"attrs": {(0,): [["tt.divisibility", 16]]}},
        {"overrides": {"SCALE": 8}},
    ],
)
def test_a_specialisation_is_part_of_the_key(changed: dict[str, Any]) -> None:
    assert key(FILE, **changed) != key(FILE)


def test_a_kernel_that_no_line_at_the_top_defines_has_no_key() -> None:
    assert key(FILE, "elsewhere") is None
