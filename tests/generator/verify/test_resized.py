"""Inputs of other sizes than an instance was made for, where the reference has an answer to them."""

from collections.abc import Collection, Sequence
from pathlib import Path

import torch
from torch import nn

from kbgen.generator.verify.inputs.axes import Axes, axes_of, in_proportion
from kbgen.generator.verify.inputs.emptied import emptied
from kbgen.generator.verify.inputs.resized import other_lengths, other_rows, other_sides
from kbgen.generator.verify.process.layout import Layout
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.profiling.op import load_op

X = torch.arange(12.0).view(3, 4)


class Summed(nn.Module):
    def __init__(self, mean: bool = False) -> None:
        super().__init__()
        self.mean = mean

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(1) if self.mean else x.sum(1)


def reference(model: nn.Module) -> Reference:
    return Reference(model, "as-is")


def without(model: nn.Module, *values: torch.Tensor, layout: Layout) -> list[object] | None:
    return shapes(emptied(reference(model), list(values), {}, layout))


def shapes(changed: Sequence[object] | None) -> list[object] | None:
    return None if changed is None else [tuple(one.shape) for one in changed if isinstance(one, torch.Tensor)]


class Product(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b


def test_lengths_of_no_columns_are_none() -> None:
    class Kept(nn.Module):
        def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            return (x * (torch.arange(x.shape[1]) < lengths[:, None])).sum(1) + lengths

    changed = emptied(reference(Kept()), [X, torch.tensor([4, 1, 0])], {}, "no columns")
    assert changed is not None
    assert shapes(changed) == [(3, 0), (3,)]
    assert torch.equal(torch.as_tensor(changed[1]), torch.zeros(3, dtype=torch.int64))


def test_rows_and_columns_go_and_rows_come_twice() -> None:
    assert without(Summed(), X, layout="no rows") == [(0, 4)]
    assert without(Summed(), X, layout="no columns") == [(3, 0)]
    rows = {told: shapes(given) for told, given in other_rows(reference(Summed()), [X], {})}
    assert rows == {"more rows": [(6, 4)], "one row": [(1, 4)]}


def test_rows_come_as_often_as_blocks_of_them_take() -> None:
    rows = {told: shapes(given) for told, given in other_rows(reference(Summed()), [X], {}, many=100)}
    assert rows["many rows"] == [(27, 4)]
    assert "many rows" not in dict(other_rows(reference(Summed()), [X], {}, many=24))


def test_what_the_reference_has_no_number_for_is_not_asked() -> None:
    assert without(Summed(mean=True), X, layout="no columns") is None
    assert without(nn.Linear(4, 2), torch.ones(4), layout="no columns") is None
    assert list(other_rows(reference(Summed()), [X[:1]], {})) == []
    norm = nn.BatchNorm1d(4)
    assert [told for told, _ in other_rows(reference(norm), [X], norm.state_dict())] == ["more rows"]


def test_a_result_that_grows_where_nothing_goes_in_is_not_asked() -> None:
    """Torch gives an image without elements back as it is."""
    assert without(nn.PixelUnshuffle(2), torch.ones(2, 3, 4, 6), layout="no rows") is None
    assert without(nn.PixelShuffle(2), torch.ones(2, 4, 3, 5), layout="no rows") == [(0, 4, 3, 5)]


def test_a_mean_of_nothing_that_torch_leaves_unwritten_is_not_asked() -> None:
    """Its memory holds whatever was there: small numbers here, which no kernel could repeat."""

    class Margin(nn.Module):
        def forward(self, x: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
            return nn.functional.multi_margin_loss(x, classes)

    for _ in range(50):
        torch.full((), 0.25)  # memory that is used again
        assert without(Margin(), X, torch.tensor([0, 1, 2]), layout="no rows") is None
    assert not torch.are_deterministic_algorithms_enabled()


def test_axes_that_must_match_go_together() -> None:
    assert without(Product(), X, torch.ones(4, 5), layout="no columns") == [(3, 0), (0, 5)]


def test_a_length_that_is_written_out_beside_named_ones_stays() -> None:
    """Three coordinates, as many as there are rows."""
    rows = Axes([frozenset({(0, 0), (1, 0)})])
    points = [torch.ones(3, 3), torch.ones(3)]
    model = reference(Scaled())
    assert emptied(model, points, {}, "no columns", rows) is None
    assert shapes(emptied(model, points, {}, "no rows", rows)) == [(0, 3), (0,)]
    assert shapes(emptied(model, points, {}, "no columns")) == [(3, 0), (0,)]


class Scaled(nn.Module):
    def forward(self, x: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
        return x * factors.sum()


def test_each_other_axis_has_other_lengths_where_the_reference_takes_that() -> None:
    def lengths(
        model: nn.Module, *given: torch.Tensor, sizes: Collection[int] = range(9)
    ) -> dict[str, list[object] | None]:
        found = other_lengths(reference(model), list(given), model.state_dict(), sizes)
        return {told: shapes(changed) for told, changed in found}

    assert lengths(Summed(), torch.ones(2, 6, 5)) == {
        "axis 1 twice as long": [(2, 12, 5)],
        "axis 2 twice as long": [(2, 6, 10)],
    }  # fmt: skip
    assert lengths(Product(), torch.ones(2, 7, 8), torch.ones(2, 8, 6)) == {
        "axis 1 twice as long": [(2, 14, 8), (2, 8, 6)],
        "axis 2 twice as long": [(2, 7, 16), (2, 16, 6)],
        "6 twice as long": [(2, 7, 8), (2, 8, 12)],
    }  # fmt: skip
    assert lengths(Product(), torch.ones(2, 7, 8), torch.ones(2, 5, 6)) == {}
    assert lengths(Summed(), torch.ones(2, 3, 4)) == {}  # coordinates, colours: there are as many always
    assert lengths(nn.Linear(4, 2), X) == {}
    assert lengths(Summed(), torch.ones(2, 6, 5), sizes=(2, 6)) == {"axis 1 twice as long": [(2, 12, 5)]}
    assert list(lengths(Summed(), torch.ones(2, 6, 17), sizes=(2, 6))) == [
        "axis 1 twice as long",
        "axis 2 twice as long",
    ]


def test_what_stands_along_columns_that_are_as_many_as_rows_is_no_row() -> None:
    """One element of it would be broadcast to all columns, and two would not do."""

    class Columns(nn.Module):
        def forward(self, x: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
            return x * factors

    assert list(other_rows(reference(Columns()), [X[:, :3], torch.ones(3)], {})) == []


class Blurred(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + x.roll(1, -2)


def test_square_planes_become_oblong() -> None:
    square = torch.randn(2, 6, 6)
    given = {told: shapes(one) for told, one in other_lengths(reference(Blurred()), [square], {}, ())}
    assert given["planes twice as high"] == [(2, 12, 6)]
    kept = other_lengths(reference(Product()), [square, square.clone()], {}, ())
    assert "planes twice as high" not in [told for told, _ in kept]


class Lower(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = torch.tril_indices(x.shape[-1], x.shape[-1])
        return x[:, rows, columns]


def test_planes_of_which_no_more_is_looked_at_stay_square() -> None:
    given = [told for told, _ in other_lengths(reference(Lower()), [torch.randn(2, 6, 6)], {}, ())]
    assert "planes twice as high" not in given


class Shifted(nn.Module):
    """Of twice as many scores less one, each row's own stretch."""

    def forward(self, x: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        place = torch.arange(x.shape[-1])
        return x + scores.gather(2, (place + x.shape[-1] - 1 - place[:, None]).expand(len(x), -1, -1))


def test_an_axis_that_is_longer_than_others_of_its_constant_by_one_is_not_stretched_alone() -> None:
    square, longer = torch.ones(2, 20, 20), torch.ones(2, 20, 39)
    axes = Axes([frozenset({(0, 1), (0, 2), (1, 1), (1, 2)})])
    for known, told in ((Axes(), ["39 twice as long"]), (axes, [])):
        given = other_lengths(reference(Shifted()), [square, longer], {}, (20,), axes=known)
        assert [name for name, _ in given if name.startswith("39")] == told


class Changes(nn.Module):
    """Whether each element is unlike the one before; the first is."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([torch.ones(len(x), 1), (x[:, 1:] != x[:, :-1]).float()], 1)


def test_a_first_element_that_is_written_whether_there_is_one_or_not_is_not_asked_for() -> None:
    assert Changes()(X[:, :0]).shape == (3, 1)
    assert without(Changes(), X, layout="no columns") is None
    assert without(Changes(), X, layout="no rows") == [(0, 4)]


class SumsOfRows(nn.Module):
    def forward(self, begins: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        row = torch.searchsorted(begins, torch.arange(len(x)), right=True)
        return torch.zeros(len(begins) + 1).index_add(0, row, x)


def test_beginnings_of_rows_stay_in_order_where_there_are_twice_as_many() -> None:
    begins = torch.tensor([0, 2, 2, 5, 9])
    (told, changed), *_ = other_rows(reference(SumsOfRows()), [begins, torch.randn(9)], {})
    assert told == "more rows"
    assert changed[0].tolist() == [0, 0, 2, 2, 2, 2, 5, 5, 9, 9]  # type: ignore[union-attr]


class PerHead(nn.Module):
    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return x.sum(-1) + bias


def test_what_another_constant_makes_is_no_row_though_it_is_as_long() -> None:
    """As many heads as there are sequences: one head is another op."""
    x, bias = torch.ones(2, 2, 6), torch.ones(2)
    batch, heads = frozenset({(0, 0)}), frozenset({(0, 1), (1, 0)})
    unknown, known = (
        {told: shapes(given) for told, given in other_rows(reference(PerHead()), [x, bias], {}, axes)}
        for axes in (Axes(), Axes([batch, heads]))
    )
    assert unknown == {"one row": [(1, 2, 6), (1,)]}
    assert known == {"more rows": [(4, 2, 6), (2,)]}


class Placed(nn.Module):
    def forward(self, x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return x[:, places]


def test_two_tensors_of_one_constant_stay_as_long_as_each_other() -> None:
    given = [torch.ones(2, 6, 5), torch.arange(6)]
    for moved, found in ((), ["axis 1", "axis 2"]), ([frozenset({(0, 1), (1, 0)})], ["axis 2"]):
        told = [one for one, _ in other_lengths(reference(Placed()), given, {}, (5, 6), axes=Axes(moved))]
        assert told == [f"{axis} twice as long" for axis in found]


def test_axes_of_one_constant_are_known_by_the_op_file() -> None:
    axes = axes_of(load_op(Path(__file__).parent / "ops" / "bias_of_each_head.py"))
    assert axes.along(0, 0) == {(0, 0), (1, 0), (2, 0), (4, 0)}
    assert axes.along(0, 1) == {(0, 1), (1, 1), (2, 1), (3, 0)}


def test_sides_of_two_constants_are_exchanged_and_all_that_goes_along_with_them() -> None:
    def sides(axes: Axes, *given: torch.Tensor) -> dict[str, list[object] | None]:
        found = other_sides(reference(Product()), list(given), {}, (7, 8, 9), False, axes)
        return {told: shapes(changed) for told, changed in found}

    rows, inner = frozenset({(0, 1)}), frozenset({(0, 2), (1, 1)})
    given = torch.ones(2, 7, 8), torch.ones(2, 8, 9)
    assert sides(Axes([rows, inner]), *given) == {"sides exchanged": [(2, 8, 7), (2, 7, 9)]}
    assert sides(Axes(), *given) == {}
    assert sides(Axes([rows | inner]), *given) == {}
    assert sides(Axes([rows, inner | {(1, 0)}]), *given) == {}


def test_rows_that_an_op_file_writes_out_beside_named_sizes_stay() -> None:
    columns = Axes([frozenset([(0, 1)])])
    assert not list(other_rows(reference(Summed()), [X], {}, columns))
    assert list(other_rows(reference(Summed()), [torch.randn(17, 4)], {}, columns))
    assert list(other_rows(reference(Summed()), [X], {}, Axes()))


def test_axes_that_differ_by_one_are_not_made_twice_as_long() -> None:
    rows = [torch.randn(2, 6), torch.randn(2, 5), torch.randn(2, 10)]
    assert not in_proportion(rows, [(0, 1), (1, 1)])
    assert in_proportion(rows, [(1, 1), (2, 1)])
    assert in_proportion(rows, None)


def test_the_first_few_of_a_row_are_none_of_no_row() -> None:
    class Best(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.reshape(5, -1).sort(1, descending=True, stable=True).values[:, : x.shape[1]]

    class Halved(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[:, :, ::2]

    values = torch.randn(5, 3, 8)
    assert without(Best(), values, layout="no columns") is None
    assert without(Halved(), values, layout="no rows") == [(0, 3, 8)]
