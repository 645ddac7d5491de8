"""Lets a wrapper written for a GPU run where there is none: every question about the device gets the target's
answer.

A candidate that can tell the judge from a card can be right for the judge alone. So tensors say that they are
on `cuda:0`, `torch.cuda` describes the target, and a kernel is called what it is called where it is compiled.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import torch
import torch.library
from torch.overrides import TorchFunctionMode
from torch.torch_version import TorchVersion
from triton.backends.compiler import GPUTarget
from triton.runtime.interpreter import InterpretedFunction

from ..text.allowed import FORBIDDEN_KEYWORDS
from .recorder import TO_HOST, Recorder

_CARD = torch.device("cuda", 0)
_ANSWERS: Mapping[Any, Any] = {
    vars(torch._C.TensorBase)["device"].__get__: _CARD,
    vars(torch._C.TensorBase)["is_cpu"].__get__: False,
    torch.Tensor.get_device: 0,
}


ASKS = re.compile(r"\b(is_cuda|is_cpu|get_device)\b|\bdevice\b[^\n]*\.type\b")
"""Where a text asks a tensor for its device, to do otherwise off the card."""

_card_is = SimpleNamespace(used=True)

_TOOLKIT, _BUILD = {"cuda": "12.8", "hip": "6.4"}, {"cuda": "cu128", "hip": "rocm6.4"}
_READS = {torch.Tensor.__repr__, torch.Tensor.__format__}
"""What shows a tensor's values to the host behind every mode's back."""


class OnThisMachine(TorchFunctionMode):
    """Turns every request for a CUDA device into one for the CPU, where the interpreter keeps its memory, and
    tells `recorder` which function the candidate called."""

    def __init__(self, recorder: Recorder | None = None, there: str = "cpu") -> None:
        """`there` is the device that a CUDA device is taken for."""
        super().__init__()
        self.recorder, self.there = recorder, there

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in _ANSWERS and _card_is.used:
            return _ANSWERS[func]
        if func is torch.Tensor.cuda:
            return args[0]
        if func in _READS and self.recorder is not None:
            self.recorder.copies[TO_HOST] += args[0].numel()
        kwargs = {
            name: self._here(value) if name == "device" else value for name, value in (kwargs or {}).items()
        }
        if func is torch.Tensor.to:
            args = tuple(self._here(value) for value in args)
        if self.recorder is None:
            return func(*args, **kwargs)
        before, self.recorder.caller = self.recorder.caller, getattr(func, "__name__", "")
        try:
            return func(*args, **kwargs)
        finally:
            self.recorder.caller = before

    def _here(self, value: Any) -> Any:
        if isinstance(value, str) and value.startswith("cuda"):
            return self.there
        if isinstance(value, torch.device) and value.type == "cuda":
            return torch.device(self.there)
        return value


def stand_in(properties: Mapping[str, Any], arch: str) -> None:
    """Patch this process: tensors say that they are on a GPU, `torch.cuda` describes one, Triton compiles for
    `arch`, and operators of `torch.library` are the functions that they are made of.

    `properties` are by name what `torch.cuda.get_device_properties` holds.
    """
    card = _CudaDeviceProperties(**properties)
    torch.Tensor.is_cuda = property(lambda tensor: _card_is.used)  # type: ignore[assignment]
    _like_a_compiled_one(InterpretedFunction)
    answers: dict[str, Any] = {
        "device": _no_device,
        "synchronize": lambda *_: None,
        "is_available": lambda: True,
        "current_device": lambda: 0,
        "device_count": lambda: 1,
        "get_device_properties": lambda *_: card,
        "get_device_capability": lambda *_: (card.major, card.minor),
        "get_device_name": lambda *_: card.name,
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    torch.backends.cudnn.is_acceptable = lambda tensor: (
        False
    )  # a recurrent layer would lay its weights out on it
    _target(arch, card.warp_size)
    torch.library.triton_op = torch.library.custom_op = _operator
    torch.library.wrap_triton = lambda kernel: kernel
    toolkit = "hip" if str(card.gcnArchName).startswith("gfx") else "cuda"
    setattr(torch.version, toolkit, _TOOLKIT[toolkit])
    torch.__version__ = TorchVersion(torch.__version__.split("+")[0] + "+" + _BUILD[toolkit])


@contextlib.contextmanager
def off_the_card() -> Iterator[None]:
    """Tensors say what is true: that they lie on a CPU."""
    _card_is.used = False
    try:
        yield
    finally:
        _card_is.used = True


@contextlib.contextmanager
def units(count: int | None) -> Iterator[None]:
    """The card that `stand_in` describes with as many units, as a slice of it has them (None: its own)."""
    card = torch.cuda.get_device_properties()
    own = card.multi_processor_count
    card.multi_processor_count = count or own
    try:
        yield
    finally:
        card.multi_processor_count = own


def _like_a_compiled_one(kind: Any) -> None:
    kind.__name__ = kind.__qualname__ = "JITFunction"
    kind.__module__ = "triton.runtime.jit"
    kind.__repr__ = lambda kernel: f"JITFunction({kernel.fn.__module__}:{kernel.fn.__qualname__})"
    kind.type = None
    interpret = kind.run

    def run(kernel: Any, *args: Any, **kwargs: Any) -> CompiledKernel:
        refused = kwargs.keys() & FORBIDDEN_KEYWORDS.keys() - set(kernel.arg_names)
        if refused:
            raise ValueError(f"{min(refused)}: {FORBIDDEN_KEYWORDS[min(refused)][1]}")
        interpret(kernel, *args, **kwargs)
        return CompiledKernel()

    kind.run = run


def _target(arch: str, warp_size: int) -> None:
    """What `tl.target_info` tells a kernel, in versions that have it."""
    with contextlib.suppress(ImportError):
        asked = importlib.import_module("triton.language.target_info")
        hip = arch.startswith("gfx")
        target = GPUTarget("hip" if hip else "cuda", arch if hip else int(arch[3:].rstrip("a")), warp_size)
        vars(asked)["current_target"] = lambda: target


def _operator(name: str, function: Any = None, /, **_: Any) -> Any:
    """`torch.library.triton_op` and `custom_op`, registered nowhere: every shape loads the file."""
    return Operator if function is None else Operator(function)


class Operator:
    """A function as an operator; what it would do on tensors without memory is not asked here."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def register_fake(self, function: Any) -> Any:
        return function


Operator.__name__ = Operator.__qualname__ = "CustomOpDef"
Operator.__module__ = "torch._library.custom_ops"


class CompiledKernel:
    """What a launch gives where kernels are compiled."""


CompiledKernel.__module__ = "triton.compiler.compiler"


class _CudaDeviceProperties(SimpleNamespace):
    """Named as torch names its own."""


_CudaDeviceProperties.__module__ = "torch._C"


@contextlib.contextmanager
def _no_device(*_: Any) -> Iterator[None]:
    yield
