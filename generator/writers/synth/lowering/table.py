"""Which ATen operator is lowered by which function; each family registers its own."""

from __future__ import annotations

from collections.abc import Callable

from torch import fx

from .context import Context, Lowered

Rule = Callable[[Context, fx.Node], Lowered]
RULES: dict[str, Rule] = {}


def lowers(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for ATen operators such as `softmax.int`."""

    def register(rule: Rule) -> Rule:
        for name in names:
            RULES[name] = rule
        return rule

    return register
