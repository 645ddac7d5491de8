"""Each rewrite by algebra gives what the op gives, on random weights and on what is no number."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import fx, nn

from kbgen.generator.writers.synth.algebra import sums
from kbgen.generator.writers.synth.algebra.marks import applied
from kbgen.generator.writers.synth.rewrite import functional, op_name
from kbgen.generator.writers.synth.writer import SynthWriter
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.op import load_op
from kbgen.profiling.trace import trace

F = nn.functional
Forward = Callable[..., torch.Tensor]


def _seeded(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(11))


IMAGE, CUBE, ROWS, WEIGHT, BIAS = (
    _seeded(2, 3, 19, 17), _seeded(2, 3, 13, 9, 11), _seeded(5, 8), _seeded(6, 8), _seeded(6)
)  # fmt: skip
COLUMN = torch.tensor([[1.5], [math.inf], [-math.inf], [math.nan], [-0.0]])

POOLS = "two poolings as one over windows of windows"
SAME = "operators that change nothing left out"
SINGLE = "no exponential over one element"
SUMS = "weights summed before they are multiplied"
ROWS_FIRST = "rows summed before they are multiplied"
NUMBERS = "numbers that follow each other as one"
NORMS = "a batch norm as one scale and one shift a channel"
STAGES = "a long reduction behind a product in two stages"
LONG, WIDE, FILTERS = _seeded(4, 8), _seeded(320, 8), _seeded(3, 3, 3, 3)
PLANE = _seeded(2, 3, 26, 26)
MEAN, VAR, SCALE, SHIFT = _seeded(6), _seeded(6) ** 2, _seeded(6) + 1, _seeded(6) * 3
NORM = (MEAN, VAR, SCALE, SHIFT)
AFFINE = ["add", "rsqrt", "mul", "sub", "mul", "sub"]


def _rewritten(forward: Forward, *inputs: torch.Tensor) -> tuple[fx.Graph, torch.Tensor]:
    class Model(nn.Module):
        def forward(self, *given: torch.Tensor) -> torch.Tensor:
            return forward(*given)

    graph = functional(torch.export.export(Model(), inputs).graph)
    (got,) = fx.Interpreter(fx.GraphModule({}, graph)).run(*inputs)
    return graph, got


@pytest.mark.parametrize(
    ("forward", "inputs", "decision", "operators"),
    [
        (lambda x: F.max_pool2d(F.max_pool2d(x, 2), 2), (IMAGE,), POOLS, ["max_pool2d"]),
        (lambda x: F.max_pool2d(F.max_pool2d(x, 3, 2), (2, 3), 1), (IMAGE,), POOLS, ["max_pool2d"]),
        (lambda x: F.avg_pool3d(F.avg_pool3d(x, 2), 2, 1), (CUBE,), POOLS, ["avg_pool3d"]),
        (lambda x: F.avg_pool2d(F.avg_pool2d(F.avg_pool2d(x, 2), 2), 2), (IMAGE,), POOLS, ["avg_pool2d"]),
        (lambda x: torch.relu(torch.relu(x * 1.0 - 0)), (COLUMN,), SAME, ["relu"]),
        (lambda x: -(-(x / 1)) ** 1, (COLUMN,), SAME, []),
        (lambda x: torch.logsumexp(torch.logsumexp(x, 1, keepdim=True), 1), (COLUMN,), SINGLE, ["squeeze"]),
        (lambda x: torch.log_softmax(x, 1), (COLUMN,), SINGLE, ["sub"]),
        (lambda x: torch.softmax(x, 1), (COLUMN,), SINGLE, ["sub", "add"]),
        (lambda x, w, b: (F.linear(x, w, b) / 2).sum(1), (ROWS, WEIGHT, BIAS), SUMS,
         ["sum", "matmul", "sum", "add", "div"]),
        (lambda x, w: (x @ w.t()).mean(-1, keepdim=True), (ROWS, WEIGHT), SUMS,
         ["t", "sum", "matmul", "div", "unsqueeze"]),
        (lambda x, w, b: (F.linear(x, w) - b).mul(2).add(b).sub(0.5).mean(1, keepdim=True),
         (ROWS, WEIGHT, BIAS), SUMS,
         ["sum", "matmul", "sum", "sub", "mul", "sum", "add", "sub", "div", "unsqueeze"]),
        (lambda x, w, b: F.linear(x, w, b).mean(0), (ROWS, WEIGHT, BIAS), ROWS_FIRST,
         ["mean", "linear", "add"]),
        (lambda x, w, b: (F.linear(x, w, b) - b).sum((0, 1)), (_seeded(4, 3, 8), WEIGHT, BIAS), ROWS_FIRST,
         ["sum", "linear", "mul", "add", "mul", "sub"]),
        (lambda x, w: torch.mm(x, w.t()).sum(0), (ROWS, WEIGHT), ROWS_FIRST, ["t", "sum", "matmul"]),
        (lambda x, w: (x @ w.t() / 3).mean(1, keepdim=True), (_seeded(4, 3, 8), WEIGHT), ROWS_FIRST,
         ["t", "mean", "matmul", "div"]),
        (lambda x: torch.relu(x * 3.0 / 8 * -2), (COLUMN,), NUMBERS, ["mul", "relu"]),
        (lambda x: (x * 3 * 0.5).sin() + 2 - 0.5, (ROWS,), NUMBERS, ["mul", "sin", "add"]),
        (lambda x, w, b, *norm: F.batch_norm(F.linear(x, w, b), *norm), (ROWS, WEIGHT, BIAS, *NORM), NORMS,
         [*AFFINE, "linear", "mul", "add"]),
        (lambda x, m, v: F.batch_norm(x, m, v), (IMAGE, MEAN[:3], VAR[:3]), NORMS,
         ["add", "rsqrt", "mul", "neg", *["unsqueeze"] * 4, "mul", "add"]),
        (lambda x, w, b, *norm: F.batch_norm(F.conv_transpose1d(x, w, b), *norm),
         (CUBE[:, :, 0, 0], FILTERS[:, :, 0].repeat(1, 2, 1), BIAS, *NORM), NORMS,
         [*AFFINE, "unsqueeze", "unsqueeze", "conv_transpose1d", "mul", "add"]),
        (lambda x, w, b, *norm: F.batch_norm(F.linear(x, w, b), *norm),
         (_seeded(4, 6, 8), WEIGHT, BIAS, *NORM), NORMS,
         ["linear", "add", "rsqrt", "mul", "mul", "sub", "unsqueeze", "unsqueeze", "mul", "add"]),
        (lambda x, w: torch.logsumexp(F.linear(x, w) * 9, 1), (LONG, WIDE), STAGES,
         ["linear", "mul", "view", "logsumexp", "logsumexp"]),
        (lambda x, w: F.linear(x, w).relu().max(1, keepdim=True).values, (LONG, WIDE), STAGES,
         ["linear", "relu", "view", "amax", "amax"]),
        (lambda x, w: F.gelu(F.conv2d(x, w)).mean((2, 3), keepdim=True), (PLANE, FILTERS), STAGES,
         ["conv2d", "gelu", "mean", "mean"]),
        (lambda x, w: F.adaptive_avg_pool2d(F.conv2d(x, w).sin(), 1), (PLANE, FILTERS), STAGES,
         ["conv2d", "sin", "mean", "mean"]),
    ],
)  # fmt: skip
def test_a_rewrite_gives_what_the_op_gives(
    forward: Forward, inputs: tuple[torch.Tensor, ...], decision: str, operators: list[str]
) -> None:
    graph, got = _rewritten(forward, *inputs)
    names = [name for node in graph.nodes if (name := op_name(node)) not in ("", "clone")]
    assert names == operators
    assert [rewrite.decision for rewrite in applied(graph)] == [decision]
    torch.testing.assert_close(got, forward(*inputs), rtol=1e-5, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize(
    ("forward", "inputs"),
    [
        (lambda x: F.max_pool2d(F.max_pool2d(x, 2, 3), 2), (IMAGE,)),
        (lambda x: F.max_pool2d(F.max_pool2d(x, 2, padding=1), 2), (IMAGE,)),
        (lambda x: F.avg_pool2d(F.avg_pool2d(x, 3, 2), 2), (IMAGE,)),
        (lambda x: F.avg_pool2d(F.avg_pool2d(x, 2, ceil_mode=True), 2), (IMAGE,)),
        (lambda x: F.avg_pool2d(F.max_pool2d(x, 2), 2), (IMAGE,)),
        (lambda x: x + 0.0, (COLUMN,)),
        (lambda x: x * 0.0, (COLUMN,)),
        (lambda x: x * 1e30 * 1e-30, (COLUMN,)),
        (lambda x: (h := x * 3) / 2 + h, (COLUMN,)),
        (lambda x: x.to(torch.bfloat16) * 3 * 5, (COLUMN,)),
        (lambda x: x * 3 + 2, (COLUMN,)),
        (lambda x, m, v: F.batch_norm(x, m, v, training=True), (ROWS, LONG[0], LONG[1])),
        (lambda x: torch.softmax(x, 0), (COLUMN,)),
        (lambda x, w: torch.relu(x @ w.t()).sum(1), (ROWS, WEIGHT)),
        (lambda x, w: (x @ w.t()).double().sum(1), (ROWS, WEIGHT)),
        (lambda x, w: (x @ w.t()).sum(), (ROWS, WEIGHT)),
        (lambda x, w: (x @ w.t() + x[:, :1]).sum(1), (ROWS, WEIGHT)),
        (lambda x, w, b: torch.sub(x @ w.t(), b, alpha=2).sum(1), (ROWS, WEIGHT, BIAS)),
        (lambda x, w: torch.logsumexp(F.linear(x, w[:250]), 1), (LONG, WIDE)),
        (lambda x, w: torch.logsumexp(F.linear(x, w[:319]), 1), (LONG, WIDE)),
        (lambda x, w: F.linear(x, w).max(1).indices, (LONG, WIDE)),
        (lambda x, w: (h := F.linear(x, w)) - h.amax(1, keepdim=True), (LONG, WIDE)),
        (lambda x, w: x.exp().repeat(1, 40).amax(1), (LONG, WIDE)),
    ],
)  # fmt: skip
def test_what_only_looks_alike_is_left_alone(forward: Forward, inputs: tuple[torch.Tensor, ...]) -> None:
    graph, _ = _rewritten(forward, *inputs)
    assert applied(graph) == ()


def test_stages_are_decided_by_the_full_size_and_runs_follow_from_each() -> None:
    """A dimension of 320 is cut in runs of 64; the same graph at 36 gets the same stages, and runs of 4."""

    class Model(nn.Module):
        def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
            return F.linear(x, w).amax(1)

    full, small = (torch.export.export(Model(), (LONG, WIDE[:width])).graph for width in (320, 36))
    first = functional(full)
    views = [
        n.meta["val"].shape
        for g in (first, functional(small, first))
        for n in g.nodes
        if op_name(n) == "view"
    ]
    assert views == [(4, 5, 64), (4, 9, 4)]
    assert not [n for n in functional(small).nodes if op_name(n) == "view"]


def test_what_nobody_reads_goes_with_all_that_it_alone_reads() -> None:
    def forward(x: torch.Tensor) -> torch.Tensor:
        (x.exp() + 1.0).sum()
        return x * 2.0

    graph, _ = _rewritten(forward, ROWS)
    assert [name for node in graph.nodes if (name := op_name(node))] == ["mul"]


def test_a_rewrite_that_fails_leaves_the_operator_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its first change of the graph already; the file says so."""

    def broken(graph: fx.Graph) -> None:
        graph.erase_node(next(iter(graph.find_nodes(op="call_function", target=torch.ops.aten.exp.default))))

    path = tmp_path / "op.py"
    path.write_text(
        "import torch\nrows = 64\nclass Model(torch.nn.Module):\n"
        "    def forward(self, x):\n        return -(-(x.exp() * 1.0))\n"
        "def get_inputs():\n    return [torch.randn(rows, 48)]\n"
    )
    op = load_op(path)
    request = Request(op, trace(op), (trace(op.with_overrides({"rows": 12})),), find_spec("h100"))
    whole = SynthWriter().write(request)
    monkeypatch.setattr(sums, "apply", broken)
    spared = SynthWriter().write(request)
    assert isinstance(whole, Candidate)
    assert isinstance(spared, Candidate)
    assert [c for c in spared.choices if "mistake of kbgen" in c["why"]]
    assert not [c for c in whole.choices if "mistake of kbgen" in c["why"]]
    assert "exp" in spared.source
