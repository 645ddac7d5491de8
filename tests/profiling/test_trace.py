"""Tracing at full size on fake tensors: graph, cost, family and fingerprint."""

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from kbgen.profiling.op import Op, load_op
from kbgen.profiling.trace import TracedOp, trace

Make = Callable[..., Op]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(forward: str, inputs: str = "torch.rand(64, 128)", init: str = "pass", top: str = "") -> Op:
        path = tmp_path / "op.py"
        path.write_text(
            f"import torch\nfrom torch import nn\nF = nn.functional\n{top}\n"
            "class Model(nn.Module):\n"
            f"    def __init__(self):\n        super().__init__()\n        {init}\n"
            f"    def forward(self, x, *others):\n        {forward}\n"
            f"def get_inputs():\n    return [{inputs}]\n"
        )
        return load_op(path)

    return made


def targets(traced: TracedOp) -> list[str]:
    return [str(node.target) for node in traced.program.graph.nodes if node.op == "call_function"]


def test_seventeen_gigabytes_are_traced_without_memory(make: Make) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    traced = trace(make("return torch.relu(x)", "torch.rand(65536, 65536)"))
    assert traced.bytes_min == 2 * 4 * 65536**2
    assert traced.inputs[0].shape == (65536, 65536)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_000_000  # kB


@pytest.mark.parametrize(
    ("forward", "target", "family"),
    [
        ("return F.gelu(x)", "aten.gelu.default", "pointwise"),
        ("return F.silu(x)", "aten.silu.default", "pointwise"),
        ("return F.softplus(x)", "aten.softplus.default", "pointwise"),
        ("return F.mish(x)", "aten.mish.default", "pointwise"),
        ("return F.hardswish(x)", "aten.hardswish.default", "pointwise"),
        ("return torch.softmax(x, -1)", "aten.softmax.int", "softmax"),
        ("return F.log_softmax(x, -1)", "aten.log_softmax.int", "softmax"),
        ("return F.layer_norm(x, (128,))", "aten.layer_norm.default", "norm"),
        ("return F.rms_norm(x, (128,))", "aten.rms_norm.default", "norm"),
        ("return F.group_norm(x, 4)", "aten.group_norm.default", "norm"),
        ("return torch.logsumexp(x, -1)", "aten.logsumexp.default", "reduction"),
        (
            "return F.scaled_dot_product_attention(x, x, x)",
            "aten.scaled_dot_product_attention.default",
            "attention",
        ),
    ],
)
def test_composites_stay_one_node(make: Make, forward: str, target: str, family: str) -> None:
    traced = trace(make(forward))
    assert targets(traced) == [target]
    assert traced.family == family


@pytest.mark.parametrize(
    ("forward", "family"),
    [
        ("return x * 2 + x.float()", "pointwise"),
        ("return x / (1 + x.abs())", "pointwise"),
        ("return x.exp() / x.exp().sum(-1, keepdim=True)", "softmax"),
        ("return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)", "norm"),
        ("return x / torch.norm(x, p='fro')", "norm"),
        ("return x.amax(0)", "reduction"),
        ("return (x * self.t.sum()).relu()", "reduction"),
        ("return torch.argmin(x, 1)", "reduction"),
        ("return torch.cumsum(x * 2, 1)", "scan"),
        ("return x.mean()", "reduction"),
        ("return (x - others[0]).pow(2).mean()", "loss"),
        ("return F.mse_loss(x, others[0])", "loss"),
        ("return F.relu(x @ x.T)", "matmul"),
        ("return torch.softmax(x @ x.T, -1)", "mixed"),
        ("return torch.softmax(x @ x.T, -1) @ x", "attention"),
        ("a, b = x.chunk(2, -1)\n        return x * others[0] + torch.cat((-b, a), -1) * others[0]", "rope"),
        ("return x[None].permute(1, 0, 2).contiguous()", "movement"),
    ],
)
def test_family(make: Make, forward: str, family: str) -> None:
    init = "self.register_buffer('t', torch.ones(4))"
    assert trace(make(forward, "torch.rand(64, 128), torch.rand(64, 128)", init)).family == family


@pytest.mark.parametrize(
    ("forward", "inputs", "flops"),
    [
        ("return x + 1", "torch.rand(8, 16)", 128),
        ("return x.to(torch.float16)", "torch.rand(8, 16)", 0),
        ("return x.sum(1)", "torch.rand(8, 16)", 128),
        ("return torch.softmax(x, 1)", "torch.rand(8, 16)", 5 * 128),
        ("return x @ others[0]", "torch.rand(8, 16), torch.rand(16, 4)", 2 * 8 * 16 * 4),
        ("return x @ others[0]", "torch.rand(3, 8, 16), torch.rand(16, 4)", 2 * 3 * 8 * 16 * 4),
        ("return F.linear(x, *others)", "torch.rand(8, 16), torch.rand(4, 16), torch.rand(4)", 33 * 8 * 4),
        ("return torch.addmm(*others, x)", "torch.rand(16, 4), torch.rand(4), torch.rand(8, 16)", 33 * 8 * 4),
        ("return torch.einsum('bij,jk->bik', x, others[0])", "torch.rand(3, 8, 16), torch.rand(16, 4)", 3072),
        (
            "return F.conv2d(x, others[0], groups=2)",
            "torch.rand(1, 4, 8, 8), torch.rand(6, 2, 3, 3)",
            2 * 6 * 36 * 18,
        ),
        ("return F.conv_transpose1d(x, others[0])", "torch.rand(1, 4, 8), torch.rand(4, 5, 3)", 2 * 32 * 15),
        ("return F.max_pool2d(x, 2)", "torch.rand(1, 4, 8, 8)", 64 * 4),
        ("return F.avg_pool1d(x, 4, 2)", "torch.rand(1, 4, 8)", 4 * 3 * 4),
        ("return F.scaled_dot_product_attention(x, x, x)", "torch.rand(1, 2, 8, 4)", 2 * 8 * 8 * 21),
    ],
)
def test_flops(make: Make, forward: str, inputs: str, flops: int) -> None:
    assert trace(make(forward, inputs)).flops == flops


@pytest.mark.parametrize(
    ("forward", "inputs", "count"),
    [
        ("return x + 1", "torch.rand(8, 16)", 1024),
        ("return x + x", "torch.rand(8, 16)", 1024),
        ("return x.half()", "torch.rand(8, 16)", 512 + 256),
        ("return x + others[0]", "torch.rand(8, 16), torch.rand(8, 1).expand(8, 16)", 1024 + 32),
        ("return x + 1", "torch.rand(8, 16), torch.rand(999)", 1024),
        ("return x.max(1).values", "torch.rand(8, 16)", 512 + 32),
        ("return x.reshape(-1), x + 1", "torch.rand(8, 16)", 1024),
        ("return x.t().reshape(-1)", "torch.rand(8, 16)", 1024),
        ("return x.t().contiguous()", "torch.rand(8, 16)", 1024),
        ("y = (x * 2).relu_()\n        return y", "torch.rand(8, 16)", 1024),
        ("x.relu_()\n        return x", "torch.rand(8, 16)", 1024),
        ("return x * self.w", "torch.rand(8, 16)", 1024 + 64),
        ("y = x + 1\n        return y, y.sum(1), x", "torch.rand(8, 16)", 1024 + 32),
        ("self.b.add_(x.sum(0))\n        return x + 1", "torch.rand(8, 16)", 1024 + 2 * 64),
        ("return x.masked_fill(others[0], 0.0)", "torch.rand(8, 16), torch.rand(8, 16) > 0.5", 1024 + 128),
    ],
)
def test_least_bytes(make: Make, forward: str, inputs: str, count: int) -> None:
    init = "self.w = nn.Parameter(torch.ones(16))\n        self.register_buffer('b', torch.zeros(16))"
    assert trace(make(forward, inputs, init)).bytes_min == count


def test_batch_norm_in_both_modes(make: Make) -> None:
    op = make("return self.norm(x)", "torch.rand(8, 16, 4, 4)", "self.norm = nn.BatchNorm2d(16)")
    as_is, train, evaluated = (trace(op, mode) for mode in ("as-is", "train", "eval"))
    assert as_is.fingerprint == train.fingerprint != evaluated.fingerprint
    tensors, parameters, counter = 2 * 8 * 16 * 16 * 4, 4 * 16 * 4, 8
    assert evaluated.bytes_min == tensors + parameters
    assert train.bytes_min == tensors + parameters + counter + (2 * 16 * 4 + counter)


def test_dropout_shows_in_train_mode(make: Make) -> None:
    op = make("return F.dropout(x, 0.5, self.training)")
    assert "random" in trace(op).op_kinds


def test_specs_carry_names_dtypes_and_strides(make: Make) -> None:
    traced = trace(
        make(
            "return x.masked_fill(others[0], 2.0), others[1] + 1",
            "torch.rand(128, 64, dtype=torch.bfloat16).t(), torch.rand(64, 128) > 0.5, torch.arange(6)",
        )
    )
    assert [(spec.shape, spec.dtype, spec.strides) for spec in traced.inputs] == [
        ((64, 128), "bfloat16", (1, 64)),
        ((64, 128), "bool", (128, 1)),
        ((6,), "int64", (1,)),
    ]
    assert [spec.dtype for spec in traced.outputs] == ["bfloat16", "int64"]
    assert traced.inputs[0].name == "x"
    assert traced.dtypes == ("bfloat16", "bool", "int64")


NORM = """
import torch
from torch import nn
rows, width = 64, 128
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
    def forward(self, x):
        return self.weight * x.softmax(-1)
def get_inputs():
    return [torch.rand(rows, width)]
def get_init_inputs():
    return [width]
"""


def test_fingerprint_is_of_the_graph_and_not_of_the_text(tmp_path: Path) -> None:
    renamed = NORM.replace("weight", "gain").replace("rows", "tokens").replace("(self, x)", "(self, hidden)")
    renamed = renamed.replace("* x.", "* hidden.").replace("width", "size")
    rewritten = '"""Another docstring."""' + renamed.replace(
        "return self", "# a comment\n        return self"
    )
    different = [
        NORM.replace("rows, width = 64, 128", "rows, width = 64, 256"),
        NORM.replace("torch.ones(width)", "torch.ones(width, dtype=torch.float16)"),
        NORM.replace("softmax(-1)", "softmax(0)"),
        NORM.replace("self.weight *", "self.weight +"),
        NORM.replace("torch.rand(rows, width)", "torch.rand(width, rows).t()"),
    ]
    prints = []
    for number, text in enumerate([NORM, rewritten, *different]):
        path = tmp_path / f"op{number}.py"
        path.write_text(text)
        prints.append(trace(load_op(path)).fingerprint)
    assert prints[0] == prints[1]
    assert len(set(prints)) == 1 + len(different)
    assert len(prints[0]) == 64


def test_smaller_shapes_give_the_same_nodes(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(NORM.replace("64, 128", "8192, 4096"))
    op = load_op(path)
    expected = targets(trace(op))
    for found in op.shape_sets():
        assert targets(trace(op.with_overrides(found.overrides))) == expected
