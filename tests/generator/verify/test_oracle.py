"""The float64 oracle, its escape-proof casts, and what it keeps apart."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.reference.on_a_card import AsOnACard
from kbgen.generator.verify.reference.oracle import Reference


class CastsInside(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64, dtype=torch.bfloat16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        exact = x.to(torch.float32)
        scaled = exact * torch.rsqrt(exact.square().mean(-1, keepdim=True) + 1e-6)
        return (self.weight * scaled.to(x.dtype)).float() + torch.ones(64, dtype=torch.float16)


def test_casts_inside_the_op_do_not_round_the_oracle() -> None:
    torch.manual_seed(0)
    model, x = CastsInside(), torch.randn(8, 64, dtype=torch.bfloat16)
    exact = x.double()
    expected = model.weight.double() * exact * torch.rsqrt(exact.square().mean(-1, keepdim=True) + 1e-6) + 1
    found = Reference(model, "as-is").oracle([x], model.state_dict()).outputs[0]
    assert found.dtype == torch.float64
    torch.testing.assert_close(found, expected, rtol=1e-14, atol=0)


def test_eager_keeps_the_op_s_own_dtypes() -> None:
    model, x = CastsInside(), torch.randn(8, 64, dtype=torch.bfloat16)
    ran = Reference(model, "as-is").eager([x], model.state_dict())
    assert torch.equal(ran.outputs[0], model(x))


def test_nothing_outlives_a_call() -> None:
    model = nn.BatchNorm1d(4)
    reference, before = Reference(model, "as-is"), {k: v.clone() for k, v in model.state_dict().items()}
    ran = reference.eager([torch.randn(16, 4)], before)
    assert not torch.equal(ran.state["running_mean"], before["running_mean"])
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_mode_is_set_or_left() -> None:
    model, x = nn.Dropout(0.5), torch.ones(1000)
    assert (Reference(nn.Dropout(0.5), "as-is").eager([x], {}).outputs[0] == 0).any()
    assert torch.equal(Reference(model, "eval").eager([x], {}).outputs[0], x)


def test_the_default_dtype_comes_back() -> None:
    Reference(nn.Identity(), "as-is").oracle([torch.ones(2)], {})
    assert torch.get_default_dtype() == torch.float32


def test_shaking_shows_ill_conditioning() -> None:
    class Variance(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x - x.mean()) / (x.var() + 1e-5).sqrt()

    reference, flat = Reference(Variance(), "as-is"), torch.full((64,), 3.0)
    assert reference.shaken([flat], {}).outputs[0].abs().max() > 1e-5
    assert reference.oracle([flat], {}).outputs[0].abs().max() == 0


class Halting(nn.Module):
    """Gives the last bit another value every time, as sums of many threads do; draws where it is told to."""

    calls = 0

    def __init__(self, drawn: bool) -> None:
        super().__init__()
        self.drawn = drawn

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        Halting.calls += 1
        noise = torch.rand(()) * 6e-7 if self.drawn else Halting.calls % 2 * 6e-7
        return x * (1 + noise)


@pytest.mark.parametrize("drawn", [True, False])
def test_random_is_what_draws_and_not_what_adds_up_in_any_order(drawn: bool) -> None:
    reference, inputs = Reference(Halting(drawn), "as-is"), [torch.linspace(1, 2, 16)]
    first, second = (reference.eager(inputs, {}, seed) for seed in (0, 1))
    assert not torch.equal(first.outputs[0], second.outputs[0])
    assert first.drew is drawn
    assert first.repeats(second) is not drawn
    assert drawn or reference.ignores_mode(inputs, {})


@pytest.mark.parametrize("of", ["softmax", "log_softmax", "logsumexp", "norm", "sum", "mean"])
def test_whatever_adds_up_a_long_row_has_the_room_of_its_sum(of: str) -> None:
    class Rows(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            result: torch.Tensor = getattr(torch.linalg if of == "norm" else torch, of)(x, dim=-1)
            return result

    assert Reference(Rows(), "as-is").oracle([torch.ones(2, 4096)], {}).terms == 4096 // 2


@pytest.mark.parametrize("of", ["index_add", "scatter_add"])
def test_what_is_added_at_one_place_has_the_room_of_its_sum(of: str) -> None:
    class Sums(nn.Module):
        def forward(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
            result: torch.Tensor = getattr(torch.zeros(3), of)(0, place, x)
            return result

    place = torch.tensor([0] * 10 + [2] * 90)
    assert Reference(Sums(), "as-is").oracle([torch.ones(100), place], {}).terms == 90


class Bytes(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch._int_mm(x, y)


def test_products_of_bytes_are_right_where_rows_are_expanded() -> None:
    """torch 2.13 reads past a stride of zero there."""
    x = torch.randint(-128, 128, (1, 40), dtype=torch.int8).expand(31, 40)
    y = torch.randint(-128, 128, (40, 17), dtype=torch.int8)
    found = Reference(Bytes(), "as-is").oracle([x, y], {}).outputs[0]
    assert found.dtype == torch.int32
    assert torch.equal(found.long(), x.long() @ y.long())


def test_what_ends_the_process_in_some_versions_of_torch_is_not_tried() -> None:
    none = torch.empty(0, 0, 8, 16)
    with AsOnACard(), pytest.raises(RuntimeError, match="number of elements"):
        torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(none, none, none)


def test_all_off_by_one_sign_do_not_cancel_in_a_product() -> None:
    product = Reference(Product(), "as-is")
    given = [torch.tensor([3e3]), torch.tensor([7e3])]
    exact = product.oracle(given, {}).outputs[0]
    off = [float(abs(product.shaken(given, {}, draw).outputs[0] / exact - 1)) for draw in (*range(8), None)]
    assert min(off) < 1e-12
    assert off[-1] == pytest.approx(2.0**-23, rel=1e-3)


class Product(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b
