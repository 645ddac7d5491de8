"""The clock on a real card: honest kernels are timed, and every way of hiding work from the clock shows.

Skipped where no card is; the same ways are tried on the simulated card in tests/profiling/test_timing.py.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kbgen.generator import benchmark as room
from kbgen.generator.benchmark import benchmark
from kbgen.generator.comparison import compare
from kbgen.generator.decision import GRAPHS, Benchmark
from kbgen.profiling.device import Device, DeviceError, detect
from kbgen.profiling.op import load_op
from kbgen.profiling.session import Plan
from kbgen.profiling.trace import TracedOp, trace

ROWS = 4096
OP = """
import torch
ROWS = 4096
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.silu(x) * x
def get_inputs():
    return [torch.randn(ROWS, 4096)]
"""
HEAD = """
import threading, time
import torch, triton
import triton.language as tl

@triton.jit
def gate_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, x * tl.sigmoid(x) * x, mask=mask)

def gate(x, share=1, out=None):
    out = torch.empty_like(x) if out is None else out
    n = x.numel() // share
    gate_kernel[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
    return out

"""
FORWARD = "class ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
HONEST = HEAD + FORWARD + "        return gate(x)\n"

HIDING = {
    "another stream": HEAD + "side = torch.cuda.Stream()\n" + FORWARD + """
        with torch.cuda.stream(side):
            return gate(x)
""",
    "another thread": HEAD + FORWARD + """
        out = torch.empty_like(x)
        def later():
            time.sleep(0.003)
            gate(x, out=out)
        threading.Thread(target=later).start()
        return out
""",
    "the first result again": HEAD + FORWARD + """
        if not hasattr(self, "kept"):
            self.kept = gate(x)
        return self.kept
""",
    "results by address": HEAD + "seen = {}\n" + FORWARD + """
        key = (x.data_ptr(), x.shape)
        if key not in seen:
            seen[key] = gate(x)
        return seen[key]
""",
    "a part of the work": HEAD + FORWARD + "        return gate(x, share=64)\n",
    "lower precision": HEAD.replace("other=0.0)", "other=0.0).to(tl.float16).to(tl.float32)")
    + FORWARD + "        return gate(x)\n",
    "right when it may be checked": HEAD + FORWARD + """
        self.calls = getattr(self, "calls", 0) + 1
        return gate(x, share=1 if self.calls < 4 else 64)
""",
}  # fmt: skip

STRIDED = """
import torch, triton
import triton.language as tl

@triton.jit
def gate_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offsets = tile * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
        tl.store(out_ptr + offsets, x * tl.sigmoid(x) * x, mask=mask)

class ModelNew(torch.nn.Module):
    calls = 0
    def forward(self, x):
        out = torch.empty_like(x)
        self.calls += 1
        gate_kernel[(GRID,)](x, out, x.numel(), BLOCK=1024)
        return out
"""
"""Right whatever the grid is."""

PATCHED = {
    "events that say nothing passed": "torch.cuda.Event.elapsed_time = lambda self, other: 0.001\n",
    "a synchronise that does not wait": "torch.cuda.synchronize = lambda *a: None\n",
    "a host clock that stands": "time.perf_counter = lambda: 0.0\ntime.perf_counter_ns = lambda: 0\n",
}


@pytest.fixture(scope="module")
def card() -> Device:
    try:
        return detect("auto")
    except DeviceError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> TracedOp:
    path = tmp_path_factory.mktemp("op") / "op.py"
    path.write_text(OP)
    return trace(load_op(path))


@pytest.fixture
def timed(card: Device, traced: TracedOp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Times a source once, beside eager alone: the compiled baselines change nothing here."""
    monkeypatch.setattr(room, "PROCESSES", 1)
    monkeypatch.setattr(room, "COMPILED", ())

    def run(source: str) -> Benchmark:
        path = tmp_path / "candidate.py"
        path.write_text(source)
        plan = replace(Plan(), check_share=0.2)
        return benchmark(path, traced.op, card, traced, scratch=tmp_path / "scratch", plan=plan)

    return run


def test_an_honest_kernel_is_timed_and_wins(timed) -> None:  # type: ignore[no-untyped-def]
    result = timed(HONEST)
    assert (result.label, result.measured) == ("win", True), result.reason
    own = result.timings["candidate"]
    assert own.doubts == ()
    assert own.kernels == ("gate_kernel",)
    assert own.library_share == 0.0
    assert own.peak_bytes == ROWS * 4096 * 4  # its output
    assert result.timings["eager"].peak_bytes == 2 * own.peak_bytes
    assert 0.3 < result.fraction_of_least < 1.06


@pytest.mark.parametrize("way", HIDING)
def test_hidden_work_is_no_win(timed, way: str) -> None:  # type: ignore[no-untyped-def]
    result = timed(HIDING[way])
    assert result.label in {"failed", "inconclusive"}, result.reason


@pytest.mark.parametrize("way", PATCHED)
def test_a_patched_timer_is_seen(timed, way: str) -> None:  # type: ignore[no-untyped-def]
    result = timed(HEAD + PATCHED[way] + FORWARD + "        return gate(x)\n")
    assert result.label == "failed"
    assert "replaces" in result.reason


def test_a_timer_patched_during_the_calls_changes_nothing_and_is_told(timed) -> None:  # type: ignore[no-untyped-def]
    forward = f"        {PATCHED['events that say nothing passed']}        return gate(x)\n"
    own, other = (timed(HEAD + FORWARD + body) for body in ("        return gate(x)\n", forward))
    assert other.timings["candidate"].median_us == pytest.approx(own.timings["candidate"].median_us, rel=0.1)
    assert other.label == "failed"
    assert "replaces class torch.cuda" in other.reason


@pytest.mark.parametrize(("grid", "label"), [("4096", "win"), ("4096 - self.calls % 2", "inconclusive")])
def test_a_grid_that_changes_from_call_to_call_is_told(timed, grid: str, label: str) -> None:  # type: ignore[no-untyped-def]
    result = timed(STRIDED.replace("GRID", grid))
    assert result.label == label, result.reason
    if label == "inconclusive":
        assert "gate_kernel 4095x1x1 blocks of" in result.reason


def test_captured_graphs_are_a_baseline_of_what_takes_long_to_launch(
    card: Device, traced: TracedOp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "PROCESSES", 1)
    monkeypatch.setattr(room, "COMPILED", ("compile",))
    path = tmp_path / "candidate.py"
    path.write_text(HONEST)
    small = traced.op.with_overrides({"ROWS": 16})
    result = benchmark(path, small, card, trace(small), scratch=tmp_path / "scratch")
    assert result.failures == {}
    assert result.timings[GRAPHS].kernels  # the copies into its own addresses, and what it captured
    assert result.timings[GRAPHS].first_call_us > result.timings[GRAPHS].host_us


def test_a_step_is_compared_on_the_card(card: Device, traced: TracedOp, tmp_path: Path) -> None:
    slow, fast = tmp_path / "slow.py", tmp_path / "fast.py"
    slow.write_text(HEAD + FORWARD + "        return gate(gate(x) * 0 + x)\n")
    fast.write_text(HONEST)
    gain = compare(slow, fast, traced.op, card, traced, scratch=tmp_path / "scratch")
    assert gain.failure == ""
    assert gain.effect is not None
    assert gain.effect > 1.5
