"""Launches of a kernel are one entry, the longest kernels lead, and the typical launch carries the time."""

import pytest

from kbgen.profiling.counters.groups import KernelFilterError, kernel_groups
from kbgen.profiling.counters.record import Launch, Reading


def launch(index: int, kernel: str, us: float | None, arch: str = "sm_90") -> Launch:
    readings = {} if us is None else {"duration": Reading(us * 1e3, "made up")}
    return Launch(index, kernel, readings, arch=arch)


LAUNCHES = (
    *(launch(index, "many", 1.0) for index in range(10)),
    launch(10, "many", 90.0),
    launch(11, "long", 300.0),
)


def test_kernels_are_ordered_by_their_share_of_the_time() -> None:
    long, many = kernel_groups(LAUNCHES)
    assert (long.kernel, long.time_us, long.share) == ("long", 300.0, 0.75)
    assert (many.kernel, len(many.launches), many.share) == ("many", 11, 0.25)
    assert (many.median_us, many.worst_us) == (1.0, 90.0)


def test_the_typical_launch_is_the_one_in_which_half_of_the_time_is_spent() -> None:
    many = kernel_groups(LAUNCHES)[1]
    assert many.typical.index == 10  # ten of 1 us hide one of 90


def test_one_untimed_launch_leaves_no_shares() -> None:
    groups = kernel_groups((*LAUNCHES, launch(12, "untimed", None)))
    assert [group.kernel for group in groups] == ["long", "many", "untimed"]
    assert [group.share for group in groups] == [None, None, None]
    assert groups[2].time_us is None


def test_the_same_name_on_two_devices_is_two_kernels() -> None:
    groups = kernel_groups((launch(0, "k", 1.0), launch(1, "k", 2.0, arch="sm_80")))
    assert [group.typical.arch for group in groups] == ["sm_80", "sm_90"]


def test_a_filter_keeps_what_it_is_found_in_with_shares_of_the_whole() -> None:
    (found,) = kernel_groups(LAUNCHES, "an")
    assert (found.kernel, found.share) == ("many", 0.25)


@pytest.mark.parametrize(("pattern", "told"), [("lonk", "long"), ("(", "no regular expression")])
def test_a_filter_that_finds_nothing_says_what_is_there(pattern: str, told: str) -> None:
    with pytest.raises(KernelFilterError, match=told):
        kernel_groups(LAUNCHES, pattern)


def test_an_empty_report_has_no_kernels() -> None:
    assert kernel_groups((), "any") == ()
