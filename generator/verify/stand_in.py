"""Lets a wrapper written for a GPU run where there is none: its device questions get the target's answers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class OnThisMachine(TorchFunctionMode):
    """Turns every request for a CUDA device into one for the CPU, where the interpreter keeps its memory."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is torch.Tensor.cuda:
            return args[0]
        kwargs = {name: _here(value) if name == "device" else value for name, value in (kwargs or {}).items()}
        if func is torch.Tensor.to:
            args = tuple(_here(value) for value in args)
        return func(*args, **kwargs)


def _here(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("cuda"):
        return "cpu"
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


def stand_in(device: Mapping[str, Any]) -> None:
    """Patch this process: tensors say that they are on a GPU, and `torch.cuda` describes `device`.

    `device` has name, unit_count, shared_bytes_per_block and capability, as the target's sheet gives them.
    """
    properties = SimpleNamespace(
        name=device["name"],
        multi_processor_count=device["unit_count"],
        major=device["capability"][0],
        minor=device["capability"][1],
        warp_size=device["warp_size"],
        shared_memory_per_block_optin=device["shared_bytes_per_block"],
    )
    torch.Tensor.is_cuda = property(lambda tensor: True)  # type: ignore[assignment]
    answers: dict[str, Any] = {
        "device": _no_device,
        "synchronize": lambda *_: None,
        "is_available": lambda: True,
        "current_device": lambda: 0,
        "device_count": lambda: 1,
        "get_device_properties": lambda *_: properties,
        "get_device_capability": lambda *_: tuple(device["capability"]),
        "get_device_name": lambda *_: device["name"],
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)


@contextlib.contextmanager
def _no_device(*_: Any) -> Iterator[None]:
    yield
