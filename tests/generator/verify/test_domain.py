"""An op that takes positive numbers, or shares alone, is asked for such."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.domain import distributions, domain_of, within
from kbgen.generator.verify.reference.oracle import Reference


class Logarithm(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.log().mean(-1)


class Likelihood(nn.Module):
    def forward(self, shares: torch.Tensor, truths: torch.Tensor) -> torch.Tensor:
        return nn.functional.binary_cross_entropy(shares, truths)


class Step(nn.Module):
    """Of state below zero no root, in the rows that nothing is added to."""

    def forward(self, state: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        state = state.index_add(0, rows, torch.ones(len(rows)))
        return state.sqrt(), state


SHARES = torch.rand(8, 16, generator=torch.Generator().manual_seed(0))


def test_the_domain_is_the_widest_that_has_answers() -> None:
    assert domain_of(Reference(Logarithm(), "as-is"), [SHARES], {}) == "magnitudes"
    assert domain_of(Reference(Likelihood(), "as-is"), [SHARES, SHARES], {}) == "shares"
    assert domain_of(Reference(nn.ReLU(), "as-is"), [SHARES], {}) == "any"
    assert domain_of(Reference(Logarithm(), "as-is"), [SHARES - 0.5], {}) == "any"


def test_a_few_rows_without_answers_are_too_many() -> None:
    """However few numbers are drawn, some of them are below zero; and another output has answers for all."""
    for count in (2, 200):
        rows = torch.arange(count - 1)
        assert domain_of(Reference(Step(), "as-is"), [torch.rand(count), rows], {}) == "magnitudes"


def test_what_a_softmax_gave_stays_a_distribution() -> None:
    shares, plain = SHARES.softmax(-1), SHARES / SHARES.sum(-1, keepdim=True)
    assert distributions([[shares, SHARES, 3], [plain, SHARES, 3]]) == {0}
    assert distributions([[shares[:, :1]]]) == frozenset()
    drawn = [torch.tensor([[3.0, -1e13, 2e13], [float("inf"), 1.0, 1.0]]), SHARES]
    [found, kept] = within("any", drawn, [shares, SHARES], sharing=frozenset({0}))
    assert isinstance(found, torch.Tensor)
    assert torch.allclose(found.sum(-1), torch.ones(2))
    assert bool((found > 0).all())
    assert found[0, 1] < found[0, 0] < found[0, 2]
    assert kept is SHARES


def test_values_come_to_lie_in_it_and_signed_inputs_stay() -> None:
    drawn = [torch.tensor([-3.0, 0.0, 50.0]), torch.tensor([-3.0, 0.0, 50.0])]
    shipped = [torch.rand(3), torch.tensor([-1.0, 0.5, 1.0])]
    sized, kept = within("magnitudes", drawn, shipped)
    assert sized.tolist()[::2] == [3.0, 50.0]  # type: ignore[union-attr]
    assert sized[1] > 0  # type: ignore[index, operator]
    assert kept is drawn[1]
    shares = within("shares", drawn, shipped)[0]
    assert isinstance(shares, torch.Tensor)
    assert bool(((shares > 0) & (shares < 1)).all())
