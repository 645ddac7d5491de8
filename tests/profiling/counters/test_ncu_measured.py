"""One run of our own kernels on an H200, exported as two pages: both tell the same of every launch."""

from pathlib import Path

import pytest

from kbgen.profiling.counters import nvidia
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.counters.record import Launch

MEASURED = Path(__file__).parents[1] / "measured" / "h200"
pytestmark = pytest.mark.skipif(not (MEASURED / "details.csv").exists(), reason="no run is kept here")
NEVER_COUNTED = {"tmem", "pipe_tc", "spill_requests"}  # not on Hopper, or of a section that was not asked for


Pairs = list[tuple[Launch, Launch]]


@pytest.fixture(scope="module")
def pages() -> Pairs:
    """Launches of the raw page, each with the same launch of the details page, which keeps some of them."""
    raw, details = read_profile(MEASURED / "raw.csv"), read_profile(MEASURED / "details.csv")
    assert (raw.notes, details.notes) == ((), ())
    counted = {key for launch in raw.launches for key in launch.readings}
    assert set(nvidia.full()) - counted <= NEVER_COUNTED
    by_name = {launch.kernel: launch for launch in raw.launches}
    return [(by_name[launch.kernel], launch) for launch in details.launches]


def source_of(launch: Launch, key: str) -> str | None:
    reading = launch.readings.get(key)
    return None if reading is None else reading.source


def test_the_pages_of_one_run_agree(pages: Pairs) -> None:
    assert pages
    for raw, details in pages:
        assert (raw.arch, raw.grid_blocks, raw.flags) == (details.arch, details.grid_blocks, details.flags)
        shared = {key for key, ours in raw.readings.items() if ours.source == source_of(details, key)}
        assert {key: raw.value(key) for key in shared} == pytest.approx(
            {key: details.value(key) for key in shared}, rel=6e-3, abs=6e-3
        )
        assert len(shared) > 25


def test_what_rules_tell_is_what_the_other_page_counts(pages: Pairs) -> None:
    """Sectors and stall shares in the words of a rule, against the counters themselves."""
    told = [
        (raw.kernel, key, raw.value(key), reading.value)
        for raw, details in pages
        for key, reading in details.readings.items()
        if reading.source.startswith("rule ")
    ]
    assert told
    for kernel, key, counted, said in told:
        assert counted == pytest.approx(said, rel=6e-3), (kernel, key)


@pytest.mark.parametrize("page", ["raw.de_DE.csv", "raw.fr_FR.csv", "details.fr_FR.csv", "text.de_DE.txt"])
def test_pages_printed_in_other_locales_say_the_same(page: str) -> None:
    """The same report exported under LC_ALL=de_DE.UTF-8 and fr_FR.UTF-8: 592.063.706.948,04 and 6 912."""
    plain = {launch.kernel: launch for launch in read_profile(MEASURED / "raw.csv").launches}
    report = read_profile(MEASURED / "locales" / page)
    assert report.notes == ()
    compared = 0
    for launch in report.launches:
        ours = plain[launch.kernel]
        assert (launch.grid_blocks, launch.block_threads) == (ours.grid_blocks, ours.block_threads)
        same = [key for key, reading in launch.readings.items() if source_of(ours, key) == reading.source]
        assert {key: launch.value(key) for key in same} == pytest.approx(
            {key: ours.value(key) for key in same}, rel=6e-3, abs=6e-3
        )
        compared += len(same)
    assert compared >= 25
