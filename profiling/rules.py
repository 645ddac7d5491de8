"""Reads rules.yaml: bottleneck classes as comparisons between named facts, evaluated with "unknown" as a
third answer.

A condition is one comparison, or `all` / `any` / `none` of several:

    all: [{fact: dram_pct, at_least: 60}, {fact: dram_pct, at_least: {fact: l2_pct, times: 1.0}}]

A fact that is not known makes its comparison unknown, and a class none of whose rules can be answered is
undecided, never absent. Nothing in the file is code.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from .. import KbgenError

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Facts = Mapping[str, float]
Confidence = Literal["low", "medium", "high"]
Group = Literal["stop", "launch", "cause", "saturated", "latency", "contributor"]

_COMPARE: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "above": (">", operator.gt),
    "at_least": (">=", operator.ge),
    "below": ("<", operator.lt),
    "at_most": ("<=", operator.le),
}


class RuleError(KbgenError):
    """rules.yaml does not say what it must."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Reference(_Strict):
    """Another fact, scaled, as a threshold."""

    fact: str
    times: float = 1.0


class Condition(_Strict):
    """Exactly one of: a comparison of `fact`, `all`, `any`, `none`."""

    fact: str | None = None
    above: float | Reference | None = None
    at_least: float | Reference | None = None
    below: float | Reference | None = None
    at_most: float | Reference | None = None
    all: tuple[Condition, ...] = ()
    any: tuple[Condition, ...] = ()
    none: tuple[Condition, ...] = ()

    @model_validator(mode="after")
    def _one_form(self) -> Condition:
        groups = [group for group in (self.all, self.any, self.none) if group]
        compared = [name for name in _COMPARE if getattr(self, name) is not None]
        if self.fact is None and len(groups) == 1 and not compared:
            return self
        if self.fact is not None and not groups and len(compared) == 1:
            return self
        raise ValueError(
            f"a condition is one comparison of one fact, or one of all, any, none; found {self!r}"
        )

    def holds(self, facts: Facts) -> bool | None:
        """True, False, or None where a fact that decides it is unknown."""
        if self.fact is not None:
            return self._compare(facts)
        if self.all:
            return _every(part.holds(facts) for part in self.all)
        if self.any:
            return _negate(_every(_negate(part.holds(facts)) for part in self.any))
        return _every(_negate(part.holds(facts)) for part in self.none)

    def comparisons(self) -> Iterator[Condition]:
        """The comparisons that speak for the class when they hold, in the order written."""
        if self.fact is not None:
            yield self
        for part in (*self.all, *self.any):
            yield from part.comparisons()

    def facts_named(self) -> Iterator[str]:
        """Every fact that the condition reads."""
        if self.fact is not None:
            yield self.fact
            limit = self.comparison()[1]
            if isinstance(limit, Reference):
                yield limit.fact
        for part in (*self.all, *self.any, *self.none):
            yield from part.facts_named()

    def comparison(self) -> tuple[str, float | Reference]:
        """The sign and the threshold of a comparison."""
        for name, (sign, _) in _COMPARE.items():
            limit: float | Reference | None = getattr(self, name)
            if limit is not None:
                return sign, limit
        raise RuleError(f"{self!r} compares nothing")

    def limit(self, facts: Facts) -> float | None:
        """The threshold as a number, None where it is an unknown fact."""
        threshold = self.comparison()[1]
        if isinstance(threshold, Reference):
            return facts[threshold.fact] * threshold.times if threshold.fact in facts else None
        return threshold

    def _compare(self, facts: Facts) -> bool | None:
        value, limit = facts.get(self.fact or ""), self.limit(facts)
        if value is None or limit is None:
            return None
        compare = next(compare for name, (_, compare) in _COMPARE.items() if getattr(self, name) is not None)
        return compare(value, limit)


class Rule(_Strict):
    """One way to decide a class. The first rule of a class that can be answered decides it, so rules stand in
    the order of their evidence: counters, timing, compiled code, the graph alone."""

    basis: Literal["counters", "timing", "static", "graph"]
    confidence: Confidence
    when: Condition
    score: str  # the fact that ranks this class among its group, larger first; percents count as hundredths
    group: Group | None = None  # where the finding ranks, if not where its class does
    rules_out: bool = True  # False: not holding proves nothing, the class stays open
    show: tuple[str, ...] = ()  # further facts to print with the evidence
    limit: str | None = None  # the device's fact that the evidence is compared with


class BottleneckClass(_Strict):
    """One class of the taxonomy. `group` orders the diagnosis; within it `yields_to` names the classes that
    go before this one when both are found. It may be the mere symptom of those in `symptom_of`: while one of
    them is undecided, it is told with less confidence."""

    group: Group
    yields_to: tuple[str, ...] = ()
    symptom_of: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = Field(min_length=1)
    remedies: tuple[str, ...] = Field(min_length=1)


class FactMeaning(_Strict):
    """How a fact is printed and what it is."""

    unit: str = ""
    digits: int = 0
    meaning: str


class Unclassified(_Strict):
    """What is said where no class is found: the facts to print, and what to do next."""

    show: tuple[str, ...]
    remedies: tuple[str, ...]


class RuleBook(_Strict):
    """The whole file."""

    facts: Mapping[str, FactMeaning]
    classes: Mapping[str, BottleneckClass]
    unclassified: Unclassified

    @model_validator(mode="after")
    def _known_names(self) -> RuleBook:
        for name, entry in self.classes.items():
            named = {fact for rule in entry.rules for fact in _facts_of(rule)}
            unknown = sorted(named - set(self.facts)) + sorted(
                {*entry.yields_to, *entry.symptom_of} - set(self.classes)
            )
            if unknown:
                raise ValueError(f"class {name} names {', '.join(unknown)}, which the file does not define")
        if unknown := sorted(set(self.unclassified.show) - set(self.facts)):
            raise ValueError(f"unclassified names {', '.join(unknown)}, which the file does not define")
        return self


@lru_cache(maxsize=1)
def rule_book() -> RuleBook:
    """The shipped rules; raises RuleError where the file is wrong."""
    return parse_rules((files("kbgen.profiling") / "rules.yaml").read_text(encoding="utf-8"))


def parse_rules(text: str) -> RuleBook:
    """Rules from YAML text; raises RuleError naming the first mistake."""
    try:
        return RuleBook.model_validate(yaml.load(text, Loader=_LOADER))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"]) or "the file"
        raise RuleError(f"rules.yaml: {place}: {first['msg']}") from None


def _facts_of(rule: Rule) -> Iterator[str]:
    yield from rule.when.facts_named()
    yield from (rule.score, *rule.show)
    if rule.limit:
        yield rule.limit


def _every(answers: Iterator[bool | None]) -> bool | None:
    known: list[Any] = list(answers)
    if False in known:
        return False
    return None if None in known else True


def _negate(answer: bool | None) -> bool | None:
    return None if answer is None else not answer
