"""Shapes with one axis longer than at full size, or a little longer than whole tiles."""

from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.shapes.hints import hints
from kbgen.generator.verify.shapes.in_parts import TOGETHER
from kbgen.generator.verify.shapes.stretched import has_few_rows
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import Op, load_op

pytestmark = pytest.mark.usefixtures("brief_judgements")

PRODUCT = """import torch
from torch import nn

ROWS, INNER, COLUMNS = 200, 500, 1024


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(ROWS, INNER), torch.randn(INNER, COLUMNS)]


def get_init_inputs():
    return []
"""

STEPS = """import torch
from torch import nn

BATCH, STEPS, WIDTH = 4, 60, 16


class Model(nn.Module):
    def forward(self, x):
        state = torch.zeros_like(x[:, 0])
        for step in range(x.shape[1]):
            state = torch.relu(x[:, step] - 0.5 * state)
        return state


def get_inputs():
    return [torch.randn(BATCH, STEPS, WIDTH)]


def get_init_inputs():
    return []
"""

HALVES = """import torch
from torch import nn

ROWS, WIDTH = 64, 32


class Model(nn.Module):
    def forward(self, x, table):
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * table, b * table], dim=-1)


def get_inputs():
    return [torch.randn(ROWS, WIDTH), torch.randn(ROWS, (WIDTH + 1) // 2)]


def get_init_inputs():
    return []
"""


def op(folder: Path, text: str) -> Op:
    path = folder / "op.py"
    path.write_text(text)
    return load_op(path)


def shapes(given: Op) -> dict[str, dict[str, object]]:
    return {one.name: dict(one.op.constants) for one in settings(given, "as-is", 1)}


def test_each_axis_is_once_longer_than_at_full_size(tmp_path: Path) -> None:
    given = op(tmp_path, PRODUCT)
    found = shapes(given)
    for name in ("ROWS", "INNER", "COLUMNS"):
        longest = max(one[name] for one in found.values())  # type: ignore[type-var]
        assert longest > given.constants[name], name  # type: ignore[operator]


def test_an_axis_in_the_middle_is_longer_while_the_others_are_short(tmp_path: Path) -> None:
    text = PRODUCT.replace("torch.randn(ROWS, INNER)", "torch.randn(9, ROWS, INNER)")
    long = shapes(op(tmp_path, text.replace("a @ b", "(a * 2).cumsum(1) @ b")))["long ROWS"]
    assert (long["ROWS"], long["INNER"], long["COLUMNS"]) == (467, 4, 4)


def test_an_inner_axis_is_once_a_little_longer_than_whole_tiles(tmp_path: Path) -> None:
    lengths = {one["INNER"] for one in shapes(op(tmp_path, PRODUCT)).values()}
    assert any(length > 128 and 0 < length % 128 <= 16 for length in lengths)  # type: ignore[operator]


def test_two_axes_at_once_are_several_tiles_long_for_who_goes_through_tiles(tmp_path: Path) -> None:
    given = op(tmp_path, PRODUCT.replace("200, 500, 1024", "512, 500, 2048"))
    source = "def kernel(BLOCK: tl.constexpr):\n    for start in range(0, 64, 64):\n        pass\n"
    found = {one.name: dict(one.op.constants) for one in settings(given, "as-is", 1, source=source)}
    together = found[TOGETHER]
    assert (together["COLUMNS"], together["ROWS"]) == (352, 331)
    assert has_few_rows(TOGETHER)
    assert TOGETHER not in shapes(given)


def test_an_axis_is_longer_than_a_byte_counts_for_who_counts_in_one(tmp_path: Path) -> None:
    text = PRODUCT.replace("200, 500, 1024", "24, 500, 1024").replace("torch.randn(R", "torch.randn(9, R")
    given = op(tmp_path, text)
    source = "def kernel(mask):\n    return mask.to(tl.int8)\n"
    counted = {one.name: dict(one.op.constants) for one in settings(given, "as-is", 1, source=source)}
    assert counted["long ROWS"]["ROWS"] == 703
    assert "long ROWS" not in shapes(given)


def test_every_axis_is_once_longer_than_a_tile_that_was_made_for_hundreds(tmp_path: Path) -> None:
    given = op(tmp_path, PRODUCT.replace("200, 500, 1024", "96, 40, 80"))
    found = shapes(given)
    for name in ("ROWS", "INNER", "COLUMNS"):
        assert max(one[name] for one in found.values()) == 1011, name  # type: ignore[type-var]
    cases = [
        case for case in plan(settings(given, "as-is", 1), 1) if case.setting.name == "a thousand of INNER"
    ]
    assert [case.family for case in cases] == ["normal"], "nothing else is asked there"
    assert int(torch.tensor(1011.0) * torch.tensor(1 / 1011)) == 0, "who divides by a reciprocal is one off"


def test_a_thousand_keys_meet_each_other_where_little_else_goes_in(tmp_path: Path) -> None:
    text = PRODUCT.replace("ROWS, INNER, COLUMNS = 200, 500, 1024", "ROWS, KEYS, COLUMNS = 2, 45, 20")
    text = text.replace("a @ b", "torch.softmax(torch.tanh(a @ b.mT / 4) * 4, -1) @ b")
    text = text.replace("torch.randn(ROWS, INNER)", "torch.randn(ROWS, KEYS, COLUMNS)")
    text = text.replace("torch.randn(INNER, COLUMNS)", "torch.randn(ROWS, KEYS, COLUMNS)")
    assert shapes(op(tmp_path, text))["a thousand of KEYS"]["KEYS"] == 1011


def test_every_axis_is_once_longer_than_three_times_full_size(tmp_path: Path) -> None:
    given = op(tmp_path, PRODUCT.replace("200, 500, 1024", "40, 400, 1000"))
    found = shapes(given)
    assert found["three times COLUMNS"]["COLUMNS"] == 3001
    assert found["three times INNER"]["INNER"] == 1201
    assert found["a thousand of ROWS"]["ROWS"] == 1011


def test_of_a_table_three_times_as_long_as_many_are_asked_as_usual(tmp_path: Path) -> None:
    text = PRODUCT.replace("ROWS, INNER, COLUMNS = 200, 500, 1024", "QUERIES, EDGES = 3000, 1400")
    text = text.replace("a @ b", "torch.searchsorted(a, b)")
    text = text.replace("torch.randn(ROWS, INNER)", "torch.randn(EDGES).sort().values")
    text = text.replace("torch.randn(INNER, COLUMNS)", "torch.randn(QUERIES)")
    sizes = shapes(op(tmp_path, text))["three times EDGES"]
    assert (sizes["EDGES"], sizes["QUERIES"]) == (4201, 3000)


def test_two_short_axes_make_more_parts_together_than_at_full_size(tmp_path: Path) -> None:
    given = op(tmp_path, PRODUCT.replace("200, 500, 1024", "96, 40, 80"))
    source = "def kernel():\n    for start in range(0, 64, 32):\n        pass\n"
    found = {one.name: dict(one.op.constants) for one in settings(given, "as-is", 1, source=source)}
    assert (found[TOGETHER]["ROWS"], found[TOGETHER]["COLUMNS"]) == (352, 331)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("EVEN=(K % 16 == 0)", {16: (5, 3)}),
        ("EVEN=not K % 16 and N % 64 == 0", {16: (5, 3), 64: (5, 3)}),
        ("EVEN=(K % BLOCK == 0), BLOCK=256", {64: (5, 3), 256: (3, 1)}),
        ("PLACE=K % 16", {}),
    ],
)
def test_sizes_are_odd_multiples_of_what_is_asked_for(
    text: str, times: dict[int, tuple[int, int]], tmp_path: Path
) -> None:
    source = f"launch(\n    {text},\n)\n"
    assert hints(source).moduli == tuple(times)
    given = op(tmp_path, PRODUCT.replace("200, 500, 1024", "96, 40, 80"))
    found = {one.name: dict(one.op.constants) for one in settings(given, "as-is", 1, source=source)}
    for modulus, (largest, others) in times.items():
        sizes = [found[f"multiples of {modulus}"][name] for name in ("ROWS", "INNER", "COLUMNS")]
        assert sizes == [largest * modulus, others * modulus, others * modulus]


def test_a_loop_takes_more_steps_than_at_full_size(tmp_path: Path) -> None:
    found = shapes(op(tmp_path, STEPS))
    assert max(one["STEPS"] for one in found.values()) > 60  # type: ignore[type-var,operator]


def test_shapes_in_which_an_element_is_broadcast_by_chance_are_none(tmp_path: Path) -> None:
    given = op(tmp_path, HALVES)
    assert given.bytes_at({"WIDTH": 3}) is not None  # the reference runs
    assert not given.is_sound({"WIDTH": 3})
    assert given.is_sound({"WIDTH": 4})


def test_an_answer_without_elements_is_no_shape_to_judge_by(tmp_path: Path) -> None:
    text = PRODUCT.replace("return a @ b", "return (a @ b)[::, ROWS // 4 :: ROWS // 2 + 1]")
    given = op(tmp_path, text)
    assert given.is_sound({})
    assert not given.is_sound({"COLUMNS": 8})


@pytest.mark.parametrize(
    ("name", "few"),
    [("long ROWS", True), ("one over INNER", True), ("past", True), ("wide", False), ("small", False)],
)
def test_shapes_along_one_axis_are_known_by_their_names(name: str, few: bool) -> None:
    assert has_few_rows(name) is few


NAMED = """import torch
from torch import nn

BATCH, VOCAB, HISTORY = 8, 8192, 64


class Model(nn.Module):
    def forward(self, logits, seen):
        return logits.scatter(1, seen, logits.gather(1, seen) / 2)


def get_inputs():
    return [torch.randn(BATCH, VOCAB), (torch.arange(HISTORY) * 7 % VOCAB).repeat(BATCH, 1)]


def get_init_inputs():
    return []
"""

GROUPS = """import torch
from torch import nn

ROWS, COLUMNS, GROUP = 256, 512, 64


class Model(nn.Module):
    def __init__(self, group):
        super().__init__()
        self.group = group

    def forward(self, x, scales):
        return x.repeat_interleave(8, dim=1) * scales.repeat_interleave(self.group, dim=1)


def get_inputs():
    return [torch.randn(ROWS, COLUMNS // 8), torch.rand(ROWS, COLUMNS // GROUP)]


def get_init_inputs():
    return [GROUP]
"""


def test_names_of_a_longer_row_have_places_enough(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(NAMED)
    told = "for t in range(128): pass"
    for one in settings(load_op(path), "as-is", 1, source=told):
        if one.name.startswith(("long ", "beyond")):
            assert len(one.shipped[1].unique()) >= one.shipped[1].shape[1] // 2, one.name  # type: ignore[union-attr]


def test_what_the_constructor_alone_is_given_is_once_half_as_much(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(GROUPS)
    widths = {one.name: one.op.constants["GROUP"] for one in settings(load_op(path), "as-is", 1)}
    assert widths["another GROUP"] == 32, widths


def test_an_axis_is_once_too_short_for_what_is_kept_of_it(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(PRODUCT)
    found = {one.name: one.op.constants for one in settings(load_op(path), "as-is", 1)}
    assert {found["short"][name] for name in ("ROWS", "INNER", "COLUMNS")} == {2}


def test_where_full_size_is_judged_so_is_one_row_more(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(GROUPS)
    found = {one.name: one.op for one in settings(load_op(path), "as-is", 1)}
    assert any(not one.overrides for one in found.values())
    assert found["one more"].constants["ROWS"] == 257


PAIRS = """
import torch
from torch import nn

BODIES = 200


class Model(nn.Module):
    def forward(self, at, mass):
        apart = at[None] - at[:, None]
        return (mass[None, :, None] * apart * torch.rsqrt(apart.square().sum(-1) + 1)[..., None]).sum(1)


def get_inputs():
    return [torch.randn(BODIES, 3), torch.rand(BODIES)]


def get_init_inputs():
    return []
"""


def test_where_all_pairs_leave_no_room_for_a_thousand_there_are_twice_as_many(tmp_path: Path) -> None:
    found = shapes(op(tmp_path, PAIRS))
    assert found["more than twice BODIES"]["BODIES"] == 467
    assert not any("thousand" in name for name in found)


def test_nan_meets_weights_of_zero(tmp_path: Path) -> None:
    text = PRODUCT.replace("200, 500, 1024", "20, 24, 40")
    text = text.replace(
        "nn.Module):\n", "nn.Module):\n    def __init__(self):\n        super().__init__()\n", 1
    )
    text = text.replace(
        "super().__init__()\n",
        "super().__init__()\n        self.scale = nn.Parameter(torch.ones(20, 1))\n",
        1,
    )
    text = text.replace("a @ b", "self.scale * (a @ b)")
    cases = plan(settings(op(tmp_path, text), "as-is", 1), 1)
    (asked,) = [case for case in cases if case.name == "small, one NaN, weights of zero"]
    assert not asked.step.state["scale"].any()
    assert torch.as_tensor(asked.inputs[0]).isnan().any()
    alone = [case for case in cases if case.family == "NaN in 1, zeros elsewhere"]
    assert [torch.as_tensor(case.inputs[0]).any().item() for case in alone] == [False]


WORDS = """import torch
from torch import nn

ROWS, GROUPS, WORDS, COLUMNS = 33, 3, 5, 50


class Model(nn.Module):
    def __init__(self, groups, words):
        super().__init__()
        self.scales = nn.Parameter(torch.randn(groups, 1))

    def forward(self, x):
        return (x.view(len(x), len(self.scales), -1) * self.scales).sum(2)


def get_inputs():
    return [torch.randn(ROWS, GROUPS * WORDS * 8)]


def get_init_inputs():
    return [GROUPS, WORDS]
"""


def test_what_only_the_constructor_is_told_of_has_another_size_once(tmp_path: Path) -> None:
    (tmp_path / "op.py").write_text(WORDS)
    found = {one.name: one.shipped for one in settings(load_op(tmp_path / "op.py"), "as-is", 1)}
    assert torch.as_tensor(found["another WORDS"][0]).shape[1] == 3 * 7 * 8
    assert torch.as_tensor(found["another GROUPS"][0]).shape[1] == 5 * 5 * 8


def test_programs_that_ask_atomics_meet_in_rows_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "product.py"
    path.write_text(PRODUCT)
    asks = "def kernel(counts):\n    first = tl.atomic_add(counts, 512)\n"
    found = {one.name: one for one in settings(load_op(path), "as-is", 5, source=asks)}
    assert found["past a block of COLUMNS"].op.constants["COLUMNS"] == 513
    moved = [case for case in plan(list(found.values()), 5) if case.step.moved]
    assert {case.setting.name for case in moved} == {
        "small",
        "past a block of COLUMNS",
        "past a block of INNER",
    }
    quiet = asks.replace("first = ", "")
    assert not any(one.name.startswith("past") for one in settings(load_op(path), "as-is", 5, source=quiet))
