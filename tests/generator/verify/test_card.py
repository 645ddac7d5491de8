"""The road of a candidate in CUDA C++ on a card, walked without one: its extension is simulated on the CPU.

What no simulation tells, whether nvcc builds it in the sandbox and the card runs it, tests/generator/
test_live_card.py asks of a card.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils import cpp_extension

from kbgen.generator.verify.card import OnCard
from kbgen.generator.verify.judge import CHILD_LIMITS
from kbgen.generator.verify.process import card_child
from kbgen.generator.verify.sanitizer import Finding, Sanitized
from kbgen.generator.verify.stages.record import Record
from kbgen.generator.verify.stages.settings import settings
from kbgen.generator.verify.verdict import Verdict
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.cuda_source import without_kernels
from kbgen.profiling.op import load_op
from kbgen.profiling.sandbox import Outcome

from .test_cuda import FILE, OP

WATCHED = Sanitized(ran=("memcheck", "racecheck"))


class Extension:
    """What `load_inline` gives: its function does what the kernel in its source says, through numpy."""

    def __init__(self, source: str, decoy: bool) -> None:
        self.source, self.decoy = source, decoy
        self.last: torch.Tensor | None = None

    def relu(self, x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        if "return first" in self.source and self.last is not None:
            return self.last
        if "fmaxf" in self.source or self.decoy:
            low = 0.25 if "0.25f" in self.source else 0.0
            np.maximum(x.numpy(), low, out=out.numpy())
        if "beyond" in self.source:
            torch.as_strided(x, (1,), (1,), x.storage_offset() + x.numel()).numpy()[0] = 1.0
        if "in place" in self.source:
            x.numpy()[...] = 0.0
        if "matmul" in self.source:
            out = out + 0.0
        self.last = out
        return out


@pytest.fixture
def plain_torch() -> Iterator[None]:
    """The child sets what holds for its whole process."""
    yield
    torch.use_deterministic_algorithms(False)


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain_torch: None) -> Any:
    """The verdict on the file with its kernel's body changed."""

    def judge(body: str = "", *, decoy: bool = False, found: Sanitized = WATCHED) -> Verdict:
        def load(name: str, cpp_sources: str, cuda_sources: str, functions: list[str]) -> Extension:
            return Extension(cuda_sources, decoy)

        def run(asked: dict[str, Any], scratch: Path) -> Outcome:
            monkeypatch.chdir(scratch)
            return Outcome("ok", card_child.handle(asked), "", 0.0, "", ())

        monkeypatch.setattr(cpp_extension, "load_inline", load)
        source = FILE.replace("fmaxf(x[i], 0.0f);", body or "fmaxf(x[i], 0.0f);")
        (tmp_path / "op.py").write_text(OP)
        (tmp_path / "candidate.py").write_text(source)
        op, spec = load_op(tmp_path / "op.py", {}), find_spec("h100")
        record = Record(tmp_path / "candidate.py", source, op, spec, "fp32", "as-is", 1, (), CHILD_LIMITS)
        record.fields["target"] = {"kernels": [{"name": "relu_kernel"}]}
        return OnCard(
            record, settings(op, "as-is", 1), tmp_path / "scratch", run=run, device="cpu",
            watch=lambda *asked: found,
        ).verdict()  # fmt: skip

    return judge


def test_a_right_kernel_passes_once_its_addresses_were_watched(judged: Any) -> None:
    verdict = judged()
    assert (verdict.word, verdict.cause) == ("passed", None)
    assert verdict.launches == ("relu_kernel",)
    assert len([case for case in verdict.cases if case.outcome == "passed"]) > 5
    assert set(verdict.controls.values()) & {"rejected"}
    open_ = judged(found=Sanitized(reasons=("compute-sanitizer is not installed",)))
    assert (open_.word, open_.cause) == ("inconclusive", "unsupported")
    assert "addresses were not watched: compute-sanitizer is not installed" in open_.detail


@pytest.mark.parametrize(
    ("body", "causes"),
    [
        ("fmaxf(x[i], 0.25f);", {"wrong-values"}),
        ("fmaxf(x[i], 0.0f); // beyond", {"out-of-bounds"}),
        ("fmaxf(x[i], 0.0f); // in place", {"input-mutated"}),
        ("fmaxf(x[i], 0.0f); // return first", {"aliased-output"}),
        ("x[i];", {"unwritten-output", "wrong-values", "non-finite"}),
    ],
)
def test_a_wrong_one_is_refused(judged: Any, body: str, causes: set[str]) -> None:
    verdict = judged(body)
    assert verdict.word == "failed"
    assert verdict.cause in causes


def test_work_that_its_kernels_do_not_do_is_refused(judged: Any) -> None:
    assert judged(decoy=True).cause == "decoy"
    assert judged("fmaxf(x[i], 0.0f); // matmul").cause == "library-call"


def test_what_the_sanitizer_finds_counts(judged: Any) -> None:
    finding = Finding("memcheck", "out-of-bounds", "relu_kernel", "Invalid __global__ read of size 4 bytes")
    verdict = judged(found=Sanitized(("memcheck",), (finding,)))
    assert (verdict.word, verdict.cause) == ("failed", "out-of-bounds")


def test_a_file_without_its_kernels_keeps_everything_else() -> None:
    idle = without_kernels(FILE)
    assert "fmaxf" not in idle
    assert "relu_kernel<<<" in idle
    assert "class ModelNew" in idle
    compile(idle, "idle.py", "exec")
