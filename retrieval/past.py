"""Weighs what happened when a technique was tried: here it counts, elsewhere it is told."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ..kb.graph import Trial
from ..kb.records import OUTCOMES
from .query import Question
from .seen import Seen

WEIGHT = (
    1.5  # most points that past outcomes give or take; more than any other reason, less than all together
)
_VALUE = {"helped": 1.0, "neutral": -0.2, "rejected": -0.6, "hurt": -1.0, "failed": -1.0}
_ESTIMATED = 0.4  # an estimate weighs less than a measurement
_OTHER_TOOLCHAIN = 0.5  # code generators change with minor releases
_OTHER_BOTTLENECK = 0.5
_LIKE = {(True, True): 1.0, (True, False): 0.25, (False, True): 0.1, (False, False): 0.0}
"""What a trial counts for, by whether its family and its target are those asked about."""
_OTHER_ARCH = 0.5  # another target of the same vendor


@dataclass(frozen=True)
class Past:
    """Outcomes of one technique under one family, architecture and toolchain; `here` is this case.

    `median_effect` is a measured time ratio, above 1 is faster; `reasons` are those of the setbacks.
    """

    family: str
    arch: str
    toolchain: str
    here: bool
    counts: Mapping[str, int]
    measured: int
    median_effect: float | None
    last_seen: str
    reasons: tuple[str, ...]
    episodes: tuple[str, ...]

    def told(self) -> str:
        """`norm on sm_90 with triton 3.7: 3 helped, 1 hurt, median 1.42x measured; last 2026-11-20`."""
        tally = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        effect = f", median {self.median_effect:.2f}x measured" if self.median_effect else ", nothing timed"
        reason = f" ({self.reasons[0]})" if self.reasons else ""
        return (
            f"{self.family} on {self.arch} with {self.toolchain}: {tally}{effect}{reason}; "
            f"last {self.last_seen[:10]}"
        )


def outcomes(trials: Sequence[Trial], question: Question) -> tuple[Past, ...]:
    """Past outcomes by condition: this case, then its family elsewhere, then the rest."""
    groups: dict[tuple[str, str, str], list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial.episode.family, trial.episode.arch, trial.episode.toolchain].append(trial)
    past = [_past(key, group, question) for key, group in sorted(groups.items())]
    return tuple(sorted(past, key=lambda one: (not one.here, one.family != question.family)))


def points(trials: Sequence[Trial], question: Question, toolchain: str) -> float:
    """Between -WEIGHT and +WEIGHT, from trials on the same family and architecture; 0 without any.

    The weighted mean is drawn towards 0 by one imagined trial without effect: one lucky run is no law.
    """
    classes = {name for name, _ in question.bottlenecks}
    total = weights = 0.0
    for trial in trials:
        if _here(trial.episode.family, trial.episode.arch, question):
            weight = 1.0 if trial.step.evidence == "measured" else _ESTIMATED
            weight *= 1.0 if trial.episode.toolchain == toolchain else _OTHER_TOOLCHAIN
            weight *= (
                1.0 if trial.bottlenecks == ("",) or classes & {*trial.bottlenecks} else _OTHER_BOTTLENECK
            )
            total += weight * _VALUE[trial.step.outcome]
            weights += weight
    return WEIGHT * total / (weights + 1.0)


def seen(trials: Sequence[Trial], question: Question, toolchain: str) -> Seen:
    """The measured trials by how well their conditions match: those of another target or family tell less,
    those that share neither tell nothing. What failed or did not compile gained nothing."""
    weights, gains = [], []
    for trial in trials:
        if trial.step.evidence == "measured":
            weight = _likeness(trial, question)
            weights.append(weight * (1.0 if trial.episode.toolchain == toolchain else _OTHER_TOOLCHAIN))
            gains.append(math.log(trial.step.effect or 1.0))
    total = sum(weights)
    gain = sum(w * g for w, g in zip(weights, gains, strict=True)) / total if total else 0.0
    return Seen(total, gain)


def _likeness(trial: Trial, question: Question) -> float:
    family, arch = trial.episode.family == question.family, trial.episode.arch == question.archs[0]
    if family and not arch and trial.episode.vendor == question.vendor:
        return _OTHER_ARCH
    return _LIKE[family, arch]


def _past(key: tuple[str, str, str], trials: Sequence[Trial], question: Question) -> Past:
    family, arch, toolchain = key
    steps = [trial.step for trial in trials]
    effects = [step.effect for step in steps if step.effect is not None and step.evidence == "measured"]
    setbacks = [step.reason for step in steps if step.outcome not in ("helped", "neutral") and step.reason]
    return Past(
        family=family,
        arch=arch,
        toolchain=toolchain,
        here=_here(family, arch, question),
        counts={name: sum(step.outcome == name for step in steps) for name in OUTCOMES},
        measured=sum(step.evidence == "measured" for step in steps),
        median_effect=median(effects) if effects else None,
        last_seen=max(trial.episode.created for trial in trials),
        reasons=tuple(dict.fromkeys(setbacks)),
        episodes=tuple(dict.fromkeys(trial.episode_id for trial in trials)),
    )


def _here(family: str, arch: str, question: Question) -> bool:
    return family == question.family and arch == question.archs[0]
