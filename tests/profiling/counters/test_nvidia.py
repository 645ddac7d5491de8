"""nvidia.yaml: every name means one canonical key, every key has its unit, every family its own list."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from kbgen.hardware_specs.spec import all_specs
from kbgen.profiling.counters import nvidia
from kbgen.profiling.counters.amd import amd_map
from kbgen.profiling.counters.units import unit
from kbgen.profiling.counters.vocabulary import vocabulary

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared" / "data" / "metrics_nvidia.yaml"
KEYS = nvidia.full()
FAMILIES = tuple(nvidia.metric_map().families)
# What rules.yaml reads of counters under another name, and the keys that give it.
FACTS = {
    "duration_us": {"duration"},
    "imbalance_pct": {"sm_active", "sm_active_max", "sm_elapsed"},
    "conflicts_per_wavefront": {"shared_conflicts", "shared_wavefronts"},
    "excess_sectors_pct": {"sectors_global", "sectors_global_ideal"},
    "fabric_pct": {"l2_sectors_fabric", "l2_sectors"},
    "sysmem_pct": {"l2_sectors_sysmem", "l2_sectors"},
    "stall_math_throttle": {"stall_math_pipe_throttle"},
    "atomic_sectors_pct": {"l2_atomics", "l2_reductions", "l2_sectors"},
    "tma_instructions": {"pipe_tma"},
    "divergence_pct": {"threads_per_inst"},
    "local_inst_pct": {"local_ld", "local_st", "inst"},
    "grid_blocks": {"grid"},
    "registers": {"regs"},
    "shared_bytes": {"smem_block"},
    "threads_per_block": {"block"},
    "unit_count": {"units"},
    "limited_by_registers": {"limit_regs"},
    "limited_by_shared": {"limit_smem"},
    "limited_by_blocks": {"limit_blocks"},
    "limited_by_warps": {"limit_warps"},
    "limited_by_barriers": {"limit_barriers"},
}


def test_every_key_is_in_the_vocabulary_with_a_unit_that_converts() -> None:
    assert set(KEYS) <= set(vocabulary())
    assert [key for key in KEYS if unit(vocabulary()[key].unit) is None] == []


def test_every_key_of_the_vocabulary_is_known_to_one_vendor_at_least() -> None:
    told_by_dispatches = {"scratch"}  # AMD's tools print it with every launch
    assert set(vocabulary()) - set(KEYS) - set(amd_map().keys) <= told_by_dispatches


def test_no_metric_stands_for_two_keys() -> None:
    owners: dict[str, str] = {}
    for key in KEYS:
        for name in nvidia.metric_names(key):
            assert owners.setdefault(name, key) == key
    assert len(owners) > 90


def test_every_named_key_and_family_exists() -> None:
    mapped = nvidia.metric_map()
    assert set(nvidia.quick()) <= set(KEYS)
    assert len(nvidia.quick()) == 12
    for entry in mapped.keys.values():
        assert set(entry.per_family) <= set(FAMILIES)
    for stall in mapped.stalls.reasons.values():
        assert set(stall.absent_on) <= set(FAMILIES)
    parts = [entry.parts for entry in mapped.keys.values() if entry.parts]
    assert all(sum(map(bool, (part.sum, part.product, part.difference))) == 1 for part in parts)


@pytest.mark.parametrize("fact", FACTS)
def test_what_the_rules_need_can_be_obtained(fact: str) -> None:
    assert f"\n  {fact}: " in (ROOT / "profiling" / "rules.yaml").read_text(encoding="utf-8")
    families = {key: {name for name in FAMILIES if nvidia.metric_names(key, name)} for key in KEYS}
    assert set.intersection(*(families[key] for key in FACTS[fact]))


def test_a_target_has_its_family() -> None:
    assert [nvidia.family(arch) for arch in ("sm_75", "sm_90", "sm_90a", "sm_100f", "sm_120", "sm_121")] == [
        "turing", "hopper", "hopper", "blackwell_sm100", "blackwell_sm120", "blackwell_sm121",
    ]  # fmt: skip
    assert nvidia.family("gfx942") is None
    assert nvidia.family(None) is None
    assert all(nvidia.family(spec.target) for spec in all_specs() if spec.vendor == "nvidia")


def test_names_follow_the_chip() -> None:
    assert nvidia.metric_names("dram_read", "hopper") == ("dram__bytes_read.sum",)
    assert nvidia.metric_names("dram_read", "blackwell_sm120") == ("dram__bytes_op_read.sum",)
    assert nvidia.metric_names("dram_read", "blackwell_sm121") == ()
    assert nvidia.metric_names("pipe_tensor", "ada")[0].startswith("sm__pipe_tensor_cycles_active_v2")
    assert nvidia.metric_names("pipe_tc", "hopper") == ()
    assert nvidia.metric_names("stall_gmma", "ada") == ()
    assert nvidia.metric_names("stall_gmma", "hopper") == (
        "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio",
    )
    assert nvidia.metric_names("stall_imc_miss", "blackwell_sm100") == ()
    assert nvidia.metric_names("l2_sectors_fabric", "ada") == ()
    assert nvidia.metric_names("l2_sectors_sysmem", "blackwell_sm100") == ()


def test_only_what_the_chip_counts_is_asked_for() -> None:
    asked = nvidia.asked(nvidia.full(), "hopper")
    assert "gpu__time_duration.sum" in asked
    assert not [
        name for name in asked if name.startswith(("launch__", "derived__", "memory_", "sm__maximum"))
    ]
    assert "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed" not in asked
    assert len(asked) == len(set(asked)) > 60


def test_the_unit_tells_apart_what_is_shown_alike() -> None:
    share = nvidia.named("Memory Throughput", "%")
    rate = nvidia.named("Memory Throughput", "Gbyte/s")
    assert (share, rate) == (
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__bytes.sum.per_second",
    )
    assert nvidia.named("Memory Throughput", "furlong") is None
    assert nvidia.named("Max Cluster Size", "block") is None


@pytest.mark.skipif(
    not SHARED.exists(), reason="the list that the map was made from is not beside the checkout"
)
def test_the_map_agrees_with_the_list_it_was_made_from() -> None:
    listed: dict[str, Any] = yaml.safe_load(SHARED.read_text(encoding="utf-8"))
    for metric in listed["metrics"]:
        key = metric["key"]
        assert (
            nvidia.metric_names(key, "hopper" if "per_family" not in metric else None)[0] == metric["metric"]
        ), key
        for family, names in metric.get("per_family", {}).items():
            expected = [names] if isinstance(names, str) else names or []
            assert list(nvidia.metric_names(key, family)) == expected, (key, family)
        by = "tool" if metric.get("kind") == "tool" else "chip"
        assert nvidia.metric_map().keys[key].by == by, key
    for stall in listed["stalls"]["reasons"]:
        absent = nvidia.metric_map().stalls.reasons[stall["reason"]].absent_on
        assert set(stall.get("absent_on", [])) <= set(absent), stall
    assert listed["stalls"]["pattern"] == nvidia.metric_map().stalls.pattern
