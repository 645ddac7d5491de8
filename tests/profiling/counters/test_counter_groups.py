"""Counters are dealt out so that the hardware can count each pass."""

from __future__ import annotations

import pytest

from kbgen.profiling.counters.amd import amd_map
from kbgen.profiling.counters.counter_groups import block_of, formulas_of, passes_of


@pytest.mark.parametrize("chip", tuple(amd_map().chips))
def test_no_pass_asks_for_more_than_its_blocks_can_count(chip: str) -> None:
    table, formulas = amd_map(), formulas_of(amd_map().keys, chip)
    passes = passes_of(formulas)
    for one in passes:
        blocks = [block_of(name) for name in one]
        assert all(b is not None and blocks.count(b) <= table.pass_limits[b] for b in blocks) or len(one) == 1
    dealt = [name for one in passes for name in one]
    assert sorted(dealt) == sorted({name for one in formulas for name in one})


def test_what_the_tool_lacks_is_replaced_or_not_asked_for() -> None:
    assert formulas_of(["valu_pct"], "gfx942", {"VALUBusy"}) == (("VALUBusy",),)
    assert formulas_of(["valu_pct"], "gfx942", {"SQ_ACTIVE_INST_VALU", "GRBM_GUI_ACTIVE"}) == (
        ("GRBM_GUI_ACTIVE",), ("SQ_ACTIVE_INST_VALU",)
    )  # fmt: skip
    assert formulas_of(["l2_hit"], "gfx942", {"TCC_HIT"}) == ()


def test_counters_of_one_formula_share_a_pass() -> None:
    passes = passes_of([("TCC_A", "TCC_B", "TCC_C"), ("TCC_D", "TCC_E"), ("VmemLatency",), ("TCC_F",)])
    assert passes == (("TCC_A", "TCC_B", "TCC_C", "TCC_F"), ("TCC_D", "TCC_E"), ("VmemLatency",))
