"""Shapes beside the usual smaller ones: many rows, equal sizes, longer rows, past a window."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.inputs.draw import Draw
from kbgen.generator.verify.inputs.many_draws import farthest_draws
from kbgen.generator.verify.shapes.stretched import PARTS
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import Op, load_op

pytestmark = pytest.mark.usefixtures("brief_judgements")

FILE = """import torch
from torch import nn

{sizes}


class Model(nn.Module):
    def forward(self, {inputs}):
        return {answer}


def get_inputs():
    return [{drawn}]


def get_init_inputs():
    return []
"""


def written(folder: Path, sizes: str, inputs: str, answer: str, drawn: str) -> Op:
    path = folder / "op.py"
    path.write_text(FILE.format(sizes=sizes, inputs=inputs, answer=answer, drawn=drawn))
    return load_op(path)


@pytest.fixture
def product(tmp_path: Path) -> Op:
    return written(
        tmp_path, "M, N, K = 512, 1024, 768", "a, b", "a @ b", "torch.randn(M, K), torch.randn(K, N)"
    )


LOOPS = "def kernel():\n    for start in range(8):\n        pass\n"


def constants(op: Op, source: str = LOOPS) -> dict[str, dict[str, object]]:
    return {one.name: dict(one.op.constants) for one in settings(op, "as-is", 1, source=source)}


def test_sizes_that_agree_by_chance_are_one_number(product: Op) -> None:
    alike = constants(product)["alike"]
    assert len({alike[name] for name in "MNK"}) == 1


def test_there_is_a_shape_of_many_rows(product: Op) -> None:
    found = constants(product)
    assert found["tall"]["M"] > max(
        sizes["M"] for name, sizes in found.items() if name in ("small", "odd", "wide")
    )  # type: ignore[operator, type-var]


def test_each_size_has_several_tiles_and_a_remainder_once(product: Op) -> None:
    found = constants(product)
    uneven = [found[name] for name in PARTS]
    assert {name for sizes in uneven for name in "MNK" if sizes[name] == 331} == set("MNK")
    assert all(sizes[name] <= 331 for sizes in uneven for name in "MNK")  # type: ignore[operator]


def test_rows_are_longer_than_at_full_size_by_one_of_two_tiles(tmp_path: Path) -> None:
    op = written(tmp_path, "ROWS, COLUMNS = 4096, 1024", "x", "x.softmax(-1)", "torch.randn(ROWS, COLUMNS)")
    longer = constants(op)["longer"]
    assert longer["COLUMNS"] == 2 * 1024 + 1
    assert longer["ROWS"] <= 2  # type: ignore[operator]


def test_rows_are_longer_than_the_largest_number_that_a_candidate_names(tmp_path: Path) -> None:
    op = written(tmp_path, "ROWS, COLUMNS = 4096, 1000", "x", "x.softmax(-1)", "torch.randn(ROWS, COLUMNS)")
    assert constants(op, "BLOCK = 4096")["longer"]["COLUMNS"] == 4097
    assert constants(op, "BLOCK = 1024")["longer"]["COLUMNS"] == 2001


def test_no_loop_has_as_many_steps_as_a_candidate_names(tmp_path: Path) -> None:
    carried = "sum(x[:, step].cumsum(0) for step in range(x.shape[1]))"
    op = written(tmp_path, "ROWS, STEPS = 400, 24", "x", carried, "torch.randn(ROWS, STEPS)")
    assert constants(op, "MASK = 0x8000")["longer"]["STEPS"] == 49


def test_places_that_float32_does_not_tell_apart_stay_where_quotients_are_few(tmp_path: Path) -> None:
    op = written(
        tmp_path,
        "IDS, PART, WIDTH = 40_000_000, 4096, 64",
        "ids",
        "torch.ones(IDS // PART + 1, WIDTH)[ids // PART] * (ids % PART)[:, None]",
        "torch.randint(0, IDS, (512,))",
    )
    deep = constants(op, "")["deep"]
    assert (deep["IDS"], deep["PART"]) == (40_000_000, 4096)


def test_a_window_that_no_size_is_made_of_is_passed(tmp_path: Path) -> None:
    op = written(
        tmp_path,
        "LENGTH, COLUMNS, WINDOW = 8192, 64, 1000",
        "x",
        "x - x.roll(WINDOW, 0) * (torch.arange(LENGTH)[:, None] >= WINDOW)",
        "torch.randn(LENGTH, COLUMNS)",
    )
    past = constants(op)["past"]
    assert past["WINDOW"] == 1000
    assert 1000 < past["LENGTH"] <= 8192  # type: ignore[operator]


def test_scores_of_all_pairs_have_uneven_parts_with_one_row_and_the_widths_they_had(tmp_path: Path) -> None:
    """In a batch of several heads they are too many for an interpreter."""
    op = written(
        tmp_path,
        "batch, heads, tokens, width = 4, 16, 1024, 64",
        "q, k",
        "(q @ k.transpose(-1, -2)).softmax(-1) @ k",
        "torch.randn(batch, heads, tokens, width), torch.randn(batch, heads, tokens, width)",
    )
    uneven = constants(op)["uneven"]
    assert (uneven["batch"], uneven["tokens"]) == (1, 331)
    assert uneven["width"] > 1  # type: ignore[operator]


def test_few_integers_are_drawn_as_far_out_as_the_op_file_has_them(tmp_path: Path) -> None:
    op = written(
        tmp_path,
        "rows, width = 2048, 512",
        "x, ends",
        "x * (torch.arange(x.shape[1]) < ends[0])",
        "torch.randn(rows, width), torch.randint(0, width + 1, (1,))",
    )
    wide = next(one for one in settings(op, "as-is", 1) if one.name == "wide")
    drawn = {name: int(inputs[1]) for name, inputs in farthest_draws(wide).items()}  # type: ignore[arg-type]
    usual = wide.op.instantiate(wide.seed)[1][1]
    assert drawn["smallest integers"] < int(usual) < drawn["largest integers"]  # type: ignore[arg-type]
    many = replace(wide, shipped=[torch.arange(100)])
    assert farthest_draws(many) == {}


def test_uneven_parts_are_several_of_the_tiles_that_a_candidate_names(tmp_path: Path) -> None:
    op = written(tmp_path, "rows, width = 2048, 8192", "x", "x.logsumexp(-1)", "torch.randn(rows, width)")
    named = [LOOPS, LOOPS + "BLOCK = 512\n", LOOPS + "BLOCK = 4096\n"]
    found = [settings(op, "as-is", 1, source=source) for source in named]
    uneven = [next(one for one in each if one.name == "uneven").op.constants["width"] for each in found]
    assert uneven == [331, 2 * 512 + 75, 331]  # two of the longest tiles are full size


def test_tables_are_scaled_up_where_nothing_but_places_goes_in(tmp_path: Path) -> None:
    path = tmp_path / "table.py"
    path.write_text(
        "import torch\nfrom torch import nn\nrows, width, count = 4096, 64, 2048\n"
        "class Model(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.table = nn.Embedding(rows, width)\n"
        "    def forward(self, places):\n        return self.table(places).sum(-1)\n"
        "def get_inputs():\n    return [torch.randint(0, rows, (count,))]\n"
    )
    small = settings(load_op(path), "as-is", 1)[0]
    drawn = {one.family: one for one in Draw(torch.Generator().manual_seed(0)).trained(0, small)}
    assert float(drawn["weights scaled up"].step.state["table.weight"].std()) > 3


def test_axes_within_what_a_candidate_names_are_longer_than_that_once(tmp_path: Path) -> None:
    op = written(
        tmp_path,
        "batch, heads, tokens, width = 2, 4, 256, 64",
        "q, k",
        "(q @ k.transpose(-1, -2)).softmax(-1) @ k",
        "torch.randn(batch, heads, tokens, width), torch.randn(batch, heads, tokens, width)",
    )
    named = "for start in range(0, 512, 16):\n    pass\n"
    beyond = constants(op, named)["beyond"]
    assert (beyond["batch"], beyond["heads"], beyond["tokens"]) == (1, 1, 587)
    assert "beyond" not in constants(op, named.replace("512", "64"))


def test_a_plane_has_more_cells_than_16_bits_count_where_a_candidate_casts_to_them(tmp_path: Path) -> None:
    op = written(tmp_path, "B, H, W = 3, 37, 53", "x", "x + torch.roll(x, 1, 2)", "torch.randn(B, H, W)")
    deep = constants(op, f"{LOOPS}\nOFFSETS = 'int16'\n")["deep"]
    assert (deep["B"], deep["H"], deep["W"]) == (1, 257, 257)
    assert "deep" not in constants(op)
