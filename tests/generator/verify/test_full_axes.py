"""Sizes with one axis as at full size are within what an interpreter gets through."""

from pathlib import Path

from kbgen.generator.verify.process.exchange import StepReport
from kbgen.generator.verify.shapes.stretched import rows_of
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.full_axes import most_rows
from kbgen.generator.verify.stages.settings import settings
from kbgen.generator.verify.stages.whole_axes import full_axes, full_pairs
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"


def test_each_axis_in_turn_is_as_at_full_size_those_with_few_rows_first() -> None:
    op = load_op(OPS / "relu.py")
    found = full_axes(op, {"ROWS": 21, "COLUMNS": 100})
    assert list(found) == ["COLUMNS", "ROWS"]
    assert found["COLUMNS"]["COLUMNS"] == op.constants["COLUMNS"]
    assert found["ROWS"]["ROWS"] == op.constants["ROWS"]
    sizes = [op.with_overrides(one) for one in found.values()]
    assert all(one.footprint().total_bytes <= 1 << 20 for one in sizes)
    assert rows_of(sizes[0]) < rows_of(sizes[1])


def test_an_axis_that_is_too_long_is_halved_and_one_that_was_not_cut_is_left_out() -> None:
    op = load_op(OPS / "relu.py", {"ROWS": 1 << 20, "COLUMNS": 64})
    assert full_axes(op, {"ROWS": 32, "COLUMNS": 64}) == {"ROWS": {"ROWS": 4096, "COLUMNS": 16}}


def test_an_odd_axis_that_is_too_long_is_left_out() -> None:
    op = load_op(OPS / "relu.py", {"ROWS": (1 << 20) + 1, "COLUMNS": 64})
    assert full_axes(op, {"ROWS": 32, "COLUMNS": 64}) == {}


def test_what_is_in_the_way_of_an_axis_becomes_one_whatever_its_case(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    text = (
        (OPS / "relu.py")
        .read_text()
        .replace("ROWS, COLUMNS = 1024, 4096", "batch, rows, columns = 64, 8, 4096")
    )
    path.write_text(text.replace("torch.rand(ROWS, COLUMNS)", "torch.rand(batch, rows, columns)"))
    assert full_axes(load_op(path), {"columns": 16}) == {"columns": {"columns": 4096, "batch": 1}}


def test_sizes_that_have_to_match_are_full_together(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(
        (OPS / "relu.py").read_text().replace("torch.relu(x)", "torch.relu(x) + torch.zeros(WIDTH)")
    )
    path.write_text(
        path.read_text().replace("ROWS, COLUMNS = 1024, 4096", "ROWS, COLUMNS, WIDTH = 64, 96, 96")
    )
    found = full_axes(load_op(path), {"ROWS": 4, "COLUMNS": 8, "WIDTH": 8})
    assert (found["COLUMNS"]["COLUMNS"], found["COLUMNS"]["WIDTH"]) == (96, 96)


def test_two_are_full_at_once_where_that_is_little(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    text = (
        (OPS / "relu.py")
        .read_text()
        .replace("ROWS, COLUMNS = 1024, 4096", "PAGES, PAGE, WIDTH = 128, 16, 2049")
    )
    path.write_text(text.replace("torch.rand(ROWS, COLUMNS)", "torch.rand(PAGES, PAGE, WIDTH)"))
    found = full_pairs(load_op(path), {"PAGES": 8, "PAGE": 4, "WIDTH": 32}, 4096)
    assert list(found) == ["PAGES and PAGE", "PAGE and WIDTH", "PAGES and WIDTH"]
    assert found["PAGES and PAGE"] == {"PAGES": 128, "PAGE": 16, "WIDTH": 2}
    assert full_pairs(load_op(path), {"WIDTH": 32}, 4096) == {}


def test_programs_that_take_many_rows_may_be_called_on_more_of_them_as_long_as_they_are_quick() -> None:
    case = plan(settings(load_op(OPS / "relu.py"), "as-is", 3)[:1], 3)[0]
    rows = rows_of(case.setting.op)

    def called(started: int, effort_s: float) -> int:
        report = StepReport("ok", launches=(f"relu_kernel[{started}, 1, 1]",), effort_s=effort_s)
        return most_rows([case], [report])

    assert called(rows, 0.001) == 4096
    assert called(rows // 4, 0.001) == 4 * 4096
    assert called(rows // 4, 10 * rows / 8192) == 8192
    assert called(2 * rows, 0.001) == 4096
    assert most_rows([case], [StepReport("raised")]) == 4096


def test_no_size_beside_a_full_one_holds_by_chance_alone() -> None:
    """Half as many channels as groups, say, of which a reference makes groups all the same."""
    op = load_op(OPS / "group_norm_of_images.py")
    found = full_axes(op, {"CHANNELS": 8, "HEIGHT": 8, "WIDTH": 8})
    assert {"HEIGHT", "WIDTH", "CHANNELS"} == found.keys()
    assert all(sizes["CHANNELS"] in (8, 64) for sizes in found.values())
