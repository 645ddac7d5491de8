"""Turns the raw counters of an AMD dispatch into canonical readings, by the formulas of amd.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

from .formula import evaluate, operands
from .record import Reading
from .vocabulary import vocabulary

_IMPOSSIBLE_PCT = 110  # counters of several passes may disagree a little; past this the number is wrong
_NEVER_ZERO = ("GRBM_COUNT", "GRBM_GUI_ACTIVE", "SQ_WAVES")  # of a kernel that ran
NO_COUNTERS = "this card gives no counters"


class Chip(BaseModel):
    """A compiler target with its counters; `also` are targets that count alike."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    family: str
    also: tuple[str, ...]
    constants: Mapping[str, float]


class Rule(BaseModel):
    """A formula and where it holds: chips and families, apart by spaces."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    chips: str
    formula: str


class AmdMap(BaseModel):
    """amd.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    chips: Mapping[str, Chip]
    device_constants: tuple[str, ...]
    pass_limits: Mapping[str, int]
    shared_blocks: Mapping[str, str]
    quick: tuple[str, ...]
    keys: Mapping[str, tuple[Rule, ...]]

    def covered(self, rule: Rule) -> tuple[str, ...]:
        """The chips on which a rule holds."""
        named = rule.chips.split()
        return tuple(name for name, chip in self.chips.items() if name in named or chip.family in named)

    def whole_families(self, rule: Rule) -> bool:
        """Whether the rule holds for every chip of its families, so that the family is all one must know."""
        return set(rule.chips.split()) <= {chip.family for chip in self.chips.values()}

    def names(self, rule: Rule) -> tuple[str, ...]:
        """Everything that a rule's formula asks for."""
        return operands(rule.formula)

    def counters(self, rule: Rule) -> tuple[str, ...]:
        """The counters that a rule reads: operands that are neither keys nor constants."""
        constants = {name for chip in self.chips.values() for name in chip.constants}
        known = {*self.device_constants, *constants, *vocabulary()}
        return tuple(name for name in operands(rule.formula) if name not in known)


@lru_cache(maxsize=1)
def amd_map() -> AmdMap:
    """The formulas, read once."""
    text = (files("kbgen.profiling.counters") / "amd.yaml").read_text(encoding="utf-8")
    return AmdMap.model_validate(yaml.safe_load(text))


def chip_of(arch: str | None) -> str | None:
    """The chip of amd.yaml that counts as `arch` does ("gfx940:sramecc+" -> "gfx942"), or None."""
    target = (arch or "").lower().split(":")[0]
    for name, chip in amd_map().chips.items():
        if target == name or target in chip.also:
            return name
    return None


def derive(
    counters: Mapping[str, float],
    arch: str | None,
    constants: Mapping[str, float],
    known: Mapping[str, Reading],
) -> tuple[dict[str, Reading], tuple[str, ...]]:
    """`known` (read off the dispatch) with every key that the counters give, and sentences on refused ones.

    `constants` are the device's (`device_constants` of amd.yaml), absent where unknown. Where the arch is
    unknown only formulas that hold for whole families count, with the constants that their chips share; for
    an arch without formulas there are none.
    """
    readings = dict(known)
    counters = {name.removesuffix("_sum"): value for name, value in counters.items()}
    if dead := [name for name in _NEVER_ZERO if counters.get(name) == 0]:
        return readings, (
            f"{' and '.join(dead)} 0 though a kernel ran: {NO_COUNTERS} (known of discrete RDNA3 and RDNA4 "
            "cards), so only times and sizes are used",
        )
    flags = []
    for key, rules in amd_map().keys.items():
        value, source = _first(rules, arch, counters, constants, readings)
        if value is None:
            continue
        if value < 0 or (vocabulary()[key].unit == "%" and value > _IMPOSSIBLE_PCT):
            flags.append(f"{key} would be {value:.4g} {vocabulary()[key].unit}, which cannot be: left out")
            continue
        readings[key] = Reading(value, source)
    return readings, tuple(flags)


def _first(
    rules: Iterable[Rule],
    arch: str | None,
    counters: Mapping[str, float],
    constants: Mapping[str, float],
    readings: Mapping[str, Reading],
) -> tuple[float | None, str]:
    """The first computable rule's value and the names it was computed from."""
    for rule in rules:
        own = _chip_constants(rule, arch)
        if own is None:
            continue

        def operand(name: str, own: Mapping[str, float] = own) -> float | None:
            if (reading := readings.get(name)) is not None:
                return reading.value
            for numbers in (constants, own, counters):
                if name in numbers:
                    return numbers[name]
            return None

        if (value := evaluate(rule.formula, operand)) is not None:
            return value, ", ".join(operands(rule.formula))
    return None, ""


def _chip_constants(rule: Rule, arch: str | None) -> Mapping[str, float] | None:
    """What the rule may take for granted of the chip, None where it does not hold."""
    table = amd_map()
    covered = table.covered(rule)
    if arch is not None:
        chip = chip_of(arch)
        return table.chips[chip].constants if chip in covered else None
    if not table.whole_families(rule):
        return None
    first, *others = (table.chips[name].constants for name in covered)
    return {k: v for k, v in first.items() if all(other.get(k) == v for other in others)}
