"""The shape with several sizes beyond those shipped at once; a thousand where a guard names more than it."""

from pathlib import Path

import pytest

from kbgen.generator.verify.shapes.enlarged import ENLARGED, enlarged
from kbgen.generator.verify.shapes.thousands import HUNDREDS, STEPS, STRETCHED, thousands
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings, uncrowded
from kbgen.profiling.op import load_op
from kbgen.profiling.shapes import ShapeSet

OPS = Path(__file__).parent / "ops"


def test_all_sizes_are_three_times_as_large_and_groups_stay_as_many() -> None:
    found = settings(load_op(OPS / "grouped_steps_norm_silu.py"), "as-is", 1)
    (one,) = [one for one in found if one.name == ENLARGED]
    assert one.op.overrides == {"batch": 9, "channels": 72, "length": 150}
    assert one not in uncrowded(found)
    assert [case.family for case in plan(found, 1) if case.setting is one] == ["normal"]


def test_what_is_too_much_at_three_times_is_asked_at_twice_or_not() -> None:
    op = load_op(OPS / "catmull_rom.py")
    (one,) = enlarged(op, 16 << 20)
    assert one.overrides == {"TABLES": 19, "NODES": 6003, "QUERIES": 1401}
    assert enlarged(op, 1 << 20) == []
    assert enlarged(load_op(OPS / "ema_scan.py"), 1 << 30) == []


def test_a_thousand_is_asked_though_a_guard_names_more_than_that() -> None:
    op = load_op(OPS / "weighted_focal_loss.py")
    for source, asked in (("LONGEST = 8192", False), ("LONGEST = 8192\nraise ValueError", True)):
        names = [one.name for one in settings(op, "as-is", 1, source=source)]
        assert "longer" in names
        assert ("a thousand of num_classes" in names) is asked


def test_of_a_long_table_many_rows_are_looked_up() -> None:
    found = settings(load_op(OPS / "ell_spmm.py"), "as-is", 1)
    (one,) = [one for one in found if one.name == "three times COLS"]
    assert one.op.overrides["COLS"] == 4501
    assert one.shipped[1].numel() > 500  # type: ignore[union-attr]


def test_hundreds_are_asked_where_every_two_of_a_thousand_meet_and_take_no_other_s_place() -> None:
    found = settings(load_op(OPS / "alibi_packed.py"), "as-is", 1)
    names = [one.name for one in found if one.name.startswith(STRETCHED)]
    assert names == ["a thousand of T", "a thousand of D", "hundreds of T"]
    assert next(one for one in found if one.name == "hundreds of T").op.overrides["T"] == 263
    assert not any(
        one.name.startswith(HUNDREDS) for one in settings(load_op(OPS / "ell_spmm.py"), "as-is", 1)
    )


def test_a_loop_has_as_many_steps_as_there_is_time_for_and_nothing_ends_it() -> None:
    found = settings(load_op(OPS / "gae_in_a_loop.py"), "as-is", 1)
    (one,) = [one for one in found if one.name.startswith(STEPS)]
    assert one.op.overrides["steps"] == 281
    asked = [case for case in plan(found, 1) if case.setting is one]
    assert [case.name.rpartition(", ")[2] for case in asked] == ["normal", "masks off", "masks on"]
    op = load_op(OPS / "ema_scan.py")
    judged = [ShapeSet("small", {"T": 8, "B": 4, "C": 4}, 1 << 16, True, "")]
    judged += [ShapeSet("long T", {"T": 747, "B": 4, "C": 4}, 1 << 16, True, "")]
    assert not any(one.name.startswith(STEPS) for one in thousands(op, judged, 1 << 24))


def test_a_loop_of_more_calls_than_there_is_time_for_has_as_many_steps_as_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kbgen.generator.verify.shapes.thousands.CALLS", 400)
    op = load_op(OPS / "iir_cascade.py", {"SAMPLES": 48})
    small = ShapeSet("small", {"SAMPLES": 4, "CHANNELS": 8}, 1 << 16, True, "")
    (one,) = thousands(op, [small], 1 << 28)
    assert one.name == f"{STEPS}SAMPLES"
    assert one.overrides == {"SAMPLES": 29, "CHANNELS": 4}


def test_rows_of_some_thousands_are_asked_three_times_as_long() -> None:
    op = load_op(OPS / "runs_and_places.py")
    small = ShapeSet("small", {"ROWS": 16, "LENGTH": 93}, 1 << 16, True, "")
    found = {one.name: one.overrides["LENGTH"] for one in thousands(op, [small], 1 << 22)}
    assert found["three times LENGTH"] == 3 * op.constants["LENGTH"] + 1
