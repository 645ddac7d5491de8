"""Passes of one program become one profile, launch by launch."""

from __future__ import annotations

from kbgen.profiling.counters.dispatch import Dispatch
from kbgen.profiling.counters.passes import merge


def pass_of(counter: str, value: float, *kernels: str, time_ns: float = 10.0) -> list[Dispatch]:
    return [Dispatch(n, kernel, {counter: value}, duration_ns=time_ns) for n, kernel in enumerate(kernels, 1)]


def test_the_nth_launch_of_a_kernel_is_one_launch_over_all_passes() -> None:
    merged, notes = merge(
        [pass_of("A", 1, "x", "y", "x", time_ns=30), pass_of("B", 2, "x", "y", "x", time_ns=20)]
    )
    assert [(one.kernel, one.counters, one.duration_ns) for one in merged] == [
        (kernel, {"A": 1, "B": 2}, 25) for kernel in ("x", "y", "x")
    ]
    assert notes == ()


def test_passes_that_do_not_match_are_said() -> None:
    merged, notes = merge([pass_of("A", 1, "x", "x"), pass_of("B", 2, "x")])
    assert [dict(one.counters) for one in merged] == [{"A": 1, "B": 2}, {"A": 1}]
    assert notes == ("1 of 2 launches are missing in some of the 2 passes",)
    (torn,), _ = merge([pass_of("A", 100, "x"), pass_of("A", 50, "x")])
    assert torn.flags == ("A is 100 in one pass and 50 in another",)
