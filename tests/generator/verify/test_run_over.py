"""Counts that go up by one and run over are told from reckoning that is meant to wrap."""

import numpy as np
import pytest
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from kbgen.generator.verify.interpreter.run_over import counted, cut_off, few_bits, multiplied, wraps


def of(values: list[float], kind: tl.dtype, numpy: type) -> TensorHandle:
    return TensorHandle(np.array(values, numpy), kind)


@pytest.mark.parametrize(
    ("left", "right", "over"), [([126], [1], False), ([127], [1], True), ([100], [100], False)]
)
def test_a_byte_runs_over_by_steps_of_one(left: list[float], right: list[float], over: bool) -> None:
    one, other = of(left, tl.int8, np.int8), of(right, tl.int8, np.int8)
    found = TensorHandle(one.data + other.data, tl.int8)
    assert few_bits(found)
    assert wraps(one, other, found) is over


@pytest.mark.parametrize(
    ("given", "lost"), [(65535, False), (65536, True), (-1, False), (-32768, False), (-32769, True)]
)
def test_a_cast_to_few_bits_loses_what_they_do_not_hold(given: int, lost: bool) -> None:
    wide = of([0, given], tl.int32, np.int32)
    found = TensorHandle(wide.data.astype(np.uint16), tl.uint16)
    assert few_bits(found)
    assert cut_off(wide, found) is lost


@pytest.mark.parametrize(("left", "lost"), [(127, False), (200, True)])
def test_a_product_of_few_bits_is_another_than_that_of_the_numbers(left: int, lost: bool) -> None:
    one, other = of([left], tl.uint8, np.uint8), of([2], tl.uint8, np.uint8)
    assert multiplied(one, other, TensorHandle(one.data * other.data, tl.uint8)) is lost


def test_wide_integers_are_not_watched() -> None:
    assert not few_bits(of([1], tl.int32, np.int32))


@pytest.mark.parametrize(
    ("kind", "added", "most"),
    [
        ("FADD", 1.0, (3.0, 1 << 24)),
        ("FADD", 0.5, (0.0, 0)),
        ("MAX", 1.0, (0.0, 0)),
    ],
)
def test_whole_numbers_added_to_one_address_are_counted(
    kind: str, added: float, most: tuple[float, int]
) -> None:
    places = of([8, 8, 8, 16, 8], tl.uint64, np.uint64)
    mask = of([1, 1, 1, 1, 0], tl.int1, np.bool_)
    assert counted(kind, places, of([added] * 5, tl.float32, np.float32), mask) == most
