"""What a reference ranks to find out what it leaves out is not left out; what it ranks nothing of is."""

import torch

from kbgen.generator.verify.inputs.idle import idle_nan

from .calls import reference


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def first_come(x: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """One row goes to each column, the first that likes it best, and the others are left out."""
    column = scores.argmax(-1)
    likes = column[:, None] == torch.arange(scores.shape[1])[None]
    place = (likes.long().cumsum(0) - 1).gather(1, column[:, None])[:, 0]
    return torch.where((place < 1)[:, None], x, torch.zeros_like(x))


def test_rows_that_are_left_out_are_nan_and_the_scores_that_say_so_are_not() -> None:
    x, scores = torch.randn(8, 3), torch.tensor([[1.0, 0.0]]).repeat(8, 1)
    scores[0] = torch.tensor([0.0, 1.0])  # both columns are taken, whatever a late score is
    changed = idle_nan(reference(first_come), [x, scores], {}, draw())
    assert changed is not None
    assert torch.as_tensor(changed[0]).isnan().any(1).nonzero().view(-1).tolist() == list(range(2, 8))
    assert not torch.as_tensor(changed[1]).isnan().any()


def test_a_place_that_is_left_out_says_nothing_of_what_is_taken() -> None:
    """Of rows that are switched off the place is another one, whatever they hold."""

    def greedy(scores: torch.Tensor, on: torch.Tensor) -> torch.Tensor:
        return torch.where(on, scores.argmax(-1), -1)

    on = torch.tensor([True, False, True, False])
    changed = idle_nan(reference(greedy), [torch.randn(4, 6), on], {}, draw())
    assert changed is not None
    assert torch.as_tensor(changed[0]).isnan().any(1).tolist() == (~on).tolist()
