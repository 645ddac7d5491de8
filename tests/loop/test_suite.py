"""A suite keeps failures in its denominator and its runs out of the user's library, and goes on where it was
cut."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbgen import KbgenError
from kbgen.generator.suite.finding import Task
from kbgen.generator.suite.journal import Journal
from kbgen.generator.suite.row import UNCONFIRMED, Row
from kbgen.generator.suite.run import Crew, SuitePlan, op_files, run_suite
from kbgen.generator.suite.timing import Timing
from kbgen.profiling.device import Device, detect

pytestmark = pytest.mark.usefixtures("quick_judgements")

SCALE = """
import torch
from torch import nn

rows = 64


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2.0


def get_inputs():
    return [torch.randn(rows, 128)]


def get_init_inputs():
    return []
"""

HERE = SuitePlan(jobs=0)
A100 = "nvidia-a100-sxm4-80gb"


def test_every_file_is_a_row_and_a_broken_one_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_EMBEDDER", "hashing")
    monkeypatch.setenv("KBGEN_LIBRARY", str(tmp_path / "library"))
    folder = tmp_path / "ops"
    folder.mkdir()
    (folder / "broken.py").write_text("x = 1\n")
    (folder / "scale.py").write_text(SCALE)
    plan = replace(HERE, also=("a100",), out=tmp_path / "out")
    result = run_suite([folder], ("mi300x",), plan)
    broken, scale = result.rows
    assert (broken.level, broken.status, broken.verified, broken.cause) == ("ops", "error", False, "error")
    assert "Model" in broken.reason
    assert (scale.status, scale.verified, scale.kernels, scale.spill_bytes) == ("unmeasured", True, 1, 0)
    assert scale.traffic_ratio == pytest.approx(1.0)
    assert scale.narrowest_bits == 128
    assert (scale.family, scale.dtype, scale.torch_flops, scale.torch_bytes) == (
        "pointwise", "float32", 0, 0,
    )  # fmt: skip
    assert scale.flops == 2 * 64 * 128
    assert scale.eager_bytes == 2 * (scale.least_bytes or 0)
    assert scale.tensor_traffic == 1.0
    assert [(name, said["ok"]) for name, said in scale.targets.items()] == [(A100, True)]
    document = json.loads((tmp_path / "out" / "suite.json").read_text())
    assert (document["total"]["rows"], document["total"]["verified"]) == (2, 1)
    assert document["levels"]["ops"]["refused"] == {"error": 1}
    assert document["total"]["mean_candidates_to_best"] == scale.best_at
    assert not (tmp_path / "library").exists()
    kernel = tmp_path / "out" / scale.gpu / "ops" / "scale" / (scale.kernel or "")
    assert "class ModelNew" in kernel.read_text()


def test_a_folder_without_op_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KbgenError, match="no op file"):
        run_suite([tmp_path], ("h100",), HERE)


def test_an_unknown_device_is_told_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "scale.py").write_text(SCALE)
    with pytest.raises(KbgenError, match="h1000"):
        run_suite([tmp_path], ("h100", "h1000"), HERE)
    with pytest.raises(KbgenError, match="h1000"):
        run_suite([tmp_path], ("h100",), replace(HERE, also=("h1000",)))


def test_op_files_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("10_b", "2_a", "plain"):
        (tmp_path / f"{name}.py").touch()
    assert [path.stem for path in op_files(tmp_path)] == ["2_a", "10_b", "plain"]


class Pretended:
    """A crew on a machine with one simulated card: no op file is opened, nothing is measured."""

    def __init__(self, live: bool = True, break_off_at: str = "", full: Sequence[str] = ()) -> None:
        self.live, self.break_off_at, self.full = live, break_off_at, full
        self.found, self.clocked, self.confirmed = list[str](), list[str](), list[str]()
        self.calibrated = 0

    def crew(self) -> Crew:
        return Crew(
            self.find, self.clock, self.confirm, self.ceilings, self.detect, lambda: ("GPU-simulated",)
        )

    def detect(self, asked: str) -> Device:
        return replace(detect(asked), live=self.live)

    def find(self, task: Task) -> Row:
        if task.path.stem == self.break_off_at:
            raise KeyboardInterrupt
        self.found.append(task.path.stem)
        if task.path.stem == "refused":
            return Row("refused", task.gpu, "declined", 1.0, "no", task.level, cause="wrong-values")
        task.out.mkdir(parents=True)
        for name in ("k.py", "report.json"):
            (task.out / name).touch()
        return Row(
            task.path.stem, task.gpu, "unmeasured", 1.0, "", task.level, verified=True, kernel="k.py",
            family="pointwise", least_bytes=1e9, flops=1e6,
        )  # fmt: skip

    def clock(self, task: Timing) -> Row:
        self.clocked.append(task.row.op)
        assert task.card == "GPU-simulated"
        if task.row.op in self.full:
            return replace(task.row, status="inconclusive", reason="the card was full", timing_seconds=1.0)
        return replace(
            task.row, status=UNCONFIRMED, measured_us=1000.0, speedup=1.5,
            speedups={"eager": 3.0, "compile": 1.5},
            missing={"compile-max-autotune": "compile-max-autotune was not ready after 60 s"},
            timing_seconds=2.0,
        )  # fmt: skip

    def confirm(self, task: Timing) -> Row:
        if self.break_off_at == f"confirm {task.row.op}":
            raise KeyboardInterrupt
        self.confirmed.append(task.row.op)
        return replace(task.row, status="win")

    def ceilings(self, task: tuple[str, Path]) -> Mapping[str, Any]:
        self.calibrated += 1
        return {"ceilings": [{"key": "dram_copy_gb_s", "value": 2000.0}]}


def ops(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").touch()
    return folder


def test_on_a_card_what_was_verified_is_timed_and_nothing_else(tmp_path: Path) -> None:
    pretended = Pretended()
    folder = ops(tmp_path / "level1", "one", "refused", "two")
    document = run_suite([folder], ("h100",), HERE, crew=pretended.crew()).to_json()
    assert (pretended.found, pretended.clocked) == (["one", "refused", "two"], ["one", "two"])
    assert pretended.confirmed == ["one", "two"]
    assert pretended.calibrated == 1
    total = document["levels"]["level1"]
    assert total["fast_1_over_eager"] == pytest.approx(2 / 3)
    assert total["baselines_missing"] == {"compile-max-autotune": 2}
    assert document["families"]["pointwise"] == {"rows": 2, "of_copy": 0.5, "of_matmul": None}


def test_without_a_card_nothing_is_timed(tmp_path: Path) -> None:
    pretended = Pretended(live=False)
    document = run_suite([ops(tmp_path / "l", "one")], ("h100",), HERE, crew=pretended.crew()).to_json()
    assert (pretended.clocked, pretended.calibrated) == ([], 0)
    assert not [name for name in document["total"] if name.startswith(("fast", "geomean"))]


def test_a_run_that_was_cut_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, out = ops(tmp_path / "level1", "a", "b", "c"), tmp_path / "out"
    plan = replace(HERE, out=out)
    cut = Pretended(live=False, break_off_at="c")
    with pytest.raises(KeyboardInterrupt):
        run_suite([folder], ("h100",), plan, crew=cut.crew())
    with (out / "rows.jsonl").open("a") as file:
        file.write('{"op": "c", "gp')  # the process died while it wrote
    resumed = Pretended()
    result = run_suite([folder], ("h100",), plan, crew=resumed.crew())
    assert (resumed.found, resumed.clocked) == (["c"], ["a", "b", "c"])
    assert [row.status for row in result.rows] == ["win"] * 3
    again = Pretended()
    assert run_suite([folder], ("h100",), plan, crew=again.crew()).rows == result.rows
    assert (again.found, again.clocked) == ([], [])


def test_what_was_verified_elsewhere_is_made_again_where_its_kernel_did_not_come_along(
    tmp_path: Path,
) -> None:
    folder, out = ops(tmp_path / "level1", "a", "b"), tmp_path / "out"
    plan = replace(HERE, out=out)
    run_suite([folder], ("h100",), plan, crew=Pretended(live=False).crew())
    shutil.rmtree(next(out.glob("*/level1/a")))
    resumed = Pretended()
    run_suite([folder], ("h100",), plan, crew=resumed.crew())
    assert (resumed.found, resumed.clocked) == (["a"], ["b", "a"])


def test_a_win_that_nobody_verified_again_before_the_run_was_cut_is_verified_in_the_next(
    tmp_path: Path,
) -> None:
    folder, out = ops(tmp_path / "level1", "a"), tmp_path / "out"
    plan = replace(HERE, out=out)
    cut = Pretended(break_off_at="confirm a")
    with pytest.raises(KeyboardInterrupt):
        run_suite([folder], ("h100",), plan, crew=cut.crew())
    resumed = Pretended()
    (row,) = run_suite([folder], ("h100",), plan, crew=resumed.crew()).rows
    assert (resumed.found, resumed.clocked, resumed.confirmed) == ([], [], ["a"])
    assert row.status == "win"


def test_a_timing_that_told_nothing_is_tried_once_more(tmp_path: Path) -> None:
    pretended = Pretended(full=("a",))
    rows = run_suite([ops(tmp_path / "l", "a", "b")], ("h100",), HERE, crew=pretended.crew()).rows
    assert pretended.clocked.count("a") == 2
    assert [(row.status, row.verified) for row in rows] == [("inconclusive", True), ("win", True)]


def test_what_there_was_no_time_for_is_told_and_counted(tmp_path: Path) -> None:
    folder = ops(tmp_path / "level1", "a", "b")
    plan = replace(HERE, for_s=0.0, out=tmp_path / "out")
    total = run_suite([folder], ("h100",), plan, crew=Pretended().crew()).to_json()["total"]
    assert (total["rows"], total["by_status"], total["refused"]) == (2, {"not-reached": 2}, {})
    assert run_suite([folder], ("h100",), replace(plan, for_s=None), crew=Pretended().crew()).rows[0].verified


def test_rows_of_other_settings_or_of_nothing_known_are_not_gone_on_with(tmp_path: Path) -> None:
    Journal(tmp_path, {"knowledge": True})
    with pytest.raises(KbgenError, match="was begun with"):
        Journal(tmp_path, {"knowledge": False})
    (tmp_path / "rows.jsonl").write_text('{"schema": "something/1"}\n')
    with pytest.raises(KbgenError, match="does not read as rows"):
        Journal(tmp_path, {"knowledge": True})
