"""The search for smaller shapes: what it shrinks, what it keeps, and what it says when it finds none."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from kbgen.profiling.op import Op, load_op
from kbgen.profiling.shapes import ShapeSet
from kbgen.profiling.sizes import few, halves, odd_sizes

Make = Callable[..., Op]
BUDGET = 4 << 20


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(constants: str, inputs: str, forward: str, init: str = "", given: str = "[]") -> Op:
        path = tmp_path / "op.py"
        path.write_text(
            f"import torch\nfrom torch import nn\n{constants}\n"
            "class Model(nn.Module):\n"
            f"    def __init__(self, *sizes):\n        super().__init__()\n        {init or 'pass'}\n"
            f"    def forward(self, x, *others):\n        {forward}\n"
            f"def get_inputs():\n    return [{inputs}]\n"
            f"def get_init_inputs():\n    return {given}\n"
        )
        return load_op(path)

    return made


def sets(op: Op, budget: int = BUDGET) -> dict[str, ShapeSet]:
    return {found.name: found for found in op.shape_sets(budget)}


def runs(op: Op, found: ShapeSet) -> torch.Tensor:
    model, inputs = op.with_overrides(found.overrides).instantiate(seed=0)
    with torch.no_grad():
        return model(*inputs)


def test_rows_shrink_and_the_wide_set_keeps_the_row_length(make: Make) -> None:
    op = make("tokens, hidden = 8192, 4096", "torch.rand(tokens, hidden)", "return torch.softmax(x, -1)")
    found = sets(op)
    assert found["wide"].overrides == {"tokens": 3}
    small, odd = found["small"].overrides, found["odd"].overrides
    assert small["tokens"] < 8192
    assert small["hidden"] < 4096
    assert odd["tokens"] % 2 == odd["hidden"] % 2 == 1
    assert odd["tokens"] != odd["hidden"]
    assert found["small"].total_bytes <= BUDGET
    assert found["odd"].total_bytes <= 2 * BUDGET
    assert found["wide"].total_bytes <= 4 * BUDGET


def test_a_reduced_dimension_is_kept_in_the_wide_set_even_when_it_is_not_innermost(make: Make) -> None:
    op = make("a, b, c = 64, 4096, 4095", "torch.rand(a, b, c)", "return x.sum(1)")
    wide = sets(op)["wide"].overrides
    assert "b" not in wide
    assert wide["a"] == 3
    assert wide["c"] < 4095


@pytest.mark.parametrize("groups", [2, 8, 32])
def test_groups_go_on_dividing_the_channels(make: Make, groups: int) -> None:
    op = make(
        f"batch, channels, side, groups = 64, 320, 128, {groups}",
        "torch.rand(batch, channels, side, side)",
        "return self.norm(x)",
        "self.norm = nn.GroupNorm(*sizes)",
        "[groups, channels]",
    )
    for found in sets(op).values():
        channels = found.overrides.get("channels", 320)
        assert isinstance(channels, int)
        assert channels % groups == 0
        assert "groups" not in found.overrides
        assert runs(op, found).isfinite().all()
    odd = sets(op)["odd"].overrides
    assert odd["side"] % 2 == 1
    assert (odd["channels"] // groups) % 2 == 1


def test_constants_that_must_agree_move_together(make: Make) -> None:
    op = make(
        "rows, width, heads, head = 64, 65536, 16, 4096",
        "torch.rand(rows, width)",
        "return x.view(x.shape[0], self.heads, self.head).softmax(-1)",
        "self.heads, self.head = sizes",
        "[heads, head]",
    )
    for found in sets(op).values():
        now = {**op.constants, **found.overrides}
        assert now["width"] == now["heads"] * now["head"]
    assert sets(op)["small"].overrides["width"] < 65536


def test_settings_are_not_touched(make: Make) -> None:
    op = make(
        "batch, channels, side = 64, 64, 256\nkernel, stride, dim, classes = 11, 2, 1, 10\neps = 1e-5",
        "torch.rand(batch, channels, side, side)",
        "return nn.functional.avg_pool2d(x, kernel, stride).sum(dim)",
    )
    for found in sets(op).values():
        assert not {"kernel", "stride", "dim", "classes", "eps"} & set(found.overrides)
        assert min(runs(op, found).shape) >= 2


def test_derived_constants_follow_and_are_not_searched(make: Make) -> None:
    op = make(
        "width = 8192\nhalf = width // 2\nrows = 4096",
        "torch.rand(rows, width)",
        "return x[:, :half] * x[:, half:]",
    )
    for found in sets(op).values():
        assert "half" not in found.overrides
        assert runs(op, found).shape[1] == found.overrides.get("width", 8192) // 2


def test_tuple_constants_are_searched_part_by_part(make: Make) -> None:
    op = make("shape = (4096, 8192)", "torch.rand(*shape)", "return x.relu()")
    assert sets(op)["wide"].overrides == {"shape": (3, 8192)}
    assert len(set(sets(op)["odd"].overrides["shape"])) == 2


def test_the_number_of_layers_stays_so_that_the_graph_does(make: Make) -> None:
    op = make(
        "rows, width, layers = 4096, 1024, 16",
        "torch.rand(rows, width)",
        "for layer in self.layers: x = layer(x)\n        return x",
        "self.layers = nn.ModuleList(nn.LayerNorm(sizes[0]) for _ in range(sizes[1]))",
        "[width, layers]",
    )
    assert all("layers" not in found.overrides for found in sets(op).values())


def test_a_loop_over_thousands_of_steps_is_cut_short(make: Make) -> None:
    op = make(
        "steps, width = 1024, 512",
        "torch.rand(steps, width)",
        "h = x[0]\n        for row in x.unbind(0): h = (h + row).tanh()\n        return h",
    )
    small = sets(op)["small"]
    assert small.fits
    assert small.overrides["steps"] < 64


def test_full_size_is_used_when_it_fits(make: Make) -> None:
    found = sets(make("n = 64", "torch.rand(n, n)", "return x.relu()"))
    assert found["small"].overrides == {}
    assert found["small"].reason == "the full size already fits"
    assert found["odd"].overrides == {"n": 61}


def test_sizes_written_as_literals_of_the_model_are_said_to_be_the_reason(make: Make) -> None:
    op = make("n = 3", "torch.rand(4096, 4096)", "return x + torch.ones(4096, 4096)")
    (only,) = sets(op).values()
    assert not only.fits
    assert "201.3 MB" in only.reason
    assert "module-level integers" in only.reason


def test_sizes_written_as_literals_of_the_inputs_shrink_like_constants(make: Make) -> None:
    found = sets(make("n = 3", "torch.rand(n, 4096, 4096)", "return x.relu()"))
    assert found["small"].overrides == {"size_4096": 256}
    assert runs(make("n = 3", "torch.rand(n, 4096, 4096)", "return x.relu()"), found["odd"]).shape[0] == 3


def test_parameters_that_nothing_shrinks_are_granted_beside_the_budget(make: Make) -> None:
    """A million fixed weights take all of the budget; the pixels around them shrink as if they were not."""
    op = make(
        "batch, pixels = 64, 224",
        "torch.rand(batch, 64, pixels, pixels)",
        "return torch.nn.functional.conv2d(x, self.weight)",
        "self.weight = torch.nn.Parameter(torch.zeros(2048, 64, 3, 3))",
    )
    found = sets(op)["small"]
    assert found.fits
    assert 4 << 20 < found.total_bytes <= 9 << 20


@pytest.mark.parametrize(("steps", "least"), [(60, 32), (2, 16)])
def test_in_a_network_nothing_on_the_way_shrinks_to_one_element(make: Make, steps: int, least: int) -> None:
    """The pool has 4 x 4 results at full size and one at 16 pixels, which the mean then hides."""
    op = make(
        "rows, side = 4, 64",
        "torch.rand(rows, 3, side, side)",
        f"return [x := x * 1.5 for _ in range({steps})] and "
        "torch.nn.functional.max_pool2d(x, 16).mean((2, 3))",
    )
    assert sets(op, budget=1)["small"].overrides["side"] == least


@pytest.mark.parametrize(("width", "fits"), [(20_001, True), (40_001, False)])
def test_a_network_a_little_larger_than_the_budget_at_its_smallest_is_let_in(
    make: Make, width: int, fits: bool
) -> None:
    """Sixty results of 80 kB each, or of twice as much."""
    op = make(
        "rows = 4096",
        "torch.rand(rows)",
        "return [y := x.sum() + self.weight * 2 for _ in range(30)] and y",
        f"self.weight = torch.nn.Parameter(torch.zeros({width}))",
    )
    assert sets(op)["small"].fits is fits
    assert not sets(op, budget=2 << 20)["small"].fits


def test_layers_are_left_out_only_where_all_of_them_fit_no_budget(make: Make) -> None:
    op = make(
        "rows, width, layers = 32, 32, 16",
        "torch.rand(rows, width)",
        "for layer in self.layers: x = layer(x)\n        return x",
        "self.layers = nn.ModuleList(nn.LayerNorm(sizes[0]) for _ in range(sizes[1]))",
        "[width, layers]",
    )
    small = sets(op, budget=700)["small"]
    assert not small.fits
    assert "layers" not in small.overrides


def test_a_network_is_planned_with_the_tighter_shapes_too(make: Make) -> None:
    def planned(steps: int) -> list[str]:
        forward = f"return [x := x * 1.5 for _ in range({steps})] and x.sum(1)"
        op = make("rows, width = 8192, 4096", "torch.rand(rows, width)", forward)
        return [one.name for one in op.planned_sets()]

    assert planned(60)[-2:] == ["small", "odd"]
    assert planned(60)[:-2] == planned(2)


def test_a_network_is_planned_with_unequal_sides(make: Make) -> None:
    """The sides 53 and 47 of an odd image both end at 2 after five halvings, as equal ones do."""
    halved = (
        "return [x := (x * 1.5)[:, ::1 + (i % 12 == 0), ::1 + (i % 12 == 0)] for i in range(60)] and x.sum()"
    )
    op = make("batch, height, width = 64, 224, 224", "torch.rand(batch, height, width)", halved)
    *_, uneven = op.planned_sets()
    assert uneven.name == "uneven"
    assert {**op.constants, **uneven.overrides}["height"] == 224
    assert uneven.overrides["width"] != 224


def test_a_shape_that_real_data_forbids_is_not_given(make: Make) -> None:
    """Fake tensors know no values: only the real run shows that the literal 1000 needs all the rows."""
    op = make(
        "rows, width, count = 1024, 4096, 65536",
        "torch.rand(rows, width), torch.randint(0, 1000, (count,))",
        "return x[others[0]].sum(1)",
    )
    for found in sets(op).values():
        assert found.overrides.get("rows", 1024) >= 1000
        assert runs(op, found).isfinite().all()


def test_nan_is_not_accepted_from_a_size_that_makes_it(make: Make) -> None:
    op = make(
        "rows, width = 4096, 4096", "torch.rand(rows, width)", "return (x + (x.shape[1] - 4000)).sqrt()"
    )
    assert all(found.overrides.get("width", 4096) >= 4000 for found in sets(op).values() if found.fits)


def test_budget_is_respected(make: Make) -> None:
    op = make("rows, width = 8192, 8192", "torch.rand(rows, width)", "return x.relu()")
    for budget in (1 << 16, 1 << 20, 1 << 26):
        small = sets(op, budget)["small"]
        sizes = math.prod({**op.constants, **small.overrides}.values())
        assert small.total_bytes == sizes * 8 <= budget


def test_the_search_is_deterministic(make: Make, tmp_path: Path) -> None:
    arguments = ("a, b, c = 64, 512, 512", "torch.rand(a, b, c)", "return x.cumsum(1)")
    first = make(*arguments).shape_sets()
    (tmp_path / "again").mkdir()
    copy = tmp_path / "again" / "op.py"
    copy.write_text((tmp_path / "op.py").read_text())
    assert load_op(copy).shape_sets() == first


@pytest.mark.parametrize("size", [4, 16, 64, 1000, 4096])
def test_candidate_sizes(size: int) -> None:
    first = next(odd_sizes(size))
    assert first % 2 == 1
    assert all(first % divisor for divisor in range(2, first))
    assert all(candidate < size for candidate in few(size))
    assert next(few(size)) == 3


def test_where_half_is_too_little_the_power_of_two_below_is_tried() -> None:
    assert halves(112) == (56, 64)
    assert halves(64) == (32,)
    assert halves(7) == (3, 4)
    assert halves(4) == (2,)


def test_sizes_of_results_alone_shrink_too(make: Make) -> None:
    op = make(
        "rows, width, high, wide = 8, 64, 512, 768",
        "torch.rand(rows, 3, width, width)",
        "return nn.functional.interpolate(x, size=self.sizes, mode='bilinear')",
        init="self.sizes = sizes",
        given="[high, wide]",
    )
    found = sets(op, 1 << 16)["small"]
    assert found.fits
    assert runs(op, found).shape[-2:] == (found.overrides["high"], found.overrides["wide"])


def test_a_shape_at_which_most_is_infinite_is_not_sound(make: Make) -> None:
    op = make("rows, width = 64, 64", "torch.rand(rows, width)", "return 1 / (x * (width > 16))")
    assert op.is_sound({})
    assert not op.is_sound({"width": 16})


def test_eight_bits_are_sound_too(make: Make) -> None:
    op = make("rows, width = 64, 64", "torch.rand(rows, width)", "return x.to(torch.float8_e4m3fn)")
    assert op.is_sound({"rows": 4})
