"""What the judge says: passed, failed or inconclusive, with the cause and everything needed to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Literal, get_args

Cause = Literal[
    # the candidate's text
    "forbidden-code",  # imports, names or patches that no kernel needs
    "library-call",  # leaves compute to torch that was not declared
    "fallback-branch",  # a try or a branch that leads to torch
    "inherited",  # ModelNew takes its forward from somewhere else
    # running it
    "not-loadable",  # the file or ModelNew's constructor raises
    "wrong-state",  # its state_dict is not the reference's
    "raises",
    "timeout",
    "out-of-memory",
    "crashed",
    "exited",
    "deferred-work",  # threads or processes outlive the call that started them
    "tampering",  # functions of torch or the reply channel were changed
    # what its kernels touch
    "no-kernel",  # nothing of its own was launched
    "decoy",  # the output does not depend on its kernels
    "out-of-bounds",
    "race",
    "not-repeatable",  # two equal calls differ
    "false-promise",  # what tl.multiple_of and the like tell the compiler is not so, and it shows
    # what it returns
    "wrong-structure",
    "wrong-shape",
    "wrong-dtype",
    "wrong-values",
    "non-finite",
    "unwritten-output",  # elements of torch.empty were never stored
    "low-precision",  # right, but only to a lower class than declared
    "zeros",
    "constant",
    "input-returned",
    "stale-output",  # an earlier call's result
    "stale-weights",  # the result for weights that were changed since
    "hard-coded-shape",  # right at one shape, wrong at another
    "aliased-output",
    "input-mutated",
    "input-differs",  # the reference changes it in place, and to something else
    "parameter-mutated",
    "buffer-differs",
    # what the target's compiler makes of it
    "does-not-compile",
    "over-limit",  # more shared memory, registers or threads than a block may have there
    # the judge cannot tell
    "degenerate",  # an impostor passes too
    "random",  # the reference draws random numbers
    "no-oracle",  # the reference does not run in float64, or at any small shape
    "unsupported",  # the interpreter cannot run it
    "too-slow",  # not every configuration of an autotuned kernel was run
    "unsettled-state",  # what it keeps changes with every call, so it may count them
    "unwritten-read",  # it looks at memory that nobody has written, which may hold anything on a card
    "unjudged-path",  # code that no judged call reached, or kernels that only full size launches
]
CAUSES: tuple[str, ...] = get_args(Cause)

OPEN_CAUSES: tuple[Cause, ...] = (
    "degenerate", "random", "no-oracle", "unsupported", "too-slow", "unsettled-state",
    "unwritten-read", "unjudged-path",
)  # fmt: skip
"""With these nothing is known to be wrong: the verdict is inconclusive."""

CaseOutcome = Literal["passed", "failed", "guarded", "refused", "dropped", "skipped"]


@dataclass(frozen=True)
class Fault:
    """Why a call is refused."""

    cause: Cause
    detail: str


@dataclass(frozen=True)
class CaseResult:
    """One call of the candidate. Errors are the worst over its outputs, against the float64 oracle.

    `outcome`: "guarded" when it refused a layout with a clear error, "refused" when it did a size; "dropped"
    when the reference has no answer to compare with; "skipped" when time was up.
    """

    name: str
    outcome: CaseOutcome
    detail: str = ""
    oracle_error: float | None = None
    baseline_error: float | None = None
    budget: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class BufferTraffic:
    """Bytes that one tensor saw during one call, summed over launches; unique counts each address once."""

    load_issued: int
    load_unique: int
    store_issued: int
    store_unique: int


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The part that all three verdicts share; errors are relative L2 norms against the float64 oracle.

    `controls` maps each impostor to "rejected", "passed" or "n/a: why"; `traffic` belongs to the case
    `traffic_case`; `target` is what its compiler made of it, empty where none was named; `sanitizer` is what
    compute-sanitizer said on a live card; `upstream` is KernelBench's rule by its tolerance; `shapes` are the
    overrides of each judged shape; `seconds` is wall time by stage ("calls" and "full size" are the parts of
    "child" spent in the candidate, "reference" ran beside it); `replay` holds whatever repeats the judgement,
    both sources included.
    """

    word: ClassVar[str]

    oracle_error: float | None = None
    baseline_error: float | None = None
    controls: Mapping[str, str] = field(default_factory=dict)
    cases: tuple[CaseResult, ...] = ()
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    library_calls: tuple[str, ...] = ()
    launches: tuple[str, ...] = ()
    traffic: Mapping[str, BufferTraffic] = field(default_factory=dict)
    traffic_case: str = ""
    target: Mapping[str, Any] = field(default_factory=dict)
    sanitizer: Mapping[str, Any] = field(default_factory=dict)
    upstream: Mapping[str, bool] = field(default_factory=dict)
    shapes: Mapping[str, Any] = field(default_factory=dict)
    layers: tuple[str, ...] = ()
    layers_missing: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    replay: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """One JSON document; `from_json` takes it back."""
        return {"schema": "kbgen/verify/1", "verdict": self.word, "cause": None, "detail": "", **asdict(self)}


@dataclass(frozen=True, kw_only=True)
class Passed(Judgement):
    """Every case agrees with the oracle, and the same comparison refused every impostor that applies."""

    word = "passed"
    cause: ClassVar[None] = None
    detail: ClassVar[str] = ""


@dataclass(frozen=True, kw_only=True)
class Failed(Judgement):
    """The candidate is wrong, or is not a kernel."""

    word = "failed"
    cause: Cause
    detail: str


@dataclass(frozen=True, kw_only=True)
class Inconclusive(Judgement):
    """Nothing is known to be wrong, and the judge cannot vouch for it."""

    word = "inconclusive"
    cause: Cause
    detail: str


Verdict = Passed | Failed | Inconclusive


def from_json(document: Mapping[str, Any]) -> Verdict:
    """The verdict that `to_json` wrote; unknown keys are ignored, for files from newer versions."""
    kind = {"passed": Passed, "failed": Failed, "inconclusive": Inconclusive}[document["verdict"]]
    known = {name: document[name] for name in {one.name for one in fields(kind)} if name in document}
    for name in ("labels", "notes", "library_calls", "launches", "layers", "layers_missing"):
        known[name] = tuple(known.get(name, ()))
    known["cases"] = tuple(CaseResult(**case) for case in known.get("cases", ()))
    known["traffic"] = {name: BufferTraffic(**bytes_) for name, bytes_ in known.get("traffic", {}).items()}
    verdict: Verdict = kind(**known)
    return verdict
