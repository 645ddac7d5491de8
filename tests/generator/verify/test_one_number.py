"""Integers of one number throughout, the range of float16, and rows of weights that stand there twice."""

from __future__ import annotations

import math

import torch
from torch import nn

from kbgen.generator.verify.inputs.half_range import (
    half_alone,
    half_ends_beside_weights,
    half_range,
    half_range_beside_weights,
    opposed_halves_in,
)
from kbgen.generator.verify.inputs.one_number import one_number
from kbgen.generator.verify.inputs.repeated import most_weights, state_twice
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.profiling.build import Input

DRAW = torch.Generator().manual_seed(0)
IDS = torch.tensor([[3, 1, 2], [0, 2, 1]])


class Order(nn.Module):
    def __init__(self, stable: bool) -> None:
        super().__init__()
        self.stable = stable

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return ids.reshape(-1).sort(stable=self.stable).indices


class Counts(nn.Module):
    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return torch.zeros(4, dtype=torch.int64).scatter_add(
            0, ids.reshape(-1), torch.ones(6, dtype=torch.int64)
        )


class Puts(nn.Module):
    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return torch.zeros(4, dtype=torch.int64).scatter(0, ids.reshape(-1), torch.arange(6))


def changed(model: nn.Module, inputs: list[Input]) -> list[Input] | None:
    return one_number(False, Reference(model, "as-is"), inputs, {}, DRAW)


def test_all_places_are_the_first_one() -> None:
    for model in (Counts(), Order(stable=True)):
        found = changed(model, [IDS])
        assert found is not None
        assert torch.equal(found[0], torch.full((2, 3), 3))  # type: ignore[arg-type]


def test_all_numbers_are_the_largest_one() -> None:
    found = one_number(True, Reference(Counts(), "as-is"), [IDS.clamp(max=2)], {}, DRAW)
    assert found is not None
    assert torch.equal(found[0], torch.full((2, 3), 2))  # type: ignore[arg-type]


def test_where_torch_does_not_say_which_of_equals_counts_nothing_is_asked() -> None:
    assert changed(Puts(), [IDS]) is None
    assert changed(Order(stable=False), [IDS]) is None


def test_beginnings_of_rows_and_places_of_their_own_stay() -> None:
    assert changed(Counts(), [torch.tensor([0, 1, 1, 2, 3, 3])]) is None
    assert changed(Counts(), [torch.tensor([3, 1, 2, 0, 5, 4])]) is None


class Scaled(nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return (x.float().sum(-1) * scale.float()).half()


def test_inputs_are_as_large_as_results_leave_room_for() -> None:
    x, scale = torch.rand(4, 256).half(), torch.full((4,), 1e-3).half()
    x[:, ::8] *= -1
    found = half_range(Reference(Scaled(), "as-is"), [x, scale], {}, DRAW)
    assert found is not None
    assert isinstance(found[0], torch.Tensor)
    assert 2000 < float(found[0].abs().max()) < 65504 / 4
    assert not found[0].cumsum(-1, dtype=torch.float16).isfinite().all()
    assert Scaled()(*found).isfinite().all()
    assert torch.equal(found[1], scale)  # type: ignore[arg-type]


def test_other_dtypes_and_numbers_that_are_positive_stay() -> None:
    scale = torch.full((4,), 1e-3)
    for x in (torch.randn(4, 256), torch.rand(4, 256).half(), torch.randn(4, 256).bfloat16()):
        assert half_range(Reference(Scaled(), "as-is"), [x, scale], {}, DRAW) is None


class Pooled(nn.Module):
    def forward(self, x: torch.Tensor, score: torch.Tensor) -> torch.Tensor:
        return (score.float().softmax(-1)[..., None] * x.float()).sum(1).to(x.dtype)


def test_large_values_of_one_sign_are_weighed_evenly() -> None:
    x, score = torch.randn(3, 40, 8).half(), torch.randn(3, 40).half()
    found = half_alone(0, Reference(Pooled(), "as-is"), [x, score], {}, DRAW)
    assert found is not None
    large, even = map(torch.as_tensor, found)
    assert 4000 < float(large.min()) < float(large.max()) <= 65504 / 4
    assert not even.any()
    assert float(large[:, :16].float().sum(1).min()) > 65504 > float(Pooled()(large, even).max())
    for turn in (1, 2):  # of scores alone nothing comes out
        assert half_alone(turn, Reference(Pooled(), "as-is"), [x, score], {}, DRAW) is None


class Averaged(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ torch.full((4, 1), 0.25, dtype=x.dtype)


def test_a_sum_of_four_passes_the_end_of_float16_and_their_mean_does_not() -> None:
    found = half_alone(0, Reference(Averaged(), "as-is"), [torch.rand(8, 4).half()], {}, DRAW)
    assert found is not None
    (large,) = map(torch.as_tensor, found)
    assert float(large.double().sum(1).max()) > 65504 > float(large.double().mean(1).max())


def test_what_adds_nothing_up_is_not_asked_of_one_sign() -> None:
    assert half_alone(0, Reference(nn.ReLU(), "as-is"), [torch.randn(4, 256).half()], {}, DRAW) is None


def test_codes_stand_in_both_halves_of_a_codebook() -> None:
    state = {"codes": torch.randn(9, 4), "bias": torch.randn(9)}
    twice = state_twice(state)
    assert torch.equal(twice["codes"][4:8], state["codes"][:4])
    assert torch.equal(twice["codes"][8], state["codes"][8])
    assert twice["bias"] is state["bias"]
    assert most_weights(state) == 9


def test_large_rows_stand_beside_large_weights_of_half_precision() -> None:
    class Norm(nn.Module):
        def __init__(self, dtype: torch.dtype) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(64, dtype=dtype))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.normalize(x.float(), dim=-1).to(x.dtype) * self.weight

    x, half = torch.randn(8, 64).half(), Reference(Norm(torch.float16), "as-is")
    found = half_range_beside_weights(half, [x], half.model.state_dict(), DRAW)
    assert found is not None
    (large,), state = found
    assert bool((large * state["weight"]).isinf().any())  # type: ignore[union-attr,operator]
    assert half.eager([large], state).outputs[0].isfinite().all()
    single = Reference(Norm(torch.float32), "as-is")
    assert half_range_beside_weights(single, [x], single.model.state_dict(), DRAW) is None


def test_sums_with_added_weights_pass_the_end_of_float16() -> None:
    class Clamped(nn.Module):
        def __init__(self, dtype: torch.dtype, most: float) -> None:
            super().__init__()
            self.most = most
            self.bias = nn.Parameter(torch.zeros(64, dtype=dtype))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.silu((x.float() + self.bias.float()).clamp(max=self.most)).to(x.dtype)

    def found(dtype: torch.dtype, most: float) -> tuple[list[Input], dict[str, torch.Tensor]] | None:
        model = Clamped(dtype, most)
        return half_ends_beside_weights(Reference(model, "as-is"), [x], model.state_dict(), DRAW)

    x = torch.randn(8, 64).half()
    bounded, below = found(torch.float16, 7.0), found(torch.float16, math.inf)
    assert bounded is not None
    assert below is not None
    (large,), state = bounded
    ends = large + state["bias"]  # type: ignore[operator]
    assert {-math.inf, math.inf} <= set(ends.flatten().tolist())
    (large,), state = below
    assert bool((large + state["bias"]).isneginf().all())  # type: ignore[operator]
    assert found(torch.float32, 7.0) is None


def test_half_of_a_row_alone_adds_up_beyond_float16_and_all_of_it_does_not() -> None:
    class Weighed(nn.Module):
        def forward(self, values: torch.Tensor, charges: torch.Tensor) -> torch.Tensor:
            return (values * charges).sum(1)

    given = [torch.randn(4, 64).half(), torch.randn(4, 64).half()]
    found = opposed_halves_in(1, Reference(Weighed(), "as-is"), given, {}, DRAW)
    assert found is not None
    values, charges = (torch.as_tensor(one) for one in found)
    assert bool((values > 0).all())
    assert bool((charges[:, :32] > 0).all())
    assert bool((charges[:, 32:] < 0).all())
    products = values * charges
    assert bool(products.sum(1).isfinite().all())
    assert bool(products[:, :32].sum(1).isinf().any())
    assert opposed_halves_in(0, Reference(nn.ReLU(), "as-is"), given[:1], {}, DRAW) is None
    floats = [one.float() for one in given]
    assert opposed_halves_in(0, Reference(Weighed(), "as-is"), [*floats], {}, DRAW) is None
