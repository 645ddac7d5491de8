"""Kernels in CUDA C++ are asked for in its own words, and only where a card is there to verify them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kbgen.generator.evaluated_cuda import ON_THE_CARD_ALONE, NeedsCardError, check_card, compiled_cuda
from kbgen.generator.loop import Asking, OptimizeRequest, optimize
from kbgen.generator.prompts.briefing import Briefing, from_json
from kbgen.generator.prompts.prompt import BUDGET_TOKENS
from kbgen.generator.prompts.tasks import draft, improve
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.profiling.device import detect
from kbgen.profiling.nvrtc import find_library

from ..verify.test_cuda import FILE, OP

GOLDEN = Path(__file__).parents[2] / "golden" / "llm"


def test_the_prompt_in_cuda_is_the_golden_one(briefing: Briefing) -> None:
    made = draft(replace(briefing, language="cuda"))
    assert made.text == (GOLDEN / "draft_cuda.md.expected").read_text(encoding="utf-8")
    assert "triton.jit" not in made.text
    assert made.tokens < BUDGET_TOKENS
    again = from_json(replace(briefing, language="cuda").to_json())
    assert improve(again, FILE, "well").system.startswith("You write GPU kernels in CUDA C++")


@pytest.mark.parametrize(
    ("gpu", "said"), [("h100", "on the card alone"), ("mi300x", "does not run CUDA C++")]
)
def test_nothing_is_paid_for_where_nothing_could_be_verified(
    gpu: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_EMBEDDER", "hashing")
    monkeypatch.setenv("KBGEN_MODELS", str(tmp_path / "none.yaml"))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    (tmp_path / "relu.py").write_text(OP)
    wanted = OptimizeRequest(
        tmp_path / "relu.py", gpu, writer="openai:m", knowledge=False, library=tmp_path / "library",
        out=tmp_path / "out", asking=Asking(language="cuda"),
    )  # fmt: skip
    assert "--language cuda" in wanted.command()
    with pytest.raises(NeedsCardError, match=said):
        optimize(wanted)


def test_a_candidate_is_compiled_where_the_card_is_and_refused_elsewhere(tmp_path: Path) -> None:
    device, op = detect("h100"), cast(Any, SimpleNamespace(name="relu"))
    wanted = Request(op, cast(Any, None), (), device.spec)
    elsewhere = compiled_cuda(Candidate(FILE, "files"), wanted, device, tmp_path)
    assert elsewhere.static.rejections == (ON_THE_CARD_ALONE,)
    if find_library() is None:
        pytest.skip("NVRTC is not installed")
    live = cast(Any, SimpleNamespace(spec=device.spec, live=True))
    check_card(live)
    here = compiled_cuda(Candidate(FILE, "files"), wanted, live, tmp_path)
    assert here.static.ok
    assert (here.static.kernels, here.estimate) == ((), None), "nothing is known of its launches"
    wrong = Candidate(FILE.replace("fmaxf", "fmaxg"), "files")
    assert '"fmaxg" is undefined' in compiled_cuda(wrong, wanted, live, tmp_path).static.rejections[0]
