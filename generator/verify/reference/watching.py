"""What a reference does, seen operator by operator, without changing any of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode


class Watching(TorchDispatchMode, ABC):  # type: ignore[no-untyped-call]
    """`saw` is told of every operator of ATen that runs in the block, after it ran."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and True would import torch._dynamo

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()  # type: ignore[no-untyped-call]

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.saw(func, args, result)
        return result

    @abstractmethod
    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        """The overload, its positional arguments and what it gave."""
