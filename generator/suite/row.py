"""One operator on one device as figures: what the loop found, what other targets and the clock say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..benchmark import PROCESSES
from ..decision import CANDIDATE
from ..job import OptimizeResult

NOT_REACHED = "not-reached"
UNCONFIRMED = "unconfirmed"
"""Of a kernel that was faster, before it is verified a second time."""


@dataclass(frozen=True)
class Row:
    """`level` is the name of the op file's folder. `cause` names in a word why there is no verified kernel.

    `seconds`, `cpu_seconds` and `peak_memory_bytes` are those of `kbgen optimize` with all its processes
    (`stages` tells the seconds apart); the memory is None for a run shorter than a second.
    `narrowest_bits` is the narrowest global access of any kernel, `mean_bits` the mean over the accesses in
    the compiled code, `best_at` the number of candidates compiled when the best was found, and
    `estimate_over_bound` the estimated time over the bound of the roofline.

    `flops`, `least_bytes` and `eager_bytes` are the traced graph's (eager's: every operator reads its
    arguments and writes its result), `torch_flops` and `torch_bytes` those of the calls that stay torch's,
    `tensor_bytes` those that our kernels read and write, each tensor once a region. `traffic_ratio` counts
    what tiles and passes read again as well, over the least.
    `targets` says for each further device whether the same techniques compile there, and why not; `kernel` is
    the kernel's file in the folder of the row's results.

    Where the card is here, `measured_us` is the kernel's median over `processes`, `speedups` those over eager
    and both compiled baselines, `speedup` that over the fastest with its 95 % `interval`, `missing` why a
    baseline has no time, `contradicted` what a timed call showed to be wrong in a kernel that was verified,
    and `fraction_of_least` the share of the roofline reached. `turns_on_the_card` tells that other tasks may
    have compiled, made their inputs and measured between the rounds there meanwhile. `timing_stages` are wall
    seconds of the first process by stage, with those that it waited for the card and held it, and of the
    second verification. `off_class` says which baselines are less exact than the op asks (TF32), where some
    are, and `speedup_in_class` is that over the fastest of the others. `algorithmic`: the kernel does less
    arithmetic than the op as written.
    """

    op: str
    gpu: str
    status: str
    seconds: float
    reason: str
    level: str = ""
    cause: str = ""
    family: str = ""
    dtype: str = ""
    verified: bool = False
    kernels: int = 0
    traffic_ratio: float | None = None
    spill_bytes: int = 0
    narrowest_bits: int | None = None
    mean_bits: float | None = None
    techniques: tuple[str, ...] = ()
    estimate_over_bound: float | None = None
    candidates: int = 0
    best_at: int = 0
    left_to_torch: tuple[str, ...] = ()
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    stages: Mapping[str, float] = field(default_factory=dict)
    flops: float | None = None
    least_bytes: float | None = None
    eager_bytes: float | None = None
    torch_flops: float | None = None
    torch_bytes: float | None = None
    tensor_bytes: float | None = None
    targets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    kernel: str | None = None
    measured_us: float | None = None
    processes: int = 0
    card: str | None = None
    turns_on_the_card: bool | None = None
    speedups: Mapping[str, float] = field(default_factory=dict)
    speedup: float | None = None
    interval: tuple[float, float] | None = None
    fastest: str | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    contradicted: str = ""
    fraction_of_least: float | None = None
    timing_seconds: float | None = None
    timing_stages: Mapping[str, float] = field(default_factory=dict)
    algorithmic: bool | None = None
    off_class: Mapping[str, str] = field(default_factory=dict)
    fastest_in_class: str | None = None
    speedup_in_class: float | None = None
    interval_in_class: tuple[float, float] | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What a row is about."""
        return self.level, self.op, self.gpu

    @property
    def tensor_traffic(self) -> float | None:
        """Bytes of all tensors that kernels and torch calls read and write, over the least: eager's is
        `eager_bytes` over the same."""
        if self.tensor_bytes is None or not self.least_bytes:
            return None
        return (self.tensor_bytes + (self.torch_bytes or 0.0)) / self.least_bytes

    @property
    def timed(self) -> bool:
        """Whether the clock has had its say, whatever it said; a card without room or a process that did not
        end says nothing."""
        spoken = self.status != "inconclusive" or self.speedup is not None or bool(self.contradicted)
        return self.timing_seconds is not None and spoken

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Row:
        """The row that `dataclasses.asdict` gave; TypeError for anything else."""
        known = {one.name for one in fields(cls)}
        if strange := raw.keys() - known:
            raise TypeError(f"a row has no field {min(strange)}")
        listed = {
            name: tuple(raw[name])
            for name in ("techniques", "left_to_torch", "interval", "interval_in_class")
            if raw.get(name) is not None
        }
        return cls(**{**raw, **listed})


def found_row(result: OptimizeResult, level: str, gpu: str) -> Row:
    """What a run of the loop found."""
    statics: list[Mapping[str, Any]] = [k["static"] for k in result.kernels]
    accesses = [p for s in statics for name in ("load_bits", "store_bits") for p in s[name].items()]
    kept = [i for i, step in enumerate(result.steps) if step["kept"]]
    bound, work = result.attainable_us, result.work or {}
    return Row(
        op=result.op,
        gpu=gpu,
        level=level,
        status=result.status,
        seconds=round(result.elapsed_s, 1),
        reason=result.reason,
        cause=_cause(result),
        family=result.family,
        dtype=work.get("dtype", ""),
        verified=result.verified,
        kernels=len(result.kernels),
        traffic_ratio=result.traffic_ratio,
        spill_bytes=sum(int(s["spill_bytes"]) for s in statics),
        narrowest_bits=min((int(bits) for bits, _ in accesses), default=None),
        mean_bits=sum(int(b) * n for b, n in accesses) / sum(n for _, n in accesses) if accesses else None,
        techniques=tuple(result.steps[i]["transform"] for i in kept),
        estimate_over_bound=result.estimate_us / bound if result.estimate_us and bound else None,
        candidates=len(result.steps) + 1,
        best_at=2 + kept[-1] if kept else 1,
        left_to_torch=tuple(result.left_to_torch),
        stages=result.seconds,
        flops=work.get("flops"),
        least_bytes=work.get("least_bytes"),
        eager_bytes=work.get("eager_bytes"),
        torch_flops=work.get("torch_flops"),
        torch_bytes=work.get("torch_bytes"),
        tensor_bytes=work.get("tensor_bytes"),
        kernel=Path(result.candidate_path).name if result.candidate_path else None,
        **(timed_fields(result.benchmark) if result.benchmark else {}),
    )


def timed_fields(timed: Mapping[str, Any], asked: int = PROCESSES) -> dict[str, Any]:
    """The fields of a row that a benchmark's document fills, where `asked` processes were to time it. What a
    process that gave no result leaves open, or one for whose memory there was no room, says nothing against
    the kernel."""
    own = timed["timings"].get(CANDIDATE)
    failures = dict(timed["failures"])
    failed = failures.pop(CANDIDATE, "")
    wrong = timed["reason"] if timed["label"] == "failed" and timed["processes"] == asked else failed
    if "OutOfMemoryError" in failed:  # others have inputs on the card too
        wrong = ""
    exact = timed.get("in_class") or {}
    return {
        "off_class": exact.get("off") or timed["environment"].get("off_class") or {},
        "fastest_in_class": exact.get("fastest"),
        "speedup_in_class": exact.get("speedup"),
        "interval_in_class": exact.get("interval"),
        "algorithmic": timed.get("algorithmic"),
        "measured_us": own["median_us"] if own and not failed and not wrong else None,
        "processes": timed["processes"],
        "turns_on_the_card": timed["environment"].get("turns_on_the_card"),
        "timing_stages": timed["environment"].get("seconds", {}),
        "speedups": {} if wrong else timed["speedups"],
        "speedup": timed["speedup"],
        "interval": timed["interval"],
        "fastest": timed["fastest"],
        "missing": failures,
        "contradicted": wrong,
        "fraction_of_least": None if wrong else timed["fraction_of_least"],
    }


def _cause(result: OptimizeResult) -> str:
    """The judge's word where it did not pass the kernel; "writer" where there was none to judge."""
    if result.verified:
        return ""
    verdict: Mapping[str, Any] = result.verdict or {}
    return str(verdict.get("cause") or ("writer" if result.status == "declined" else result.status))


def refused(rows: Sequence[Row]) -> dict[str, int]:
    """How many rows have no verified kernel, by cause; those not reached are no refusals."""
    counted: dict[str, int] = {}
    for row in rows:
        if not row.verified and row.status != NOT_REACHED:
            counted[row.cause or row.status] = counted.get(row.cause or row.status, 0) + 1
    return dict(sorted(counted.items(), key=lambda pair: -pair[1]))
