"""An argument of one is a constant, as in a compiled kernel; what the compiler refuses of it is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

from kbgen.generator.verify.shapes.ones import ONES, ones
from kbgen.generator.verify.stages.settings import settings, uncrowded
from kbgen.profiling.op import load_op

FOLDER = Path(__file__).parent


def test_one_is_what_the_compiler_makes_of_it() -> None:
    """What `triton.compile` for sm_90 says of the same kernels with `n` a constant."""
    env = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    script = [sys.executable, FOLDER / "constants_child.py"]
    ran = subprocess.run(script, env=env, capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(ran.stdout) == {
        "cast": "AttributeError",
        "cast_variable": 1.0,
        "cast_typed": 1.0,
        "cast_of_helper": "AttributeError",
        "assigned": 2.0,
        "halved_in_a_loop": "TypeError",
        "tripled_in_a_loop_unrolled": 9.0,
        "grown_in_a_branch": "TypeError",
        "grown_where_it_is_one": 4.0,
        "divided": -1.0,
        "promised": "TypeError",
        "reckoned": 2.0,
        "cast_in_tuple": "AttributeError",
        "cast of two": 2.0,
    }


def test_every_size_is_one_once() -> None:
    found = settings(load_op(FOLDER / "ops" / "rows_less_their_mean.py"), "as-is", 1)
    alone = next(one for one in found if one.name == ONES)
    assert [tuple(one.shape) for one in alone.shipped] == [(1, 1)]
    assert alone not in uncrowded(found)


def test_sizes_of_one_leave_an_op_something_to_tell() -> None:
    softmax = load_op(FOLDER / "ops" / "softmax.py")
    (found,) = ones(softmax, list(softmax.shape_sets(128 << 10)))
    assert softmax.is_sound(found.overrides)
    assert 1 in found.overrides.values()
