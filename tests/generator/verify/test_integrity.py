"""Whatever a candidate could replace is named by `changed_since`; what nobody touched is not."""

import builtins
import pickle
import sys
import time
import warnings
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn.modules import module as module_hooks

from kbgen.generator.verify.comparison import review
from kbgen.generator.verify.process import integrity

Patch = Callable[[pytest.MonkeyPatch], object]


class Mode(torch.overrides.TorchFunctionMode):
    """Left entered, it would see every later call."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def other(*args: object, **kwargs: object) -> None:
    return None


def add_hook(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(module_hooks._global_forward_hooks, -1, other)


REPLACED: dict[str, tuple[str, Patch]] = {
    "a timer": ("time.perf_counter", lambda patch: patch.setattr(time, "perf_counter", other)),
    "the card's clock": (
        "elapsed_time",
        lambda patch: patch.setattr(torch.cuda.Event, "elapsed_time", other),
    ),
    "synchronize": ("torch.cuda.synchronize", lambda patch: patch.setattr(torch.cuda, "synchronize", other)),
    "allclose": ("torch.allclose", lambda patch: patch.setattr(torch, "allclose", other)),
    "assert_close": ("assert_close", lambda patch: patch.setattr(torch.testing, "assert_close", other)),
    "a module's call": ("Module::__call__", lambda patch: patch.setattr(nn.Module, "__call__", other)),
    "a layer": ("Linear::forward", lambda patch: patch.setattr(nn.Linear, "forward", other)),
    "a layer's function": ("functional.linear", lambda patch: patch.setattr(nn.functional, "linear", other)),
    "a new tensor method": (
        "Tensor::add",
        lambda patch: patch.setattr(torch.Tensor, "add", other, raising=False),
    ),
    "our own function": ("Review::run", lambda patch: patch.setattr(review.Review, "run", other)),
    "bytecode": (
        "module.Module::train",
        lambda patch: patch.setattr(nn.Module.train, "__code__", other.__code__),
    ),
    "defaults": (
        "Module::state_dict",
        lambda patch: patch.setattr(nn.Module.state_dict, "__kwdefaults__", {}),
    ),
    "a module": ("sys.modules['time']", lambda patch: patch.setitem(sys.modules, "time", sys)),
    "a hook of all modules": ("_global_forward_hooks", add_hook),
    "an import hook": (
        "import hooks",
        lambda patch: patch.setattr(sys, "meta_path", [*sys.meta_path, other]),
    ),
    "snapshot itself": (
        "integrity.changed_since",
        lambda patch: patch.setattr(integrity, "changed_since", other),
    ),
}


@pytest.mark.parametrize("what", REPLACED)
def test_it_is_noticed(what: str) -> None:
    name, replace = REPLACED[what]
    before, changed_since = integrity.snapshot(), integrity.changed_since
    with pytest.MonkeyPatch.context() as patch:
        replace(patch)
        changed = changed_since(before)
    assert any(name in one for one in changed), changed
    assert changed_since(before) == []


def test_a_built_in_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before, original = integrity.snapshot(), builtins.sum
    monkeypatch.setattr(builtins, "sum", lambda *args: original(*args))
    assert integrity.changed_since(before) == ["builtins.sum"]


def test_another_precision_is_noticed() -> None:
    before, was = integrity.snapshot(), torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        changed = integrity.changed_since(before)
    finally:
        torch.set_float32_matmul_precision(was)
    assert changed == ["the precision of float32 matrix products", "torch.backends.cuda.matmul.allow_tf32"]


def test_a_mode_left_entered_is_noticed() -> None:
    before = integrity.snapshot()
    with Mode():
        assert integrity.changed_since(before) == ["the stack of torch function modes"]


def test_an_operator_given_another_implementation_is_noticed() -> None:
    before = integrity.snapshot()
    with torch.library._scoped_library("aten", "IMPL") as library:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns of the first one only
            library.impl("cosh", lambda tensor: tensor, "CPU")
        assert integrity.changed_since(before) == ["operators of ATen"]
    assert integrity.changed_since(before) == []


def test_ordinary_work_changes_nothing() -> None:
    before = integrity.snapshot()
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.GELU())
    model(torch.randn(3, 4)).sum().backward()
    pickle.dumps(model)
    torch.manual_seed(3)
    assert integrity.changed_since(before) == []
