"""The numbers that a reference compares with stand in rows of their own."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.thresholds import met_integers, met_thresholds, rounded_inputs
from kbgen.generator.verify.reference.oracle import Reference

DRAW = torch.Generator().manual_seed(0)
X = torch.randn(6, 4, generator=DRAW)


class Beyond(nn.Module):
    def __init__(self, bound: torch.Tensor | float) -> None:
        super().__init__()
        self.bound = bound

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.abs() > self.bound


def test_a_row_and_its_negative_stand_on_the_bound() -> None:
    for bound in (0.75, torch.tensor([0.5, 1.0, 1.5, 2.0])):
        changed = met_thresholds(Reference(Beyond(bound), "as-is"), [X], {}, DRAW)
        assert changed is not None
        moved = changed[0]
        assert isinstance(moved, torch.Tensor)
        assert torch.equal(moved[0], torch.as_tensor(bound).expand(4))
        assert torch.equal(moved[-1], -torch.as_tensor(bound).expand(4))
        assert torch.equal(moved[1:-1], X[1:-1])


def test_where_nothing_is_compared_nothing_is_put() -> None:
    assert met_thresholds(Reference(nn.Softmax(-1), "as-is"), [X], {}, DRAW) is None
    assert met_thresholds(Reference(Beyond(0.0), "as-is"), [X], {}, DRAW) is None
    assert met_thresholds(Reference(Beyond(float("-inf")), "as-is"), [X], {}, DRAW) is None  # nor infinity


class Ignoring(nn.Module):
    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return torch.where(labels != -100, x.gather(1, labels.clamp(min=0)[:, None])[:, 0], 0.0)


def test_integers_hold_what_they_are_compared_with_and_its_neighbours_where_order_is_asked() -> None:
    rows = torch.randn(64, 8, generator=DRAW)
    labels = torch.randint(0, 8, (64,), generator=DRAW)
    changed = met_integers(Reference(Ignoring(), "as-is"), [rows, labels], {}, DRAW)
    assert changed is not None
    moved = changed[1]
    assert isinstance(moved, torch.Tensor)
    assert {-100, -1} <= set(moved.tolist())
    assert -101 not in moved.tolist()  # equality alone was asked there
    assert met_integers(Reference(Beyond(0.5), "as-is"), [X], {}, DRAW) is None


def test_edges_of_buckets_and_ends_of_bins_are_met() -> None:
    class Bucketed(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.bucketize(x, torch.tensor([0.25, 0.5]))

    row = torch.rand(64, generator=DRAW)
    changed = met_thresholds(Reference(Bucketed(), "as-is"), [row], {}, DRAW)
    assert changed is not None
    assert {0.25, 0.5} <= set(changed[0].tolist())  # type: ignore[union-attr]


class UpTo(nn.Module):
    def __init__(self, last: bool) -> None:
        super().__init__()
        self.last = last

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        place = torch.arange(x.shape[1])
        seen = place <= lengths[:, None] if self.last else place < lengths[:, None]
        return (x * seen).sum(1) / lengths


def test_lengths_reach_the_end_of_their_axis_and_not_beyond() -> None:
    lengths = torch.tensor([2, 1, 3, 2, 1, 2])
    for last, fullest in ((False, 4), (True, 3)):
        changed = met_integers(Reference(UpTo(last), "as-is"), [X, lengths], {}, DRAW)
        assert changed is not None
        moved = changed[1]
        assert isinstance(moved, torch.Tensor)
        assert (int(moved.min()), int(moved.max())) == (1, fullest)


class Quotients(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x // 4096


def test_the_largest_multiples_of_a_divisor_are_met_and_what_is_beside_them() -> None:
    given = torch.randint(0, 40_000_000, (256,), generator=DRAW)
    changed = met_integers(Reference(Quotients(), "as-is"), [given], {}, DRAW)
    assert changed is not None
    moved = torch.as_tensor(changed[0])
    met = moved[moved != given]
    assert {int(one) % 4096 for one in met} == {0, 1, 4095}
    assert int(met.min()) > int(given.max()) - 6 * 4096


class Overlap(nn.Module):
    """Of lines, each with the first, beyond half of both together."""

    def forward(self, lines: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        low, high = lines.unbind(1)
        inside = (torch.minimum(high, high[0]) - torch.maximum(low, low[0])).clamp(min=0)
        both = (high - low + high[0] - low[0] - inside).clamp(min=1e-6)
        return scores.masked_fill(inside / both > 0.5, -torch.inf) > -torch.inf


def test_rounded_inputs_stay_in_order_and_meet_a_bound_that_is_finite() -> None:
    low = torch.rand(200, generator=DRAW) * 6
    lines = torch.stack([low, low + 1 + 3 * torch.rand(200, generator=DRAW)], 1)
    changed = rounded_inputs(
        Reference(Overlap(), "as-is"), [lines, torch.rand(200, generator=DRAW)], {}, DRAW
    )
    assert changed is not None
    moved, scores = changed
    assert isinstance(moved, torch.Tensor)
    assert isinstance(scores, torch.Tensor)
    assert torch.equal(moved, moved.round())
    assert bool((moved[:, 0] <= moved[:, 1]).all())
    assert len(scores.unique()) > 32
    assert rounded_inputs(Reference(Beyond(float("-inf")), "as-is"), [X], {}, DRAW) is None
