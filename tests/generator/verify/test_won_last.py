"""What wins stands in the last place of a long axis."""

from pathlib import Path

from kbgen.generator.verify.inputs.won_last import WON_LAST
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"


def test_the_last_of_a_long_axis_wins_among_equals_too() -> None:
    for name, kept in (("hamming_nearest", 1), ("row_best", 1)):
        found = [
            one
            for one in plan(settings(load_op(OPS / f"{name}.py"), "as-is", 1), 1)
            if one.family == WON_LAST
        ]
        assert found
        for one in found:
            answer = one.setting.reference.tried(one.inputs, one.step.state)
            assert answer is not None
            assert int(answer.outputs[kept].max()) == one.setting.axis - 1 > 999


def test_none_where_no_places_come_out() -> None:
    planned = plan(settings(load_op(OPS / "softmax.py"), "as-is", 1), 1)
    assert WON_LAST not in {one.family for one in planned}
