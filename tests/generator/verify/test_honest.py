"""An honest kernel of every forty-eighth op passes, and impostors for its op would have been refused.

`kbgen eval judge` (`make judge`) puts all of them before the judge.
"""

from pathlib import Path

import pytest

from kbgen.generator.exhibits import PASSED, Exhibit, one_of_each, read_exhibits
from kbgen.generator.verify.verdict import Passed

HONEST = read_exhibits(Path(__file__).parents[2] / "honest", Path(__file__).parent / "ops")


def test_there_are_honest_kernels_for_many_ops() -> None:
    assert len(HONEST) >= 40
    assert len({kernel.op_path for kernel in HONEST}) >= 20
    assert all(kernel.expected == PASSED for kernel in HONEST)


@pytest.mark.parametrize("kernel", one_of_each(HONEST)[::48], ids=lambda kernel: kernel.path.stem)
@pytest.mark.usefixtures("brief_judgements")
def test_honest_kernel_passes(kernel: Exhibit, tmp_path: Path) -> None:
    """`kbgen eval judge` gives them all their time."""
    verdict = kernel.judge(tmp_path)
    assert isinstance(verdict, Passed), f"{verdict.cause}: {verdict.detail}"
    assert verdict.launches
    for name, outcome in verdict.controls.items():
        assert outcome == "rejected" or outcome.startswith("n/a"), f"{name} {outcome}"
    assert {case.outcome for case in verdict.cases} <= {"passed", "guarded", "refused", "dropped", "skipped"}
