"""What a technique can give is bounded by what stays for the units to do, and by nothing that was not counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.corpus.document import shipped
from kbgen.profiling.rules import rule_book
from kbgen.retrieval.expected import UNITS, bound
from kbgen.retrieval.kernels import sets

BUSY = {"dram_pct": 62.0, "l2_pct": 40.0, "l1_pct": 20.0, "mem_pct": 62.0, "sm_pct": 25.0}


@pytest.mark.parametrize(
    ("cls", "facts", "at_most"),
    [
        ("memory_latency", BUSY, 100 / 62),  # the same work, better overlapped
        ("dram_bandwidth", BUSY, 100 / 40),  # fewer bytes: L2 is the next limit
        ("uncoalesced", {**BUSY, "excess_sectors_pct": 50.0}, 100 / 31),  # half of DRAM's work is waste
        ("uncoalesced", {**BUSY, "ld_bytes_per_sector": 8.0}, 100 / 25),  # three quarters: compute is left
        ("uncoalesced", BUSY, 100 / 25),  # how much is waste was not counted: all of it may be
        ("bank_conflict", {"l1_pct": 90.0, "sm_pct": 30.0, "conflicts_per_wavefront": 0.9}, 100 / 30),
        ("tensor_pipe", {"pipe_tensor": 80.0, "sm_pct": 80.0, "mem_pct": 50.0}, 2.0),
        ("branch_divergence", {"sm_pct": 80.0, "mem_pct": 10.0, "threads_per_inst": 16.0}, 2.5),
        ("tail_effect", {"sm_pct": 24.0, "tail_bound_pct": 50.0}, 2.0),  # not 100 / 24
        ("tail_effect", {"sm_pct": 80.0, "tail_bound_pct": 50.0}, 1.25),  # not 2
        ("small_grid", {"sm_pct": 10.0, "idle_units_pct": 75.0}, 4.0),
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
        ("dram_bandwidth", {"dram_pct": 90.0}),  # nothing else was counted
        ("launch_overhead", BUSY),  # what it costs lies between the kernels
        ("unclassified", BUSY),
        ("memory_latency", {"dram_pct": 0.0}),
        ("dram_bandwidth", {"moved_us": 10.0, "roofline_us": 10.0}),
    ],
)
def test_what_is_not_bounded_has_no_figure(cls: str, facts: dict[str, float]) -> None:
    assert bound(cls, facts) is None


def test_a_technique_that_leaves_the_work_is_bounded_by_the_unit_that_does_it() -> None:
    found = bound("dram_bandwidth", BUSY, same_work=True)
    assert found is not None
    assert found.at_most == pytest.approx(100 / 62)
    assert found.how == "DRAM needs 62.0 % of the time for its work as it is"


@given(
    st.sampled_from(sorted(rule_book().classes)),
    st.dictionaries(st.sampled_from(sorted(UNITS)), st.floats(0, 130), max_size=6),
)
def test_doing_the_same_work_never_promises_more(cls: str, facts: dict[str, float]) -> None:
    less, same = bound(cls, facts), bound(cls, facts, same_work=True)
    assert less is None or less.at_most >= 1
    if less and same:
        assert same.at_most <= less.at_most


def test_every_unit_is_a_fact_and_every_set_names_cards() -> None:
    assert set(UNITS) <= set(rule_book().facts)
    cards = {page.id for page in shipped() if page.kind == "technique"}
    assert sets().of_the_call <= cards
    assert sets().same_work <= cards
