"""Says what timing sessions amount to: a win, no win, nothing conclusive, or a failure; pure, so it runs
anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Literal

from ..profiling.clock import MEASURED
from ..profiling.interval import Estimate, ratio_to_fastest
from ..profiling.samples import Samples, Session
from ..profiling.timing import Timing, timing
from .in_class import InClass, in_class
from .undisturbed import beaten_alone, held_back

CANDIDATE, EAGER = "candidate", "eager"
GRAPHS = "compile-reduce-overhead"
"""CUDA graphs: a baseline where the host takes longer to launch the others than the card to run them.
Elsewhere they only add the copies of the inputs to the captured addresses, since every timed call has inputs
of its own."""

_IMPOSSIBLE = 0.95  # of the least time that the device's own peaks allow
_REVIEW_ABOVE = 10.0
_REVIEW_ABOVE_LIBRARY = 2.0  # where a vendor's library does most of a baseline's work
_MOST = 0.5
_TOO_WIDE = 0.1  # an interval around 1 that is this wide shows neither a gain nor that there is none
_APART = 1.1  # processes whose speedups differ by this factor did not measure the same thing
_HOST_SHARE = 0.05
_PYTHON_LAUNCH_US = 100.0
"""What a kernel's host side may cost beside a compiled baseline's: a launch from Python with its checks takes
some 50 us (H200, 2026: 120 us host time around a 33 us kernel), and a captured graph takes it away."""

Label = Literal["win", "no-win", "inconclusive", "failed"]


@dataclass(frozen=True)
class Benchmark:
    """Times in microseconds. `speedup` is the median of the fastest baseline over the candidate's: the middle
    one of all processes, with the widest interval. `timings` holds every subject that ran, `failures` what
    failed in any process; `samples_us` every device time by subject and process, in the order of the rounds;
    `review` says why a person should look before a win is believed; `in_class` compares with the baselines
    that are as exact as the op asks, where some are not. `algorithmic`: it does less arithmetic than the op
    as written; None where nothing was compared."""

    label: Label
    reason: str
    source: str
    processes: int
    speedup: float | None = None
    interval: tuple[float, float] | None = None
    fastest: str | None = None
    timings: Mapping[str, Timing] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    least_us: float | None = None
    review: str = ""
    device: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    samples_us: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict)
    in_class: InClass | None = None
    algorithmic: bool | None = None

    @property
    def measured(self) -> bool:
        """False for whatever a simulated clock took."""
        return self.source == MEASURED

    @property
    def speedups(self) -> dict[str, float]:
        """The candidate against each baseline that ran, by pooled medians."""
        own = self.timings.get(CANDIDATE)
        others = {name: taken for name, taken in self.timings.items() if name != CANDIDATE}
        return {name: taken.median_us / own.median_us for name, taken in others.items()} if own else {}

    @property
    def fraction_of_least(self) -> float | None:
        """Share of the least possible time over the time taken: 1 is a kernel that nothing can beat."""
        own = self.timings.get(CANDIDATE)
        return self.least_us / own.median_us if own and self.least_us is not None else None

    def to_json(self) -> dict[str, Any]:
        """One JSON-able document."""
        timings = {name: taken.to_json() for name, taken in self.timings.items()}
        derived = {
            "timings": timings,
            "speedups": self.speedups,
            "measured": self.measured,
            "fraction_of_least": self.fraction_of_least,
        }
        return {**asdict(self), **derived}


def decide(
    sessions: Sequence[Session],
    crash: str = "",
    least_us: float | None = None,
    device: Mapping[str, Any] | None = None,
    *,
    parts_us: float | None = None,
    needed_us: float | None = None,
    saves_arithmetic: bool = False,
) -> Benchmark:
    """Judge the sessions of all processes; `crash` says how a process ended that gave none.

    Two gains above what kernels usually reach are no wonder, and nobody is asked to look at them: one over a
    library that multiplies in float32, of a kernel that takes `needed_us` or longer (what the arithmetic that
    the op's results need takes by parts; without it, `parts_us`), and one of a kernel that the judge found to
    need fewer operations. Who is faster than `parts_us`, the whole of the op's arithmetic, left some out.
    """
    names = tuple(dict.fromkeys(record.subject for session in sessions for record in session.samples))
    failures = {name: error for name in names if (error := _error(name, sessions))}
    timings = {name: taken for name in names if (taken := timing(name, sessions)) is not None}
    known: dict[str, Any] = {
        "source": sessions[0].source if sessions else "",
        "processes": len(sessions),
        "timings": timings,
        "failures": failures,
        "least_us": least_us,
        "device": device or {},
        "environment": sessions[0].environment if sessions else {},
        "seeds": tuple(session.seed for session in sessions),
        "samples_us": {
            name: [[round(us, 2) for us in record.device_us] for record in _records(name, sessions)]
            for name in timings
        },
    }
    obstacle = _obstacle(sessions, crash, timings, failures, least_us)
    if obstacle is not None:
        return Benchmark(*obstacle, **known)
    own = timings[CANDIDATE].median_us
    needed_us = parts_us if needed_us is None else needed_us
    explained = saves_arithmetic or (needed_us is not None and own >= needed_us)
    known["algorithmic"] = saves_arithmetic or (explained and parts_us is not None and own < parts_us)
    return _compared(sessions, timings, known, explained)


def _obstacle(
    sessions: Sequence[Session],
    crash: str,
    timings: Mapping[str, Timing],
    failures: Mapping[str, str],
    least_us: float | None,
) -> tuple[Label, str] | None:
    """Why there is nothing to compare, worst first; None when there is."""
    if crash:
        return "failed", crash
    if CANDIDATE in failures:
        return "failed", f"the candidate failed while it was timed: {failures[CANDIDATE]}"
    replaced = next((name for session in sessions for name in session.tampered), "")
    if replaced:
        return "failed", f"the candidate replaces {replaced}; a kernel file leaves torch as it is"
    wrong = next((text for record in _records(CANDIDATE, sessions) for text in record.complaints), "")
    if wrong:
        return "failed", f"the candidate's results were wrong while it was timed: {wrong}"
    unchecked = next((record.unchecked for record in _records(CANDIDATE, sessions) if record.unchecked), "")
    if unchecked:
        return "inconclusive", f"a timed call could not be checked: {unchecked}"
    lost = next((session.lost for session in sessions if session.lost), "")
    if lost:
        return "inconclusive", lost
    if CANDIDATE not in timings or EAGER not in timings or EAGER in failures:
        return (
            "inconclusive",
            f"there is no eager time to compare with: {failures.get(EAGER, 'it was not taken')}",
        )
    hindered = next((sentence for session in sessions if (sentence := held_back(session))), "")
    if hindered:
        return "inconclusive", f"no fair race: {hindered}"
    own = timings[CANDIDATE]
    if own.doubts:
        return "inconclusive", f"the clocks disagree about the candidate: {own.doubts[0]}"
    if least_us is not None and own.median_us < _IMPOSSIBLE * least_us:
        return (
            "inconclusive",
            f"{own.median_us:.1f} us is faster than the device's peaks allow ({least_us:.1f} us): "
            "part of the work was skipped or not timed",
        )
    if not all(session.complete for session in sessions):
        return "inconclusive", f"time ran out after {own.samples} samples; give the benchmark a larger budget"
    return None


def _compared(
    sessions: Sequence[Session], timings: Mapping[str, Timing], known: dict[str, Any], explained: bool
) -> Benchmark:
    baselines = [name for name in timings if name != CANDIDATE]
    fastest = min(baselines, key=lambda name: timings[name].median_us)
    ratios = [_ratio(session) for session in sessions]
    speedup = median(ratio.value for ratio in ratios)
    low, high = min(ratio.low for ratio in ratios), max(ratio.high for ratio in ratios)
    held_up = (_held_up(timings) or _only_beside(sessions)) if low > 1 else ""
    win = low > 1 and not held_up
    noisy = low <= 1 and all(ratio.low > 1 or _tells_nothing(ratio) for ratio in ratios)
    verb = (
        "faster than" if low > 1 else "too noisy to compare with" if noisy else "not shown to be faster than"
    )
    exact = in_class(sessions, CANDIDATE)
    beside = held_up + (exact.told() if exact else "")
    return Benchmark(
        label="win" if win else "inconclusive" if noisy else "no-win",
        reason=f"{speedup:.2f}x [{low:.2f}, {high:.2f}]: {verb} {fastest}, the fastest baseline{beside}",
        speedup=speedup,
        interval=(low, high),
        fastest=fastest,
        review=_review(speedup, ratios, timings, explained) if win else "",
        in_class=exact,
        **known,
    )


def _tells_nothing(ratio: Estimate) -> bool:
    return ratio.low <= 1 < ratio.high and ratio.high - ratio.low > _TOO_WIDE


def _review(
    speedup: float, ratios: Sequence[Estimate], timings: Mapping[str, Timing], explained: bool
) -> str:
    """Why a person should look at a win first; "" where nothing about it is odd."""
    values = [ratio.value for ratio in ratios]
    if max(values) > _APART * min(values):
        each = ", ".join(f"{value:.2f}x" for value in values)
        return f"the processes disagree: {each}"
    if explained:
        return ""
    if speedup > _REVIEW_ABOVE:
        return f"{speedup:.1f}x is more than kernels usually gain"
    beaten = [name for name, taken in timings.items() if name != CANDIDATE and _is_library(taken)]
    if beaten and speedup > _REVIEW_ABOVE_LIBRARY:
        return (
            f"{speedup:.1f}x is more than kernels usually gain over a vendor's library ({', '.join(beaten)})"
        )
    return ""


def _is_library(taken: Timing) -> bool:
    return taken.library_share is not None and taken.library_share > _MOST


def _held_up(timings: Mapping[str, Timing]) -> str:
    """Why the caller gains nothing: the host takes longer than with a baseline, Python launches apart."""
    own = timings[CANDIDATE].host_us
    least = min(taken.host_us for name, taken in timings.items() if name != CANDIDATE)
    if own <= (1 + _HOST_SHARE) * least + _PYTHON_LAUNCH_US:
        return ""
    return f", but only on the card: a caller waits {own:.0f} us for it and {least:.0f} us for a baseline"


def _only_beside(sessions: Sequence[Session]) -> str:
    """Why a gain is none: the fastest baseline is beaten beside the candidate, and was as fast without it."""
    for session in sessions:
        (own,) = (median(one.device_us) for one in session.samples if one.subject == CANDIDATE)
        if not beaten_alone(session, own):
            alone = min(taken.device_us for taken in session.alone.values())
            return f", but not than it was without the candidate: {own:.1f} us beside {alone:.1f} us"
    return ""


def _ratio(session: Session) -> Estimate:
    """Fastest baseline over candidate in one process, of those that ran there; rounds are resampled whole."""
    times = {record.subject: record.device_us for record in session.samples if not record.error}
    own = times.pop(CANDIDATE)
    return ratio_to_fastest(own, list(times.values()), session.seed % 2**32)


def _records(name: str, sessions: Sequence[Session]) -> Iterator[Samples]:
    return (record for session in sessions for record in session.samples if record.subject == name)


def _error(name: str, sessions: Sequence[Session]) -> str:
    """The first error of a subject, in any process."""
    return next((record.error for record in _records(name, sessions) if record.error), "")
