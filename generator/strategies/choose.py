"""Which strategy a name stands for."""

from __future__ import annotations

from collections.abc import Mapping

from ... import KbgenError
from .advised import advised
from .bandit import bandit
from .beam import beam
from .strategy import Strategy

STRATEGIES: Mapping[str, Strategy] = {"advised": advised, "bandit": bandit, "beam": beam}

DEFAULT = "bandit"
"""Came nearest to the best for as many candidates, by a card and by the estimate (docs/measured.md)."""


def choose_strategy(name: str) -> Strategy:
    """Raises KbgenError for a name that is none."""
    if name not in STRATEGIES:
        raise KbgenError(f"{name} is no search strategy; there are {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]
