"""Lines of a wrapper that no call reached."""

from pathlib import Path

import pytest

from kbgen.generator.verify.text.coverage import Reached, unreached

HEAD = "def kernel(x):\n    return x\n"


def lines(body: str, *calls: tuple[int, ...], folder: Path) -> list[int]:
    """What is left of `def forward(x): body` after `calls`."""
    source = HEAD + "def forward(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    file = folder / "candidate.py"
    scope: dict[str, object] = {}
    exec(compile(source, str(file), "exec"), scope)
    reached = Reached()
    reached.follow(str(file))
    with reached.watching():
        for call in calls:
            scope["forward"](*call)  # type: ignore[operator]
    return unreached(source, reached.lines[str(file)])


def test_a_branch_that_nobody_entered_is_named(tmp_path: Path) -> None:
    body = "if x > 1000:\n    x = 0\nreturn x"
    assert lines(body, (5,), folder=tmp_path) == [5]
    assert lines(body, (5,), (2000,), folder=tmp_path) == []


@pytest.mark.parametrize(
    "body",
    [
        "if x > 1000:\n    raise ValueError(x)\nreturn x",
        "if x > 1000:\n    text = 'too large'\n    raise ValueError(text)\nreturn x",
        "'''What it does.'''\nassert x < 1000\nreturn x",
        "return (\n    x +\n    1\n)",
    ],
)
def test_refusals_and_words_are_no_work(body: str, tmp_path: Path) -> None:
    assert lines(body, (5,), folder=tmp_path) == []


def test_a_function_that_never_ran_is_not_looked_into(tmp_path: Path) -> None:
    assert lines("def spare():\n    return 1\nreturn x", (5,), folder=tmp_path) == []


KERNEL = "import triton\n@triton.jit\ndef kernel(x, N):\n    pass\n"
WARPS = "def settings(n):\n    warps = 4\n    if n > 999:\n        warps = {value}\n    return n, warps\n"


@pytest.mark.parametrize(
    ("caller", "value", "spared"),
    [
        ("    n, w = settings(x.numel())\n    kernel[(n,)](x, n, num_warps=w)", 32, True),
        ("    n, w = settings(x.numel())\n    ctx.w = w\n    kernel[(n,)](x, n, num_stages=w)", 3, True),
        ("    n, w = settings(x.numel())\n    kernel[(n,)](x, n, num_warps=w)", 3, False),
        ("    kernel[(1,)](x, 1, num_warps=settings(x.numel()))", 32, False),
        ("    n, w = settings(x.numel())\n    kernel[(n,)](x, w, num_warps=w)", 32, False),
        ("    n, w = settings(x.numel())\n    kernel[(w,)](x, n, num_warps=w)", 32, False),
        ("    n, w = settings(x.numel())\n    kernel[(n,)](x, n, N=w)", 32, False),
        ("    n, w = settings(x.numel())\n    table[n](x, num_warps=w)", 32, False),
        (
            "    n, w = settings(x.numel())\n    kernel[lambda m: (m['num_warps'],)](x, num_warps=w)",
            32,
            False,
        ),
        ("    n, w = settings(x.numel())\n    ctx.w = w\n    return ctx.w", 32, False),
        ("    w = settings(x.numel())\n    kernel[(1,)](x, 1, num_warps=w[1])", 32, False),
        ("    return settings(x.numel())", 32, False),
    ],
)
def test_a_number_of_warps_changes_no_result(caller: str, value: int, spared: bool) -> None:
    source = f"{KERNEL}{WARPS.format(value=value)}def forward(ctx, x):\n{caller}\n"
    last = source.count("\n")
    assert unreached(source, {6, 7, 9, *range(10, last + 1)}) == ([] if spared else [8])


def test_a_number_of_warps_may_be_asked_for_where_a_launch_is() -> None:
    warps = WARPS.format(value=32).replace("n, warps", "warps")
    source = f"{KERNEL}{warps}def forward(x):\n    kernel[(1,)](x, 1, num_warps=settings(x.numel()))\n"
    assert unreached(source, {6, 7, 9, 11}) == []
    assert unreached(source.replace("num_warps=", "N="), {6, 7, 9, 11}) == [8]


MODEL = """import torch
class ModelNew:
    def __init__(self):
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.bias = None
    def forward(self, x):
        return helper({handed})
def helper(x, weight, bias=None):
    if {test}:
        x = 1
    else:
        x = 2
    return x
"""
REACHED = {7, 9, 12, 13}


@pytest.mark.parametrize(
    ("handed", "test", "settled"),
    [
        ("x, self.weight", "weight is None", True),
        ("x, self.bias", "weight is not None", True),
        ("x, weight=self.weight, bias=self.bias", "weight is None or bias is not None", True),
        ("x, self.weight", "bias is not None", True),
        ("x.contiguous(), self.weight", "x is None", True),
        ("x, self.weight", "x.ndim == 2", True),
        ("x, self.weight", "len(x.shape) == 2", True),
        ("x, self.weight", "len(x.size()) == 2", True),
        ("x, self.weight", "x.shape == 2", False),
        ("x, self.weight, [3]", "isinstance(bias, int)", True),
        ("x, self.weight, self.steps", "isinstance(bias, int)", True),
        ("x, self.weight, 3 if x.numel() > 9 else [3]", "isinstance(bias, int)", False),
        ("x, self.weight", "bias is not None or weight is None", True),
        ("x, self.weight", "bias is not None and x.numel() > 9", True),
        ("x, self.weight", "weight.ndim == 2 and not weight.dtype in (torch.half, torch.float)", True),
        ("x, self.other", "weight is None", False),
        ("x, self.weight if x.numel() > 9 else None", "weight is None", False),
        ("*(x, self.weight)", "weight is None", False),
        ("x, self.weight, x if x.numel() > 9 else None", "bias is not None", False),
        ("x, find(x)", "weight is None", False),
        ("x, self.weight", "weight is None or x.numel() > 9", False),
        ("x, self.weight", "weight.shape[0] == 2", False),
        ("x, self.weight", "weight.ndim == len(x)", False),
    ],
)
def test_a_branch_for_other_ops_need_not_be_entered(handed: str, test: str, settled: bool) -> None:
    assert unreached(MODEL.format(handed=handed, test=test), REACHED) == ([] if settled else [10])


def test_who_hands_something_else_in_settles_nothing() -> None:
    source = MODEL.format(handed="x, self.weight", test="weight is None")
    assert unreached(source, REACHED) == []
    assert unreached(source + "def other(x):\n    return helper(x, None)\n", REACHED) == [10]
    assert unreached(source + "alias = helper\n", REACHED) == [10]
    assert unreached(source + "def later(self):\n    self.weight = None\n", REACHED) == [10]


def test_a_settled_condition_has_to_be_met() -> None:
    source = "def forward(x):\n    if x > 9:\n        if x.ndim == 2:\n            x = 1\n    return x\n"
    assert unreached(source, {2, 5}) == [4]
    assert unreached(source, {2, 3, 5}) == []
    other = source.replace("x > 9", "x.take(9)").replace("    if x.take", "    x = x.get()\n    if x.take")
    assert unreached(other, {2, 3, 4, 6}) == [5]


SWEEPS = """class ModelNew:
    def __init__(self, sweeps):
        self.sweeps = {given}
    def forward(self, x):
        if {test}:
            x = 1
        return x
"""


@pytest.mark.parametrize(
    ("given", "test", "settled"),
    [
        ("sweeps", "self.sweeps == 0", True),
        ("sweeps", "self.sweeps in (0, 1)", True),
        ("sweeps", "self.sweeps == len(x)", False),
        ("sweeps", "self.other == 0", False),
        ("min(sweeps, 3)", "self.sweeps == 0", False),
        ("steps", "self.sweeps == 0", False),
    ],
)
def test_what_the_op_file_hands_to_the_constructor_is_settled(given: str, test: str, settled: bool) -> None:
    source = SWEEPS.format(given=given, test=test)
    assert unreached(source, {5, 7}) == ([] if settled else [6])
    assert unreached(source + "    def later(self):\n        self.sweeps = 0\n", {5, 7}) == [6]


PAIR = """class ModelNew:
    def __init__(self, stride):
        self.stride = {stride}
    def forward(self, x):
        return pair(self.stride)
def pair(value):
    if isinstance(value, tuple):
        return value
    return (value, value)
"""


def test_what_follows_a_settled_return_need_not_be_reached() -> None:
    assert unreached(PAIR.format(stride="stride"), {5, 7, 8}) == []
    assert unreached(PAIR.format(stride="stride if stride > 9 else (1, 1)"), {5, 7, 8}) == [9]
    assert unreached(PAIR.format(stride="stride") + "def late(self):\n    self.stride = 2\n", {5, 7, 8}) == [
        9
    ]


DEAD = """class ModelNew:
    def forward(self, x):
        return helper(x)
def helper(x, extra=None, kind=None):
    if extra is not None:
        kind = extra.dtype
    if extra is not None or (kind is not None and kind != x.dtype):
        x = 1
    return x
"""


def test_what_a_dead_branch_assigns_does_not_count() -> None:
    assert unreached(DEAD, {3, 5, 7, 9}) == []
    assert unreached(DEAD.replace("helper(x)", "helper(x, find(x))"), {3, 5, 7, 9}) == [6, 8]


SAVED = """class Op(Function):
    @staticmethod
    def forward(ctx, x):
        if x.requires_grad:
            ctx.save_for_backward(x)
            ctx.size = x
        return {result}
"""


def test_what_is_kept_for_a_backward_pass_changes_no_result() -> None:
    assert unreached(SAVED.format(result="x"), {4, 7}) == []
    assert unreached(SAVED.format(result="ctx.size"), {4, 7}) == [6]
    assert unreached(SAVED.format(result="x").replace("(x)", "(change(x))"), {4, 7}) == [5]


FORMS = """import torch
from torch import nn
FAST = False
class ModelNew(nn.Module):
    def __init__(self, cols, affine=True):
        self.norm = nn.LayerNorm(cols)
        self.kind = "gelu"
        self.weight = nn.Parameter(torch.ones(cols)) if affine else None
    def plan(self, x, dtype, causal=False):
        if causal or dtype == torch.half:
            y = 1
        return x
    def forward(self, x, mask=None):
        {bound}
        if {test}:
            y = 1
        return self.plan(x, {handed})
"""


@pytest.mark.parametrize(
    ("bound", "test", "fixed"),
    [
        ("half = x.dtype in (torch.half, torch.bfloat16)", "half", True),
        ("rank = x.dim()", "rank == 3", True),
        ("rank = x.dim() + len(x)", "rank == 3", False),
        ("weight, bias = self.norm.weight, self.norm.bias", "bias is None", True),
        ("weight, bias = self.norm.weight, self.norm.bias", "not weight.sum()", False),
        ("bias = self.norm.bias; has = bias is not None; bias = bias if has else x", "has", False),
        ("given = mask is not None", "given", True),
        ("given = mask is not None or x.numel() > 99", "given", False),
        ("wide = x.element_size() == 2", "wide and self.norm.elementwise_affine", True),
        ("weight = self.weight", "weight.dtype != x.dtype", True),
        ("pass", "self.kind == 'relu'", True),
        ("pass", "FAST", True),
        ("pass", "SLOW", False),
        ("pass", "x.requires_grad", False),
        ("pass", "x.numel() >= 2**31", True),
        ("pass", "x.shape[0] * x.stride(0) > 2**31 - 1", True),
        ("n = x.numel()", "n > 0x7FFFFFFF", True),
        ("pass", "x.numel() >= 2**30", False),
        ("pass", "x.numel() * 4096 >= 2**31", False),
        ("n = x.shape[0] << 20", "n >= 2**31", False),
    ],
)
def test_what_is_the_same_in_every_call_need_not_come_out_the_other_way(
    bound: str, test: str, fixed: bool
) -> None:
    source = FORMS.format(bound=bound, test=test, handed="x.dtype")
    assert unreached(source, {10, 12, 14, 15, 17}, inputs=1) == ([] if fixed else [16])


@pytest.mark.parametrize(("handed", "fixed"), [("x.dtype", True), ("x.dtype, True", True), ("x[0]", False)])
def test_a_method_is_asked_for_by_those_who_call_it(handed: str, fixed: bool) -> None:
    source = FORMS.format(bound="pass", test="FAST", handed=handed)
    assert unreached(source, {10, 12, 14, 15, 17}, inputs=1) == ([] if fixed else [11])


def test_what_is_put_in_the_place_of_none_changes_nothing() -> None:
    source = FORMS.format(
        bound="bias = self.norm.bias; has = bias is not None", test="not has", handed="x.dtype"
    )
    source = source.replace("y = 1\n        return self", "bias = x\n        return self")
    assert unreached(source, {10, 12, 14, 15, 17}, inputs=1) == []


def test_an_argument_that_is_given_is_not_left_out() -> None:
    source = FORMS.format(bound="given = mask is not None", test="given", handed="x.dtype")
    assert unreached(source, {10, 12, 14, 15, 17}, inputs=2) == [16]


def test_cases_for_other_dtypes_need_not_be_entered() -> None:
    source = "class ModelNew:\n    def forward(self, x):\n        match {of}:\n            case torch.half:\n"
    source += "                y = 1\n            case _:\n                y = 2\n        return y\n"
    assert unreached(source.format(of="x.dtype"), {3, 7, 8}) == []
    assert unreached(source.format(of="len(x)"), {3, 7, 8}) == [5]
