"""Other integers stand where a reference takes them, tensor by tensor."""

from pathlib import Path

import torch
from torch import nn

from kbgen.generator.verify.inputs.far_integers import far_integers
from kbgen.generator.verify.inputs.integers import (
    extreme_integers,
    one_place,
    single_others,
)
from kbgen.generator.verify.inputs.level_integers import zero_integers_in
from kbgen.generator.verify.inputs.wide_integers import close_integers, wide_integers
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

DRAW = torch.Generator().manual_seed(0)


def reference(forward: object) -> Reference:
    model = nn.Module()
    model.forward = forward  # type: ignore[assignment]
    return Reference(model, "as-is")


def test_divisors_are_never_zero_and_no_quotient_traps() -> None:
    given = torch.randint(1, 9, (2, 12, 8), generator=DRAW)
    changed = extreme_integers(reference(lambda a, b: a // b), list(given), {}, DRAW)
    assert changed is not None
    least = torch.iinfo(torch.int64).min
    for one in changed:
        assert isinstance(one, torch.Tensor)
        assert bool((one != 0).all())
        assert bool((one < 0).any())
        assert int(one.min()) > least


def test_values_to_look_up_become_extreme_where_places_cannot() -> None:
    table, places = torch.arange(64).view(8, 8), torch.randint(0, 8, (8, 4), generator=DRAW)
    changed = extreme_integers(reference(lambda t, p: t.gather(1, p)), [table, places], {}, DRAW)
    assert changed is not None
    assert int(changed[0].max()) == torch.iinfo(torch.int64).max  # type: ignore[union-attr]
    assert changed[1] is places


def test_integers_behind_floating_results_spread_as_far_as_they_are_numbers() -> None:
    counts = torch.randint(0, 9, (64,), generator=DRAW)
    changed = wide_integers(reference(lambda x: x.float().log1p()), [counts], {}, DRAW)
    assert changed is not None
    spread = changed[0]
    assert isinstance(spread, torch.Tensor)
    assert int(spread.min()) >= 0
    assert int(spread.max()) > 1 << 16
    words = torch.randint(0, 9, (64,), generator=DRAW, dtype=torch.int32)
    picked = wide_integers(reference(lambda x: ((x >> 4) & 15).float()), [words], {}, DRAW)
    assert picked is not None
    assert bool((picked[0] < 0).any())  # type: ignore[operator, union-attr]
    compared = reference(lambda x, lengths: x * (torch.arange(64) < lengths))
    assert wide_integers(compared, [torch.randn(64), counts], {}, DRAW) is None


def test_all_rows_go_to_one_place_where_they_are_added_up_there() -> None:
    rows, places = torch.randn(16, 4), torch.arange(16) % 5
    added = reference(lambda x, p: torch.zeros(5, 4).index_add(0, p, x))
    changed = one_place(added, [rows, places], {}, DRAW)
    assert changed is not None
    assert changed[1].tolist() == [0, *[4] * 15]  # type: ignore[union-attr]
    put = reference(lambda x, p: torch.zeros(16, 4).index_copy(0, p, x))
    assert one_place(put, [rows, torch.arange(16)], {}, DRAW) is None


def test_a_single_number_or_truth_is_another_one_where_that_shows() -> None:
    x = torch.randn(4)
    stepped = reference(lambda x, step: x * step)
    assert single_others(stepped, [x, torch.tensor(7)], {}, DRAW) == [x, torch.tensor(8)]
    gated = reference(lambda x, flag: torch.where(flag, x, -x))
    assert single_others(gated, [x, torch.tensor(True)], {}, DRAW) == [x, torch.tensor(False)]
    assert single_others(reference(lambda x, unused: x), [x, torch.tensor(3)], {}, DRAW) is None


def test_classes_stay_classes() -> None:
    """Each is equal to one of those that it is compared with: nobody means what is equal to none."""
    chosen = torch.arange(24) % 4
    counted = reference(lambda x: (x[:, None] == torch.arange(4)).sum(0) + 0 * x.sum())
    assert extreme_integers(counted, [chosen], {}, DRAW) is None
    assert far_integers(counted, [chosen], {}, DRAW) is None
    some = reference(lambda x: (x[:, None] == torch.arange(3)).sum(0) + 0 * x.sum())
    assert extreme_integers(some, [chosen], {}, DRAW) is not None


def test_where_a_reference_s_own_numbers_would_run_over_extremes_have_half_the_bits() -> None:
    given = torch.randint(0, 4096, (24, 4), generator=DRAW, dtype=torch.int32)
    squares = reference(lambda x: (x.long() ** 2).sum(1) * (1 << 20))
    changed = extreme_integers(squares, [given], {}, DRAW)
    assert changed is not None
    assert 1 << 14 <= int(torch.as_tensor(changed[0]).max()) < 1 << 15
    hashed = reference(lambda x: x.long() * 0x7FFF_FFFF_FFFF_FFF1)
    changed = extreme_integers(hashed, [given], {}, DRAW)
    assert changed is not None
    assert int(torch.as_tensor(changed[0]).max()) == torch.iinfo(torch.int32).max


def test_sums_that_would_run_over_are_of_numbers_that_no_float_holds() -> None:
    given = torch.randint(0, 4096, (24, 4), generator=DRAW)
    changed = extreme_integers(reference(lambda x: x + x.roll(1, 1) - 2 * x), [given], {}, DRAW)
    assert changed is not None
    largest = int(torch.as_tensor(changed[0]).max())
    assert largest == torch.iinfo(torch.int64).max >> 6
    assert int(float(largest)) != largest


def test_sums_beside_floats_that_are_of_other_things_are_of_extremes_too() -> None:
    given = torch.randint(0, 4096, (24, 4), generator=DRAW)
    latency = torch.rand(24, 4)
    changed = extreme_integers(reference(lambda x, y: (x * 2, y.sum(1))), [given, latency], {}, DRAW)
    assert changed is not None
    assert int(torch.as_tensor(changed[0]).max()) > 1 << 56
    means = reference(lambda x, y: (x * 2, y.sum(1) / x.sum(1)))
    assert extreme_integers(means, [given, latency], {}, DRAW) is None


def test_of_bytes_some_rows_are_at_their_ends_in_every_place() -> None:
    image = torch.randint(0, 256, (40, 40, 3), dtype=torch.uint8, generator=DRAW)
    changed = extreme_integers(reference(lambda x: x.int().sum(-1)), [image], {}, DRAW)
    assert changed is not None
    [colours] = changed
    assert isinstance(colours, torch.Tensor)
    full = {tuple(one) for one in colours.view(-1, 3).tolist() if set(one) <= {0, 255}}
    assert len(full) == 8


def test_codes_lie_near_each_other_and_far_from_their_zero_point() -> None:
    codes = torch.randint(-100, 100, (4, 8), dtype=torch.int8, generator=DRAW)
    zeros = torch.randint(-10, 10, (4,), dtype=torch.int8, generator=DRAW)
    spread = reference(lambda q, z: (q.to(torch.int64) - z.to(torch.int64)[:, None]).float().var(1))
    changed = close_integers(spread, [codes, zeros], {}, DRAW)
    assert changed is not None
    near, far = changed
    assert isinstance(near, torch.Tensor)
    assert isinstance(far, torch.Tensor)
    assert set(near.unique().tolist()) == {126, 127}
    assert set(far.unique().tolist()) <= {-128, -127}
    picked = reference(lambda q, z: ((q >> 2) & 3).float() * z[:, None])
    assert close_integers(picked, [codes, zeros], {}, DRAW) is None


def test_one_image_at_a_time_is_zero_throughout_and_no_places_are() -> None:
    images = [torch.randint(0, 256, (4, 8), dtype=torch.uint8, generator=DRAW) for _ in range(2)]
    blend = reference(lambda a, b: ((a.int() * 3 + b.int() * 5) // 8).to(torch.uint8))
    first, second = (zero_integers_in(turn, blend, images, {}, DRAW) for turn in range(2))
    assert first is not None
    assert second is not None
    assert [bool(one.any()) for one in first] == [False, True]  # type: ignore[union-attr]
    assert [bool(one.any()) for one in second] == [True, False]  # type: ignore[union-attr]
    places = torch.randint(0, 4, (8,), generator=DRAW)
    looked_up = reference(lambda t, p: t[p])
    assert zero_integers_in(0, looked_up, [torch.randn(4, 3), places], {}, DRAW) is None


def test_what_is_put_where_a_copy_lay_is_not_taken_for_it() -> None:
    """A copy that is gone leaves its address to sums of what it held."""
    op = load_op(Path(__file__).parent / "ops" / "alpha_blend_u8.py")
    small = settings(op, "as-is", 0)[0]
    asked = [zero_integers_in(2, small.reference, small.shipped, small.state, DRAW) for _ in range(60)]
    assert None not in asked


def test_compared_labels_are_about_zero_too_and_of_two_tensors_both() -> None:
    rows, columns = (torch.randint(0, 9, (60,), generator=DRAW) for _ in range(2))
    alike = reference(lambda a, b: (a[:, None] == b).float().sum(1))
    changed = wide_integers(alike, [rows, columns], {}, DRAW)
    assert changed is not None
    for one in changed:
        assert {-2, -1} < set(one[1::5].tolist()) <= {-100, *range(-4, 3)}  # type: ignore[index, union-attr]
        far = one[3::5]  # type: ignore[index]
        assert len(set(far.tolist())) > 1
        assert len(set(far.double().tolist())) == 1


def test_bytes_quantised_to_both_sides_alike_have_their_lowest_too() -> None:
    def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.float() @ b.float()

    for least, met in ((-127, -128), (-7, -7)):
        drawn = torch.randint(least, 8, (16, 16), dtype=torch.int8, generator=DRAW)
        drawn[0, 0] = least
        changed = wide_integers(reference(product), [drawn, drawn], {}, DRAW)
        assert changed is not None
        lowest = torch.as_tensor(changed[0]) == met
        assert int(lowest.sum()) > 16
