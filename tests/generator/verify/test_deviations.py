"""Numbers of two bytes far from zero, where a reference takes deviations."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.deviations import far_deviations
from kbgen.generator.verify.reference.budget import FLOORS
from kbgen.generator.verify.reference.oracle import Reference

Forward = Callable[[torch.Tensor], torch.Tensor]


def drawn(forward: Forward, dtype: torch.dtype) -> torch.Tensor | None:
    class Model(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return forward(x)

    given = [torch.randn(40, 200).to(dtype)]
    found = far_deviations(Reference(Model(), "as-is"), given, {}, torch.Generator().manual_seed(0))
    assert found is None or isinstance(found[0], torch.Tensor)
    return found[0] if found else None  # type: ignore[return-value]


def norm(x: torch.Tensor) -> torch.Tensor:
    return nn.functional.layer_norm(x, x.shape[-1:])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_mean_that_is_rounded_to_two_bytes_is_off_by_more_than_their_class_allows(
    dtype: torch.dtype,
) -> None:
    x = drawn(norm, dtype)
    assert x is not None
    assert x.dtype == dtype
    wide = x.float()
    mean = wide.mean(-1, keepdim=True)
    rounded = (wide - mean.to(dtype).float()) / wide.std(-1, correction=0, keepdim=True)
    assert (
        float((rounded - norm(wide)).norm() / norm(wide).norm())
        > 2 * FLOORS["bf16" if dtype == torch.bfloat16 else "fp16"]
    )
    one_pass = (wide.square().mean(-1) - mean[:, 0].square()) / wide.var(-1, correction=0)
    assert float((one_pass - 1).abs().max()) < 1e-3, "float32 takes their variance in whatever way"


def test_it_is_asked_of_deviations_alone_that_the_reference_itself_takes_in_float32() -> None:
    assert drawn(lambda x: x.softmax(-1), torch.bfloat16) is None, "no statistics"
    assert drawn(lambda x: x.mean(-1), torch.bfloat16) is None, "not the same once shifted"
    assert drawn(lambda x: x - x.mean(-1, keepdim=True), torch.bfloat16) is None, "rounds its mean as well"
    assert (
        drawn(lambda x: (x.float() - x.float().mean(-1, keepdim=True)).to(x.dtype), torch.bfloat16)
        is not None
    )


def test_in_float32_they_lie_so_far_that_squares_alone_lose_what_they_deviate_by() -> None:
    """With an epsilon that numbers near one do not tell from nothing."""
    x = drawn(lambda x: nn.functional.layer_norm(x, x.shape[-1:], eps=1e-3), torch.float32)
    assert x is not None
    assert float(x.min()) > 900
    right = x.double().var(-1, correction=0)
    one_pass = x.square().mean(-1) - x.mean(-1).square()
    assert float((one_pass / right - 1).abs().max()) > 1e-2
    assert float((x.var(-1, correction=0) / right - 1).abs().max()) < 1e-5
