"""Losses taken apart: the same numbers from elements and their mean, and the calls that stay whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import fx, nn

from kbgen.generator.writers.synth.losses import argument
from kbgen.generator.writers.synth.rewrite import functional, op_name

F = nn.functional
Loss = Callable[..., torch.Tensor]
ROWS, WIDTH = 6, 9
CLASSES = torch.tensor([1, 2, 3, 8, 0, 3])
COUNTED = ["cross_entropy_loss", "sum", "ne", "sum", "div"]


def _seeded(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7))


X, Y = _seeded(2, ROWS, WIDTH)


def _apart(loss: Loss, *inputs: torch.Tensor) -> tuple[list[str], torch.Tensor, fx.Graph]:
    """(operators after the rewriting, what they give, their graph)."""

    class Model(nn.Module):
        def forward(self, *given: torch.Tensor) -> torch.Tensor:
            return loss(*given)

    graph = functional(torch.export.export(Model(), inputs).graph)
    (got,) = fx.Interpreter(fx.GraphModule({}, graph)).run(*inputs)
    names = [op_name(node) for node in graph.nodes]
    return [name for name in names if name not in ("", "broadcast_tensors")], got, graph


@pytest.mark.parametrize(
    ("loss", "inputs", "operators"),
    [
        (lambda x, c: F.cross_entropy(x, c), (X, CLASSES), COUNTED),
        (lambda x, c: F.cross_entropy(x, c, ignore_index=3), (X, CLASSES), COUNTED),
        (lambda x, c: F.cross_entropy(x, c, reduction="sum"), (X, CLASSES), ["cross_entropy_loss", "sum"]),
        (lambda x, c: F.cross_entropy(x, c), (_seeded(2, 5, 4), CLASSES[:4].expand(2, 4) % 5), COUNTED),
        (lambda x, y: F.kl_div(x, y, reduction="batchmean"), (X, Y.softmax(-1)), ["kl_div", "sum", "div"]),
        (lambda x, y: F.kl_div(x, y, reduction="sum", log_target=True), (X, Y), ["kl_div", "sum"]),
        (lambda x, y: F.smooth_l1_loss(x, y, beta=0.5), (X, Y), ["smooth_l1_loss", "mean"]),
        (lambda x, y: F.huber_loss(x, y, reduction="sum", delta=2.0), (X, Y), ["huber_loss", "sum"]),
        (lambda x, y: F.binary_cross_entropy_with_logits(x, y), (X, Y.sigmoid()),
         ["binary_cross_entropy_with_logits", "mean"]),
        (lambda x, y: F.triplet_margin_loss(x, y, x * y, margin=0.3), (X, Y),
         ["mul", "triplet_margin_loss", "mean"]),
    ],
)  # fmt: skip
def test_a_loss_is_its_elements_and_what_is_made_of_them(
    loss: Loss, inputs: tuple[torch.Tensor, ...], operators: list[str]
) -> None:
    found, got, graph = _apart(loss, *inputs)
    assert found == operators
    torch.testing.assert_close(got, loss(*inputs))
    (elements,) = (node for node in graph.nodes if node.name == "losses")
    assert argument(elements, "reduction") == 0


@pytest.mark.parametrize(
    ("loss", "inputs"),
    [
        (lambda x, c, w: F.cross_entropy(x, c, w), (X, CLASSES, Y[0].abs())),
        (lambda x, c: F.cross_entropy(x, c, label_smoothing=0.1), (X, CLASSES)),
        (lambda x, y: F.cross_entropy(x, y), (X, Y.softmax(-1))),
        (lambda x, c: F.cross_entropy(x, c, reduction="none"), (X, CLASSES)),
    ],
)
def test_what_no_kernel_computes_stays_one_call(loss: Loss, inputs: tuple[torch.Tensor, ...]) -> None:
    """A weighted mean divides by the weights of the rows, not by their number."""
    found, got, _ = _apart(loss, *inputs)
    assert sum("cross_entropy" in name for name in found) == 1
    assert {"sum", "mean", "div"}.isdisjoint(found)
    torch.testing.assert_close(got, loss(*inputs))


def test_no_row_to_count_gives_nan_as_in_torch() -> None:
    _, got, _ = _apart(lambda x, c: F.cross_entropy(x, c), X, torch.full((ROWS,), -100))
    assert got.isnan()


def test_a_total_in_half_precision_does_not_overflow() -> None:
    """4096 rows of loss 50 make 204800, beyond the 65504 that fp16 holds."""
    x = torch.zeros(4096, 2, dtype=torch.float16)
    x[:, 1] = 50.0
    found, got, _ = _apart(lambda x, c: F.cross_entropy(x, c), x, torch.zeros(4096, dtype=torch.int64))
    assert found == [*COUNTED, "to"]
    assert got.dtype is torch.float16
    assert got == 50.0
