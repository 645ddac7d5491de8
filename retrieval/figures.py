"""Finds the figures that a text tells of a kernel: names with their numbers, whichever comes first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

from ..profiling.counters.numerals import Token, token
from ..profiling.counters.nvidia import keys, metric_map, metric_names
from ..profiling.counters.units import converted, unit
from ..profiling.counters.vocabulary import vocabulary
from ..profiling.rules import rule_book

_NUMBER = r"\d{1,3}(?:[,' ]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.,]\d+)?(?:e[-+]?\d+)?"
_SCALED = rf"(?:{_NUMBER})(?: ?[kM]\b)?"
_UNIT = (
    r"%|per ?cent|[kmgtKMGT]?i?[bB](?:ytes?)?/s|[KMGkmg]i?[bB]\b|bytes?\b|[mnuµμ]s(?:ec)?\b|[kKM]\b"
    r"|million|thousand"
)
_FIGURE = re.compile(
    rf"(?<![\w.])(?P<number>{_NUMBER}|no|zero|one)\s?(?P<unit>{_UNIT})?"
    rf"(?: (?:out )?of (?P<of>{_NUMBER}))?(?!-?\w)"
)
_CLAUSE = re.compile(r"[;|\n]|,(?!\d)|\band\b|\bwhile\b|\bwith\b|\bbut\b|[.:](?=\s+[A-Z])")
_WORDS = {"no": 0.0, "zero": 0.0, "one": 1.0}
_MANY = {"k": 3, "K": 3, "thousand": 3, "M": 6, "million": 6}
_JOINING = frozenset((
    "of", "the", "all", "in", "on", "at", "to", "is", "are", "was", "were", "be", "by", "for", "from", "only",
    "about", "around", "just", "up", "reads", "shows", "reaches", "per", "peak", "cycles", "warp", "stall",
    "stalls", "stalled", "avg", "max", "total",
))  # fmt: skip
_FEW = 4  # words between a share and its name
_MOST_PCT = 120.0  # utilisation in per cent; more is another number
_SHARE = 0.5  # of the stalls, for the one that is said to lead without a number
_LEADING = re.compile(r"\b(?:top|main|mainly|mostly|dominant|dominates?|largest|highest|worst)\b")
"""What marks a stall that is named without a number."""


class Words(BaseModel):
    """summary.yaml as it stands."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    keys: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, tuple[str, ...]]
    sentences: tuple[str, ...]
    unsaid: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Figure:
    """A number as it was told at `start` to `end`: `unit` is what stood behind it, "" for nothing, `of` the
    whole that it is a part of, 0 for none."""

    value: float
    unit: str
    of: float = 0.0
    start: int = 0
    end: int = 0

    def in_unit(self, wanted: str) -> float | None:
        """The number in `wanted`, None where it is of another kind; shares come as such or in per cent."""
        if self.of and not self.unit and wanted in ("ratio", "%"):
            return self.value / self.of * (100 if wanted == "%" else 1)
        if wanted in ("ratio", "inst/cycle"):
            return self.value / 100 if self.unit == "%" or self.value > 1 else self.value
        if wanted == "%":
            if self.unit not in ("", "%") or self.value > _MOST_PCT:
                return None
            return 100 * self.value if not self.unit and 0 < self.value < 1 else self.value
        if not self.unit:
            return self.value
        if self.unit == "%":
            return None
        found = converted(Decimal(str(self.value)), self.unit, wanted)
        return None if found is None else float(found)


@cache
def words() -> Words:
    text = (files("kbgen.retrieval") / "summary.yaml").read_text(encoding="utf-8")
    return Words.model_validate(yaml.safe_load(text))


def figures(text: str) -> tuple[dict[str, float], str]:
    """What a text tells: canonical key, fact, or group of a sentence of summary.yaml -> its value in the unit
    of that name; and the rest of the text."""
    found: dict[str, float] = {}
    rest: list[str] = []
    for sentence in _sentences():
        match = sentence.search(text)
        if match:
            told = {name: _value(number) for name, number in match.groupdict().items()}
            found |= {name: value for name, value in told.items() if value is not None}
            text = f"{text[: match.start()]} ; {text[match.end() :]}"
    for clause in _CLAUSE.split(text):
        paired = dict(_paired(clause))
        found = {**paired, **found}
        rest += [] if paired else [clause.strip()]
    return found, ", ".join(filter(None, rest))


def _paired(clause: str) -> Iterator[tuple[str, float]]:
    """Each name of a clause with its number: the one behind it, or before it where numbers lead."""
    names = _named(clause)
    blank = list(clause)
    for start, end, _ in names:
        blank[start:end] = "\0" * (end - start)
    numbers = [figure for match in _FIGURE.finditer("".join(blank)) if (figure := _figure(match))]
    if not numbers and _LEADING.search(clause):
        yield from ((key, _SHARE) for _, _, meant in names for key in meant if key.startswith("stall_"))
    lead = bool(numbers and names) and numbers[0].start < names[0][0]
    for place, (start, end, meant) in enumerate(names):
        before = names[place - 1][1] if place else 0
        after = names[place + 1][0] if place + 1 < len(names) else len(clause)
        near = [
            figure
            for figure in (reversed(numbers) if lead else numbers)
            if (before <= figure.start < start if lead else end <= figure.start < after)
        ]
        between = (
            clause[near[0].end : start] if near and lead else clause[end : near[0].start] if near else ""
        )
        for key in meant if near and _joined(between, near[0]) else ():
            value = near[0].in_unit(_unit_of(key))
            if value is not None:
                yield key, value


def _joined(between: str, figure: Figure) -> bool:
    """Whether what stands between a name and a number lets them belong together: joining words, or few words
    where the number is a share."""
    words_between = re.findall(r"\w+", between.lower())
    return len(words_between) <= (_FEW if figure.unit == "%" else 0) or _JOINING.issuperset(words_between)


def _named(clause: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """(start, end, what it may mean) of the names in a clause, none over another, the longer one first."""
    spans: dict[tuple[int, int], list[str]] = {}
    lower = clause.lower()
    for key, pattern in _patterns():
        for match in pattern.finditer(lower):
            spans.setdefault(match.span(), []).append(key)
    kept: list[tuple[int, int, tuple[str, ...]]] = []
    for (start, end), meant in sorted(spans.items(), key=lambda one: (one[0][0] - one[0][1], one[0][0])):
        if end > start and all(end <= s or start >= e for s, e, _ in kept):
            kept.append((start, end, tuple(dict.fromkeys(meant))))
    return sorted(kept)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found: list[tuple[str, str]] = []
    for key in keys():
        entry = metric_map().keys.get(key)
        names = (*metric_names(key), *(entry.shown if entry else ()), key)
        found += [(key, re.escape(name.lower())) for name in names]
    found += [
        (key, word) for told in (words().keys, words().facts) for key, many in told.items() for word in many
    ]
    found += [
        (fact, re.escape(fact)) for fact in rule_book().facts if fact not in vocabulary() and "_" in fact
    ]
    stems = [(name.partition(".")[0], key) for key in keys() for name in metric_names(key) if "." in name]
    meant = {stem: {key for other, key in stems if other == stem} for stem, _ in stems}
    found += [(key, re.escape(stem)) for stem, key in dict.fromkeys(stems) if len(meant[stem]) == 1]
    return tuple((key, re.compile(rf"(?<![\w.])(?:{word})(?![\w])")) for key, word in found)


@cache
def _sentences() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one.replace("#", _SCALED), re.IGNORECASE) for one in words().sentences)


def _unit_of(name: str) -> str:
    if name in vocabulary():
        return vocabulary()[name].unit
    facts = rule_book().facts
    if name == "conflicts_per_wavefront":
        return "ratio"
    return facts[name].unit if name in facts and unit(facts[name].unit) else ""


def _figure(match: re.Match[str]) -> Figure | None:
    value = _value(match["number"])
    spelling = (match["unit"] or "").strip()
    if value is None:
        return None
    if spelling in _MANY:
        value, spelling = round(value * 10 ** _MANY[spelling], 6), ""
    elif spelling.startswith("per"):
        spelling = "%"
    elif re.search(r"b(?:/s)?$", spelling, re.IGNORECASE):
        spelling = re.sub(
            r"^[kmgt]?i?b", lambda found: found[0].upper().replace("I", "i"), spelling, flags=re.IGNORECASE
        )
    whole = _value(match["of"]) if match["of"] else None
    return Figure(value, spelling, whole or 0.0, *match.span())


def _value(number: str) -> float | None:
    if number.lower() in _WORDS:
        return _WORDS[number.lower()]
    scale = _MANY.get(number[-1], 0)
    found = token(number[:-1] if scale else number)
    if not isinstance(found, Token):
        return None
    plain = found.plain()
    plain = plain if plain is not None else found.digits(0 if "," in number else 1)
    return float(plain.scaleb(scale))
