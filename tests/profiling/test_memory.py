"""Free memory under the limits of a process, and byte counts as people read them."""

import resource

import pytest

from kbgen.profiling.memory import available_bytes, readable


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (4096, "4.1 kB"),
        (16 << 20, "16.8 MB"),
        (2**34, "17.2 GB"),
        (3e12, "3.0 TB"),
    ],
)
def test_readable(count: float, text: str) -> None:
    assert readable(count) == text


def test_the_limit_of_the_process_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    free = available_bytes()
    assert free > 1 << 20
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1 << 20, resource.RLIM_INFINITY))
    assert available_bytes() == 0
