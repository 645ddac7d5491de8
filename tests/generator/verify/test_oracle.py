"""The float64 oracle, its escape-proof casts, and what it keeps apart."""

import torch
from torch import nn

from kbgen.generator.verify.oracle import Reference


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
