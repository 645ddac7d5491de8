"""The measure of the judge counts what is right, names what is not, and fails when anything is not."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from kbgen import KbgenError
from kbgen.cli import cli
from kbgen.generator import side_by_side
from kbgen.generator.judge_eval import PARTS, evaluate_judge
from kbgen.generator.judge_eval import folders as own_folders
from kbgen.generator.references import as_candidate, judge_references
from kbgen.generator.side_by_side import cores_of

OP = """
import torch
from torch import nn

ROWS, COLUMNS = 8, 40


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()

    def forward(self, x):
        return {result}


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
"""
LIBRARY = '''"""The library does it.

op: relu
class: made-up
expected: {expected}
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
'''
HONEST = """\"\"\"A kernel of its own.

op: relu
expected: passed
\"\"\"

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count)
    tl.store(out_ptr + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
        return out
"""


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """One cheat, one honest kernel and their op."""
    found = tmp_path / "cheats", tmp_path / "honest", tmp_path / "ops"
    for folder in found:
        folder.mkdir()
    cheats, honest, ops = found
    (ops / "relu.py").write_text(OP.format(result="torch.relu(x)"))
    (cheats / "library.py").write_text(LIBRARY.format(expected="library-call"))
    (honest / "relu_flat.py").write_text(HONEST)
    return found


def test_all_right_is_counted_per_class_with_the_time_split(folders: tuple[Path, Path, Path]) -> None:
    result = evaluate_judge(*folders)
    document = result.to_json()
    assert result.right
    right = {"right": 1, "total": 1}
    assert document["total"] == {"cheats": {**right, "refused": 1}, "honest": right}
    assert document["classes"] == [{"class": "made-up", "right": 1, "total": 1}]
    assert document["layers"]
    times = document["seconds"]
    assert times["ran"] == 1  # the cheat's text was enough
    assert set(times["split"]) == set(PARTS)
    assert 0.0 < times["split"]["calls"] < times["median"] == times["median of passed"]
    assert sum(times["split"].values()) - times["split"]["reference"] <= times["median"]
    assert times["cores"] == len(os.sched_getaffinity(0))


def test_judgements_side_by_side_come_out_in_order_and_alike(folders: tuple[Path, Path, Path]) -> None:
    (folders[1] / "relu_flat.py").write_text(LIBRARY.format(expected="passed"))  # told by its text
    events = list[str]()
    result = evaluate_judge(*folders, jobs=2, on_event=lambda event: events.append(event.detail))
    assert [(row.name, row.got, row.right) for row in result.rows] == [
        ("library", "library-call", True),
        ("relu_flat", "library-call", False),
    ]
    assert events == ["1/2 library: library-call", "2/2 relu_flat: library-call"]


def test_processes_have_cores_of_their_own_where_there_are_two_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {7, 3, 4, 5, 6})
    assert cores_of(1) == [[3, 4, 5, 6, 7]]
    assert cores_of(2) == [[3, 4], [5, 6]]
    assert cores_of(3) == [[3, 4, 5, 6, 7]] * 3


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_a_process_keeps_to_its_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = sorted(os.sched_getaffinity(0))[:2]
    monkeypatch.setattr(side_by_side, "cores_of", lambda jobs: [[one], [other]])
    found = list(side_by_side.each(os.sched_getaffinity, [0] * 8, 2))
    assert len(found) == 8
    assert all(cores in ({one}, {other}) for cores in found)


def test_a_judgement_that_breaks_off_is_a_wrong_row(
    folders: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **more: object) -> None:
        raise RuntimeError("no such number")

    monkeypatch.setattr("kbgen.generator.exhibits.verify", broken)
    result = evaluate_judge(*folders)
    assert not result.right
    assert [(row.got, row.refused, row.detail) for row in result.rows] == [
        ("error", False, "RuntimeError: no such number")
    ] * 2


@pytest.mark.usefixtures("quick_judgements")
def test_a_refusal_for_another_cause_is_wrong(folders: tuple[Path, Path, Path]) -> None:
    (folders[0] / "library.py").write_text(LIBRARY.format(expected="zeros"))
    words = [f"--{name}={folder}" for name, folder in zip(("cheats", "honest", "ops"), folders, strict=True)]
    run = CliRunner().invoke(cli, ["eval", "judge", "--json", "--quiet", *words])
    document = json.loads(run.stdout)
    assert run.exit_code == 1
    assert document["schema"] == "kbgen/eval-judge/1"
    assert document["total"]["cheats"] == {"right": 0, "total": 1, "refused": 1}
    wrong = [row for row in document["rows"] if not row["right"]]
    assert [(row["name"], row["expected"], row["got"]) for row in wrong] == [
        ("library", "zeros", "library-call")
    ]
    shown = CliRunner().invoke(cli, ["eval", "judge", "--quiet", *words])
    assert "library" in shown.stdout
    assert "made-up" in shown.stdout


def test_references_are_spared_and_what_no_judge_can_decide_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "ops"
    folder.mkdir()
    (folder / "relu.py").write_text(OP.format(result="torch.relu(x)"))
    (folder / "zero.py").write_text(OP.format(result="x * 0"))
    (folder / "broken.py").write_text("x = 1\n")
    broken, relu, zero = judge_references(folder, tmp_path / "scratch", lambda text: None)
    assert (broken.word, relu.word) == ("error", "passed")
    assert zero.degenerate
    assert "Model" in broken.detail


def test_a_reference_becomes_a_candidate_wherever_its_class_is_named() -> None:
    source = as_candidate(OP.format(result="x"))
    assert source.count("ModelNew") == 2
    assert "Model(" not in source.replace("ModelNew(", "")


def test_what_cannot_begin_is_told(
    folders: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheats, honest, ops = folders
    with pytest.raises(KbgenError, match="holds no candidate"):
        evaluate_judge(tmp_path / "nowhere", honest, ops)
    (cheats / "library.py").write_text(LIBRARY.format(expected="refused"))
    with pytest.raises(KbgenError, match="what is expected"):
        evaluate_judge(cheats, honest, ops)
    (ops / "relu.py").unlink()
    with pytest.raises(KbgenError, match=r"there is no .*relu\.py"):
        evaluate_judge(honest, honest, ops)
    with pytest.raises(KbgenError, match="holds no op file"):
        judge_references(tmp_path / "nowhere", tmp_path, lambda text: None)
    monkeypatch.setattr("kbgen.generator.judge_eval.__file__", str(tmp_path / "kbgen" / "generator" / "x.py"))
    with pytest.raises(KbgenError, match="run in a checkout"):
        own_folders(cheats, None, ops)
