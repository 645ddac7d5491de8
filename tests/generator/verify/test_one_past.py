"""The shape whose axes are all one more than several tiles."""

from pathlib import Path

from kbgen.generator.verify.inputs.altered import LARGEST_LAST
from kbgen.generator.verify.shapes.longest import longest
from kbgen.generator.verify.shapes.one_past import EXACTLY, ONE_PAST, RESULTS_EXACTLY
from kbgen.generator.verify.shapes.ones import ALONE, ONES
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import ROOM, settings, uncrowded
from kbgen.profiling.op import load_op
from kbgen.profiling.shapes import ShapeSet

OPS = Path(__file__).parent / "ops"


def test_rows_and_columns_are_one_more_than_tiles_and_little_else_is_long() -> None:
    found = settings(load_op(OPS / "depthwise_dilated_conv2d.py"), "as-is", 1)
    (one,) = [one for one in found if one.name == ONE_PAST]
    assert one.op.overrides == {"BATCH": 2, "CHANNELS": 2, "HEIGHT": 65, "WIDTH": 65}
    assert one not in uncrowded(found)
    assert [case.family for case in plan(found, 1) if case.setting is one] == ["normal"]


def test_where_that_is_too_much_all_are_one_more_than_half_a_tile() -> None:
    found = settings(load_op(OPS / "attention.py"), "as-is", 1)
    (one,) = [one for one in found if one.name == ONE_PAST]
    assert one.op.overrides == {"batch": 2, "heads": 2, "length": 33, "width": 33}


def test_tiles_are_full_to_the_last_once() -> None:
    for source, sizes in (("", {"rows": 128, "length": 128}), ("BLOCK = 512", {"length": 512})):
        found = settings(load_op(OPS / "sums_from_the_end.py"), "as-is", 1, source=source)
        (one,) = [one for one in found if one.name == EXACTLY]
        assert one.op.overrides == sizes


def test_it_is_as_long_where_the_small_shape_is_next_to_nothing() -> None:
    op = load_op(OPS / "depthwise_dilated_conv2d.py")
    (one,) = [one for one in settings(op, "as-is", 1, ROOM.less(32)) if one.name == ONE_PAST]
    assert one.op.overrides["HEIGHT"] == one.op.overrides["WIDTH"] == 33


def test_tiles_of_results_are_full_where_a_window_leaves_less_of_an_axis() -> None:
    found = settings(load_op(OPS / "pulse_filter.py"), "as-is", 1)
    one, other = ([one for one in found if one.name == name] for name in (EXACTLY, RESULTS_EXACTLY))
    assert other[0].op.footprint().outputs[0][1] == one[0].op.constants["SAMPLES"]
    asked = [case.family for case in plan(found, 1) if case.setting is other[0]]
    assert asked == ["normal", LARGEST_LAST]
    found = settings(load_op(OPS / "sums_from_the_end.py"), "as-is", 1)
    assert not [one for one in found if one.name == RESULTS_EXACTLY]


SPREAD = """import torch

ROWS, HIGH, WIDE = 64, 96, 80


class Model(torch.nn.Module):
    def forward(self, x):
        return x.flatten(1).std(1)


def get_inputs():
    return [torch.randn(ROWS, HIGH, WIDE)]
"""


def test_an_axis_is_one_alone_where_all_of_them_leave_no_number(tmp_path: Path) -> None:
    path = tmp_path / "spread.py"
    path.write_text(SPREAD)
    found = {one.name: one.op.constants for one in settings(load_op(path), "as-is", 1)}
    assert (found[ONES]["ROWS"], found[ONES]["HIGH"]) == (1, 1)
    assert found[f"{ALONE}WIDE"]["WIDE"] == 1
    assert f"{ALONE}HIGH" not in found


def test_steps_that_have_weights_of_their_own_are_more_once() -> None:
    op = load_op(OPS / "kalman_layers.py")
    small = ShapeSet("small", {"TRACKS": 64}, 1 << 16, True, "")
    (one,) = longest(op, [small], 1 << 20, loops=True)
    assert one.overrides == {"TRACKS": 4, "LAYERS": 57}
