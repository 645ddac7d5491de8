"""What is asked of the loop and what comes out of it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from .strategies.choose import DEFAULT

Status = Literal["win", "no-win", "unmeasured", "degenerate", "inconclusive", "declined"]
Language = Literal["triton", "cuda"]
Mode = Literal["as-is", "train", "eval"]
DEFAULT_BUDGET_S = 600.0
GIVEN = "kernel"
"""The writer's name, before the path of the file, where an existing kernel is set for a device."""


@dataclass(frozen=True)
class Asking:
    """How a writer that answers is asked, in `language`: for `drafts` first kernels, then each round for
    `samples` answers to each of the `beam` best kernels, and for `repairs` of a refused one. `prompt_tokens`
    bounds one prompt, `max_tokens` and `max_cost` (in the currency of the prices that were configured) all of
    them and their answers."""

    drafts: int = 1
    samples: int = 2
    beam: int = 2
    repairs: int = 2
    prompt_tokens: int = 16_000
    max_tokens: int | None = None
    max_cost: float | None = None
    language: Language = "triton"
    resume: bool = False

    def words(self) -> list[str]:
        """The options that differ from what is taken without them; a run is repeated, not resumed."""
        plain = Asking()
        return [
            word
            for one in fields(self)
            if one.name != "resume" and getattr(self, one.name) != getattr(plain, one.name)
            for word in (f"--{one.name.replace('_', '-')}", str(getattr(self, one.name)))
        ]


@dataclass(frozen=True)
class OptimizeRequest:
    """The arguments of `kbgen optimize`; `budget_s` bounds the search, not the judging of its result."""

    op_path: Path
    gpu: str = "auto"
    writer: str = "synth"
    precision: str = "fp32"
    mode: Mode = "as-is"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    budget_s: float = DEFAULT_BUDGET_S
    max_candidates: int | None = None
    knowledge: bool = True
    library: Path | None = None
    out: Path = Path("kbgen-out")
    asking: Asking = Asking()
    strategy: str = DEFAULT

    def command(self) -> str:
        """The command line that asks the same."""
        kind, _, given = self.writer.partition(":")
        files = [given, "--reference", str(self.op_path)] if kind == GIVEN else [str(self.op_path)]
        words = ["kbgen", "optimize", *files, "--gpu", self.gpu, "--precision", self.precision]
        words += ["--mode", self.mode] if self.mode != "as-is" else []
        words += ["--writer", self.writer] if self.writer != "synth" and kind != GIVEN else []
        words += [w for name, value in self.overrides.items() for w in ("--set", f"{name}={value!r}")]
        words += ["--budget", f"{self.budget_s:g}s"] if self.budget_s != DEFAULT_BUDGET_S else []
        words += ["--max-candidates", str(self.max_candidates)] if self.max_candidates else []
        words += ["--strategy", self.strategy] if self.strategy != DEFAULT else []
        words += [] if self.knowledge else ["--no-knowledge"]
        words += ["--library", str(self.library)] if self.library else []
        words += self.asking.words()
        return shlex.join(words)


@dataclass(frozen=True)
class Event:
    """A stage of the loop and what it is at."""

    stage: str
    detail: str


@dataclass(frozen=True)
class OptimizeResult:
    """Everything a report says; `to_json` is the document other programs may parse.

    `allowed_calls` is how a judge finds what is left to torch, `techniques` what made the candidate, `work`
    the flops and bytes of the op, of eager, and of what is left to torch (None without a candidate). `beside`
    is what the built-in writer has to offer where a given kernel was set anew, and which is better.
    """

    status: Status
    op: str
    family: str
    device: Mapping[str, Any]
    verified: bool
    reason: str
    precision: str
    mode: str
    writer: str
    knowledge: bool
    command: str
    elapsed_s: float
    versions: Mapping[str, str]
    speedup: float | None = None
    baselines: Mapping[str, Any] = field(default_factory=dict)
    kernels: Sequence[Mapping[str, Any]] = ()
    traffic_ratio: float | None = None
    estimate_us: float | None = None
    attainable_us: float | None = None
    diagnosis: Sequence[Mapping[str, Any]] = ()
    advice: Sequence[Mapping[str, Any]] = ()
    choices: Sequence[Mapping[str, Any]] = ()
    steps: Sequence[Mapping[str, Any]] = ()
    declined: Sequence[Mapping[str, Any]] = ()
    verdict: Mapping[str, Any] | None = None
    benchmark: Mapping[str, Any] | None = None
    left_to_torch: Sequence[str] = ()
    allowed_calls: Sequence[str] = ()
    techniques: Sequence[str] = ()
    work: Mapping[str, Any] | None = None
    beside: Mapping[str, Any] | None = None
    limits: Sequence[str] = ()
    spent: Mapping[str, Any] | None = None
    candidate_path: str | None = None
    report_path: str | None = None
    recorded: str | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """All fields, as they are named here."""
        return dict(vars(self))
