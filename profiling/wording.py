"""Writes the evidence of a diagnosis in its fixed form: every number that decided, the threshold it met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..hardware_specs.spec import DeviceSpec
from .rules import Condition, Facts, Reference, Rule, RuleBook

_ASKED_FOR = 6


def evidence(name: str, rule: Rule, facts: Facts, spec: DeviceSpec | None, book: RuleBook) -> str:
    """`class (confidence): metric=value unit [threshold], ...; compared with limit of DEVICE`."""
    met = [part for part in rule.when.comparisons() if part.holds(facts)]
    parts = [f"{_value(part.fact or '', facts, book)} [{_threshold(part, facts, book)}]" for part in met]
    parts = list(dict.fromkeys(parts))
    told = {part.fact for part in met}
    parts += [_value(fact, facts, book) for fact in rule.show if fact in facts and fact not in told]
    limit = f"{_value(rule.limit, facts, book)} of " if rule.limit and rule.limit in facts else ""
    return f"{name} ({rule.confidence}): {', '.join(parts)}; compared with {limit}{_device(spec)}"


def unclassified_evidence(
    facts: Facts, spec: DeviceSpec | None, book: RuleBook, undecided: Sequence[str]
) -> str:
    """The top numbers, and the metrics whose want leaves most classes open."""
    shown = [_value(fact, facts, book) for fact in book.unclassified.show if fact in facts]
    wanted = Counter(
        fact
        for name in undecided
        for rule in book.classes[name].rules
        if rule.basis == "counters"
        for fact in dict.fromkeys(rule.when.facts_named())
        if fact not in facts
    )
    asked = ", ".join(name for name, _ in wanted.most_common(_ASKED_FOR))
    numbers = ", ".join(shown) or "no number that a class is decided by"
    more = f"; {len(undecided)} classes undecided, ask for {asked}" if asked else ""
    return f"unclassified (low): {numbers}; compared with {_device(spec)}{more}"


def _device(spec: DeviceSpec | None) -> str:
    return spec.name if spec else "a device without a sheet"


def _value(fact: str, facts: Facts, book: RuleBook) -> str:
    meaning = book.facts[fact]
    return f"{fact}={facts[fact]:.{meaning.digits}f} {meaning.unit}".rstrip()


def _threshold(part: Condition, facts: Facts, book: RuleBook) -> str:
    sign, limit = part.comparison()
    if isinstance(limit, Reference):
        scale = "" if limit.times == 1 else f"{limit.times:g} x "
        return f"{sign} {scale}{_value(limit.fact, facts, book)}"
    return f"{sign} {limit:g}"
