"""What a technique can give is bounded by what stays for the units to do, as far as that was counted."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.corpus.document import shipped
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.classify import classify_launch
from kbgen.profiling.counters.facts import counter_facts
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.rules import rule_book
from kbgen.retrieval.expected import MOST, UNITS, bound
from kbgen.retrieval.kernels import sets

BUSY = {"dram_pct": 62.0, "l2_pct": 70.0, "l1_pct": 20.0, "mem_pct": 70.0, "sm_pct": 25.0}


@pytest.mark.parametrize(
    ("cls", "facts", "at_most"),
    [
        ("memory_latency", BUSY, 100 / 62),  # L2 is busy by how the kernel is written, DRAM by what it does
        ("uncoalesced", {**BUSY, "excess_sectors_pct": 50.0}, 100 / 31),  # half of DRAM's work is waste
        ("uncoalesced", {**BUSY, "ld_bytes_per_sector": 16.0}, 100 / 31),
        ("membar_atomics", {"dram_pct": 40.0, "atomic_sectors_pct": 50.0}, 5.0),
        ("bank_conflict", {"l1_pct": 90.0, "dram_pct": 33.0, "conflicts_per_wavefront": 0.9}, 100 / 33),
        ("tensor_pipe", {"pipe_tensor": 80.0, "sm_pct": 80.0, "dram_pct": 50.0}, 2.0),
        ("l2_bandwidth", {"pipe_tensor": 40.0, "dram_pct": 20.0}, 2.5),
        ("tail_effect", {"dram_pct": 24.0, "tail_bound_pct": 50.0}, 2.0),  # not 100 / 24
        ("tail_effect", {"dram_pct": 80.0, "tail_bound_pct": 50.0}, 1.25),  # not 2
        ("small_grid", {"dram_pct": 10.0, "idle_units_pct": 75.0}, 4.0),
        ("imbalance", {"imbalance_pct": 20.0}, 1.25),
        ("near_roofline", {"roofline_pct": 92.0}, 100 / 92),
        ("barrier", {"dram_pct": 104.0}, 1.0),  # a counter past its peak promises nothing
        ("dram_bandwidth", {"time_us": 30.0, "roofline_us": 10.0}, 3.0),
        ("dram_bandwidth", {"moved_us": 40.0, "roofline_us": 10.0}, 4.0),
    ],
)
def test_bounds(cls: str, facts: dict[str, float], at_most: float) -> None:
    found = bound(cls, facts)
    assert found is not None
    assert found.at_most == pytest.approx(at_most)
    assert found.how


@pytest.mark.parametrize(
    ("cls", "facts"),
    [
        ("memory_latency", {}),
        ("memory_latency", {"l2_pct": 40.0, "sm_pct": 30.0}),  # a rewritten kernel may do without both
        ("dram_bandwidth", BUSY),  # fewer bytes: how many fewer cannot be told
        ("uncoalesced", BUSY),  # how much is waste was not counted: all of it may be
        ("launch_overhead", BUSY),  # what it costs lies between the kernels
        ("unclassified", BUSY),
        ("memory_latency", {"dram_pct": 0.0}),
        ("memory_latency", {"dram_pct": 9.9}),  # over ten times: true, and no use
        ("dram_bandwidth", {"moved_us": 10.0, "roofline_us": 10.0}),
    ],
)
def test_what_is_not_bounded_has_no_figure(cls: str, facts: dict[str, float]) -> None:
    assert bound(cls, facts) is None


def test_a_technique_that_leaves_the_work_is_bounded_by_the_unit_that_does_it() -> None:
    work, moved = (
        bound("dram_bandwidth", BUSY, same_work=True),
        bound("dram_bandwidth", BUSY, same_bytes=True),
    )
    assert work is not None
    assert moved is not None
    assert work.at_most == pytest.approx(100 / 70)
    assert moved.at_most == pytest.approx(100 / 62)
    assert moved.how == "DRAM needs 62.0 % of the time for the work that stays"


MEASURED = Path(__file__).parents[1] / "profiling" / "measured" / "h200" / "raw.csv"


@pytest.mark.parametrize(
    ("slow", "fast"),
    [
        ("copy_strided", "copy_coalesced"),
        ("transpose_naive", "transpose_padded"),
        ("transpose_conflict", "transpose_padded"),
        ("scale_narrow", "copy_coalesced"),  # as many bytes, in accesses of 16 bytes
    ],
)
def test_no_pair_of_kernels_measured_on_a_card_gained_more_than_its_bound(slow: str, fast: str) -> None:
    launches = {launch.kernel.removeprefix("specimen_"): launch for launch in read_profile(MEASURED).launches}
    spec = find_spec("h200")
    before, after = (counter_facts(launches[name], spec) for name in (slow, fast))
    primary = classify_launch(launches[slow], spec).primary
    assert primary is not None
    gained, most = before["duration_us"] / after["duration_us"], bound(primary.cls, before)
    assert most is None or 1 < gained <= most.at_most


@given(
    st.sampled_from(sorted(rule_book().classes)),
    st.dictionaries(st.sampled_from(sorted(UNITS)), st.floats(0, 130), max_size=6),
)
def test_doing_the_same_work_never_promises_more(cls: str, facts: dict[str, float]) -> None:
    free, moved, work = (
        bound(cls, facts, same_work=work, same_bytes=moved)
        for work, moved in ((False, False), (False, True), (True, True))
    )
    for looser, tighter in ((free, moved), (moved, work)):
        if looser is not None:
            assert 1 <= looser.at_most <= MOST
            assert tighter is not None
            assert tighter.at_most <= looser.at_most


def test_every_unit_is_a_fact_and_every_set_names_cards() -> None:
    assert set(UNITS) <= set(rule_book().facts)
    cards = {page.id for page in shipped() if page.kind == "technique"}
    assert sets().of_the_call | sets().of_the_call_alone <= cards
    assert sets().same_work <= cards
    assert sets().same_bytes <= cards
