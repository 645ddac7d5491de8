"""Shares of next to nothing in rows that have a sum of one."""

import torch

from kbgen.generator.verify.inputs.faint_shares import faint_shares

from .calls import reference

SHARES = torch.randn(6, 32, generator=torch.Generator().manual_seed(1)).softmax(-1)


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def test_some_shares_are_far_below_any_bound_and_rows_keep_their_sum() -> None:
    found = faint_shares(reference(torch.log), [SHARES], {}, draw())
    assert found is not None
    shares = torch.as_tensor(found[0])
    assert float(shares.min()) < 1e-20
    assert float(shares.min()) >= torch.finfo(torch.float32).tiny
    assert torch.allclose(shares.sum(-1), torch.ones(6))
    assert int((shares < 1e-4).sum()) > 32


def test_none_where_no_rows_are_shares_or_the_reference_has_no_number() -> None:
    assert faint_shares(reference(torch.log), [SHARES * 2], {}, draw()) is None
    assert faint_shares(reference(lambda x: (x - x).log()), [SHARES], {}, draw()) is None


def test_of_half_precision_none_is_denormal() -> None:
    found = faint_shares(reference(torch.log), [SHARES.half()], {}, draw())
    assert found is not None
    assert float(torch.as_tensor(found[0]).min()) >= torch.finfo(torch.float16).tiny
