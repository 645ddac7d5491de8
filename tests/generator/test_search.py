"""What the climb keeps where the estimate cannot tell two kernels apart, or would trade one for two."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbgen.generator.evaluated import Evaluated
from kbgen.generator.merit import verdict
from kbgen.generator.writers.writer import Candidate
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.occupancy import occupancy
from kbgen.profiling.static import KernelReport, StaticReport

SPEC = find_spec("h100")


def evaluated(bits: int = 32, moved: float = 100.0, kernels: int = 1) -> Evaluated:
    report = KernelReport(
        name="rows", arch="sm_90", grid=(4096, 1, 1), num_warps=4, num_stages=1, registers=32, spill_bytes=0,
        shared_bytes=0, load_bits={bits: 2}, store_bits={bits: 1}, instructions={},
        occupancy=occupancy(SPEC, 128, 32, 0), waves=2.0, compile_s=0.0,
    )  # fmt: skip
    candidate = Candidate(f"{bits} {moved} {kernels}", "synth", bytes_per_kernel=(moved,))
    return Evaluated(candidate, Path("x.py"), StaticReport("sm_90", (report,) * kernels, ()), None)


@pytest.mark.parametrize(
    ("child", "effect", "kept"),
    [
        (evaluated(bits=128), 1.0, True),  # wider, and the estimate sees no difference
        (evaluated(bits=128), 0.98, True),  # a loss too small to believe
        (evaluated(bits=128), 0.95, False),  # a real one
        (evaluated(bits=16), 1.02, False),  # narrower for a gain too small to believe
        (evaluated(bits=16), 1.05, True),
        (evaluated(moved=90.0), 0.99, True),  # less traffic
        (evaluated(bits=128, moved=120.0), 1.0, False),  # wider, but more traffic
        (evaluated(), 1.01, True),  # nothing but the estimate speaks
        (evaluated(), 1.001, False),
        (evaluated(kernels=2), 1.08, False),  # a second kernel earns too little
        (evaluated(kernels=2), 1.20, True),
    ],
)
def test_facts_decide_where_estimates_are_close(child: Evaluated, effect: float, kept: bool) -> None:
    assert verdict(evaluated(), child, effect)[0] is kept


def test_a_refused_kernel_says_what_it_must_earn() -> None:
    assert verdict(evaluated(), evaluated(kernels=2), 1.05)[1] == "not kept: one more kernel must gain 10%"
