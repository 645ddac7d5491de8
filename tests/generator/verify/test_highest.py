"""The highest index that inputs made without memory can hold."""

import torch

from kbgen.generator.verify.stages.highest import Highest
from kbgen.profiling.fakes import fakes


def test_what_is_drawn_below_a_bound_is_known_through_views_and_copies() -> None:
    with fakes(), Highest() as highest:
        drawn = torch.randint(3, 1000, (4, 5))
        order, plain = torch.randperm(70), torch.zeros(4, dtype=torch.int64)
        copied = drawn.to(torch.int32).reshape(-1)
        reckoned, mask = drawn + 1, torch.randint(0, 2, (4,)).bool()
    assert [highest.of(one) for one in (drawn, copied, order)] == [999, 999, 69]
    assert [highest.of(one) for one in (plain, reckoned, mask, 7)] == [None] * 4


def test_what_is_chosen_from_several_is_at_most_the_highest_of_them() -> None:
    with fakes(), Highest() as highest:
        few, many = torch.randint(0, 10, (4,)), torch.randint(0, 200, (4,))
        kept = few > 3
        masked = many.masked_fill(kept, -1)
        chosen, joined, ordered = torch.where(kept, few, many), torch.cat([many, many]), many.sort().values
        origins = torch.stack([few, many], dim=1)  # each stands in places of its own
        reckoned = torch.where(kept, few, many * 2) + 1
    assert [highest.of(one) for one in (masked, chosen, joined, ordered)] == [199] * 4
    assert highest.of(reckoned) is highest.of(origins) is None
