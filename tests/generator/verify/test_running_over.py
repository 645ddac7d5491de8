"""Integers whose sums run over where bits are then picked, and codes next to what is taken from them."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.close_codes import close_codes
from kbgen.generator.verify.inputs.running_over import running_over
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.reference.wrapping import wraps

DRAW = torch.Generator().manual_seed(0)
SAMPLES = torch.randint(-2048, 2048, (4, 16), generator=DRAW, dtype=torch.int32)


def reference(forward: object) -> Reference:
    model = nn.Module()
    model.forward = forward  # type: ignore[assignment]
    return Reference(model, "as-is")


def test_a_mean_by_a_shift_is_asked_where_its_sum_wraps() -> None:
    lifted = reference(lambda x: x[:, 1::2] - ((x[:, 0::2] + x[:, 1::2]) >> 1))
    changed = running_over(lifted, [SAMPLES], {}, DRAW)
    assert changed is not None
    assert wraps(lifted, changed, {})


def test_sums_that_are_compared_or_of_which_no_bit_is_picked_do_not_run_over() -> None:
    for forward in (lambda x: x + x.roll(1, 1), lambda x: ((x + x.roll(1, 1)) >> 1).amax(1)):
        assert running_over(reference(forward), [SAMPLES], {}, DRAW) is None


def test_zero_points_are_next_to_codes_that_have_all_bits() -> None:
    words = torch.randint(0, 1 << 30, (4, 8), generator=DRAW, dtype=torch.int32)
    zero, scale = torch.tensor([1, 3, 9, 12], dtype=torch.uint8), torch.rand(4)

    def unpacked(words: torch.Tensor, zero: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return ((words & 15) - zero.int()[:, None]) * scale[:, None]

    changed = close_codes(reference(unpacked), [words, zero, scale], {}, DRAW)
    assert changed is not None
    assert bool((torch.as_tensor(changed[0]) == -1).all())
    assert set(torch.as_tensor(changed[1]).tolist()) <= {14, 15}
    assert close_codes(reference(lambda w, z, s: w * s[:, None]), [words, zero, scale], {}, DRAW) is None
