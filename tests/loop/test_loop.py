"""The loop keeps its promises: causal advice, memory, failures told as failures, nothing half-written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kbgen import KbgenError
from kbgen.generator.loop import Event, OptimizeRequest, optimize
from kbgen.generator.writers.scripted import ScriptedWriter
from kbgen.generator.writers.synth.writer import SynthWriter
from kbgen.generator.writers.writer import Candidate, Declined, Request
from kbgen.kb import shipped
from kbgen.kb.library import Library

pytestmark = pytest.mark.usefixtures("quick_judgements")

Ask = Callable[..., OptimizeRequest]

SOFTMAX = """
import torch
from torch import nn

rows = 256
width = 4096


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.randn(rows, width)]


def get_init_inputs():
    return []
"""

WRONG = """
import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, 2 * tl.load(x_ptr + offsets, mask=mask), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        double_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out
"""


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KBGEN_EMBEDDER", "hashing")


@pytest.fixture
def ask(tmp_path: Path, fresh_library: Path) -> Ask:
    path = tmp_path / "softmax.py"
    path.write_text(SOFTMAX)

    def request(**changes: object) -> OptimizeRequest:
        given: dict[str, object] = {"gpu": "h100", "library": fresh_library, "out": tmp_path / "out"}
        return OptimizeRequest(path, **{**given, **changes})  # type: ignore[arg-type]

    return request


def test_advice_orders_the_search_and_the_next_run_finds_what_this_one_tried(
    ask: Callable[..., OptimizeRequest],
) -> None:
    first = optimize(ask(max_candidates=6))
    advised = [a["transform"] for a in first.advice]
    tried = [s["transform"] for s in first.steps]
    assert tried
    assert tried == sorted(tried, key=advised.index)
    assert all(s["citations"] for s in first.steps)
    assert any(c["citation"] for c in first.choices)
    known = {name for a in first.advice for o in a["outcomes"] for name in o["episodes"]}
    assert known <= shipped.episodes().keys()
    second = optimize(ask(max_candidates=1))
    remembered = {a["transform"]: a["outcomes"] for a in second.advice}
    assert all(any(o["here"] and first.recorded in o["episodes"] for o in remembered[t]) for t in tried)


def test_without_knowledge_the_order_is_the_alphabets_and_nothing_is_cited(
    ask: Callable[..., OptimizeRequest],
) -> None:
    result = optimize(ask(knowledge=False, max_candidates=3))
    tried = [s["transform"] for s in result.steps]
    assert tried == sorted(tried)
    assert not result.advice
    assert not any(c["citation"] for c in result.choices)


def test_a_wrong_kernel_is_declined_with_its_cause_and_remembered_as_a_failure(
    ask: Ask, tmp_path: Path
) -> None:
    result = optimize(ask(), writer=ScriptedWriter([WRONG]))
    assert (result.status, result.verified, result.candidate_path) == ("declined", False, None)
    assert "wrong-values" in result.reason
    assert not (tmp_path / "out" / "softmax_optimized.py").exists()
    with Library.open(tmp_path / "library") as library:
        episode = library.records()[result.recorded or ""]
    assert (episode.status, episode.verified, episode.source) == ("declined", False, "")


def test_an_interrupt_ends_with_the_best_so_far(ask: Ask) -> None:
    class Interrupted(SynthWriter):
        def write(self, request: Request) -> Candidate | Declined:
            if request.parent is not None:
                raise KeyboardInterrupt
            return super().write(request)

    events: list[Event] = []
    result = optimize(ask(), events.append, writer=Interrupted())
    assert (result.status, result.verified) == ("unmeasured", True)
    assert any("best so far" in e.detail for e in events)


def test_the_time_budget_ends_the_search_not_the_judging(ask: Ask) -> None:
    result = optimize(ask(budget_s=0.001))
    assert result.verified
    assert not result.steps


def test_what_is_left_to_torch_is_said_and_a_bare_library_call_is_declined(tmp_path: Path) -> None:
    path = tmp_path / "sorted_rows.py"
    body = SOFTMAX.replace("torch.softmax(x, dim=-1)", "torch.sort(x, dim=-1).values")
    path.write_text(body)
    result = optimize(OptimizeRequest(path, gpu="h100", library=tmp_path / "library", out=tmp_path / "out"))
    assert result.status == "declined"
    assert "sort" in result.reason
    assert result.recorded is None


@pytest.mark.parametrize("below", ["", "deeper"])
def test_a_bad_out_folder_is_told_before_the_search_and_leaves_the_library_alone(
    ask: Ask, tmp_path: Path, below: str
) -> None:
    (tmp_path / "file").write_text("keep")
    writer = ScriptedWriter([WRONG])
    with pytest.raises(KbgenError, match="--out"):
        optimize(ask(out=tmp_path / "file" / below), writer=writer)
    assert not writer.requests
    assert (tmp_path / "file").read_text() == "keep"
    with Library.open(tmp_path / "library") as library:
        assert not library.records()


def test_the_command_in_the_report_asks_the_same(ask: Ask, tmp_path: Path) -> None:
    words = ask(budget_s=90.0, max_candidates=3, overrides={"rows": 8}, knowledge=False).command()
    assert words.endswith(
        f"--set rows=8 --budget 90s --max-candidates 3 --no-knowledge --library {tmp_path / 'library'}"
    )
    assert "--budget" not in ask().command()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("class Model(", "line 1"), ("import no_such_package_here", "no_such_package_here"), ("x = 1", "Model")],
)
def test_bad_input_is_one_sentence_and_leaves_no_trace(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(KbgenError, match=complaint) as caught:
        optimize(OptimizeRequest(path, gpu="h100", library=tmp_path / "library", out=tmp_path / "out"))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "library").exists()
