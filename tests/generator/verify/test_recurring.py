"""Integers that recur: rows of zeros but for one, runs of equal ones."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.recurring import each_once, largest_last, lone_integers, runs_of_integers
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.profiling.build import Input

DRAW = torch.Generator().manual_seed(0)
NUMBERS = torch.randint(1, 100, (8, 600), generator=DRAW)


def reference(forward: object) -> Reference:
    model = nn.Module()
    model.forward = forward  # type: ignore[assignment]
    return Reference(model, "as-is")


def tensor(found: list[Input] | None, place: int = 0) -> torch.Tensor:
    assert found is not None
    value = found[place]
    assert isinstance(value, torch.Tensor)
    return value


def test_one_number_of_each_row_is_left_in_its_last_place_where_a_tile_begins_or_anywhere() -> None:
    changed = tensor(lone_integers(reference(lambda x: (x != 0).cumsum(1)), [NUMBERS], {}, DRAW))
    assert (changed != 0).sum(1).tolist() == [1] * 8
    assert torch.equal(changed[changed != 0], NUMBERS[changed != 0])
    places = changed.argmax(1)
    assert places[::2].tolist() == [599] * 4
    assert all((row * 600 + int(places[row])) % 128 == 0 and places[row] >= 128 for row in (1, 5))


def test_runs_pass_through_tiles_fall_in_stairs_and_end_in_a_few_equal_ones() -> None:
    changed = tensor(runs_of_integers(reference(lambda x: x[:, 1:] > x[:, :-1]), [NUMBERS], {}, DRAW))
    assert all(len(row[:-5].unique()) <= 4 for row in changed)
    assert bool((changed.unfold(1, 65, 1).amax(-1) == changed.unfold(1, 65, 1).amin(-1)).any())
    steps = changed[1, :-5].diff()
    assert int((steps < 0).sum()) > int((steps > 0).sum()) > 0
    assert changed[0, -3:].tolist() == [int(NUMBERS[0, -1])] * 3
    few = torch.randint(0, 3, (8, 600), generator=DRAW)
    changed = tensor(runs_of_integers(reference(lambda x: x[:, 1:] > x[:, :-1]), [few], {}, DRAW))
    assert all(few[row, -1] not in changed[row, :-3] for row in (0, 2, 4, 6))


def test_a_run_begins_behind_others_and_covers_a_whole_tile_beside_a_few_lengths_that_rise() -> None:
    def counted(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return ((x[:, 1:] != x[:, :-1]) & (torch.arange(1, x.shape[1]) < lengths[:, None])).sum(1)

    given: list[Input] = [NUMBERS[:2, :401], torch.tensor([120, 400])]
    for _ in range(8):
        changed = tensor(runs_of_integers(reference(counted), given, {}, DRAW))
        for row in changed:
            tiles = row[:384].view(6, 64)
            level = [tile for tile in range(1, 6) if len(tiles[tile].unique()) == 1]
            assert any(len(row[: 64 * tile].unique()) > 1 for tile in level)


def test_what_is_left_out_is_minus_infinity_and_a_logarithm_of_nothing_no_number() -> None:
    left_out = reference(lambda x, ids: x.masked_fill(ids == ids[:, -1:], -torch.inf))
    given: list[Input] = [torch.randn(8, 600, generator=DRAW), NUMBERS]
    assert tensor(runs_of_integers(left_out, given, {}, DRAW), 1).shape == NUMBERS.shape
    nothing = reference(lambda x: (x > 0).sum(1).sub(1).float().log())
    assert lone_integers(nothing, [NUMBERS], {}, DRAW) is None


def test_rows_stay_in_order_and_places_of_their_own_and_what_is_only_looked_up_stay() -> None:
    ordered = NUMBERS.sort(1).values
    counted = reference(lambda x: (x[:, :, None] == torch.arange(3)).sum((1, 2)))
    changed = tensor(runs_of_integers(counted, [ordered], {}, DRAW))
    assert bool((changed.diff() >= 0).all())
    places = torch.randperm(600, generator=DRAW)
    assert lone_integers(reference(lambda x: (x > 3).sum()), [places], {}, DRAW) is None
    looked_up = reference(lambda t, p: t[p].amax(1))
    assert runs_of_integers(looked_up, [torch.randn(100), NUMBERS % 100], {}, DRAW) is None


def test_each_number_stands_once_in_order_and_in_any_where_as_many_are_drawn() -> None:
    held = torch.randint(0, 600, (8, 600), generator=DRAW)
    taken = reference(lambda x: (x[:, :, None] == torch.arange(601)).any(1).int().argmin(1))
    changed = tensor(each_once(taken, [held], {}, DRAW))
    most = torch.arange(600).clamp(max=int(held.max()))
    assert torch.equal(changed[0], most)
    assert not torch.equal(changed[1], most)
    assert torch.equal(changed[1].sort().values, most)
    assert each_once(taken, [NUMBERS], {}, DRAW) is None
    assert each_once(reference(lambda x: x.float().sort(1).values), [held], {}, DRAW) is None


def test_what_is_put_in_its_own_row_may_be_put_at_each_place_and_elsewhere_no_two_things() -> None:
    held = torch.randint(0, 300, (8, 300), generator=DRAW)
    held[:, -1] = 299

    def put(axis: int, length: int) -> Reference:
        def forward(x: torch.Tensor) -> torch.Tensor:
            numbers = torch.arange(x.numel()).view(x.shape)
            rows = torch.zeros(length, 300, dtype=torch.int64)
            return rows.scatter(axis, x, numbers).argmax(1)

        return reference(forward)

    assert each_once(put(1, 8), [held], {}, DRAW) is not None
    assert each_once(put(0, 300), [held], {}, DRAW) is None


def test_the_largest_there_is_stands_last_and_nothing_before_it() -> None:
    changed = tensor(largest_last(reference(lambda x: (x >= 4095).any(1)), [NUMBERS.short()], {}, DRAW))
    assert changed[:, -1].tolist() == [32767] * 8
    assert not changed[:, :-1].any()
    table = torch.zeros(100)
    looked_up = reference(lambda x: (x.cumsum(1), table[x]))
    assert tensor(largest_last(looked_up, [NUMBERS], {}, DRAW))[:, -1].tolist() == [99] * 8
