"""What is not ready in time says so, once and from then on; what is ready is left alone."""

import signal
import time

import pytest

from kbgen.generator.patience import NotReadyError, ready_within


def test_a_first_call_that_hangs_is_ended_and_later_ones_fail_at_once() -> None:
    calls: list[int] = []

    def hang() -> None:
        calls.append(1)
        time.sleep(600)

    bounded = ready_within(0.05, hang, "compile")
    for _ in range(2):
        with pytest.raises(NotReadyError, match=r"compile was not ready after 0\.05 s"):
            bounded()
    assert len(calls) == 1


def test_what_wraps_the_interruption_is_told_as_what_it_is() -> None:
    def wrapped() -> None:
        try:
            time.sleep(600)
        except Exception as error:
            raise RuntimeError("backend failed") from error

    with pytest.raises(NotReadyError, match="was not ready"):
        ready_within(0.05, wrapped, "compile")()


def test_a_failure_of_its_own_stays_its_own_and_the_second_call_is_free() -> None:
    with pytest.raises(ZeroDivisionError):
        ready_within(60.0, lambda: 1 // 0, "compile")()
    doubled = ready_within(60.0, lambda value: 2 * value, "compile")
    assert (doubled(2), doubled(3)) == (4, 6)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
