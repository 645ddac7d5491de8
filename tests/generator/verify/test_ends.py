"""Integers at the ends of their type, as far from each other as can be."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.ends import either_end, opposed_ends
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.profiling.build import Input

DRAW = torch.Generator().manual_seed(0)


def module(forward: object) -> nn.Module:
    model = nn.Module()
    model.forward = forward  # type: ignore[assignment]
    return model


def asked(forward: object, *inputs: Input) -> list[Input] | None:
    return opposed_ends(Reference(module(forward), "as-is"), list(inputs), {}, DRAW)


def drawn(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    return torch.randint(0, 100, shape, dtype=dtype, generator=DRAW)


def test_no_item_is_near_and_every_product_counts_to_its_last_digit() -> None:
    codes = [drawn(torch.uint8, 4, 6), drawn(torch.uint8, 3, 6)]
    found = asked(lambda q, x: (q.int()[:, None] - x.int()).abs().sum(-1).min(1).values, *codes)
    assert found is not None
    assert found[0][:, 0].tolist() == [0, 255, 0, 255]  # type: ignore[index, union-attr]
    assert bool((found[1] == 255).all())  # type: ignore[union-attr]
    found = asked(lambda a, b: a.int() @ b.int(), drawn(torch.int8, 4, 6), drawn(torch.int8, 6, 3))
    assert found is not None
    assert found[0][:, 0].tolist() == [-127, 127, -127, 127]  # type: ignore[index, union-attr]


def test_of_words_all_bits_differ() -> None:
    words = [drawn(torch.int64, 4, 6), drawn(torch.int64, 3, 6)]
    found = asked(lambda a, b: (a[:, None] ^ b).sum(-1), *words)
    assert found is not None
    assert found[0][:, 0].tolist() == [0, -1, 0, -1]  # type: ignore[index, union-attr]


def test_where_whole_sums_would_run_over_numbers_have_half_the_bits_and_places_stay() -> None:
    far = asked(lambda a, b: (a - b).abs().sum(-1), drawn(torch.int32, 4, 6), drawn(torch.int32, 4, 6))
    assert far is not None
    assert int(far[1].max()) == 2**15 - 1  # type: ignore[union-attr, arg-type]
    assert asked(lambda t, p: t[p], drawn(torch.int64, 100), drawn(torch.int64, 8)) is None
    assert asked(lambda a, b: (a - b) < 3, drawn(torch.int64, 8), drawn(torch.int64, 1)) is None


def test_neighbours_lie_at_either_end_where_the_reference_takes_them() -> None:
    def outliers(x: torch.Tensor) -> torch.Tensor:
        return (x[:, 1:-1].int() - (x[:, :-2].int() + x[:, 2:].int() >> 1)).abs() > 9

    reference = Reference(module(outliers), "as-is")
    found = either_end(reference, [drawn(torch.int16, 5, 40)], {}, DRAW)
    assert found is not None
    assert set(torch.as_tensor(found[0]).unique().tolist()) == {-(2**15), 2**15 - 1}
    far = reference.eager(found, {}).outputs[0]
    narrow = found[0][:, 1:-1] - found[0][:, :-2]  # type: ignore[index]
    assert bool((far & (narrow == -1)).any())  # of which int16 says that they are next to each other
    table, places = drawn(torch.int64, 100), drawn(torch.int64, 8)
    given = either_end(Reference(module(lambda t, p: t[p]), "as-is"), [table, places], {}, DRAW)
    assert given is not None
    assert given[1] is places
