"""Lets modules of fake tensors be converted, as `.half()` and `.to()` do."""

import contextlib
from collections.abc import Callable, Iterator
from unittest.mock import patch

import torch
from torch import nn


@contextlib.contextmanager
def converting() -> Iterator[None]:
    """Inside the block `Module.to`, `.cuda`, `.half` and their like make new parameters: torch's own way
    swaps tensors, which fake ones refuse."""
    with patch.object(nn.Module, "_apply", _converted):
        yield


def _converted(
    module: nn.Module, convert: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True
) -> nn.Module:
    for part in module.modules() if recurse else (module,):
        for name, parameter in part._parameters.items():
            if parameter is not None:
                part._parameters[name] = nn.Parameter(convert(parameter), parameter.requires_grad)
        for name, buffer in part._buffers.items():
            if buffer is not None:
                part._buffers[name] = convert(buffer)
    return module
