"""Figures are found in the ways people write them, and what is no figure of a kernel is left alone."""

import pytest

from kbgen.profiling.counters.vocabulary import vocabulary
from kbgen.profiling.rules import rule_book
from kbgen.retrieval.figures import figures, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DRAM 31%, SM throughput 22 %", {"dram_pct": 31, "sm_pct": 22}),
        ("HBM at 88% of peak", {"dram_pct": 88}),
        (
            "46 % stall barrier and 11 % long scoreboard",
            {"stall_barrier": 0.46, "stall_long_scoreboard": 0.11},
        ),
        ("71% of stalls are long scoreboard", {"stall_long_scoreboard": 0.71}),
        ("stall_long_scoreboard 0.58", {"stall_long_scoreboard": 0.58}),
        ("stall barrier 5.5 of 11.0 cycles per issue", {"stall_barrier": 0.5}),
        ("dram__throughput 21 %; L2 hit rate 97 %", {"dram_pct": 21, "l2_hit": 97}),
        ("smsp__thread_inst_executed_per_inst_executed.ratio 11.5", {"threads_per_inst": 11.5}),
        ("duration 2.8 us", {"duration": 2800}),
        ("Memory Throughput 1.5 TB/s", {"dram_bytes_s": 1.5e12}),
        ("8.2 of 32 bytes per sector", {"ld_bytes_per_sector": 8.2}),
        ("9 of 32 threads active", {"threads_per_inst": 9}),
        ("24 blocks on 108 SMs", {"grid": 24, "units": 108}),
        ("1,843,200 of 2,457,600 wavefronts", {"conflicts": 1843200, "wavefronts": 2457600}),
        ("no bank conflicts", {"conflicts_per_wavefront": 0}),
        ("achieved occupancy 0.24", {"occupancy_achieved": 24}),
        ("top stall long scoreboard", {"stall_long_scoreboard": 0.5}),
        ("UBLKCP 36k", {"pipe_tma": 36000}),
        ("tensor cores on a Radeon 7900", {}),
        ("rows of 64 values are far below the bandwidth", {}),
        ("how does cp.async hide latency on sm_80", {}),
        ("a tile of 128 x 64 in fp16", {}),
    ],
)
def test_figures_are_read(text: str, expected: dict[str, float]) -> None:
    found, _ = figures(text)
    assert found == pytest.approx(expected)


def test_the_rest_is_what_no_figure_was_found_in() -> None:
    assert figures("softmax over long rows, DRAM 24 %, pipe_xu 83 %")[1] == "softmax over long rows"


def test_words_are_of_keys_and_facts_that_exist() -> None:
    assert words().keys.keys() <= vocabulary().keys()
    assert words().facts.keys() - {"resident"} <= rule_book().facts.keys()
    unsaid = {name for told in words().unsaid.values() for name in told}
    assert unsaid <= vocabulary().keys() | rule_book().facts.keys()
