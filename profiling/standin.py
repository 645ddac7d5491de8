"""Stands in for a card that is not here, so that a candidate's host code runs and what it launches is seen.

Triton is given a driver that answers with the target asked for, torch a single device: fake tensors live on
"cpu", call themselves CUDA tensors, and whatever is asked onto "cuda" stays where it is. Addresses are the
offset into the storage, as if every allocation were aligned: both CUDA's and HIP's allocators align to 256
bytes or more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

from .converting import converting


@dataclass(frozen=True)
class Card:
    """What host code may ask a card about itself."""

    name: str
    backend: str  # "cuda" or "hip"
    arch: int | str  # 90 or "gfx942"
    warp_size: int
    unit_count: int
    shared_bytes_per_block: int
    registers_per_unit: int
    max_threads_per_unit: int
    l2_bytes: int
    memory_bytes: int

    @property
    def target(self) -> GPUTarget:
        return GPUTarget(self.backend, self.arch, self.warp_size)


@contextlib.contextmanager
def present(card: Card) -> Iterator[None]:
    """Inside the block torch and triton believe in `card`."""
    with (
        _driver(card),
        _torch_cuda(card),
        patch.object(FakeTensor, "data_ptr", _offset_address, create=True),
        patch.object(FakeTensor, "is_cuda", property(lambda _: True), create=True),
        converting(),
        _OneDevice(),
    ):
        yield


def _offset_address(tensor: torch.Tensor) -> int:
    return int(tensor.storage_offset()) * tensor.element_size()


class _Driver:
    """The few questions that triton's JIT and common host code put to the active driver."""

    def __init__(self, card: Card) -> None:
        self._card = card
        self.utils = SimpleNamespace(get_device_properties=lambda _device=0: dict(self._properties()))

    def get_current_target(self) -> GPUTarget:
        return self._card.target

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, _device: int = 0) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return torch.cuda

    def _properties(self) -> Mapping[str, int]:
        return {
            "max_shared_mem": self._card.shared_bytes_per_block,
            "max_num_regs": self._card.registers_per_unit,
            "multiprocessor_count": self._card.unit_count,
            "warpSize": self._card.warp_size,
        }


@contextlib.contextmanager
def _driver(card: Card) -> Iterator[None]:
    before = dict(vars(driver))  # asking for the active driver would look for a card
    driver.set_active(_Driver(card))
    try:
        yield
    finally:
        vars(driver).clear()
        vars(driver).update(before)


@contextlib.contextmanager
def _torch_cuda(card: Card) -> Iterator[None]:
    """`torch.cuda` as host code uses it: counting multiprocessors, choosing by capability, waiting."""
    cuda = card.backend == "cuda"
    capability = divmod(int(card.arch), 10) if cuda else (9, 4)
    properties = SimpleNamespace(
        name=card.name,
        major=capability[0],
        minor=capability[1],
        multi_processor_count=card.unit_count,
        total_memory=card.memory_bytes,
        warp_size=card.warp_size,
        shared_memory_per_block_optin=card.shared_bytes_per_block,
        regs_per_multiprocessor=card.registers_per_unit,
        max_threads_per_multi_processor=card.max_threads_per_unit,
        L2_cache_size=card.l2_bytes,
        gcnArchName="" if cuda else str(card.arch),
    )
    answers: dict[str, Any] = {
        "get_device_properties": lambda _device=None: properties,
        "get_device_capability": lambda _device=None: capability,
        "get_device_name": lambda _device=None: card.name,
        "current_device": lambda: 0,
        "device_count": lambda: 1,
        "synchronize": lambda _device=None: None,
        "set_device": lambda _device: None,
        "device": lambda _device=None: contextlib.nullcontext(),
        "device_of": lambda _tensor=None: contextlib.nullcontext(),
        "current_stream": lambda _device=None: SimpleNamespace(cuda_stream=0),
    }
    with contextlib.ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(patch.object(torch.cuda, name, answer))
        yield


class _OneDevice(TorchFunctionMode):
    """Lets "cuda" mean the one device there is."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.cuda:
            return args[0]
        here = {name: _here(value) for name, value in (kwargs or {}).items()}
        return func(*(_here(value) for value in args), **here)


def _here(value: Any) -> Any:
    """A CUDA device or its name as "cpu"; anything else as it is."""
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and value.split(":")[0] == "cuda":
        return "cpu"
    return value
