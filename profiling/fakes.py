"""Tensors with a shape and a dtype but no storage: an op is read on them, whatever its size."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from .converting import converting
from .counting import counting


@contextlib.contextmanager
def fakes() -> Iterator[FakeTensorMode]:
    """Every tensor made inside the block has a shape and a dtype but no storage."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    level = log.level
    log.setLevel(
        logging.CRITICAL
    )  # shapes that do not fit are tried on purpose; their tracebacks are no news
    try:
        with (
            converting(),
            counting(),
            FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()) as mode,
        ):
            yield mode
    finally:
        log.setLevel(level)
