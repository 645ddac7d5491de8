"""Integers at powers and beside them, at both ends, and all of one sign."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.powers import beside_powers, on_one_side
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.profiling.build import Input

DRAW = torch.Generator().manual_seed(0)


def reference(forward: object) -> Reference:
    model = nn.Module()
    model.forward = forward  # type: ignore[assignment]
    return Reference(model, "as-is")


def powers(forward: object, *inputs: Input) -> list[torch.Tensor] | None:
    found = beside_powers(reference(forward), list(inputs), {}, DRAW)
    return None if found is None else [torch.as_tensor(one) for one in found]


def drawn(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    return torch.randint(1, 100, shape, dtype=dtype, generator=DRAW)


def test_powers_of_two_of_ten_and_of_divisors_stand_beside_their_neighbours() -> None:
    found = powers(lambda x: x // 7, drawn(torch.int32, 1000))
    assert found is not None
    numbers = set(found[0].tolist())
    for power in (*(2**k for k in range(1, 31)), *(10**k for k in range(1, 10)), 7**3, 7**11):
        assert {power - 1, power, power + 1, -power - 1} <= numbers
    assert 0 not in numbers


def test_two_of_one_shape_are_neighbours_and_stand_at_all_ends() -> None:
    for dtype in (torch.int16, torch.int32, torch.int64):
        found = powers(torch.gcd, drawn(dtype, 900), drawn(dtype, 900))
        assert found is not None
        pairs = set(zip(*(one.tolist() for one in found), strict=True))
        ends = torch.iinfo(dtype)
        assert {(a, b) for a in (ends.min, ends.max) for b in (ends.min, ends.max)} <= pairs
        golden = [1, 2]
        while golden[-1] + golden[-2] <= ends.max:
            golden.append(golden[-1] + golden[-2])
        assert (golden[-2], golden[-1]) in pairs


def test_ids_that_a_float64_takes_for_one_lie_in_rows_that_are_compared() -> None:
    items, history = drawn(torch.int64, 24, 60), drawn(torch.int64, 24, 40)
    isin = reference(lambda a, b: (a[:, :, None] == b[:, None]).any(-1))
    found = beside_powers(isin, [items, history], {}, DRAW)
    assert found is not None
    a, b = (torch.as_tensor(one) for one in found)
    exact = (a[:, :, None] == b[:, None]).any(-1)
    assert not exact.equal((a.double()[:, :, None] == b.double()[:, None]).any(-1))


def test_neither_places_nor_what_floats_nor_bytes_are_asked() -> None:
    assert powers(lambda t, p: t[p], torch.randn(100), drawn(torch.int64, 8)) is None
    assert powers(lambda x: x.float(), drawn(torch.int32, 8)) is None
    assert powers(lambda x: x + 1, drawn(torch.uint8, 8)) is None


def test_any_two_of_a_row_have_a_sum_that_runs_over() -> None:
    median = reference(lambda x: x.sort(1).values[:, 2])
    for side in range(2):
        found = on_one_side(side, median, [drawn(torch.int32, 4, 50)], {}, DRAW)
        assert found is not None
        numbers = torch.as_tensor(found[0]).long()
        assert (int(numbers.min()) > 2**30 - 2) if side else (int(numbers.max()) < -(2**30))
        assert len(numbers.unique()) > 100
    assert on_one_side(1, reference(lambda x: x + 1), [drawn(torch.int32, 4, 50)], {}, DRAW) is None


def test_integers_of_two_bytes_lie_on_one_side_beside_a_mean_too() -> None:
    class Brightest(nn.Module):
        def forward(self, volume: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return volume.amax(1), volume.float().mean(1)

    volume = torch.randint(-1024, 3072, (4, 8), dtype=torch.int16)
    draw = torch.Generator().manual_seed(0)
    changed = on_one_side(0, Reference(Brightest(), "as-is"), [volume], {}, draw)
    assert changed is not None
    assert int(torch.as_tensor(changed[0]).max()) < -(1 << 14)
    wide = [volume.int()]
    assert on_one_side(0, Reference(Brightest(), "as-is"), wide, {}, draw) is None
