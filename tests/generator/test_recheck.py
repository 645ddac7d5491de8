"""What a timed call gave is checked as the call left it: results, memory and inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pytest
import torch
from torch import nn

from kbgen.generator.recheck import Recheck
from kbgen.generator.refresh import Refresh

WIDTH = 64


def complaints(
    reference: nn.Module, inputs: Sequence[Any], call: Callable[..., Any], times: int = 3
) -> list[str]:
    """What is said of that many calls, each with contents of its own."""
    refresh = Refresh(inputs)
    recheck = Recheck(reference, refresh, "fp32")
    told = []
    for seed in range(times):
        arguments = refresh(seed)
        with torch.no_grad():
            result = call(*arguments)
        told.append(recheck(seed, arguments, result))
    return told


class Normalised(nn.Module):
    """Layer norm: what it gives for c * x is what it gives for x."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.layer_norm(x, (WIDTH,))


class Product(nn.Module):
    """What it gives for c * x is c times what it gives for x."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WIDTH, 32, generator=torch.Generator().manual_seed(1)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight


class Lookup(nn.Module):
    """Its only input are integers."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(10, 4, generator=torch.Generator().manual_seed(1)))

    def forward(self, places: torch.Tensor) -> torch.Tensor:
        return self.table[places]


class Cumulative(nn.Module):
    """Writes to its input, as some ops do."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.add_(1.0) * 2.0


@pytest.fixture
def inputs() -> list[Any]:
    return [torch.randn(8, WIDTH, generator=torch.Generator().manual_seed(0))]


def test_an_honest_call_raises_no_complaint(inputs: list[Any]) -> None:
    for reference in (Normalised(), Product()):
        assert complaints(reference, inputs, reference) == ["", "", ""]


def test_a_replayed_normalisation_is_caught(inputs: list[Any]) -> None:
    """It would be right for inputs that are the first ones times a factor."""
    kept: list[torch.Tensor] = []

    def replays(x: torch.Tensor) -> torch.Tensor:
        kept.append(nn.functional.layer_norm(x, (WIDTH,)))
        return kept[0].clone()

    first, *later = complaints(Normalised(), inputs, replays)
    assert first == ""
    assert all("relative L2 error" in said for said in later)


def test_a_product_scaled_from_the_first_one_is_caught(inputs: list[Any]) -> None:
    """It would be right for inputs that are the first ones times a factor, read off one element."""
    reference = Product()
    kept: list[tuple[torch.Tensor, torch.Tensor]] = []

    def scales(x: torch.Tensor) -> torch.Tensor:
        kept.append((x.clone(), reference(x).detach()))
        before, result = kept[0]
        return result * (x[0, 0] / before[0, 0])

    first, *later = complaints(reference, inputs, scales)
    assert first == ""
    assert all("relative L2 error" in said for said in later)


def test_a_replayed_lookup_is_caught() -> None:
    reference, places = Lookup(), torch.tensor([0, 3, 7, 9, 1, 2])
    kept: list[torch.Tensor] = []

    def replays(now: torch.Tensor) -> torch.Tensor:
        kept.append(reference.table[now].detach())
        return kept[0].clone()

    first, *later = complaints(reference, [places], replays)
    assert first == ""
    assert all(later)


def test_what_is_stored_after_the_call_comes_too_late(inputs: list[Any]) -> None:
    """The work is done while the check works out what is right."""
    waiting: list[tuple[torch.Tensor, torch.Tensor]] = []

    class Slow(Normalised):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for given, out in waiting:
                out.copy_(nn.functional.layer_norm(given, (WIDTH,)))
            return super().forward(x)

    def later(x: torch.Tensor) -> torch.Tensor:
        out = torch.zeros_like(x)
        waiting[:] = [(x.clone(), out)]
        return out

    assert all("relative L2 error" in said for said in complaints(Slow(), inputs, later))


def test_a_result_in_the_memory_of_an_earlier_one_is_told(inputs: list[Any]) -> None:
    out = torch.empty(8, WIDTH)

    def static(x: torch.Tensor) -> torch.Tensor:
        return out.copy_(nn.functional.layer_norm(x, (WIDTH,)))

    assert complaints(Normalised(), inputs, static)[1] == (
        "the result of a timed call lies in the memory of an earlier one"
    )


def test_a_result_in_the_memory_of_its_input_is_told(inputs: list[Any]) -> None:
    def in_place(x: torch.Tensor) -> torch.Tensor:
        return x.copy_(nn.functional.layer_norm(x, (WIDTH,)))

    assert complaints(Normalised(), inputs, in_place, 1) == [
        "the result of a timed call lies in the memory of its inputs"
    ]


def test_an_input_that_is_used_as_scratch_is_told(inputs: list[Any]) -> None:
    def scratches(x: torch.Tensor) -> torch.Tensor:
        result = nn.functional.layer_norm(x, (WIDTH,))
        x[0, 0] = 0.0
        return result

    assert complaints(Normalised(), inputs, scratches, 1) == ["a timed call changed its input 0"]


def test_what_the_reference_changes_a_candidate_may_change(inputs: list[Any]) -> None:
    assert complaints(Cumulative(), inputs, lambda x: x.add_(1.0) * 2.0) == ["", "", ""]


def test_inputs_with_nan_that_are_left_alone_are_no_complaint() -> None:
    class Cleaned(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nan_to_num(x)

    x = torch.tensor([[1.0, float("nan"), -2.0]])
    assert complaints(Cleaned(), [x], torch.nan_to_num, 2) == ["", ""]


class Convolved(nn.Module):
    """Asks whether its arguments are of one type before any operator runs."""

    def __init__(self) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.weight = nn.Parameter(torch.randn(4, 3, 3, 3, generator=generator))
        self.bias = nn.Parameter(torch.randn(4, generator=generator))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = nn.functional.conv2d(x, self.weight, self.bias)
        return nn.functional.conv2d(y, torch.ones(2, 4, 1, 1), torch.zeros(2))


class Attending(nn.Module):
    """Its fused forms take no float64."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(x, x, x)


def test_the_reference_runs_in_float64_throughout() -> None:
    images = [torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(0))]
    for reference, inputs in (
        (Convolved(), images),
        (Attending(), [images[0].half()]),
    ):
        assert complaints(reference, inputs, reference, times=1) == [""]


def test_long_sums_have_the_judge_s_floor() -> None:
    """Each product is rounded once more: right for 2^17 terms, by the verifier's rule, and not for 64."""
    for terms, accepted in ((1 << 17, True), (64, False)):
        x = torch.randn(4, terms, generator=torch.Generator().manual_seed(0))
        reference = Summed(terms)

        def off(x: torch.Tensor, reference: Summed = reference) -> torch.Tensor:
            return reference(x) * (1 + 5e-6)

        assert (complaints(reference, [x], off, times=1) == [""]) is accepted


class Summed(nn.Module):
    """A product with as many terms as its rows have elements."""

    def __init__(self, terms: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(terms, 4, generator=torch.Generator().manual_seed(1)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight


def test_an_error_that_the_op_itself_magnifies_is_excused() -> None:
    """A difference of nearly equal sums: inputs off by a rounding move it more than the error does."""

    class Cancelling(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x + 1000.0) - x.roll(1, 0) * 1e-6 - 1000.0

    x = [torch.randn(64, WIDTH, generator=torch.Generator().manual_seed(0))]
    reference = Cancelling()
    assert complaints(reference, x, lambda x: reference(x), times=1) == [""]


def test_eager_s_own_error_is_that_of_float32_and_what_is_timed_keeps_its_settings() -> None:
    class Settings(nn.Module):
        seen: ClassVar[list[bool]] = []

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.seen.append(torch.backends.cudnn.allow_tf32)
            return x * 2.0

    before = torch.backends.cudnn.allow_tf32
    reference = Settings()
    x = [torch.randn(8, WIDTH, generator=torch.Generator().manual_seed(0))]
    assert complaints(reference, x, lambda x: x * 2.0, times=1) == [""]
    assert reference.seen[0] is False
    assert torch.backends.cudnn.allow_tf32 is before
