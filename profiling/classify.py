"""Names what holds a kernel back: every class of rules.yaml is found with its evidence, absent, or undecided.

classify(profile).bottlenecks[0].evidence
"tail_effect (medium): whole_waves=1 full waves [>= 1], partial_blocks=136 blocks [> 0], ...; compared with
blocks_per_wave=152 blocks of GB200"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..hardware_specs.spec import DeviceSpec
from .facts import eager_facts, graph_facts, kernel_facts, profile_facts
from .profile import Level, Profile
from .rules import BottleneckClass, Condition, Confidence, Facts, Reference, Rule, RuleBook, rule_book
from .trace import TracedOp

_GROUPS = ("stop", "launch", "cause", "saturated", "latency")
_CONFIDENCES = ("high", "medium", "low")


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
    """Diagnose a candidate, kernel by kernel."""
    shared = graph_facts(profile.traced, profile.spec) | profile_facts(profile)
    kernels = profile.static.kernels if profile.static is not None else ()
    views = [(kernel.name, shared | kernel_facts(kernel, profile.traced, profile.spec)) for kernel in kernels]
    return diagnose(views or [("", shared)], profile.spec, profile.level)


def diagnose_op(traced: TracedOp, spec: DeviceSpec) -> Diagnosis:
    """Diagnose an operator before any candidate exists: what eager PyTorch would launch and move."""
    return diagnose([("", graph_facts(traced, spec) | eager_facts(traced, spec))], spec, "D")


def diagnose(
    views: Sequence[tuple[str, Facts]], spec: DeviceSpec, level: Level, book: RuleBook | None = None
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
            found[name] = max(hits, key=lambda hit: hit.score)
        elif None in answers:
            undecided.append(name)
    return Diagnosis(_ranked(found, book), tuple(undecided), _roofline(views[0][1]), level)


def _decide(
    name: str, entry: BottleneckClass, facts: Facts, kernel: str, spec: DeviceSpec, book: RuleBook
) -> Bottleneck | bool | None:
    """The bottleneck, False when it is absent, None when it cannot be told."""
    for rule in entry.rules:
        holds = rule.when.holds(facts)
        if holds:
            evidence = _evidence(name, rule, facts, spec, book)
            score = facts.get(rule.score, 0.0)
            return Bottleneck(name, rule.confidence, evidence, rule.basis, kernel, score, entry.remedies)
        if holds is False and rule.rules_out:
            return False
    return None


def _ranked(found: dict[str, Bottleneck], book: RuleBook) -> tuple[Bottleneck, ...]:
    """Launch level before causes before saturated units before latencies; a class stands after those it
    yields to."""

    def order(hit: Bottleneck) -> tuple[int, int, float]:
        entry = book.classes[hit.cls]
        group = max([entry.group, *_yielded(entry, found, book)], key=_GROUPS.index)
        return _GROUPS.index(group), _CONFIDENCES.index(hit.confidence), -hit.score

    ranked = sorted(found.values(), key=order)
    for hit in list(ranked):
        before = [ranked.index(found[name]) for name in book.classes[hit.cls].yields_to if name in found]
        if before and max(before) > ranked.index(hit):
            ranked.remove(hit)
            ranked.insert(max(before), hit)
    return tuple(ranked)


def _yielded(entry: BottleneckClass, found: dict[str, Bottleneck], book: RuleBook) -> Iterator[str]:
    yield from (book.classes[name].group for name in entry.yields_to if name in found)


def _evidence(name: str, rule: Rule, facts: Facts, spec: DeviceSpec, book: RuleBook) -> str:
    """The fixed form, with every number that decided and the threshold it met."""
    parts = [
        f"{_value(part.fact or '', facts, book)} [{_threshold(part, facts, book)}]"
        for part in rule.when.comparisons()
        if part.holds(facts)
    ]
    parts += [_value(fact, facts, book) for fact in rule.show if fact in facts]
    limit = f"{_value(rule.limit, facts, book)} of " if rule.limit and rule.limit in facts else ""
    return f"{name} ({rule.confidence}): {', '.join(parts)}; compared with {limit}{spec.name}"


def _value(fact: str, facts: Facts, book: RuleBook) -> str:
    meaning = book.facts[fact]
    return f"{fact}={facts[fact]:.{meaning.digits}f} {meaning.unit}".rstrip()


def _threshold(part: Condition, facts: Facts, book: RuleBook) -> str:
    sign, limit = part.comparison()
    if isinstance(limit, Reference):
        scale = "" if limit.times == 1 else f"{limit.times:g} x "
        return f"{sign} {scale}{_value(limit.fact, facts, book)}"
    return f"{sign} {limit:g}"


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
