"""Names what holds a kernel back: every class of rules.yaml is found with its evidence, absent, or undecided.

classify(profile).bottlenecks[0].evidence
"tail_effect (medium): whole_waves=1 full waves [>= 1], partial_blocks=136 blocks [> 0], ...; compared with
blocks_per_wave=152 blocks of GB200"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..hardware_specs.spec import DeviceSpec
from .counters.facts import counter_facts
from .counters.level import level_of
from .counters.record import Launch
from .counters.roof import counted_roofline
from .facts import eager_facts, graph_facts, kernel_facts, profile_facts
from .profile import Level
from .rules import BottleneckClass, Confidence, Facts, Rule, RuleBook, rule_book
from .wording import evidence, unclassified_evidence

if TYPE_CHECKING:
    from .profile import Profile
    from .trace import TracedOp

_GROUPS = ("stop", "launch", "cause", "saturated", "latency", "contributor")
_PROFILED = ("counters", "timing")
UNCLASSIFIED = "unclassified"


@dataclass(frozen=True)
class Bottleneck:
    """One class found. `kernel` names where, and is empty when it holds for the whole operator; `evidence` is
    the fixed form `class (confidence): metric=value unit [threshold], ...; compared with limit of DEVICE`."""

    cls: str
    confidence: Confidence
    evidence: str
    basis: str
    kernel: str = ""
    score: float = 0.0
    remedies: tuple[str, ...] = ()
    group: str = "latency"


@dataclass(frozen=True)
class RooflinePoint:
    """Where the operator stands: `bound` is the side that limits it, `time_us` is None when nothing was
    timed."""

    bound: str  # "memory" or "compute"
    intensity: float  # flop/byte
    ridge: float  # flop/byte at which the device changes sides
    attainable_us: float
    time_us: float | None

    @property
    def fraction(self) -> float | None:
        """Share of the attainable speed that was measured."""
        return None if self.time_us is None else self.attainable_us / self.time_us


@dataclass(frozen=True)
class Diagnosis:
    """Bottlenecks, the primary one first; classes that this level of evidence leaves open; the roofline."""

    bottlenecks: tuple[Bottleneck, ...]
    undecided: tuple[str, ...]
    roofline: RooflinePoint | None
    level: Level

    @property
    def primary(self) -> Bottleneck | None:
        return self.bottlenecks[0] if self.bottlenecks else None


def classify(profile: Profile) -> Diagnosis:
    """Diagnose a candidate, kernel by kernel; what was counted of one of them is laid to that kernel."""
    spec, launch = profile.spec, profile.counters
    shared = graph_facts(profile.traced, spec) | profile_facts(profile)
    kernels = profile.static.kernels if profile.static is not None else ()
    views: list[tuple[str, Facts]] = [
        (kernel.name, shared | kernel_facts(kernel, profile.traced, spec)) for kernel in kernels
    ]
    if launch is not None:
        views = _with_counters(views, launch, shared, spec)
    return _doubting(diagnose(views or [("", shared)], spec, profile.level), launch)


def _with_counters(
    views: list[tuple[str, Facts]], launch: Launch, shared: Facts, spec: DeviceSpec
) -> list[tuple[str, Facts]]:
    """Lays what was counted to the kernel of that name, or to the only one; what the profiler's side guesses
    from a name yields to what graph and code say."""
    counted = counter_facts(launch, spec)
    mine = [name == launch.kernel or len(views) == 1 for name, _ in views]
    if not any(mine):
        return [*views, (launch.kernel, {**counted, **shared})]
    return [
        (name, {**counted, **facts} if own else facts) for (name, facts), own in zip(views, mine, strict=True)
    ]


def classify_launch(launch: Launch, spec: DeviceSpec | None, known: Facts | None = None) -> Diagnosis:
    """Diagnose one profiled launch, of any kernel, by what its profiler counted and `known` beside it (facts
    of rules.yaml). Level A where anything was counted; a class whose counters are missing is undecided, and
    what a warning of the tool puts in doubt is told with less confidence."""
    facts = counter_facts(launch, spec) | dict(known or {})
    found = _doubting(diagnose([(launch.kernel, facts)], spec, level_of(launch)), launch)
    if not found.bottlenecks:
        found = replace(found, bottlenecks=(_unclassified(launch.kernel, facts, spec, found.undecided),))
    roof = counted_roofline(launch, spec)
    if roof is None:
        return found
    time_us = facts.get("duration_us")
    point = RooflinePoint(roof.bound, roof.intensity, roof.ridge, roof.attainable_us, time_us)
    return replace(found, roofline=point)


def diagnose_op(traced: TracedOp, spec: DeviceSpec) -> Diagnosis:
    """Diagnose an operator before any candidate exists: what eager PyTorch would launch and move."""
    return diagnose([("", graph_facts(traced, spec) | eager_facts(traced, spec))], spec, "D")


def diagnose(
    views: Sequence[tuple[str, Facts]], spec: DeviceSpec | None, level: Level, book: RuleBook | None = None
) -> Diagnosis:
    """Apply the rules to each kernel's facts; a class found in several kernels is told once, where it is
    worst."""
    book = book or rule_book()
    found: dict[str, Bottleneck] = {}
    undecided = []
    for name, entry in book.classes.items():
        answers = [_decide(name, entry, facts, kernel, spec, book) for kernel, facts in views]
        hits = [answer for answer in answers if isinstance(answer, Bottleneck)]
        if hits:
            found[name] = min(hits, key=lambda hit: (_GROUPS.index(hit.group), -hit.score))
        elif None in answers:
            undecided.append(name)
    for name, hit in found.items():
        if hit.confidence == "high" and set(book.classes[name].symptom_of) & set(undecided):
            found[name] = _doubted(hit)
    return Diagnosis(_ranked(found, book), tuple(undecided), _roofline(views[0][1]), level)


def _decide(
    name: str,
    entry: BottleneckClass,
    facts: Facts,
    kernel: str,
    spec: DeviceSpec | None,
    book: RuleBook,
) -> Bottleneck | bool | None:
    """The bottleneck, False when it is absent, None when it cannot be told."""
    for rule in entry.rules:
        holds = rule.when.holds(facts)
        if holds:
            text = evidence(name, rule, facts, spec, book)
            group = rule.group or entry.group
            score = _score(rule, facts, book)
            return Bottleneck(name, rule.confidence, text, rule.basis, kernel, score, entry.remedies, group)
        if holds is False and rule.rules_out:
            return False
    return None


def _score(rule: Rule, facts: Facts, book: RuleBook) -> float:
    """The fact that ranks the class; percents as hundredths, so that they compare with shares."""
    value = facts.get(rule.score, 0.0)
    return value / 100 if book.facts[rule.score].unit == "%" else value


def _ranked(found: Mapping[str, Bottleneck], book: RuleBook) -> tuple[Bottleneck, ...]:
    """Launch level before causes before saturated units before latencies; among these by score, what is
    guessed last; a class stands after those it yields to."""

    def order(hit: Bottleneck) -> tuple[int, bool, float]:
        group = max([hit.group, *_yielded(hit, found, book)], key=_GROUPS.index)
        return _GROUPS.index(group), hit.confidence == "low", -hit.score

    ranked = sorted(found.values(), key=order)
    for hit in list(ranked):
        before = [ranked.index(found[name]) for name in book.classes[hit.cls].yields_to if name in found]
        if before and max(before) > ranked.index(hit):
            ranked.remove(hit)
            ranked.insert(max(before), hit)
    return tuple(ranked)


def _yielded(hit: Bottleneck, found: Mapping[str, Bottleneck], book: RuleBook) -> Iterator[str]:
    """The groups of what the class yields to; a mere contributor is not waited for."""
    for name in book.classes[hit.cls].yields_to:
        if name in found and found[name].group != "contributor":
            yield found[name].group


def _doubting(found: Diagnosis, launch: Launch | None) -> Diagnosis:
    """What a profiler found, a step less sure where it warned of its own numbers."""
    if launch is None or not launch.flags:
        return found
    hits = tuple(_doubted(hit) if hit.basis in _PROFILED else hit for hit in found.bottlenecks)
    return replace(found, bottlenecks=hits)


def _doubted(hit: Bottleneck) -> Bottleneck:
    """The same finding, a step less sure."""
    lower: dict[Confidence, Confidence] = {"high": "medium", "medium": "low", "low": "low"}
    confidence = lower[hit.confidence]
    text = hit.evidence.replace(f"{hit.cls} ({hit.confidence})", f"{hit.cls} ({confidence})", 1)
    return replace(hit, confidence=confidence, evidence=text)


def _unclassified(kernel: str, facts: Facts, spec: DeviceSpec | None, undecided: Sequence[str]) -> Bottleneck:
    book = rule_book()
    text = unclassified_evidence(facts, spec, book, undecided)
    remedies = book.unclassified.remedies
    return Bottleneck(UNCLASSIFIED, "low", text, "counters", kernel, 0.0, remedies, "contributor")


def _roofline(facts: Facts) -> RooflinePoint | None:
    if "roofline_us" not in facts:
        return None
    return RooflinePoint(
        bound="memory" if facts["memory_us"] >= facts["compute_us"] else "compute",
        intensity=facts["intensity"],
        ridge=facts["ridge"],
        attainable_us=facts["roofline_us"],
        time_us=facts.get("time_us"),
    )
