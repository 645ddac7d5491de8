"""A suite keeps failures in its denominator and its runs out of the user's library."""

from pathlib import Path

import pytest

from kbgen import KbgenError
from kbgen.generator.suite import Row, SuiteResult, run_suite

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


def test_every_file_is_a_row_and_a_broken_one_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_EMBEDDER", "hashing")
    monkeypatch.setenv("KBGEN_LIBRARY", str(tmp_path / "library"))
    folder = tmp_path / "ops"
    folder.mkdir()
    (folder / "broken.py").write_text("x = 1\n")
    (folder / "scale.py").write_text(SCALE)
    result = run_suite(folder, ("mi300x",))
    broken, scale = result.rows
    assert (broken.status, broken.verified) == ("error", False)
    assert "Model" in broken.reason
    assert (scale.status, scale.verified, scale.kernels, scale.spill_bytes) == ("unmeasured", True, 1, 0)
    assert scale.traffic_ratio == pytest.approx(1.0)
    assert scale.narrowest_bits == 128
    total = result.to_json()["total"]
    assert (total["rows"], total["verified"]) == (2, 1)
    assert total["mean_candidates_to_best"] == scale.best_at
    assert not (tmp_path / "library").exists()


def test_a_folder_without_op_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KbgenError, match="no op file"):
        run_suite(tmp_path, ("h100",))


def test_an_unknown_device_is_told_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "scale.py").write_text(SCALE)
    with pytest.raises(KbgenError, match="h1000"):
        run_suite(tmp_path, ("h100", "h1000"))


def timed_row(op: str, status: str, over: dict[str, float], *, verified: bool = True) -> Row:
    fastest = min(over.values())
    return Row(
        op, "auto", status, 1.0, "", verified=verified, measured_us=10.0, speedups=over, speedup=fastest,
        interval=(fastest, fastest),
    )  # fmt: skip


def test_failures_and_lost_races_stay_in_the_share_that_is_fast() -> None:
    rows = (
        timed_row("won", "win", {"eager": 4.0, "compile": 2.0, "compile-max-autotune": 1.6}),
        timed_row("lost", "no-win", {"eager": 2.0, "compile": 0.8, "compile-max-autotune": 0.9}),
        timed_row("wrong", "declined", {"eager": 9.0, "compile": 9.0}, verified=False),
        Row("broken", "auto", "error", 0.1, "it does not load"),
    )
    total = SuiteResult("ops", True, rows, 3.0).total()
    assert total["fast_1_over_eager"] == 0.5
    assert total["fast_1_over_compile"] == 0.25
    assert total["fast_1.5_over_fastest"] == 0.25
    assert total["geomean_handed_over"] == pytest.approx(1.6 ** (1 / 4))


def test_without_a_card_nothing_is_called_fast() -> None:
    total = SuiteResult("ops", True, (Row("a", "h100", "unmeasured", 1.0, "", verified=True),), 1.0).total()
    assert not [name for name in total if name.startswith(("fast", "geomean"))]
