"""What a writer is: it is shown an operator, a device and a piece of advice, and gives back a kernel file."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from ...hardware_specs.spec import DeviceSpec
from ...profiling.op import Op
from ...profiling.product_time import ProductWork
from ...profiling.static import KernelReport
from ...profiling.trace import TracedOp
from ..prompts.briefing import Briefing, Focus
from .journal import Journal


@dataclass(frozen=True)
class Candidate:
    """A kernel file and how it came about.

    `techniques` are the ids applied so far; `choices` say what was decided and why; `bytes_per_kernel` is the
    DRAM traffic each kernel is planned to cause at full size (None where the writer cannot say), `flops`
    likewise. `left_to_torch` names what is not the writer's own kernel, with the reason, `allowed_calls` how
    a judge finds those calls in the file, `torch_bytes` and `torch_flops` what they take; `tensor_bytes` are
    those of the tensors that its own kernels read and write, each once a region. `products` says,
    kernel by kernel, how its tiles of matrix products run (None for one without), `foreseen` its kernels as
    the writer expects them to compile. `plan` is the writer's own memory.
    """

    source: str
    writer: str
    techniques: tuple[str, ...] = ()
    parent: str | None = None
    choices: tuple[Mapping[str, str], ...] = ()
    left_to_torch: tuple[str, ...] = ()
    allowed_calls: tuple[str, ...] = ()
    bytes_per_kernel: tuple[float, ...] | None = None
    flops: float = 0.0
    products: tuple[ProductWork | None, ...] = ()
    torch_bytes: float = 0.0
    torch_flops: float = 0.0
    tensor_bytes: float | None = None
    language: str = "triton"
    foreseen: tuple[KernelReport, ...] = field(default=(), compare=False, repr=False)
    plan: Any = field(default=None, compare=False, repr=False)

    @cached_property
    def id(self) -> str:
        return hashlib.sha256(self.source.encode()).hexdigest()[:12]

    @cached_property
    def code(self) -> str:
        """Tells apart what is done, whatever the comments say of it."""
        try:
            meaning = ast.dump(ast.parse(self.source))
        except (SyntaxError, ValueError):
            meaning = self.source
        return hashlib.sha256(meaning.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Declined:
    """The writer has nothing to offer here, and why."""

    reason: str


@dataclass(frozen=True)
class Request:
    """What a writer is asked: a first kernel (no parent), one technique more, or a mend of what failed.

    `sample` numbers the answers to one question: what the transform may decide instead, best first. A writer
    that answers is also told what is known (`briefing`) and how the parent stands on the card; `focus` is the
    technique it is asked for.
    """

    op: Op
    traced: TracedOp
    smaller: tuple[TracedOp, ...]
    spec: DeviceSpec
    parent: Candidate | None = None
    transform: str | None = None
    complaint: str | None = None
    briefing: Briefing | None = None
    focus: Focus | None = None
    standing: str = ""
    sample: int = 0


class Writer(Protocol):
    """`transforms` are the technique ids a request may name; those that are `refinements` tune a shape and
    are tried once it stands."""

    name: str
    transforms: tuple[str, ...]
    refinements: tuple[str, ...]

    def write(self, request: Request) -> Candidate | Declined: ...


@dataclass(frozen=True)
class Effort:
    """How a search over answers spends them: first kernels, repairs of each refused one, how many of the
    best are worked on at once, and how many answers each of these gets a round. One that is `seeded` starts
    from the built-in writer's kernel, and asks for first ones only where there is none."""

    drafts: int = 1
    repairs: int = 2
    beam: int = 1
    samples: int = 2
    seeded: bool = False


class SpentError(Exception):
    """The writer may ask no more: its tokens, its money or its answers are used up."""


@runtime_checkable
class Answering(Writer, Protocol):
    """A writer whose candidates nobody vouches for: each is judged before anything builds on it.

    `journal` keeps what was paid for, where anything is; `spent` is what its answers took, None where they
    took nothing that is counted. `write` raises SpentError where it may not ask.
    """

    effort: Effort
    journal: Journal | None

    @property
    def spent(self) -> Mapping[str, Any] | None: ...
