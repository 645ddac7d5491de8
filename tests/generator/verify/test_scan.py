"""Texts that must be refused, or let through, without being run."""

import pytest

from kbgen.generator.verify.text.scan import scan

HEAD = """import torch
import triton
import triton.language as tl
from torch import nn
import torch.nn.functional as F
"""


def model(body: str, head: str = "") -> str:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return f"{HEAD}{head}\nclass ModelNew(nn.Module):\n    def forward(self, x):\n{lines}\n"


@pytest.mark.parametrize(
    "body",
    [
        "return torch.empty_like(x)",
        "return x.contiguous().view(-1).reshape(4, -1).transpose(0, 1)",
        "assert x.stride(-1) == 1, 'rows must be contiguous'\nreturn torch.empty(x.shape, dtype=x.dtype)",
        "with torch.cuda.device(x.device):\n    return x.new_empty(x.shape)",
        "return getattr(x, 'shape')",
        "return {'a': x}.items()",
        "return torch.return_types.topk((x, x))",
        "self.count.mul_(2).add_(1)\nreturn torch.empty_like(x)",  # calls tell whether it is one number
    ],
)
def test_wrapper_work_is_free(body: str) -> None:
    result = scan(model(body))
    assert result.fault is None
    assert result.library_calls == ()


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("return torch.softmax(x, -1)", "torch.softmax"),
        ("return F.gelu(x)", "torch.nn.functional.gelu"),
        ("return x.softmax(-1)", "torch.Tensor.softmax"),
        ("return x @ x", "torch.matmul"),
        ("return torch.ops.aten.relu(x)", None),
        ("return nn.functional.relu(x)", "torch.nn.functional.relu"),
        ("f = F.relu\nreturn x.relu_()", "torch.Tensor.relu_"),
    ],
)
def test_library_calls_need_declaring(body: str, name: str | None) -> None:
    result = scan(model(body))
    assert result.fault is not None
    if name is None:
        assert result.fault.cause == "forbidden-code"
        return
    assert result.fault.cause == "library-call"
    assert result.library_calls == (name,)
    assert scan(model(body), [name]).fault is None
    assert scan(model(body), ["*"]).fault is None


def test_who_declares_all_calls_may_have_them_in_branches() -> None:
    text = model("if x.ndim > 1:\n    x = torch.relu(x)\nreturn x")
    assert scan(text, ["torch.relu"]).fault.cause == "fallback-branch"
    assert scan(text, ["*"]).fault is None


def test_submodules_of_torch_are_library_calls() -> None:
    text = HEAD + (
        "class ModelNew(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.linear = nn.Linear(3, 3)\n"
        "    def forward(self, x):\n        return self.linear(x)\n"
    )
    assert scan(text).library_calls == ("torch.nn.Linear",)
    assert scan(text).fault.cause == "library-call"
    assert scan(text, ["torch.nn.Linear"]).fault is None


def test_constructors_may_compute_since_their_weights_are_replaced() -> None:
    text = HEAD + (
        "class ModelNew(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.weight = nn.Parameter(torch.randn(3).abs())\n        nn.init.ones_(self.weight)\n"
        "    def forward(self, x):\n        return torch.empty_like(x)\n"
    )
    assert scan(text).fault is None


def constructed(body: str) -> str:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return (
        model("return torch.empty_like(x)")
        + f"    def __init__(self):\n        super().__init__()\n{lines}\n"
    )


def test_a_constructor_may_go_through_the_modules_of_its_own() -> None:
    body = "for m in self.modules():\n    if isinstance(m, nn.Conv2d):\n        nn.init.ones_(m.weight)"
    assert scan(constructed(body)).fault is None


@pytest.mark.parametrize(
    "body",
    [
        "self.table = self.modules",
        "self.modules['os'].abort()",
        "self.modules(1)",
        "nn.modules",
        "list(F.modules())",
        "helper = self\nhelper.modules()",
    ],
)
def test_modules_under_any_other_name_stay_shut(body: str) -> None:
    assert scan(constructed(body)).fault.cause == "forbidden-code"
    assert scan(model(body)).fault.cause == "forbidden-code"


def test_forward_goes_through_no_modules() -> None:
    assert scan(model("return list(self.modules())")).fault.cause == "forbidden-code"


@pytest.mark.parametrize(
    "head",
    [
        "import os",
        "import ctypes",
        "from gc import get_objects",
        "import torch.utils.cpp_extension",
        "from torch import *",
        "from . import reference",
        "exec('1')",
        "globals()['x'] = 1",
        "torch.allclose = None",
        "nn.Module.__call__ = None",
        "del torch.equal",
        "import dataclasses\ndataclasses.sys",
        "def outer():\n    global state\n    state = 1",
        "getattr(torch, 'sum' + 'x')",
        "().__class__.__base__.__subclasses__()",
        "class Lazy(torch.Tensor):\n    pass",
        "class Sly(nn.Module):\n    def __getattr__(self, name):\n        return None",
        "from torch.utils import _pytree",
        "torch._C._cuda_init()",
        "triton.runtime.driver",
        "Made = type('Made', (), {})",
        "nn.Module.__class__ = None",
        "@triton.jit\ndef kernel(p):\n    tl.store(p, torch.ones(3).sum())",
    ],
)
def test_forbidden_code(head: str) -> None:
    result = scan(model("return torch.empty_like(x)", head))
    assert result.fault is not None
    assert result.fault.cause == "forbidden-code", result.fault


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        ("for i in range(4):\n    if i == 2:\n        break", "holds a break"),
        ("i = 0\nwhile i < 4:\n    i += 1\n    continue", "holds a continue"),
        ("for i in range(4):\n    if i == 2:\n        return", "returns from inside of a loop"),
        ("if (i := tl.program_id(0)) > 2:\n    tl.store(p, i)", "holds a namedexpr"),
        ("for i in (0, 1):\n    tl.store(p, i)", "goes around (0, 1)"),
        ("if 0 < tl.program_id(0) < 3:\n    tl.store(p, 1.0)", "compares 0 < tl.program_id(0) < 3 in one"),
        ("if tl.program_id(0) in (1, 2):\n    tl.store(p, 1.0)", "compares"),
        ("if tl.program_id(0) > 2:\n    return", ""),
    ],
)
def test_kernels_hold_only_statements_that_a_compiler_takes(statements: str, told: str) -> None:
    lines = "\n".join(f"    {line}" for line in statements.splitlines())
    fault = scan(model("return x", f"@triton.jit\ndef kernel(p):\n{lines}\n    tl.store(p, 1.0)\n")).fault
    assert (fault is None) is (not told)
    assert fault is None or (fault.cause == "forbidden-code" and told in fault.detail)


def test_try_around_a_launch_is_a_fallback() -> None:
    body = "try:\n    return launch(x)\nexcept RuntimeError:\n    return None"
    assert scan(model(body)).fault.cause == "fallback-branch"


def test_kernels_are_not_read_for_torch_calls() -> None:
    head = "@triton.jit\ndef kernel(p):\n    x = tl.load(p)\n    tl.store(p, x.sum(0).softmax())\n"
    assert scan(model("return torch.empty_like(x)", head)).fault is None


def test_a_file_that_does_not_parse_is_not_loadable() -> None:
    assert scan("class ModelNew(:").fault.cause == "not-loadable"


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("def f(input):\n    return input", True),
        ("def f(x, *, input=None):\n    return [input for _ in x]", True),
        ("def f(x):\n    input = x\n    return lambda: input", True),
        ("f = lambda input: input", True),
        ("def f(x):\n    def g(input):\n        return input\n    return g(x)", True),
        ("def f(x):\n    return input", False),
        ("def f(x, y=input):\n    return x", False),
        ("def f(x):\n    def g(input):\n        return input\n    return input", False),
        ("def f(x):\n    x = [1 for input in x]\n    return input", False),
        ("def f(input):\n    class A:\n        kept = input\n        input = 1\n    return A", False),
        ("input = 1\ndef f(x):\n    return input", False),
        ("class A:\n    kept = input\n    input = 1", False),
        ("def f(__builtins__):\n    return __builtins__", False),
    ],
)
def test_a_name_that_a_function_binds_is_no_builtin(text: str, free: bool) -> None:
    fault = scan(f"{model('return torch.empty_like(x)')}\n{text}\n").fault
    assert fault is None if free else fault is not None and " names " in fault.detail


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("import contextlib\ndef f(x):\n    with contextlib.nullcontext():\n        return x", True),
        ("from contextlib import nullcontext", True),
        ("import warnings\ndef f(x):\n    warnings.warn('slow')", True),
        ("class F:\n    @staticmethod\n    @torch.amp.custom_fwd(device_type='cuda')\n"
         "    def forward(ctx, x):\n        return x", True),
        ("import contextlib\ndef f(x):\n    with contextlib.suppress(ValueError):\n        return x", False),
        ("from contextlib import suppress", False),
        ("import contextlib as c\ndef f(x):\n    return getattr(c, 'suppress')", False),
        ("import warnings\nw = warnings", False),
        ("import warnings\ndef f(x):\n    with warnings.catch_warnings():\n        pass", False),
        ("import logging", False),
    ],
)  # fmt: skip
def test_a_module_may_be_allowed_in_part(text: str, free: bool) -> None:
    fault = scan(f"{model('return torch.empty_like(x)')}\n{text}\n").fault
    assert (fault is None) is free, fault


def test_a_generator_draws_weights_and_nothing_else() -> None:
    draw = "torch.Generator().manual_seed(3)"
    text = model("return torch.empty_like(x)")
    built = f"""    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.randn(4, generator={draw}))

    def forward"""
    assert scan(text.replace("    def forward", built)).fault is None
    refused = scan(model(f"g = {draw}\nreturn torch.empty_like(x)")).fault
    assert refused is not None
    assert "torch.Generator" in refused.detail


TABLE = """
def step(count):
    return torch.linspace(0, 1, count)

def table(count):
    return step(count).sin()
"""


def test_what_only_constructors_name_is_a_part_of_them() -> None:
    made = constructed("self.register_buffer('table', table(8))").replace(
        "class ModelNew", f"{TABLE}\nclass ModelNew"
    )
    assert scan(made).fault is None
    used = model("return x + table(8)", TABLE)
    fault = scan(used).fault
    assert fault is not None
    assert fault.cause == "library-call"
