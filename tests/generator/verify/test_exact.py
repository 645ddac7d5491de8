"""Which calls leave no room for rounding."""

import torch
from torch import nn

from kbgen.generator.verify.reference.budget import Target, compare
from kbgen.generator.verify.reference.exact import must_be_exact
from kbgen.generator.verify.reference.oracle import Reference


class Formula(nn.Module):
    def __init__(self, formula: object) -> None:
        super().__init__()
        self.formula = formula

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.formula(*inputs)


def asked(formula: object, inputs: int = 1) -> bool:
    generator = torch.Generator().manual_seed(0)
    x, y = (
        [torch.randint(-4, 5, (12, 12), generator=generator).float() for _ in range(inputs)] for _ in range(2)
    )
    reference = Reference(Formula(formula), "as-is")
    right, eager = reference.oracle(x, {}), reference.eager(x, {})
    return must_be_exact(lambda values: reference.oracle(values, {}), x, y, right, eager)


def test_sums_and_products_of_matrices_must_be_exact() -> None:
    assert asked(lambda x: x.sum(-1))
    assert asked(lambda x: x.cumsum(0) - 3)
    assert asked(lambda a, b: a @ b, inputs=2)


def test_what_rounds_or_bends_need_not_be() -> None:
    assert not asked(lambda x: x.relu())
    assert not asked(lambda x: x.mean(-1) / 7)
    assert not asked(lambda x: x * 0.1)
    assert not asked(lambda a, b: (a * a) @ b, inputs=2)


def test_one_unit_in_a_million_is_refused_where_exactness_is_asked() -> None:
    right = torch.full((100,), 1e6, dtype=torch.float64)
    off = right.float()
    off[7] += 0.0625
    loose, exact = Target(right, right.float(), right), Target(right, right.float(), right, exact=True)
    assert compare(off, loose, "fp32").accepted
    refused = compare(off, exact, "fp32")
    assert refused.kind == "wrong-values"
    assert refused.budget == 0.0
    assert compare(right.float(), exact, "fp32").accepted
