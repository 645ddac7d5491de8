"""A running mean that is zero but for rounding is judged by the deviation beside it."""

import pytest
import torch

from kbgen.generator.verify.comparison.running import is_settled

RIGHT = {
    "norm.running_mean": torch.tensor([1e-17, 0.25, -2.0], dtype=torch.float64),
    "norm.running_var": torch.tensor([1.0, 4.0, 0.25], dtype=torch.float64),
    "norm.num_batches_tracked": torch.tensor(1),
}


@pytest.mark.parametrize(
    ("off", "settled"),
    [
        ((9e-9, 1e-9, 0.0), True), ((0.0, 1.9e-6, 0.0), True), ((0.0, 0.0, 6e-7), False),
        ((0.02, 0.0, 0.0), False), ((float("nan"), 0.0, 0.0), False),
    ],
)  # fmt: skip
def test_a_mean_is_as_right_as_its_deviation_can_tell(off: tuple[float, ...], settled: bool) -> None:
    found = (RIGHT["norm.running_mean"] + torch.tensor(off)).float()
    assert is_settled("norm.running_mean", found, RIGHT) is settled


def test_no_other_buffer_has_a_deviation_beside_it() -> None:
    assert not is_settled("norm.running_var", RIGHT["norm.running_var"], RIGHT)
    alone = {"running_mean": RIGHT["norm.running_mean"]}
    assert not is_settled("running_mean", alone["running_mean"], alone)
