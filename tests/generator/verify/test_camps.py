"""Scores in two camps: values that weigh nothing are enormous, and those beside late scores are large."""

import torch

from kbgen.generator.verify.inputs.camps import scores_rise_late, values_behind

from .calls import reference


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1) @ v


def pooled(x: torch.Tensor, score: torch.Tensor) -> torch.Tensor:
    return (score.softmax(-1)[..., None] * x).sum(1)


QKV = [torch.randn(2, 5, 16), torch.randn(2, 80, 16), torch.randn(2, 80, 16)]
POOL = [torch.randn(3, 80, 6), torch.randn(3, 80)]


def test_values_of_keys_far_behind_are_enormous_and_make_no_difference() -> None:
    for compute, given, place in ((attention, QKV, 2), (pooled, POOL, 0)):
        changed = values_behind(reference(compute), given, {}, draw())  # type: ignore[arg-type]
        assert changed is not None
        values = torch.as_tensor(changed[place])
        far = (values == 2.0**90).all(-1).all(0)
        assert int(far.sum()) == 60
        assert not bool((values[:, ~far] == 2.0**90).any())
        assert float(torch.as_tensor(compute(*changed)).abs().max()) < 8  # type: ignore[arg-type,operator]


def test_scores_rise_by_tens_in_the_end_beside_large_values() -> None:
    for compute, given, place in ((attention, QKV, 2), (pooled, POOL, 0)):
        changed = scores_rise_late(reference(compute), given, {}, draw())  # type: ignore[arg-type]
        assert changed is not None
        assert torch.equal(torch.as_tensor(changed[place]), given[place] * 2.0**95)
        tensors = [torch.as_tensor(one) for one in changed]
        scores = tensors[0] @ tensors[1].mT / 4 if compute is attention else tensors[1]
        assert 16 < float(scores[..., -5:].min() - scores[..., :-5].max()) < 40
        weighed = scores[..., -1:].exp()[..., None] * tensors[place][:, -1, None, None, :]
        assert not bool(weighed.isfinite().all())


def test_what_weighs_nothing_is_not_asked() -> None:
    for compute in (lambda x, y: x * y, lambda x, y: x.exp() + y, lambda x, y: x.softmax(-1) + y.sum()):
        given = [torch.randn(4, 32), torch.randn(4, 32)]
        assert values_behind(reference(compute), given, {}, draw()) is None
        assert scores_rise_late(reference(compute), given, {}, draw()) is None
