"""Bottlenecks from facts: found with the numbers that decided, absent where proved, undecided otherwise."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbgen.hardware_specs.spec import DeviceSpec, find_spec
from kbgen.profiling.classify import Diagnosis, classify, diagnose, diagnose_op
from kbgen.profiling.counters.record import Launch, Reading
from kbgen.profiling.eager import eager_cost
from kbgen.profiling.facts import kernel_facts
from kbgen.profiling.occupancy import occupancy
from kbgen.profiling.op import load_op
from kbgen.profiling.profile import Profile
from kbgen.profiling.rules import RuleError, parse_rules, rule_book
from kbgen.profiling.static import KernelReport, StaticReport
from kbgen.profiling.timing import Timing
from kbgen.profiling.trace import TracedOp, trace

H100, GB200 = find_spec("h100"), find_spec("gb200")

RMSNORM = """
import torch
from torch import nn
ROWS, WIDTH = 8192, 4096
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight
def get_inputs():
    return [torch.randn(ROWS, WIDTH)]
"""
MATMUL = """
import torch
from torch import nn
N = 4096
class Model(nn.Module):
    def forward(self, a, b):
        return a @ b
def get_inputs():
    return [torch.randn(N, N, dtype=torch.bfloat16), torch.randn(N, N, dtype=torch.bfloat16)]
"""
VIEWS = """
import torch
from torch import nn
class Model(nn.Module):
    def forward(self, x, y):
        x = x.transpose(0, 1).view(2, 32, 64).permute(2, 1, 0)[:, :, 0]
        return x.to(torch.float32) + y.expand(64, 32), x.reshape(2048).to(torch.float16)
def get_inputs():
    return [torch.randn(64, 64), torch.randn(1, 32)]
"""


def traced(tmp_path: Path, source: str) -> TracedOp:
    path = tmp_path / "op.py"
    path.write_text(source)
    return trace(load_op(path))


@pytest.fixture(scope="module")
def rmsnorm(tmp_path_factory: pytest.TempPathFactory) -> TracedOp:
    return traced(tmp_path_factory.mktemp("rmsnorm"), RMSNORM)


@pytest.fixture(scope="module")
def matmul(tmp_path_factory: pytest.TempPathFactory) -> TracedOp:
    return traced(tmp_path_factory.mktemp("matmul"), MATMUL)


def kernel(spec: DeviceSpec = H100, **changes: Any) -> KernelReport:
    """A healthy memory-bound kernel, but for what is changed."""
    settings: dict[str, Any] = {
        "name": "rmsnorm_kernel",
        "arch": spec.arch,
        "grid": (8192, 1, 1),
        "num_warps": 8,
        "num_stages": 3,
        "registers": 32,
        "spill_bytes": 0,
        "shared_bytes": 64,
        "load_bits": {128: 4},
        "store_bits": {128: 4},
        "instructions": {"shuffle": 5, "barrier": 2},
        "compile_s": 0.2,
    } | changes
    held = occupancy(
        spec, settings["num_warps"] * spec.warp_size, settings["registers"], settings["shared_bytes"]
    )
    blocks = settings["grid"][0]
    waves = blocks / (spec.unit_count * held.blocks_per_unit) if spec.unit_count and held.fits else None
    return KernelReport(**settings, occupancy=held, waves=waves)


def diagnosed(traced: TracedOp, *kernels: KernelReport, spec: DeviceSpec = H100) -> Diagnosis:
    return classify(Profile(traced, spec, StaticReport(spec.arch, kernels, ())))


def classes(diagnosis: Diagnosis) -> list[str]:
    return [found.cls for found in diagnosis.bottlenecks]


def time_of(median_us: float) -> Timing:
    return Timing(
        subject="candidate",
        source="simulated",
        median_us=median_us,
        interval_us=(median_us, median_us),
        host_us=median_us + 8,
        samples=100,
        first_call_us=1e6,
        kernels=("rmsnorm_kernel",),
        uncovered_share=0.0,
        before=None,
        after=None,
        doubts=(),
    )


# ---- before any candidate exists


def test_eager_is_counted_from_the_graph(rmsnorm: TracedOp) -> None:
    """pow, mean, add, rsqrt, mul, mul; 8192 x 4096 fp32 is 134 MB, which pow and both mul read and write."""
    cost = eager_cost(rmsnorm)
    full, row = 8192 * 4096 * 4, 8192 * 4
    assert cost.launches == 6
    assert cost.bytes_moved == 7 * full + 6 * row + 4096 * 4


def test_views_are_free_and_copies_are_not(tmp_path: Path) -> None:
    """The sum, the copy of a reshape that no view can give, the cast; `.to` of the same type is free."""
    cost = eager_cost(traced(tmp_path, VIEWS))
    assert cost.launches == 3
    summed = 2048 * 4 + 32 * 4 + 2048 * 4
    assert cost.bytes_moved == summed + 2 * 2048 * 4 + 2048 * 4 + 2048 * 2


def test_an_unfused_operator_is_memory_bound_with_its_excess_traffic(rmsnorm: TracedOp) -> None:
    diagnosis = diagnose_op(rmsnorm, H100)
    assert diagnosis.level == "D"
    assert classes(diagnosis) == ["dram_bandwidth"]
    found = diagnosis.bottlenecks[0]
    assert found.confidence == "medium"
    assert "traffic_ratio=3.50 x [>= 1.5]" in found.evidence
    assert "launches=6" in found.evidence
    assert found.evidence.endswith("compared with dram_peak_gb_s=3350 GB/s of H100 SXM5 80GB")
    assert found.remedies[0].startswith("cut bytes: fuse")


def test_a_small_operator_is_bound_by_launches(tmp_path: Path) -> None:
    small = traced(tmp_path, RMSNORM.replace("ROWS, WIDTH = 8192, 4096", "ROWS, WIDTH = 64, 256"))
    found = diagnose_op(small, H100)
    assert classes(found)[0] == "launch_overhead"
    assert "[< 10]" in found.bottlenecks[0].evidence


def test_a_matrix_product_is_compute_bound(matmul: TracedOp) -> None:
    diagnosis = diagnose_op(matmul, H100)
    assert classes(diagnosis) == ["tensor_pipe"]
    assert diagnosis.roofline is not None
    assert diagnosis.roofline.bound == "compute"
    assert diagnosis.roofline.intensity > diagnosis.roofline.ridge > 200
    assert diagnosis.roofline.fraction is None
    assert diagnosis.roofline.attainable_us == pytest.approx(2 * 4096**3 / 989.4e6, rel=1e-3)


def test_without_code_every_code_class_is_undecided(rmsnorm: TracedOp) -> None:
    undecided = set(diagnose_op(rmsnorm, H100).undecided)
    assert {
        "spills",
        "tail_effect",
        "small_grid",
        "bank_conflict",
        "occupancy_regs",
        "near_roofline",
    } <= undecided


# ---- compiled code


def test_a_healthy_kernel_has_only_its_roofline(rmsnorm: TracedOp) -> None:
    diagnosis = diagnosed(rmsnorm, kernel())
    assert classes(diagnosis) == ["dram_bandwidth"]
    assert "spills" not in diagnosis.undecided
    assert "bank_conflict" in diagnosis.undecided


def test_a_tail_is_told_as_the_profiler_would(rmsnorm: TracedOp) -> None:
    """A GB200 product of 288 blocks, one per SM: 1 full wave, then 136 of 152, up to 50 % of the time."""
    gemm = kernel(GB200, grid=(288, 1, 1), num_warps=12, registers=168, shared_bytes=200_000)
    found = next(hit for hit in diagnosed(rmsnorm, gemm, spec=GB200).bottlenecks if hit.cls == "tail_effect")
    assert found.evidence == (
        "tail_effect (medium): whole_waves=1 full waves [>= 1], partial_blocks=136 blocks [> 0], "
        "tail_bound_pct=50 % [>= 20], blocks_per_wave=152 blocks; compared with "
        f"blocks_per_wave=152 blocks of {GB200.name}"
    )


def test_whole_waves_have_no_tail(rmsnorm: TracedOp) -> None:
    assert "tail_effect" not in classes(diagnosed(rmsnorm, kernel(grid=(132 * 8 * 2, 1, 1))))


def test_a_grid_smaller_than_the_card_goes_first(rmsnorm: TracedOp) -> None:
    diagnosis = diagnosed(rmsnorm, kernel(grid=(66, 1, 1)))
    assert classes(diagnosis)[0] == "small_grid"
    assert "grid_blocks=66 blocks [< unit_count=132]" in diagnosis.bottlenecks[0].evidence
    assert diagnosis.bottlenecks[0].kernel == "rmsnorm_kernel"


def test_an_unknown_unit_count_leaves_the_launch_undecided(rmsnorm: TracedOp) -> None:
    b300 = find_spec("b300")
    assert b300.unit_count is None
    assert {"small_grid", "tail_effect"} <= set(diagnosed(rmsnorm, kernel(b300), spec=b300).undecided)


def test_spills_outrank_the_occupancy_they_come_with(rmsnorm: TracedOp) -> None:
    found = classes(diagnosed(rmsnorm, kernel(registers=255, spill_bytes=132)))
    assert found.index("spills") < found.index("dram_bandwidth") < found.index("occupancy_regs")


@pytest.mark.parametrize(
    ("changes", "cls"),
    [
        ({"registers": 168}, "occupancy_regs"),
        ({"shared_bytes": 100_000}, "occupancy_smem"),
        ({"num_warps": 1, "registers": 16, "shared_bytes": 0}, None),
    ],
)
def test_low_occupancy_names_its_limiter(rmsnorm: TracedOp, changes: dict[str, Any], cls: str | None) -> None:
    """One warp a block reaches half the slots (32 of 64): not under 50 %, so nothing is said."""
    found = [name for name in classes(diagnosed(rmsnorm, kernel(**changes))) if name.startswith("occupancy")]
    assert found == ([cls] if cls else [])


def test_low_occupancy_of_a_tensor_core_kernel_is_not_blamed(matmul: TracedOp) -> None:
    gemm = kernel(registers=168, shared_bytes=200_000, instructions={"wgmma": 16})
    assert not [name for name in classes(diagnosed(matmul, gemm)) if name.startswith("occupancy")]


def test_a_product_without_matrix_instructions_is_found(matmul: TracedOp) -> None:
    assert "tensor_unused" in classes(diagnosed(matmul, kernel(instructions={})))
    assert "tensor_unused" not in classes(diagnosed(matmul, kernel(instructions={"mma": 8})))


def test_pointwise_work_needs_no_matrix_instructions(rmsnorm: TracedOp) -> None:
    assert "tensor_unused" not in classes(diagnosed(rmsnorm, kernel(instructions={})))


def test_loads_of_single_elements_are_suspected_not_proved(rmsnorm: TracedOp) -> None:
    diagnosis = diagnosed(rmsnorm, kernel(load_bits={32: 8}))
    found = {hit.cls: hit for hit in diagnosis.bottlenecks}
    assert found["uncoalesced"].confidence == "low"
    assert found["lg_throttle"].confidence == "low"
    wide = diagnosed(rmsnorm, kernel())
    assert {"uncoalesced", "lg_throttle"} <= set(wide.undecided)


def test_double_precision_counts_where_it_is_slow(rmsnorm: TracedOp) -> None:
    """RTX 4090 runs fp64 64 times slower than fp32, H100 twice."""
    rtx = find_spec("rtx4090")
    doubles = {"fp64": 12}
    assert "fp64_pipe" in classes(diagnosed(rmsnorm, kernel(rtx, instructions=doubles), spec=rtx))
    assert "fp64_pipe" not in classes(diagnosed(rmsnorm, kernel(instructions=doubles)))


def test_the_worst_kernel_speaks_for_its_class(rmsnorm: TracedOp) -> None:
    diagnosis = diagnosed(
        rmsnorm,
        kernel(name="first", spill_bytes=8),
        kernel(name="second", spill_bytes=400),
        kernel(name="third"),
    )
    (spills,) = [hit for hit in diagnosis.bottlenecks if hit.cls == "spills"]
    assert spills.kernel == "second"
    assert "spill_bytes=400" in spills.evidence


def test_no_static_or_graph_finding_claims_high_confidence(rmsnorm: TracedOp) -> None:
    bad = kernel(grid=(66, 1, 1), registers=255, spill_bytes=8, load_bits={32: 1}, instructions={"atomic": 1})
    found = diagnosed(rmsnorm, bad).bottlenecks
    assert len(found) >= 5
    assert "high" not in {hit.confidence for hit in found}


# ---- time


def test_at_the_roofline_the_advice_is_to_stop(rmsnorm: TracedOp) -> None:
    """268 MB at 3350 GB/s take 80.1 us."""
    profile = Profile(rmsnorm, H100, StaticReport("sm_90", (kernel(),), ()), time_of(84.0))
    diagnosis = classify(profile)
    assert diagnosis.level == "B"
    assert classes(diagnosis)[:2] == ["near_roofline", "dram_bandwidth"]
    assert diagnosis.bottlenecks[1].confidence == "medium"
    assert diagnosis.roofline is not None
    assert diagnosis.roofline.fraction == pytest.approx(0.954, abs=0.001)


def test_far_from_the_roofline_nothing_is_saturated(rmsnorm: TracedOp) -> None:
    profile = Profile(rmsnorm, H100, StaticReport("sm_90", (kernel(),), ()), time_of(400.0))
    diagnosis = classify(profile)
    assert "near_roofline" not in (*classes(diagnosis), *diagnosis.undecided)
    assert all(hit.basis != "timing" for hit in diagnosis.bottlenecks)


def test_a_saturated_unit_outranks_the_tail(rmsnorm: TracedOp) -> None:
    tailed = kernel(grid=(132 * 8 + 1, 1, 1))
    static = StaticReport("sm_90", (tailed,), ())
    found = classes(classify(Profile(rmsnorm, H100, static, time_of(110.0))))
    assert found.index("dram_bandwidth") < found.index("tail_effect")


def test_levels_follow_from_what_is_there(rmsnorm: TracedOp) -> None:
    static = StaticReport("sm_90", (kernel(),), ())
    assert Profile(rmsnorm, H100).level == "D"
    assert Profile(rmsnorm, H100, static).level == "D"
    assert Profile(rmsnorm, H100, timing=time_of(90.0)).level == "C"
    assert Profile(rmsnorm, H100, static, time_of(90.0)).level == "B"


# ---- counters, through the same rules


def counted(**facts: float) -> Diagnosis:
    return diagnose([("kernel", facts)], H100, "A")


@pytest.mark.parametrize(
    ("facts", "primary"),
    [
        ({"dram_pct": 91.0, "l2_pct": 40.0, "l1_pct": 30.0, "excess_sectors_pct": 0.0}, "dram_bandwidth"),
        ({"conflicts_per_wavefront": 0.92, "l1_pct": 90.0}, "bank_conflict"),
        ({"pipe_fp64": 86.0, "fp64_slowdown": 32.0, "stall_lg_throttle": 0.2}, "fp64_pipe"),
        ({"issue_active": 0.84, "sm_pct": 84.0}, "instruction_issue"),
        ({"stall_barrier": 0.69, "sm_pct": 20.0, "mem_pct": 30.0}, "barrier"),
    ],
)
def test_counter_classes_are_decided_with_high_confidence(facts: dict[str, float], primary: str) -> None:
    found = counted(**facts).bottlenecks[0]
    assert (found.cls, found.confidence) == (primary, "high")


@pytest.mark.parametrize(("share", "first"), [(80.0, "dram_bandwidth"), (30.0, "membar_atomics")])
def test_atomics_in_the_code_lead_only_where_the_bus_is_not_full(share: float, first: str) -> None:
    """A reduction that ends in one atomic a block keeps its bandwidth."""
    facts = {
        "bandwidth_pct": share,
        "compute_pct": 3.0,
        "memory_us": share,
        "compute_us": 3.0,
        "untimed": 0.0,
    }
    facts |= {"time_us": 100.0, "atomic_instructions": 1.0, "shared_atomic_instructions": 0.0}
    found = diagnose([("sum", facts)], H100, "B")
    assert found.bottlenecks[0].cls == first
    assert "membar_atomics" in classes(found)


def test_more_warps_are_not_asked_for_where_instructions_are_waited_for() -> None:
    found = counted(
        limited_by_registers=1.0, occupancy_theoretical=50.0, occupancy_gap_pct=50.0, sm_pct=30.0,
        mem_pct=20.0, tensor_pipeline=0.0, pipe_tensor=0.0, stall_long_scoreboard=0.1,
        stall_no_instruction=0.4,
    )  # fmt: skip
    assert classes(found)[:2] == ["icache", "occupancy_regs"]


def test_one_missing_metric_leaves_its_class_undecided_and_no_other() -> None:
    diagnosis = counted(dram_pct=91.0, l2_pct=40.0, stall_barrier=0.0)
    assert "dram_bandwidth" in diagnosis.undecided
    assert "barrier" not in diagnosis.undecided


def measured(kernel: str = "rmsnorm_kernel", **readings: float) -> Launch:
    return Launch(0, kernel, {key: Reading(value, key) for key, value in readings.items()}, arch="sm_90")


def test_counters_of_a_candidate_decide_what_its_code_left_open(rmsnorm: TracedOp) -> None:
    static = StaticReport("sm_90", (kernel(), kernel(name="other")), ())
    bare = Profile(rmsnorm, H100, static, time_of(400.0))
    assert "bank_conflict" in classify(bare).undecided
    counted = measured(shared_conflicts=80.0, shared_wavefronts=100.0, l1_pct=90.0, sm_pct=20.0, mem_pct=88.0)
    diagnosis = classify(replace(bare, counters=counted))
    assert diagnosis.level == "A"
    assert (diagnosis.bottlenecks[0].cls, diagnosis.bottlenecks[0].kernel) == (
        "bank_conflict",
        "rmsnorm_kernel",
    )
    assert "bank_conflict" not in diagnosis.undecided


def test_a_launch_without_counters_is_no_level_a(rmsnorm: TracedOp) -> None:
    static = StaticReport("sm_90", (kernel(),), ())
    profile = Profile(rmsnorm, H100, static, time_of(90.0), counters=measured(duration=9e4, grid=8192.0))
    assert profile.level == "B"


def test_the_only_kernel_owns_the_counters_whatever_the_tool_calls_it(rmsnorm: TracedOp) -> None:
    static = StaticReport("sm_90", (kernel(),), ())
    counted = measured("void rmsnorm_kernel<4>", stall_barrier=0.7, sm_pct=20.0, mem_pct=20.0)
    found = classify(Profile(rmsnorm, H100, static, counters=counted)).bottlenecks
    assert {hit.kernel for hit in found} == {"rmsnorm_kernel"}


# ---- the rules themselves

FORM = re.compile(r"^\w+ \((low|medium|high)\): \w+=\S.* \[(>|>=|<|<=) .+\].*; compared with .+$")


def test_every_evidence_string_has_the_fixed_form(rmsnorm: TracedOp, matmul: TracedOp) -> None:
    bad = kernel(grid=(66, 1, 1), registers=255, spill_bytes=8, load_bits={32: 1}, instructions={"atomic": 1})
    diagnoses = [diagnose_op(rmsnorm, H100), diagnose_op(matmul, H100), diagnosed(rmsnorm, bad)]
    strings = [hit.evidence for diagnosis in diagnoses for hit in diagnosis.bottlenecks]
    assert len(strings) >= 7
    assert [text for text in strings if not FORM.match(text)] == []


def test_the_taxonomy_is_complete() -> None:
    assert len(rule_book().classes) == 35


def test_every_fact_of_the_file_is_used_or_derived() -> None:
    """A misspelt fact would leave its class undecided for ever."""
    book = rule_book()
    counters = {
        name
        for entry in book.classes.values()
        for rule in entry.rules
        if rule.basis == "counters"
        for name in rule.when.facts_named()
    }
    derived = set(kernel_facts(kernel(), _empty(), H100)) | {
        "limited_by_barriers",
        "scratch_bytes",
        "untimed",
    }
    static = {
        name
        for entry in book.classes.values()
        for rule in entry.rules
        if rule.basis == "static"
        for name in rule.when.facts_named()
    }
    assert static - derived - {"unit_count", "matmul_like", "fp64_slowdown"} == set()
    assert counters <= set(book.facts)


def _empty() -> TracedOp:
    return TracedOp(None, "as-is", None, "pointwise", 0, 0, ("float32",), (), (), "", ())  # type: ignore[arg-type]


MINIMAL = """
facts: {{a: {{meaning: one}}, b: {{meaning: two}}}}
unclassified: {{show: [a], remedies: [nothing]}}
classes:
  only:
    group: latency
    remedies: [nothing]
    rules:
      - {{basis: static, confidence: low, score: a, when: {when}}}
"""


@pytest.mark.parametrize(
    ("when", "facts", "expected"),
    [
        ("{fact: a, above: 1}", {"a": 2.0}, True),
        ("{fact: a, above: 1}", {"a": 1.0}, False),
        ("{fact: a, above: 1}", {}, None),
        ("{all: [{fact: a, above: 1}, {fact: b, above: 1}]}", {"a": 0.0}, False),
        ("{all: [{fact: a, above: 1}, {fact: b, above: 1}]}", {"a": 2.0}, None),
        ("{any: [{fact: a, above: 1}, {fact: b, above: 1}]}", {"a": 2.0}, True),
        ("{any: [{fact: a, above: 1}, {fact: b, above: 1}]}", {"a": 0.0}, None),
        ("{none: [{fact: a, above: 1}, {fact: b, above: 1}]}", {"a": 0.0, "b": 0.0}, True),
        ("{none: [{fact: a, above: 1}, {fact: b, above: 1}]}", {"b": 2.0}, False),
        ("{fact: a, at_least: {fact: b, times: 2}}", {"a": 4.0, "b": 2.0}, True),
        ("{fact: a, at_least: {fact: b, times: 2}}", {"a": 4.0}, None),
    ],
)
def test_conditions_know_a_third_answer(when: str, facts: dict[str, float], expected: bool | None) -> None:
    book = parse_rules(MINIMAL.format(when=when))
    assert book.classes["only"].rules[0].when.holds(facts) is expected


@pytest.mark.parametrize(
    "when",
    [
        "{fact: c, above: 1}",
        "{fact: a}",
        "{fact: a, above: 1, below: 2}",
        "{fact: a, above: '__import__(\"os\")'}",
        "{fact: a, larger: 1}",
        "{all: []}",
        "{all: [{fact: a, above: 1}], any: [{fact: a, above: 1}]}",
    ],
)
def test_a_wrong_rule_is_refused(when: str) -> None:
    with pytest.raises(RuleError, match=r"rules\.yaml"):
        parse_rules(MINIMAL.format(when=when))


def test_excess_traffic_of_a_candidate_counts_like_that_of_eager(rmsnorm: TracedOp) -> None:
    static = StaticReport("sm_90", (kernel(),), ())
    lean = classify(Profile(rmsnorm, H100, static, traffic_ratio=1.01)).bottlenecks[0]
    greedy = classify(Profile(rmsnorm, H100, static, traffic_ratio=2.0)).bottlenecks[0]
    assert (lean.cls, lean.confidence) == ("dram_bandwidth", "low")
    assert (greedy.cls, greedy.confidence) == ("dram_bandwidth", "medium")
