"""Scores of which one leads, and what is worked out over each sample and not over all of them."""

from __future__ import annotations

import pytest
import torch

from kbgen.generator.verify.inputs.families import (
    APART,
    FIRST_AHEAD,
    KEYS_BELOW,
    KEYS_LOWER,
    LATE_PEAKS,
    ONE_AHEAD,
    draw_inputs,
)


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_the_first_key_leads_and_hundreds_of_others_count_together() -> None:
    shipped = [torch.randn(2, 3, 5, 16), torch.randn(2, 3, 400, 16), torch.randn(2, 3, 400, 16)]
    queries, keys, values = draw_inputs(ONE_AHEAD, list(shipped), generator())
    assert isinstance(queries, torch.Tensor)
    assert isinstance(keys, torch.Tensor)
    assert isinstance(values, torch.Tensor)
    weights = (queries @ keys.transpose(-1, -2) / 4).softmax(-1)
    assert torch.all(weights.argmax(-1) == 0)
    others = 1 - weights[..., 0]
    assert torch.all((others > 0.02) & (others < 0.5))
    assert 0.9 < float(values.std()) < 1.1


def test_keys_far_below_have_scores_below_any_bound_but_infinity_and_the_first_is_nearest() -> None:
    shipped = [torch.randn(2, 3, 5, 16), torch.randn(2, 3, 400, 16), torch.randn(2, 3, 400, 16)]
    queries, keys, values = draw_inputs(KEYS_BELOW, list(shipped), generator())
    assert isinstance(queries, torch.Tensor)
    assert isinstance(keys, torch.Tensor)
    scores = queries @ keys.transpose(-1, -2)
    assert float(scores.max()) < -(2.0**80)
    assert float(scores.min()) > -1e30
    assert torch.all(scores.argmax(-1) == 0)
    exact = queries.double() @ keys.double().transpose(-1, -2)
    assert torch.equal(exact.softmax(-1).float(), scores.softmax(-1))
    assert isinstance(values, torch.Tensor)
    assert 0.9 < float(values.std()) < 1.1


def test_in_float16_scores_far_below_are_numbers_and_the_first_key_is_nearest() -> None:
    shipped = [torch.randn(2, 3, 5, 16).half(), torch.randn(2, 3, 100, 16).half()]
    queries, keys = draw_inputs(KEYS_LOWER, list(shipped), generator())
    assert isinstance(queries, torch.Tensor)
    assert isinstance(keys, torch.Tensor)
    scores = queries @ keys.transpose(-1, -2)
    assert -(2.0**15) < float(scores.min()) < float(scores.max()) < -1000
    exact = queries.double() @ keys.double().transpose(-1, -2)
    assert torch.equal(exact.softmax(-1).half(), scores.softmax(-1))
    assert torch.all(scores.argmax(-1) == 0)


@pytest.mark.parametrize("shape", [(2, 40, 3, 2, 8), (2, 40, 48)])
def test_keys_far_below_are_found_in_one_tensor_with_queries(shape: tuple[int, ...]) -> None:
    (drawn,) = draw_inputs(KEYS_BELOW, [torch.randn(shape)], generator())
    assert isinstance(drawn, torch.Tensor)
    queries, keys, values = drawn.reshape(2, 40, 3, 2, 8).permute(2, 0, 3, 1, 4)
    scores = queries @ keys.transpose(-1, -2)
    assert -1e30 < float(scores.min()) < float(scores.max()) < -(2.0**80)
    assert torch.all(scores.argmax(-1) == 0)
    assert 0.9 < float(values.std()) < 1.1


@pytest.mark.parametrize("shipped", [[torch.randn(4, 47)], [torch.randn(4, 48), torch.randn(4, 47)]])
def test_what_has_no_thirds_is_drawn_as_usual(shipped: list[torch.Tensor]) -> None:
    for one in draw_inputs(KEYS_BELOW, list(shipped), generator()):
        assert isinstance(one, torch.Tensor)
        assert float(one.abs().max()) < 8.0


def test_of_rows_alone_the_first_place_leads() -> None:
    (scores,) = draw_inputs(ONE_AHEAD, [torch.randn(4, 300)], generator())
    assert isinstance(scores, torch.Tensor)
    weights = scores.softmax(-1)
    assert torch.all(weights.argmax(-1) == 0)
    assert torch.all(weights[:, 0] < 0.97)


def test_along_a_longest_axis_that_is_not_the_last_the_first_place_leads_too() -> None:
    (scores,) = draw_inputs(ONE_AHEAD, [torch.randn(2, 300, 5)], generator())
    assert isinstance(scores, torch.Tensor)
    for axis in (1, 2):
        assert torch.all(scores.softmax(axis).argmax(axis) == 0)
    assert torch.all(scores.softmax(1)[:, 0] < 0.97)


def test_late_peaks_tower_above_one_row_and_lie_below_the_next() -> None:
    (rows,) = draw_inputs(LATE_PEAKS, [torch.randn(4, 40)], generator())
    assert isinstance(rows, torch.Tensor)
    for row, sign in zip(rows, (1, -1, 1, -1), strict=True):
        assert int((sign * row).argmax()) >= 30
        assert float((sign * row).max()) > 100


def test_samples_are_of_unlike_size_and_end_in_silence() -> None:
    (drawn,) = draw_inputs(APART, [torch.randn(4, 8, 64)], generator())
    assert isinstance(drawn, torch.Tensor)
    peaks = drawn.abs().amax((1, 2))
    assert peaks[1] < peaks[0] * 2**-12
    assert peaks[0] / 16 < peaks[2] < peaks[0] / 4
    assert not drawn[..., 48:].any()
    assert drawn[..., :48].all()


def test_the_very_first_number_hides_the_squares_of_all_others() -> None:
    for dtype, least in ((torch.float32, 2.0**20), (torch.float16, 8000.0)):
        (drawn,) = draw_inputs(FIRST_AHEAD, [torch.randn(4, 64).to(dtype)], generator())
        assert isinstance(drawn, torch.Tensor)
        assert float(drawn[0, 0]) >= least
        assert float(drawn.view(-1)[1:].abs().max()) < 8
