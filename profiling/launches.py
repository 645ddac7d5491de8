"""Records what a candidate launches: each kernel with its grid, and its source as the JIT specialised it.

The JIT itself does the specialising (divisibility by 16, arguments equal to one, pointer ranges, defaults,
options of the backend): its compile step alone is replaced, by one that notes what it was given. So what is
recorded is what a card of that target would compile, whatever the triton version.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import triton.compiler
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

Grid = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Request:
    """One compilation the JIT asked for: an ASTSource, a GPUTarget and the backend's options."""

    source: Any
    target: Any
    options: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Variant:
    """One way to make a launch; `config` is the autotuner's, empty for a plain launch."""

    request: Request
    grid: Grid
    config: str


@dataclass(eq=False)
class Launch:
    """One launch in the order of the program; an autotuned one has a variant per configuration."""

    kernel: str
    variants: tuple[Variant, ...]
    times: int = 1

    def same_as(self, other: Launch) -> bool:
        return _identity(self) == _identity(other)


@dataclass
class Recorder:
    """The launches so far; equal ones are counted, not repeated."""

    launches: list[Launch] = field(default_factory=list)
    _tuning: list[tuple[str, Variant]] | None = None
    _config: str = ""

    def note(self, kernel: str, request: Request, grid: Grid) -> None:
        variant = Variant(request, grid, self._config)
        if self._tuning is not None:
            self._tuning.append((kernel, variant))
        else:
            self._add(Launch(kernel, (variant,)))

    @contextlib.contextmanager
    def tuning(self) -> Iterator[None]:
        """What is noted inside the block are variants of one launch."""
        tried: list[tuple[str, Variant]] = []
        self._tuning = tried
        try:
            yield
        finally:
            self._tuning, self._config = None, ""
        if tried:
            self._add(Launch(tried[0][0], tuple(variant for _, variant in tried)))

    def trying(self, config: object) -> None:
        self._config = str(config)

    def _add(self, launch: Launch) -> None:
        known = next((earlier for earlier in self.launches if earlier.same_as(launch)), None)
        if known is None:
            self.launches.append(launch)
        else:
            known.times += 1


def _identity(launch: Launch) -> Sequence[object]:
    return [launch.kernel, *((id(variant.request), variant.grid) for variant in launch.variants)]


@contextlib.contextmanager
def recording() -> Iterator[Recorder]:
    """Inside the block nothing is compiled or run; `present(card)` must hold: the JIT asks for its target."""
    recorder = Recorder()
    original_run = JITFunction.run

    def compile_noted(src: Any, target: Any = None, options: Any = None, **_: Any) -> Request:
        return Request(src, target, dict(options or {}))

    def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        request = original_run(self, *args, grid=grid, warmup=True, **kwargs)
        if not warmup:
            recorder.note(_name(self), request, _evaluated(grid, self, args, kwargs))
        return request

    def run_tuned(self: Any, *args: Any, **kwargs: Any) -> None:
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        with recorder.tuning():
            for config in self.prune_configs(kwargs):
                if len(self.configs) > 1:
                    recorder.trying(config)
                if config.pre_hook is not None:
                    config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
                self.fn.run(*args, **kwargs, **config.all_kwargs())
        self.nargs = None

    with (
        patch.object(triton.compiler, "compile", compile_noted),
        patch.object(JITFunction, "run", run),
        patch.object(Autotuner, "run", run_tuned),
    ):
        yield recorder


def _name(kernel: Any) -> str:
    return str(getattr(kernel, "__name__", None) or kernel.fn.__name__)


def _evaluated(grid: Any, kernel: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Grid:
    """The grid as three numbers; a callable is given the bound arguments, as at a real launch."""
    if callable(grid):
        parameters = kernel.signature.parameters
        bound = kernel.signature.bind(*args, **{name: kwargs[name] for name in kwargs if name in parameters})
        bound.apply_defaults()
        grid = grid(dict(bound.arguments))
    sizes = [int(size) for size in (grid if isinstance(grid, Sequence) else (grid,))]
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z
