"""Chooses the AMD counters that keys need on a chip and deals them out to as few passes as can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from .amd import amd_map, chip_of


def formulas_of(
    keys: Iterable[str], arch: str, available: Collection[str] = ()
) -> tuple[tuple[str, ...], ...]:
    """The counters of each formula that the keys need on this chip, keys that they are built on first.

    Of a key's formulas the first counts that holds for the chip and needs nothing but `available` counters
    (empty: not known); a key that the chip cannot give asks for nothing.
    """
    table, chip = amd_map(), chip_of(arch)
    found: dict[str, tuple[str, ...]] = {}

    def visit(key: str) -> None:
        rules = (rule for rule in table.keys.get(key, ()) if chip in table.covered(rule))
        rule = next((r for r in rules if not available or {*table.counters(r)} <= {*available}), None)
        if rule is None or key in found:
            return
        for name in table.names(rule):
            if name in table.keys:
                visit(name)
        found[key] = table.counters(rule)

    for key in keys:
        visit(key)
    return tuple(counters for counters in found.values() if counters)


def passes_of(formulas: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The counters of all formulas in passes that the hardware can count, each counter once.

    A formula's counters stay together where one pass has room for them: they are of the same run then.
    """
    passes: list[list[str]] = []
    dealt: set[str] = set()
    for formula in formulas:
        new = [name for name in formula if name not in dealt]
        dealt |= set(new)
        for part in [new] if _fits(new) else [[name] for name in new]:
            home = next((one for one in passes if _fits([*one, *part])), None)
            if home is None:
                passes.append(list(part))
            else:
                home += part
    return tuple(tuple(one) for one in passes if one)


def block_of(counter: str) -> str | None:
    """The hardware block that counts: "TCC" for "TCC_HIT_sum"; None for what the tool derives itself."""
    table = amd_map()
    prefix = counter.split("_")[0]
    if prefix not in table.pass_limits:
        return None
    return table.shared_blocks.get(prefix, prefix)


def _fits(counters: list[str]) -> bool:
    """Whether one pass can count them; what the tool derives takes an unknown number and stays alone."""
    used = Counter(block_of(name) for name in counters)
    if used.pop(None, 0):
        return len(counters) == 1
    return all(count <= amd_map().pass_limits[block] for block, count in used.items() if block)
