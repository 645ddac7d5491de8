"""Text that keeps or learns what nobody would see is refused; what honest wrappers write is not."""

import pytest

from kbgen.generator.verify.text.scan import scan

HEAD = """import functools
from dataclasses import MISSING, dataclass

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, 1)


@dataclass
class Plan:
    grid: int


"""


def model(body: str) -> str:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return f"{HEAD}class ModelNew(nn.Module):\n    def forward(self, x):\n{lines}\n"


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("MISSING.calls = 1", "MISSING.calls"),
        ("kept = MISSING\nkept.calls = 1", "dataclasses.MISSING"),
        ("kept = nn.functional.relu\nkept.calls = 1", "kept.calls"),
        ("[MISSING][0].calls = 1", "calls"),
        ("x.calls = 1", "x.calls"),
        ("torch.__all__.append('x')", "__all__"),
        ("return x.new_empty(len(torch.cuda.default_generators))", "default_generators"),
        ("return np.ones(1)", "names np"),
        ("return x.data_ptr() >> 40", "address"),
        ("place = x.data_ptr()\nreturn place > 1 << 40", "address"),
        ("return int(x.data_ptr())", "address"),
        ("return x.data_ptr() % (1 << 40)", "address"),
        ("return x.untyped_storage()[0]", "untyped_storage"),
        ("return hasattr(self.kernel, 'rewriter')", "rewriter"),
        ("ask = hasattr\nreturn ask(x, 'shape')", "hasattr"),
        ("return self.plan.cache_info().hits", "cache_info"),
        ("return 'object' in repr(kernel)", "asks what kernel is"),
        ("return f'{kernel}' == ''", "asks what kernel is"),
        ("return '{}'.format([kernel])", "asks what kernel is"),
        ("return type(kernel).__name__", "asks what kernel is"),
        ("return str(tl.load)", "asks what tl is"),
        ("return x.__class__", "x.__class__"),
        ("match x:\n    case object(src=text):\n        return text", "matches an object"),
        ("return dir(x)", "dir"),
        ("return isinstance(x, triton.JITFunction)", "triton.JITFunction"),
    ],
)
def test_hideouts_are_refused(body: str, word: str) -> None:
    fault = scan(model(body)).fault
    assert fault is not None
    assert fault.cause == "forbidden-code"
    assert word in fault.detail


@pytest.mark.parametrize(
    "body",
    [
        "self.calls = 1\nself.plan.grid = 2\nnorm = self.norm\nnorm.count += 1",
        "x, norm = x.contiguous(), self.norm\nnorm.num_batches_tracked += 1",
        "plan = Plan(1)\nplan.grid = 2",
        "assert x.data_ptr() % 16 == 0\nreturn x.data_ptr() == x.data_ptr()",
        "key = (x.data_ptr(), x.shape, torch.float32)\nreturn self.plans.get(key)",
        "return float('inf') if x.dtype is torch.bfloat16 else torch.finfo(x.dtype).max",
        "return [(one, other) for one, other in zip(x.shape, x.stride())]",
        "return torch.version.hip is None or torch.inf",
        "match x.ndim:\n    case 2 as rank:\n        return rank",
        "with torch.cuda.device(x.device) as where:\n    return where",
        "raise ValueError(f'{type(x)} of {x.ndim} and {self.__class__.__name__}')",
        "for one in (kernel, kernel):\n    one[(1,)](x)",
    ],
)
def test_what_wrappers_write_is_let_through(body: str) -> None:
    assert scan(model(body)).fault is None
