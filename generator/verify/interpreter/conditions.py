"""Remembers how a candidate's conditions come out, so that what full size decides otherwise can be judged.

    if rows > 4096: ...      grid = rows - (rows == 4096)      if N % BLOCK == 0: ... (in a kernel)

Judged shapes are small, so a condition on sizes may come out one way in every judged call and the other way
on the card. Each comparison, each test of a branch and each integer quotient is noted as it comes out, at
judged shapes and at full size (`rehearsal.py`); what only full size gives is then made to hold in a judged
call. `watched.py` puts the calls of `saw` into the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

_MOST_FORCED = 64
"""Quotients above this are not made to hold: as a grid they would take all the time there is."""

Site = tuple[str, int]
Outcomes = dict[Site, dict[bool, Any]]
"""How evaluations of each site came out, with a value that gave it."""


_SITES = ("amounts", "compared", "of_wrapper", "of_arguments", "chosen")


class Conditions:
    """Per site the outcomes so far, each with a value that gave it; `forced` are values to give instead.

    `amounts` are sites of numbers that decide nothing, such as a kernel's `rows >> 11`: what matters of them
    is whether they are zero. Some are made `of_arguments` of the kernel alone. `compared` are comparisons in
    kernels of sizes and places of programs, `of_wrapper` those of the wrapper, `chosen` which of two whole
    numbers is the larger.
    """

    def __init__(self) -> None:
        self.outcomes: Outcomes = {}
        self.texts: dict[Site, str] = {}
        self.forced: Mapping[Site, Any] = {}
        self.amounts: set[Site] = set()
        self.compared: set[Site] = set()
        self.of_wrapper: set[Site] = set()
        self.of_arguments: set[Site] = set()
        self.chosen: set[Site] = set()
        self.spins = False  # a kernel has a loop that may wait for another program

    def sites(self) -> dict[str, Any]:
        """What is known of them by their text."""
        return {name: getattr(self, name) for name in ("texts", "spins", *_SITES)}

    def learn(self, sites: Mapping[str, Any]) -> None:
        """What another process knows of them."""
        self.texts.update(sites["texts"])
        self.spins |= sites["spins"]
        for name in _SITES:
            getattr(self, name).update(sites[name])

    def begin(self) -> Outcomes:
        """The outcomes so far, and none from here on."""
        before, self.outcomes = self.outcomes, {}
        return before

    def new_since(self, judged: Mapping[Site, Mapping[bool, Any]]) -> dict[Site, Any]:
        """What every evaluation since `begin` gave, and none of the `judged` ones, that did reach the site or
        might have reached it."""
        found = {}
        for site, outcomes in self.outcomes.items():
            alike = len(outcomes) == 1 and not outcomes.keys() & judged.get(site, {}).keys()
            if alike and site not in self.amounts:
                value = next(iter(outcomes.values()))
                if isinstance(value, bool) or abs(value) <= _MOST_FORCED:
                    found[site] = value
        return found

    def new_amounts(
        self, judged: Mapping[Site, Mapping[bool, Any]], kernels: Iterable[str]
    ) -> dict[Site, float]:
        """The amounts that have been zero, or more, since `begin` and never in `judged` calls, of one program
        at least; a kernel's comparisons of sizes and places likewise.

        In the text of `kernels` and of the wrapper: what a helper is given may have been loaded.
        """
        scopes, found = {"", *kernels}, {}
        for site, outcomes in self.outcomes.items():
            new = outcomes.keys() - judged.get(site, {}).keys()
            mixed = site in self.compared and len(outcomes) > 1
            if new and site[0] in scopes and (mixed or site in self.amounts):
                found[site] = outcomes[new.pop()]
        return found

    def not_held(self, sites: Mapping[Site, Any]) -> dict[Site, Any]:
        """Those of `sites` that evaluations since `begin` did not all give as they are there."""
        return {site: value for site, value in sites.items() if not holds(self.outcomes, site, value)}

    def forceable(self, amounts: Mapping[Site, float]) -> dict[Site, float]:
        """Those made of a kernel's arguments alone, or by the wrapper, and not too large to be a count."""
        return {
            site: value
            for site, value in amounts.items()
            if (site in self.of_arguments or (not site[0] and site not in self.chosen))
            and abs(value) <= _MOST_FORCED
        }

    def told(self, sites: Mapping[Site, Any]) -> str:
        """The conditions in words, a few of them."""
        words = [f"`{self.texts[site]}` is {value}" for site, value in sites.items() if site in self.texts]
        return ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")

    def saw(self, scope: str, number: int, value: Any) -> Any:
        """Called in place of each watched expression, with its value; gives what the program goes on with."""
        plain = _plain(value)
        if plain is None:
            return value
        site = (scope, number)
        self.outcomes.setdefault(site, {}).setdefault(bool(plain), plain)
        if site not in self.forced:
            return value
        return _like(value, self.forced[site])

    def chose(self, scope: str, number: int, largest: bool, choose: Any, one: Any, other: Any) -> Any:
        """Called in place of a maximum or a minimum of two; which of two floating numbers it is, is a
        condition, and of two whole ones an amount: a loop that ends at some thousand rounds is right if it is
        made to end there."""
        pair = _plain(one), _plain(other)
        if None in pair:
            return choose(one, other)
        larger = pair[0] > pair[1]
        if not any(isinstance(value, float) for value in pair):
            self.chosen.add((scope, number))
            self.amounts.add((scope, number))
            self.saw(scope, number, larger)
            return choose(one, other)
        kept = self.saw(scope, number, larger)
        if kept is larger:
            return choose(one, other)
        chosen = one if kept is largest else other
        return choose(chosen, chosen)


def holds(outcomes: Outcomes, site: Site, value: Any) -> bool:
    """Whether every evaluation gave that."""
    return outcomes.get(site, {}).keys() == {bool(value)}


def together(several: Iterable[Outcomes]) -> Outcomes:
    """The outcomes of all; of a value that gave one, the first."""
    found: Outcomes = {}
    for one in several:
        for site, outcomes in one.items():
            found[site] = {**outcomes, **found.get(site, {})}
    return found


@dataclass(frozen=True)
class Unmet:
    """Numbers made of sizes that full size has and no call has met so far: `amounts` by their site, with a
    value, and `values` that become floating numbers."""

    amounts: Mapping[Site, float]
    values: frozenset[float]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Unmet:
        """From JSON: `amounts` as `listed` gives them, likewise conditions that were `held` to and are not
        to be once more, and `values`."""
        sites = (*document.get("amounts", ()), *document.get("held", ()))
        amounts = {(scope, number): value for scope, number, value in sites}
        return cls(amounts, frozenset(document.get("values", ())))

    def __bool__(self) -> bool:
        return bool(self.amounts or self.values)

    def after(self, seen: Outcomes, values: set[float]) -> Unmet:
        """What is left of it beside conditions and values that calls have `seen`."""
        left = {site: value for site, value in self.amounts.items() if bool(value) not in seen.get(site, {})}
        return Unmet(left, self.values - values)


def listed(sites: Mapping[Site, float]) -> tuple[tuple[str, int, float], ...]:
    """For JSON."""
    return tuple((scope, number, value) for (scope, number), value in sites.items())


def _plain(value: Any) -> Any:
    """The boolean or the integer in a value, whatever the kernel language wraps it in; None for blocks."""
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, tl.tensor):
        data = value.handle.data
        value = data.reshape(-1)[0] if isinstance(data, np.ndarray) and data.size == 1 else None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, float | np.floating):
        return float(value)
    return int(value) if isinstance(value, int | np.integer) else None


def _like(value: Any, forced: Any) -> Any:
    if isinstance(value, tl.constexpr):
        return tl.constexpr(forced)
    if isinstance(value, tl.tensor):
        data = np.full_like(value.handle.data, forced)
        return tl.tensor(TensorHandle(data, value.handle.dtype), value.type)
    return forced
