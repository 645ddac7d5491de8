"""Rows that are what is expected of them but for one place."""

import torch

from kbgen.generator.verify.inputs.lone_changes import alike_but_once, rising_but_once, turned_once
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.profiling.build import Input

from .calls import reference

DRAW = torch.Generator().manual_seed(0)
NUMBERS = torch.randn(8, 600, generator=DRAW)
IDS = torch.randint(0, 30000, (8, 600), generator=DRAW)

IN_ORDER = reference(lambda x: (x[:, 1:] >= x[:, :-1]).all(1))
ALIKE = reference(lambda x, y: (x == y).all(1))


def tensor(found: list[Input] | None, place: int = 0) -> torch.Tensor:
    assert found is not None
    return torch.as_tensor(found[place])


def test_one_step_of_a_row_that_rises_goes_back_where_the_last_tile_begins_or_at_the_end() -> None:
    for given in (NUMBERS, IDS):
        changed = tensor(rising_but_once(IN_ORDER, [given], {}, DRAW))
        assert torch.equal(changed.sort(-1).values, given.sort(-1).values)
        back = changed.diff() < 0
        assert back[:2].sum(1).tolist() == [1, 1]
        assert back[:2].int().argmax(1).tolist() == [511, 598]
        assert bool((back[2:4].sum(1) > 590).all())


def test_floating_results_are_asked_where_a_row_is_compared_with_itself_alone() -> None:
    def rises(x: torch.Tensor) -> torch.Tensor:
        return torch.where(x[:, 1:] > x[:, :-1], x[:, 1:], 0)

    assert rising_but_once(reference(rises), [NUMBERS], {}, DRAW) is not None
    for asked_nothing in (lambda x: x.relu(), lambda x: torch.where(x > 0, x, 0 * x), lambda x: x.sum(1)):
        assert rising_but_once(reference(asked_nothing), [NUMBERS], {}, DRAW) is None
    offsets = torch.tensor([0, 3, 4, 9, 12])
    assert rising_but_once(reference(lambda x: x[1:] > x[:-1]), [offsets], {}, DRAW) is None


def test_a_row_has_one_sign_up_to_a_border_or_but_for_one_place() -> None:
    signs = reference(lambda x: (x > 0).sum(1))
    changed = tensor(turned_once(signs, [NUMBERS], {}, DRAW)) > 0
    assert changed[:2].sum(1).tolist() == [512, 599]
    assert changed[2:4].sum(1).tolist() == [599, 599]
    level = tensor(turned_once(signs, [NUMBERS.abs()], {}, DRAW))
    assert level.unique().tolist() == [1, 2]
    assert turned_once(signs, [NUMBERS.softmax(1)], {}, DRAW) is None
    assert turned_once(reference(lambda x: x * 2), [NUMBERS], {}, DRAW) is None


def test_rows_of_two_inputs_differ_in_one_place_or_as_their_hashes_do_not() -> None:
    bank, factor = torch.randint(0, 30000, (20, 600), generator=DRAW), 257
    same = reference(lambda x, y: (x[:, None] == y[None]).all(-1).int().argmax(1))
    found = alike_but_once(same, [IDS, bank], {}, DRAW, [factor])
    apart = tensor(found) - bank[:8]
    assert torch.equal(tensor(found, 1), bank)
    assert (apart != 0).sum(1).tolist() == [1, 2, 2, 0, 1, 2, 2, 0]
    assert apart[0, 512] == 1
    assert apart[1].sum() == 0
    assert sorted(apart[2].unique().tolist()) == [-factor, 0, 1]


def test_floating_rows_that_differ_are_small_whole_numbers() -> None:
    near = reference(lambda x, y: ((x - y).abs() <= 1e-3).all(1))
    found = alike_but_once(near, [NUMBERS, NUMBERS + 1e-4], {}, DRAW)
    first, second = tensor(found), tensor(found, 1)
    assert torch.equal(first, first.round())
    assert int(first.abs().max()) <= 16
    assert ((first - second) != 0).sum(1).tolist() == [1, 2, 1, 0, 1, 2, 1, 0]


def test_two_that_never_meet_or_of_which_one_names_classes_stay() -> None:
    def never_met(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (x > 0).all(1) | (y > 0).all(1)

    given: list[Input] = [NUMBERS, NUMBERS.flip(0)]
    asked: list[Reference] = [reference(never_met), reference(lambda x, y: x - y)]
    assert all(alike_but_once(one, given, {}, DRAW) is None for one in asked)
    assert alike_but_once(ALIKE, [IDS, IDS[:, :300].repeat(1, 2)], {}, DRAW) is not None
    assert alike_but_once(ALIKE, [IDS, NUMBERS], {}, DRAW) is None
