"""What the target's compiler says is part of the verdict."""

from dataclasses import replace
from pathlib import Path

import pytest

from kbgen.generator.verify.judge import verify
from kbgen.generator.verify.process.exchange import StepReport
from kbgen.generator.verify.target import compiled_document, target_fault, unjudged
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.occupancy import occupancy
from kbgen.profiling.op import load_op
from kbgen.profiling.static import KernelReport, StaticReport

pytestmark = pytest.mark.usefixtures("quick_judgements")

TESTS = Path(__file__).parents[2]
H100 = find_spec("h100")
GOOD = KernelReport(
    name="add_kernel", arch="sm_90", grid=(64, 1, 1), num_warps=4, num_stages=3, registers=40, spill_bytes=0,
    shared_bytes=1024, load_bits={128: 2}, store_bits={128: 1}, instructions={}, waves=1.0, compile_s=0.1,
    occupancy=occupancy(H100, 128, 40, 1024, 1),
)  # fmt: skip


def cause(kernel: KernelReport, precision: str = "fp32", *modes: str) -> str | None:
    report = StepReport("ok", launches=("add_kernel[64, 1, 1]",), dot_precisions=modes)
    static = StaticReport("sm_90", (kernel,), ())
    fault = target_fault(static, H100, precision, [report]) or unjudged(static, [report])
    return fault.cause if fault else None


def test_a_kernel_that_fits_passes_and_spills_are_only_told() -> None:
    assert cause(GOOD) is None
    spilling = replace(GOOD, spill_bytes=64)
    assert cause(spilling) is None
    assert compiled_document(StaticReport("sm_90", (spilling,), ()), H100)["kernels"][0]["spill_bytes"] == 64


def test_code_that_stores_nothing_is_refused_where_the_kernel_stores() -> None:
    idle, stored = replace(GOOD, load_bits={}, store_bits={}), {"output": (0, 0, 64, 64)}
    told = [StepReport("ok", launches=("add_kernel[64, 1, 1]",), traffic=stored)]
    for kernel, expected in ((idle, "does-not-compile"), (replace(idle, instructions={"tma": 1}), None)):
        fault = target_fault(StaticReport("sm_100", (kernel,), ()), H100, "fp32", told)
        assert (fault.cause if fault else None) == expected


def test_shared_memory_over_the_limit_is_refused() -> None:
    assert cause(replace(GOOD, shared_bytes=H100.shared_bytes_per_block + 1)) == "over-limit"


def test_a_block_that_fits_nowhere_is_refused() -> None:
    assert cause(replace(GOOD, occupancy=occupancy(H100, 2048, 255, 1024, 1))) == "over-limit"


@pytest.mark.parametrize(
    ("precision", "modes", "expected"),
    [
        ("fp32", (), "low-precision"),
        ("fp32", ("ieee",), "low-precision"),
        ("fp32", ("tf32x3",), None),
        ("tf32", (), None),
        ("bf16", (), None),
    ],
)
def test_tf32_in_the_code_needs_a_judged_call_that_used_it(
    precision: str, modes: tuple[str, ...], expected: str | None
) -> None:
    assert cause(replace(GOOD, instructions={"mma": 8, "tf32": 8}), precision, *modes) == expected


def test_a_kernel_of_full_size_alone_leaves_the_verdict_open() -> None:
    assert cause(replace(GOOD, name="large_kernel")) == "unjudged-path"


@pytest.mark.parametrize(
    ("rejection", "expected"),
    [
        ("add_kernel does not compile for sm_90: CompilationError: no", "does-not-compile"),
        ("forward() of add.py fails on fake tensors: it asks for a value.", "unsupported"),
    ],
)
def test_what_does_not_compile_is_refused_and_what_cannot_be_seen_is_open(
    rejection: str, expected: str
) -> None:
    fault = target_fault(StaticReport("sm_90", (), (rejection,)), H100, "fp32", [])
    assert fault is not None
    assert fault.cause == expected


@pytest.mark.parametrize(
    ("rejections", "expected"),
    [((), "unsupported"), (("add_kernel does not compile for sm_90: no",), "does-not-compile")],
)
def test_the_compiler_decides_about_what_no_interpreter_runs(
    rejections: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    source = (TESTS / "honest" / "add_flat.py").read_text()
    mapped = source.replace("tl.store(", "tl.map_elementwise(tl.abs, a)\n    tl.store(", 1)
    assert mapped != source
    candidate = tmp_path / "mapped.py"
    candidate.write_text(mapped)
    op = load_op(TESTS / "generator" / "verify" / "ops" / "add.py")
    static = StaticReport("sm_90", (GOOD,), rejections)
    verdict = verify(candidate, op, H100, scratch=tmp_path / "scratch", static=static)
    assert verdict.cause == expected, verdict.detail


def test_the_verdict_for_a_named_target_holds_its_evidence(tmp_path: Path) -> None:
    op = load_op(TESTS / "generator" / "verify" / "ops" / "add.py")
    verdict = verify(TESTS / "honest" / "add_flat.py", op, H100, scratch=tmp_path)
    assert verdict.word == "passed", verdict.detail
    (kernel,) = verdict.target["kernels"]
    assert kernel["registers"] > 0
    assert verdict.target["arch"] == "sm_90"
    assert verdict.seconds["static"] > 0
