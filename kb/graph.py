"""The reasoning graph: which technique led to which outcome under which conditions, by the episodes."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from .records import OUTCOMES, Episode, EpisodeStep, Outcome


@dataclass(frozen=True, order=True)
class Condition:
    """Where an outcome was seen; `bottleneck` is empty when the episode had no diagnosis."""

    family: str
    bottleneck: str
    arch: str
    toolchain: str


@dataclass(frozen=True)
class Trial:
    """One step as it was taken: the record it comes from and the episode that holds it."""

    episode_id: str
    episode: Episode
    step: EpisodeStep

    @property
    def bottlenecks(self) -> tuple[str, ...]:
        """The step's own bottleneck, else those of its episode, else the empty one."""
        return (self.step.bottleneck,) if self.step.bottleneck else self.episode.bottlenecks or ("",)

    def condition(self, bottleneck: str) -> Condition:
        return Condition(self.episode.family, bottleneck, self.episode.arch, self.episode.toolchain)


@dataclass(frozen=True)
class Edge:
    """Outcomes of one technique under one condition; effects are measured time ratios, above 1 is faster.

    `reasons` are those of setbacks (hurt, rejected, failed); `episodes` are the records behind the counts.
    """

    technique: str
    condition: Condition
    counts: Mapping[Outcome, int]
    measured: int
    median_effect: float | None
    last_seen: str
    reasons: tuple[str, ...]
    episodes: tuple[str, ...]


class Graph:
    """Edges technique -> outcome, kept per condition: nothing is averaged over devices or toolchains."""

    def __init__(self, episodes: Mapping[str, Episode]) -> None:
        self._trials: dict[str, list[Trial]] = defaultdict(list)
        for episode_id, episode in sorted(episodes.items()):
            for step in episode.steps:
                self._trials[step.technique].append(Trial(episode_id, episode, step))

    def techniques(self) -> tuple[str, ...]:
        return tuple(sorted(self._trials))

    def trials(self, *names: str) -> tuple[Trial, ...]:
        """Every step that tried a technique of one of these names, once whatever bottlenecks it had."""
        return tuple(trial for name in dict.fromkeys(names) for trial in self._trials.get(name, ()))

    def edges(
        self,
        technique: str | None = None,
        *,
        family: str | None = None,
        bottleneck: str | None = None,
        arch: str | None = None,
        toolchain: str | None = None,
    ) -> tuple[Edge, ...]:
        """Edges whose condition matches all that is given, ordered by technique and condition."""
        wanted = (family, bottleneck, arch, toolchain)
        found: list[Edge] = []
        for name in (technique,) if technique is not None else self.techniques():
            groups: dict[Condition, list[Trial]] = defaultdict(list)
            for trial in self.trials(name):
                for condition in map(trial.condition, trial.bottlenecks):
                    groups[condition].append(trial)
            found += [_edge(name, key, groups[key]) for key in sorted(groups) if _matches(key, wanted)]
        return tuple(found)


def _matches(condition: Condition, wanted: tuple[str | None, ...]) -> bool:
    found = (condition.family, condition.bottleneck, condition.arch, condition.toolchain)
    return all(want in (None, value) for want, value in zip(wanted, found, strict=True))


def _edge(technique: str, condition: Condition, trials: list[Trial]) -> Edge:
    steps = [trial.step for trial in trials]
    effects = [step.effect for step in steps if step.effect is not None and step.evidence == "measured"]
    setbacks = [
        step.reason for step in steps if step.outcome in ("hurt", "rejected", "failed") and step.reason
    ]
    return Edge(
        technique=technique,
        condition=condition,
        counts={name: sum(step.outcome == name for step in steps) for name in OUTCOMES},
        measured=sum(step.evidence == "measured" for step in steps),
        median_effect=median(effects) if effects else None,
        last_seen=max(trial.episode.created for trial in trials),
        reasons=tuple(dict.fromkeys(setbacks)),
        episodes=tuple(dict.fromkeys(trial.episode_id for trial in trials)),
    )
