"""The front of collection: which profiler for which card, and the program that it watches."""

from __future__ import annotations

import json
import runpy
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kbgen.cli import cli
from kbgen.profiling.counters import collect, ncu, subject
from kbgen.profiling.counters.record import CounterReport
from kbgen.profiling.counters.refusals import CountersRefused, missing_tool
from kbgen.profiling.op import Op, load_op
from kbgen.profiling.probe import ClockState, LiveFacts, NoCardError

if TYPE_CHECKING:
    from ..conftest import FakeNcu

H100 = LiveFacts("NVIDIA H100 80GB HBM3", "nvidia", "sm_90", 132, 85_000_000_000, None, "570", "cuda 12.8")
MI300X = replace(H100, name="AMD Instinct MI300X", vendor="amd", arch="gfx942", unit_count=304)
OP = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4))
    def forward(self, x):
        return x * self.weight
def get_inputs():
    return [torch.randn(3, 4)]
"""
CANDIDATE = """
import torch
from pathlib import Path
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(4))
    def forward(self, x):
        with Path(__file__).with_suffix(".calls").open("a") as calls:
            calls.write(f"{float(self.weight.abs().sum()):.3f} {self.training}\\n")
        return x * self.weight
"""


class Here:
    """A machine with this card, or with none."""

    def __init__(self, facts: LiveFacts | None, *clocks: ClockState) -> None:
        self._facts, self._clocks = facts, iter(clocks)

    def facts(self) -> LiveFacts:
        if self._facts is None:
            raise NoCardError("torch is a CPU build")
        return self._facts

    def clocks(self) -> ClockState | None:
        return next(self._clocks, None)


@pytest.fixture
def op(tmp_path: Path) -> Op:
    (tmp_path / "op.py").write_text(OP)
    return load_op(tmp_path / "op.py")


@pytest.fixture
def candidate(tmp_path: Path) -> Path:
    path = tmp_path / "candidate.py"
    path.write_text(CANDIDATE)
    return path


@pytest.fixture
def tool(fake_ncu: FakeNcu, monkeypatch: pytest.MonkeyPatch) -> FakeNcu:
    ncu.countable.cache_clear()
    ncu.known_sections.cache_clear()
    monkeypatch.setenv("KBGEN_NCU", str(fake_ncu.says(**fake_ncu.pages("gemm"))))
    return fake_ncu


def test_any_command_is_counted_as_it_stands(tool: FakeNcu, tmp_path: Path) -> None:
    report = collect.collect_command(
        ["python", "train.py", "--steps", "3"],
        kernel="gemm",
        skip=2,
        scratch=tmp_path / "s",
        probe=Here(H100),
    )
    assert report.launches[0].kernel == "gemm"
    profiled = next(line for line in tool.asked() if " -o " in line)
    assert profiled.endswith(f"-o {tmp_path / 's' / 'report'} python train.py --steps 3")
    assert "-k regex:gemm -s 2 -c 20 --metrics" in profiled


def test_a_command_is_counted_in_the_range_that_is_named(tool: FakeNcu, tmp_path: Path) -> None:
    """Warm-up and autotuning lie before it."""
    collect.collect_command(
        ["python", "train.py"], ranged=True, nvtx="step", count=3, scratch=tmp_path / "s", probe=Here(H100)
    )
    profiled = next(line for line in tool.asked() if " -o " in line)
    assert " -c 3 --profile-from-start off --nvtx --nvtx-include step/ --metrics " in profiled
    with pytest.raises(CountersRefused, match=r"not asked for ranges; .*--skip"):
        collect.collect_command(["train"], nvtx="step", scratch=tmp_path, probe=Here(MI300X))


def test_the_command_line_hands_on_what_to_count(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def counted(command: list[str], **options: object) -> CounterReport:
        asked.update(options, command=command)
        raise CountersRefused(missing_tool("ncu"))

    monkeypatch.setattr(collect, "collect_command", counted)
    words = ["profile", "--cmd", "python a.py", "--skip", "5", "--count", "2", "--nvtx", "step", "--quick"]
    result = CliRunner().invoke(cli, [*words, "--kernel", "gemm"])
    assert result.exit_code == 1
    assert {name: value for name, value in asked.items() if name != "scratch"} == {
        "command": ["python", "a.py"], "kernel": "gemm", "full": False, "skip": 5, "count": 2, "nvtx": "step",
    }  # fmt: skip


def test_an_op_is_counted_in_its_range_alone(tool: FakeNcu, tmp_path: Path, op: Op) -> None:
    collect.collect_op(op, scratch=tmp_path / "s", probe=Here(H100))
    assert "--profile-from-start off --metrics" in next(line for line in tool.asked() if " -o " in line)


def test_clocks_are_kept_with_the_report_and_a_card_held_back_is_flagged(
    tool: FakeNcu, tmp_path: Path
) -> None:
    cool, hot = ClockState(1980, 3201, 37, 80.4, ()), ClockState(1500, None, None, None, ("power cap",))
    report = collect.collect_command(["p"], scratch=tmp_path, probe=Here(H100, cool, hot))
    assert "before the run: SM 1980 MHz, memory 3201 MHz, 37 C, 80 W" in report.notes
    assert "after the run: SM 1500 MHz" in report.notes
    assert any("held back (power cap)" in flag for flag in report.launches[0].flags)
    calm = collect.collect_command(["p"], scratch=tmp_path, probe=Here(H100, cool, cool))
    assert calm.launches[0].flags == ()


def test_an_amd_card_is_counted_by_its_own_tool(
    tmp_path: Path, op: Op, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def counted(command: object, **options: object) -> CounterReport:
        asked.append(options)
        return CounterReport("rocprofv3", ())

    monkeypatch.setattr(collect, "collect_rocprof", counted)
    collect.collect_command(["train"], kernel="gemm", scratch=tmp_path, probe=Here(MI300X))
    collect.collect_op(op, scratch=tmp_path, probe=Here(MI300X))
    assert [(one["arch"], one.get("kernel"), one["count"]) for one in asked] == [
        ("gfx942", "gemm", 20), ("gfx942", None, 1),
    ]  # fmt: skip
    assert asked[1]["skip"] == subject.WARM_UPS


def test_without_a_card_nothing_is_started(tool: FakeNcu, tmp_path: Path) -> None:
    with pytest.raises(CountersRefused, match=r"no card here to count on; .*bring the report") as caught:
        collect.collect_command(["python"], scratch=tmp_path, probe=Here(None))
    assert caught.value.refusal.symptom == "torch is a CPU build"
    assert not (tool.folder / "asked").exists()


def test_a_card_that_only_the_driver_sees_is_counted_all_the_same(
    tool: FakeNcu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command may be CUDA C++: a torch without CUDA says nothing about it."""
    monkeypatch.setattr(collect, "nvml_arch", lambda: "sm_90")
    assert collect.collect_command(["./a.out"], scratch=tmp_path, probe=Here(None)).launches


@pytest.mark.parametrize(("mode", "training"), [("as-is", True), ("eval", False)])
def test_the_subject_warms_up_and_calls_once_more_with_the_ops_weights(
    op: Op, candidate: Path, tmp_path: Path, mode: str, training: bool
) -> None:
    subject.subject_line(op, candidate, mode=mode, seed=7, scratch=tmp_path / "s", device="cpu")
    subject.main(str(tmp_path / "s" / "subject.json"))
    model, _ = op.instantiate(7)
    calls = candidate.with_suffix(".calls").read_text().splitlines()
    weight = next(iter(model.parameters())).abs().sum().item()
    assert calls == [f"{weight:.3f} {training}"] * (subject.WARM_UPS + 1)


def test_the_subject_is_a_command_of_its_own(op: Op, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = subject.subject_line(op, None, mode="as-is", seed=0, scratch=tmp_path / "s", device="cpu")
    assert line[:2] == [sys.executable, "-c"]
    asked = []
    monkeypatch.setattr(subject, "main", asked.append)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "boot.py").write_text(line[2])
    runpy.run_path(str(tmp_path / "boot.py"))
    assert json.loads(Path(asked[0]).read_text())["candidate"] is None
