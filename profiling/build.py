"""Makes the model and the inputs that an op file describes, on real or on fake tensors."""

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

from .source import OpError, blame, quiet

Input = torch.Tensor | int | float | bool | None

DATA_DEPENDENT = (
    "GuardOnDataDependentSymNode",
    "DataDependentOutputException",
    "DynamicOutputShapeException",
)
"""What torch raises where shapes follow from values, which fake tensors do not have."""


def build(module: ModuleType, path: Path, seed: int, device: str = "cpu") -> tuple[nn.Module, list[Input]]:
    """`Model(*get_init_inputs())` and `get_inputs()`, seeded apart so that neither depends on the other.

    Tensors are made on `device` at once where the file allows it, else on the CPU and then moved.
    """
    if device == "cpu":  # no move at all: fake parameters refuse one
        return _built(module, path, seed, device)
    try:
        with torch.device(device):
            model, inputs = _built(module, path, seed, device)
    except OpError:  # a CPU generator or a numpy array, say
        model, inputs = _built(module, path, seed, "cpu")
    moved = [value.to(device) if isinstance(value, torch.Tensor) else value for value in inputs]
    return model.to(device), moved


def _built(module: ModuleType, path: Path, seed: int, device: str) -> tuple[nn.Module, list[Input]]:
    with quiet():
        with seeded(seed, device):
            model = _model(module, path)
        with seeded(seed + 1, device):
            return model, _inputs(module, path)


@contextlib.contextmanager
def seeded(seed: int, device: str = "cpu") -> Iterator[None]:
    """Seed torch, numpy and random inside the block and give the caller's generators back after it."""
    devices = [torch.device(device)] if device.startswith("cuda") else []
    python_state, numpy_state = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=devices):
        (torch.manual_seed if devices else torch.default_generator.manual_seed)(seed)
        random.seed(seed)
        np.random.seed(seed % 2**32)
        try:
            yield
        finally:
            random.setstate(python_state)
            np.random.set_state(numpy_state)


def _model(module: ModuleType, path: Path) -> nn.Module:
    made = getattr(module, "Model", None)
    if made is None:
        raise OpError(
            f"{path} has no class Model; add `class Model(nn.Module)` with the operator in forward()."
        )
    if not (isinstance(made, type) and issubclass(made, nn.Module)):
        raise OpError(f"Model in {path} is not a torch.nn.Module; write `class Model(nn.Module)`.")
    args, kwargs = _init_arguments(module, path)
    try:
        model = made(*args, **kwargs)
    except (Exception, SystemExit) as error:
        raise OpError(
            f"Model(*get_init_inputs()) in {path} fails: {blame(error, path)}; "
            "get_init_inputs() must return the arguments of Model.__init__."
        ) from error
    return model


def _init_arguments(module: ModuleType, path: Path) -> tuple[Sequence[Any], dict[str, Any]]:
    """Arguments of Model: a list, a dict of keywords, or KernelBook's [positional, keywords]."""
    if not hasattr(module, "get_init_inputs"):
        return [], {}
    values = _called(module.get_init_inputs, "get_init_inputs()", path)
    if isinstance(values, dict):
        return [], values
    if not isinstance(values, list | tuple):
        raise OpError(
            f"get_init_inputs() in {path} returns a {type(values).__name__}; "
            "return a list of Model's arguments."
        )
    if len(values) == 2 and isinstance(values[0], list | tuple) and isinstance(values[1], dict):
        return values[0], values[1]
    return values, {}


def _inputs(module: ModuleType, path: Path) -> list[Input]:
    if not hasattr(module, "get_inputs"):
        raise OpError(f"{path} has no get_inputs(); add one that returns the list of forward()'s arguments.")
    values = _called(module.get_inputs, "get_inputs()", path)
    if not isinstance(values, list | tuple):
        kind = "Tensor" if isinstance(values, torch.Tensor) else type(values).__name__
        raise OpError(f"get_inputs() in {path} returns a {kind}; return a list of tensors and numbers.")
    for position, value in enumerate(values):
        if not isinstance(value, torch.Tensor | int | float | None):
            raise OpError(
                f"input {position} of get_inputs() in {path} is a {type(value).__name__}; "
                "every input must be a tensor or a number."
            )
    return list(values)


def _called(function: Callable[[], Any], name: str, path: Path) -> Any:
    try:
        return function()
    except (Exception, SystemExit) as error:
        if type(error).__name__ in DATA_DEPENDENT:
            raise OpError(
                f"{name} in {path} makes sizes of numbers that it draws, and sizes are read without drawing "
                "any; give them as constants of the file."
            ) from error
        raise OpError(
            f"{name} in {path} fails: {blame(error, path)}; it must run without arguments."
        ) from error
