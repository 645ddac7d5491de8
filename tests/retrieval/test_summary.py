"""A summary of a profile in words points at the class that a report with these figures would be given."""

import pytest

from kbgen.hardware_specs.spec import find_spec
from kbgen.retrieval.evaluate import judged_here, read_judged
from kbgen.retrieval.find import question
from kbgen.retrieval.summary import in_words, pointed_at


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SM throughput 22%, DRAM 31%, pipe_tensor 0 %, pipe_fma 71 %, fp16 inputs", "tensor_unused"),
        ("SM throughput 22%, DRAM 31%, pipe_fma 71 %", "fp32_pipe"),
        ("DRAM 76 %, L2 41 %", "dram_bandwidth"),
        ("HBM 4.7 TB/s of 5.3, VALU busy 11 %", "dram_bandwidth"),
        ("32 sectors per request, DRAM 84 %", "uncoalesced"),
        ("8-way bank conflicts, L1 at 91 %", "bank_conflict"),
        ("grid of 140 blocks on 132 SMs, one block per SM", "tail_effect"),
        ("Waves Per SM 1.1, SM 40 %", "tail_effect"),
        ("Block Limit Shared Mem 1, achieved occupancy 12 %", "occupancy_smem"),
        ("168 registers per thread, occupancy 18 %", "occupancy_regs"),
        ("255 registers, 4.1 million spill requests", "spills"),
        ("900 kernels per step, each takes 3.1 us", "launch_overhead"),
        ("SQ_WAIT_ANY 81 %, vmem latency 1400 cycles", "memory_latency"),
    ],
)
def test_figures_point_at_a_class(text: str, expected: str) -> None:
    assert pointed_at(text)[0].cls == expected


def test_a_device_that_was_named_is_the_one_compared_with() -> None:
    text = "DRAM throughput 2.9 TB/s"
    assert pointed_at(text, find_spec("h100"))[0].cls == "dram_bandwidth"
    assert not pointed_at(text, find_spec("b200"))


@pytest.mark.parametrize(
    "text", ["why is my kernel slow", "SM 20 %", "VALUBusy 20 %, HBM 10 %", "8 warps per block"]
)
def test_what_is_unremarkable_or_no_figure_points_at_nothing(text: str) -> None:
    assert pointed_at(text) == ()
    assert in_words(text) == ""
    assert question(text)[0].form == "words"


def test_a_summary_is_searched_for_as_its_class_and_what_it_says_beside_the_figures() -> None:
    asked, query = question("pipe_xu 83 %, DRAM 24 %, softmax over long rows", "h100")
    assert asked.form == "profile"
    assert query.text.startswith("sfu_pipe: ")
    assert query.text.endswith("softmax over long rows")


def test_of_the_development_summaries_nine_in_ten_point_at_a_class_they_are_judged_by() -> None:
    told = [one for one in read_judged(judged_here("dev.tsv")) if one.style == "profile"]
    right = 0
    for one in told:
        found = pointed_at(one.query, find_spec(one.device) if one.device else None)
        right += bool(found) and f"bottleneck-{found[0].cls.replace('_', '-')}" in one.pages
    assert right >= 0.9 * len(told)
