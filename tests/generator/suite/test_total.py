"""Counts keep failures in every denominator; shares, medians and intervals are of what was counted."""

import math
from dataclasses import replace

import pytest

from kbgen.generator.suite.row import NOT_REACHED, Row
from kbgen.generator.suite.total import by_family, by_level, geomean, total

PLAIN = Row("a", "h100", "unmeasured", 10.0, "", "level1", verified=True)


def timed(op: str, status: str, over: dict[str, float], *, verified: bool = True) -> Row:
    fastest = min(over.values())
    return replace(
        PLAIN, op=op, status=status, verified=verified, measured_us=10.0, speedups=over, speedup=fastest,
        interval=(fastest, fastest), timing_seconds=1.0,
    )  # fmt: skip


def test_failures_and_lost_races_stay_in_the_share_that_is_fast() -> None:
    rows = (
        timed("won", "win", {"eager": 4.0, "compile": 2.0, "compile-max-autotune": 1.6}),
        timed("lost", "no-win", {"eager": 2.0, "compile": 0.8, "compile-max-autotune": 0.9}),
        timed("wrong", "declined", {"eager": 9.0, "compile": 9.0}, verified=False),
        Row("broken", "auto", "error", 0.1, "it does not load"),
    )
    found = total(rows)
    assert found["fast_1_over_eager"] == 0.5
    assert found["fast_1_over_compile"] == 0.25
    assert found["fast_1.5_over_fastest"] == 0.25
    assert found["geomean_handed_over"] == pytest.approx(1.6 ** (1 / 4))
    assert found["geomean_over_eager"] == pytest.approx(math.sqrt(8))
    low, high = found["geomean_over_eager_interval"]
    assert (low, high) == (pytest.approx(2.0), pytest.approx(4.0))


def test_without_a_clock_nothing_is_called_fast_nor_free_of_contradiction() -> None:
    assert not [name for name in total([PLAIN]) if name.startswith(("fast", "geomean"))]
    assert total([PLAIN])["contradicted"] is None
    wrong = replace(timed("wrong", "inconclusive", {"eager": 2.0}, verified=False), contradicted="race")
    assert total([timed("won", "win", {"eager": 2.0}), wrong])["contradicted"] == 1


def test_what_was_not_reached_is_not_counted_as_none() -> None:
    found = total([Row("late", "h100", NOT_REACHED, 0.0, "the time of the suite was over", "level3")])
    counts = ("verified", "one_kernel", "nothing_left_to_torch", "traffic_at_most_1.05", "without_spills")
    assert {found[name] for name in (*counts, "mean_candidates_to_best", "seconds")} == {None}
    assert (found["rows"], found["reached"], found["refused"]) == (1, 0, {})
    assert total([PLAIN])["one_kernel"] == 0


def test_the_interval_holds_the_mean_and_narrows_with_more_rows() -> None:
    few, many = [0.5, 1.0, 2.0], [0.5, 1.0, 2.0] * 30
    (mean, (low, high)), (_, (lower, upper)) = geomean(few), geomean(many)
    assert mean == pytest.approx(1.0)
    assert low < lower < 1.0 < upper < high
    assert geomean(few) == geomean(few)


def test_levels_are_counted_apart_and_every_refusal_by_its_cause() -> None:
    refused = replace(PLAIN, level="level2", verified=False, status="declined", cause="wrong-values")
    hung = replace(refused, op="b", status="timeout", cause="timeout", reason="it ran past 600 s")
    levels = by_level([PLAIN, refused, hung, replace(hung, op="c")])
    assert list(levels) == ["level1", "level2"]
    assert (levels["level1"]["verified"], levels["level1"]["refused"]) == (1, {})
    assert levels["level2"]["refused"] == {"timeout": 2, "wrong-values": 1}


def test_the_share_of_our_kernels_is_summed_over_rows() -> None:
    whole = replace(PLAIN, flops=100.0, torch_flops=0.0, eager_bytes=10.0, torch_bytes=0.0)
    half = replace(PLAIN, flops=300.0, torch_flops=150.0, eager_bytes=10.0, torch_bytes=10.0)
    found = total([whole, half, PLAIN])
    assert (found["own_flops"], found["own_bytes"]) == (1 - 150 / 400, 0.5)
    assert total([PLAIN])["own_flops"] is None


def test_tensors_are_weighed_against_eager_s_and_what_tiles_read_again_apart() -> None:
    fused = replace(PLAIN, least_bytes=10.0, eager_bytes=50.0, tensor_bytes=10.0, torch_bytes=1.0)
    found = total([replace(fused, traffic_ratio=2.0), PLAIN])
    assert (found["median_tensor_traffic"], found["median_tensor_traffic_of_eager"]) == (1.1, 5.0)
    assert found["median_tile_traffic"] == 2.0


def test_targets_are_counted_where_they_were_compiled() -> None:
    good, bad = ({"mi300x": {"ok": ok}} for ok in (True, False))
    rows = [replace(PLAIN, targets=good), replace(PLAIN, targets=bad), PLAIN]
    assert total(rows)["targets"] == {"mi300x": {"compiled": 2, "ok": 1}}


def test_a_family_is_held_against_a_copy_and_products_against_their_peak() -> None:
    product = replace(
        timed("mm", "win", {"eager": 2.0}), family="matmul", dtype="bfloat16", flops=4e9, least_bytes=1e6
    )
    copied = replace(timed("add", "win", {"eager": 2.0}), family="pointwise", least_bytes=2e7)
    found = by_family([product, copied], {"dram_copy_gb_s": 4000.0, "tensor_bf16": 800.0})
    assert found["matmul"] == {"rows": 1, "of_copy": 0.025, "of_matmul": 0.5}
    assert found["pointwise"] == {"rows": 1, "of_copy": 0.5, "of_matmul": None}
    assert by_family([product], {})["matmul"] == {"rows": 1, "of_copy": None, "of_matmul": None}
