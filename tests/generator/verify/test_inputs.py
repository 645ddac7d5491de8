"""Families, weights and layouts: drawn from a seed, in the right dtype, in the promised place."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs import draws
from kbgen.generator.verify.inputs.draws import SPIKE
from kbgen.generator.verify.inputs.families import FAMILIES, HALVES, LEVEL, TIES, draw_inputs, nudged
from kbgen.generator.verify.inputs.idle import idle_nan, idle_places, idle_spike
from kbgen.generator.verify.inputs.ignored import ignored_classes
from kbgen.generator.verify.inputs.weights import TRAINED, draw_weights, in_powers_of_two, level_weights
from kbgen.generator.verify.process.layout import place, poison, unwritten
from kbgen.generator.verify.reference.operators import only_picks
from kbgen.generator.verify.reference.oracle import Reference


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_keeps_shape_and_dtype_and_repeats(family: str) -> None:
    shipped = [torch.rand(6, 8, dtype=torch.bfloat16), torch.arange(5), 3]
    first, again = draw_inputs(family, shipped, generator()), draw_inputs(family, shipped, generator())
    assert first[0].shape == (6, 8)
    assert first[0].dtype == torch.bfloat16
    assert torch.equal(first[0].isnan(), again[0].isnan())
    assert torch.equal(first[0].nan_to_num(), again[0].nan_to_num())
    assert torch.equal(first[1], shipped[1])
    assert first[2] == 3


def test_infinite_rows_leave_most_rows_defined() -> None:
    drawn = draw_inputs("infinite rows", [torch.rand(16, 8)], generator())[0]
    assert isinstance(drawn, torch.Tensor)
    assert drawn[[0, 8]].isneginf().all()
    assert [int(drawn[row].isinf().sum()) for row in range(1, 8)] == [1, 4, 0, 0, 0, 0, 0]


def test_every_other_input_lies_below_zero_and_products_of_opposed_ones_are_exact() -> None:
    query, classes, key, value = draw_inputs(
        "opposed", [torch.rand(4, 8), torch.arange(4), torch.rand(4, 8), torch.rand(4, 8)], generator()
    )
    assert query.max() <= -4
    assert value.max() <= -4
    assert key.min() >= 4
    assert torch.equal(classes, torch.arange(4))
    assert torch.equal((query @ key.t()).double(), query.double() @ key.t().double())


@pytest.mark.parametrize("family", ["enormous", "astronomical"])
def test_of_numbers_far_out_every_fourth_row_is_negative(family: str) -> None:
    drawn = draw_inputs(family, [torch.rand(2, 4, 40)], generator())[0].view(8, 40)
    assert (drawn < 0).all(dim=1).tolist() == [False, False, False, True] * 2


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_what_is_far_out_throughout_is_beyond_any_floor(dtype: torch.dtype) -> None:
    for family, sign in (("enormous below zero", -1), ("enormous above zero", 1)):
        drawn = draw_inputs(family, [torch.rand(8, 40).to(dtype)], generator())[0]
        assert isinstance(drawn, torch.Tensor)
        assert bool(drawn.isfinite().all())
        assert float((sign * drawn).min()) > (16000 if dtype == torch.float16 else 1e13)


def test_zeros_of_both_signs_leave_most_rows_alive() -> None:
    drawn = draw_inputs("signed zeros", [torch.rand(8, 400)], generator())[0]
    assert isinstance(drawn, torch.Tensor)
    shares = (drawn != 0).float().mean(dim=1)
    assert (shares[::4] < 0.2).all()
    assert shares[1:4].min() > 0.7
    zeros = drawn[drawn == 0]
    assert 0 < int(zeros.signbit().sum()) < zeros.numel()


def test_idle_spikes_stand_where_the_mask_takes_them_out() -> None:
    class Masked(nn.Module):
        def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            return (x * mask).sum(-1)

    x, mask = torch.randn(4, 50, generator=generator()), torch.arange(50).expand(4, 50) % 2 == 0
    spiked = idle_spike(Reference(Masked(), "as-is"), [x, mask], {}, generator())
    assert spiked is not None
    moved = spiked[0] != x
    assert moved.any()
    assert not (moved & mask).any()
    assert idle_spike(Reference(Masked(), "as-is"), [x, mask.float()], {}, generator()) is None
    assert idle_spike(Reference(Masked(), "as-is"), [x, torch.ones(4, 50) > 0], {}, generator()) is None


def test_where_the_reference_raises_at_nan_nothing_is_idle() -> None:
    class Counted(nn.Module):
        def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            bins = x.mul(4).ceil().long()  # and NaN names none
            return torch.zeros(5).index_add(0, bins.reshape(-1), mask.float().reshape(-1))

    x, mask = torch.rand(4, 50, generator=generator()), torch.arange(50).expand(4, 50) % 2 == 0
    assert idle_nan(Reference(Counted(), "as-is"), [x, mask], {}, generator()) is None


def test_what_the_reference_chooses_away_may_be_nan_and_what_it_multiplies_away_may_not() -> None:
    class Chosen(nn.Module):
        def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            return torch.where(mask, x, 0.0).sum(-1)

    class Multiplied(nn.Module):
        def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            return (x * mask).sum(-1)

    x, mask = torch.randn(4, 50, generator=generator()), torch.arange(50).expand(4, 50) % 2 == 0
    drawn = idle_nan(Reference(Chosen(), "as-is"), [x, mask], {}, generator())
    assert drawn is not None
    changed = drawn[0]
    assert isinstance(changed, torch.Tensor)
    assert changed.isnan().any()
    assert not (changed.isnan() & mask).any()
    assert idle_nan(Reference(Multiplied(), "as-is"), [x, mask], {}, generator()) is None


def test_classes_are_ignored_where_a_loss_leaves_them_out() -> None:
    class Loss(nn.Module):
        def forward(self, x: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
            return nn.functional.cross_entropy(x, classes, ignore_index=7)

    class Gathered(nn.Module):
        def forward(self, x: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
            return x.gather(1, classes[:, None])

    x, classes = torch.randn(40, 5, generator=generator()), torch.arange(40) % 5
    marked = ignored_classes(Reference(Loss(), "as-is"), [x, classes], {}, generator())
    assert marked is not None
    assert marked[0] is x
    left_out = marked[1] == 7
    assert isinstance(left_out, torch.Tensor)
    assert 1 <= int(left_out.sum()) <= 20
    assert torch.equal(marked[1][~left_out], classes[~left_out])
    assert ignored_classes(Reference(Gathered(), "as-is"), [x, classes], {}, generator()) is None


def test_torch_s_own_ignored_class_is_asked_where_the_op_file_draws_or_names_it() -> None:
    class Loss(nn.Module):
        def forward(self, x: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
            return nn.functional.cross_entropy(x, classes)

    x, classes = torch.randn(40, 5, generator=generator()), torch.arange(40) % 5
    drawn = classes.masked_fill(classes == 3, -100)
    named = Reference(Loss(), "as-is", "loss = CrossEntropyLoss(ignore_index=IGNORED)")
    assert ignored_classes(Reference(Loss(), "as-is"), [x, classes], {}, generator()) is None
    assert ignored_classes(Reference(Loss(), "as-is"), [x, drawn], {}, generator()) is not None
    assert ignored_classes(named, [x, classes], {}, generator()) is not None


def test_weights_move_including_ones_and_zeros_and_statistics() -> None:
    model = nn.Sequential(nn.BatchNorm1d(8), nn.Linear(8, 8))
    drawn = draw_weights(model, generator())
    for name, value in model.state_dict().items():
        assert name.endswith("num_batches_tracked") or not torch.isclose(drawn[name], value).all(), name
    assert (drawn["0.running_var"] > 0).all()


def test_edges_of_bins_are_respaced_in_order_and_whole_numbers_stay() -> None:
    model = nn.Identity()
    edges, places = torch.linspace(0.25, 4.0, 9), torch.arange(9.0)
    model.register_buffer("edges", edges)
    model.register_buffer("falling", edges.flip(0))
    model.register_buffer("places", places)
    drawn = draw_weights(model, generator())
    assert drawn["edges"][0] == edges[0]
    assert (drawn["edges"].diff() > 0).all()
    assert (drawn["edges"].diff() / edges.diff() - 1).abs().max() > 0.05
    assert (drawn["falling"].diff() < 0).all()
    assert torch.equal(drawn["places"], places)


def test_constant_tables_stay() -> None:
    model = nn.Identity()
    model.register_buffer("table", torch.arange(8.0))
    assert torch.equal(draw_weights(model, generator())["table"], torch.arange(8.0))


def test_a_buffer_of_one_value_stands_for_what_is_loaded_later_and_moves() -> None:
    model = nn.Identity()
    shipped = {"alpha": torch.ones(8), "shift": torch.zeros(8)}
    kept = {"epsilon": torch.tensor(1e-5), "mask": torch.full((8,), -torch.inf)}
    for name, value in {**shipped, **kept}.items():
        model.register_buffer(name, value.clone())
    drawn = draw_weights(model, generator())
    assert not any(torch.isclose(drawn[name], value).all() for name, value in shipped.items())
    assert (drawn["alpha"] > 0).all()
    assert all(torch.equal(drawn[name], value) for name, value in kept.items())


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "shifted"])
def test_layouts_hold_the_values(layout: str) -> None:
    values = torch.randn(5, 7)
    assert torch.equal(place(values, layout), values)


def test_layouts_are_what_they_say() -> None:
    values = torch.randn(5, 7)
    assert place(values, "transposed").stride() == (1, 5)
    assert place(values, "shifted").data_ptr() % 16 == 4
    assert place(values, "contiguous").data_ptr() % 16 == 0
    assert place(values, "expanded").stride() == (0, 1)
    assert torch.equal(place(values, "expanded"), values[:1].expand(5, 7))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int32])
def test_poison_is_told_from_other_values(dtype: torch.dtype) -> None:
    values = torch.zeros(10, dtype=dtype)
    if dtype.is_floating_point:
        values[0] = float("nan")
    assert unwritten(values) == 0
    poison(values[4:])
    assert unwritten(values) == 6
    assert not dtype.is_floating_point or values[4:].isnan().all()


@pytest.mark.parametrize(("family", "sign"), [("spikes", 1), ("negative spikes", -1)])
def test_spikes_stand_first_and_last_and_at_tile_edges(family: str, sign: int) -> None:
    drawn = draw_inputs(family, [torch.zeros(61, 300)], generator())[0] * sign
    flat = drawn.reshape(-1)
    assert flat[0] >= SPIKE
    assert flat[-1] >= SPIKE
    columns = {int(column) for column in (drawn >= SPIKE).nonzero()[:, 1]}
    assert {0, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 299} <= columns
    assert (drawn >= SPIKE).float().mean() < 0.01


def test_small_integers_are_whole_and_weights_with_them() -> None:
    drawn = draw_inputs("small integers", [torch.rand(40, 40)], generator())[0]
    assert torch.equal(drawn, drawn.round())
    assert drawn.abs().max() == 4
    weights = draw_weights(nn.Linear(8, 8), generator(), integers=True)
    assert all(torch.equal(value, value.round()) for value in weights.values())


def test_nudged_changes_one_element_and_never_the_first() -> None:
    values = [torch.rand(5, 7), torch.arange(9).flip(0), 3]
    moved = nudged(values, generator())
    for was, now in zip(values[:2], moved[:2], strict=True):
        assert int((was != now).sum()) == (1 if was.is_floating_point() else 2)  # two places change places
    assert values[0][0, 0] == moved[0][0, 0]
    assert moved[2] == 3


def test_what_is_positive_and_loaded_comes_in_powers_of_two() -> None:
    model = nn.LayerNorm(64)
    drawn = draw_weights(model, generator())
    state = in_powers_of_two(model, drawn)
    assert torch.equal(state["weight"].log2(), state["weight"].log2().round())
    assert state["bias"] is drawn["bias"]
    assert in_powers_of_two(model, model.state_dict())["weight"].unique().tolist() == [1.0]


def test_a_bias_that_is_zero_is_drawn_large_enough_to_be_missed() -> None:
    model = nn.LayerNorm(64)
    assert draw_weights(model, generator())["bias"].abs().mean() > 0.3


def test_nothing_tells_of_the_guards_around_an_input() -> None:
    held = place(torch.rand(5, 7), "contiguous")
    assert held.storage_offset() == 0
    assert held.untyped_storage().nbytes() == held.nbytes


def test_training_turns_signs_and_takes_single_numbers_far_out() -> None:
    model = nn.BatchNorm1d(64)
    state = draw_weights(model, generator())
    turn, raise_, farther, *_ = TRAINED.values()
    turned = turn(model, state, generator())
    assert turned is not None
    assert torch.equal(turned["weight"].abs(), state["weight"])
    assert 0 < int((turned["weight"] < 0).sum()) < 64
    assert torch.equal(turned["running_var"], state["running_var"]), "a variance stays one"
    assert raise_(model, state, generator()) is None, "it has no single number"
    single = nn.Module()
    single.scale, single.gate = nn.Parameter(torch.tensor(2.5)), nn.Parameter(torch.zeros(1))
    raised = raise_(single, dict(single.state_dict()), generator())
    assert raised is not None
    assert [float(one) for one in raised.values()] == [10.0, 3.0]
    hundreds = farther(single, dict(single.state_dict()), generator())
    assert hundreds is not None
    assert [float(one) for one in hundreds.values()] == [100.0, 100.0]
    assert turn(nn.ReLU(), {}, generator()) is None


def test_opposed_halves_pass_the_end_of_float16_and_come_back() -> None:
    model = nn.Linear(64, 8, dtype=torch.float16)
    (x,) = draw_inputs(HALVES, [torch.rand(5, 64, dtype=torch.float16)], generator())
    assert isinstance(x, torch.Tensor)
    weight = level_weights(model, model.state_dict(), generator(), LEVEL)["weight"]
    sums = (x.double()[:, None] * weight.double()).cumsum(-1)
    assert (sums.amax(-1) > 65504).all()
    assert (sums[..., -1].abs() < 20_000).all()


def test_places_to_write_to_stay_unlike_when_one_of_them_changes() -> None:
    moved = nudged([torch.arange(9).flip(0)], generator())[0]
    assert isinstance(moved, torch.Tensor)
    assert sorted(moved.tolist()) == list(range(9))
    assert int((moved != torch.arange(9).flip(0)).sum()) == 2


def test_halves_lie_between_whole_numbers_behind_powers_of_two() -> None:
    drawn = draw_inputs(TIES, [torch.zeros(64, 64)], generator())[0]
    assert isinstance(drawn, torch.Tensor)
    for scale in (1, 4, 16):
        assert float(((drawn * scale) % 1 == 0.5).float().mean()) > 0.02


def test_a_cropped_block_has_no_axis_that_follows_from_the_next() -> None:
    laid = place(torch.randn(3, 4, 5), "cropped")
    assert laid.stride() == (30, 6, 1)
    assert place(torch.randn(4, 5), "turned").stride(1) % 2 == 1
    assert place(torch.randn(5), "stepped").stride() == (2,)


def test_entries_of_a_table_that_nobody_uses_hold_no_place() -> None:
    class Paged(nn.Module):
        def forward(self, pages: torch.Tensor, table: torch.Tensor, used: torch.Tensor) -> torch.Tensor:
            there = torch.arange(table.shape[1]) < used[:, None]
            return pages[table].masked_fill(~there[..., None, None], 0.0).sum(1)

    table, used = torch.randint(0, 8, (4, 6), generator=generator()), torch.tensor([1, 2, 3, 3])
    given = idle_places(Reference(Paged(), "as-is"), [torch.randn(8, 2, 3), table, used], {}, generator())
    assert given is not None
    moved = given[1]
    assert isinstance(moved, torch.Tensor)
    there = torch.arange(6) < used[:, None]
    assert torch.equal(moved[there], table[there])
    assert bool((moved[~there] == -1).any())


def test_the_third_point_of_an_angle_between_two_that_are_one_is_no_idle_place() -> None:
    class Angles(nn.Module):
        def forward(self, points: torch.Tensor, triples: torch.Tensor) -> torch.Tensor:
            first, middle, last = (points[:, triples[:, place]] for place in range(3))
            return ((first - middle) * (last - middle)).sum((0, 2))

    points, triples = torch.randn(2, 5, 3), torch.tensor([[1, 1, 2], [0, 1, 2], [4, 3, 2], [2, 0, 1]])
    assert idle_places(Reference(Angles(), "as-is"), [points, triples], {}, generator()) is None


def test_some_weights_are_zero_and_buffers_that_loading_may_bring_move() -> None:
    from kbgen.generator.verify.inputs.weights import other_buffers

    class Buffered(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(64))
            self.register_buffer("mask", torch.ones(64, dtype=torch.bool))
            self.register_buffer("temperature", torch.tensor(2.0))
            self.register_buffer("places", torch.arange(64))

    model = Buffered()
    state = TRAINED["some weights of zero"](model, model.state_dict(), generator())
    assert state is not None
    assert 0 < int((state["weight"] == 0).sum()) < 32
    faint = TRAINED["faint weights"](model, model.state_dict(), generator())
    assert faint is not None
    assert float(faint["weight"].max()) == 2.0**-24
    assert float(faint["temperature"]) == 2.0
    assert TRAINED["faint weights"](model.half(), model.state_dict(), generator()) is None
    model = Buffered()
    others = other_buffers(model, generator())
    assert others.keys() == {"mask", "temperature"}
    assert 16 < int(others["mask"].sum()) < 48
    assert float(others["temperature"]) == pytest.approx(1.3)


def test_neighbours_lie_units_in_the_last_place_apart() -> None:
    for dtype in (torch.float32, torch.float16):
        rows = draws.neighbours(torch.zeros(4, 200, dtype=dtype), torch.Generator().manual_seed(1)).to(dtype)
        assert len(rows[0].unique()) == 32
        assert set(((rows[0].unique().diff()) / torch.finfo(dtype).eps).tolist()) == {1.0}


def test_neighbours_are_asked_of_what_picks_numbers_and_does_nothing_else() -> None:
    assert only_picks(["sort", "slice"])
    assert only_picks(["topk"])
    assert not only_picks(["topk", "_softmax"])
    assert not only_picks(["clone"])
