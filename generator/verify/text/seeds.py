"""Finds seeds that a candidate draws from and its op does not: what they give are guesses at inputs."""

from __future__ import annotations

import ast

from ..verdict import Cause
from .names import aliases, nodes

_SEEDS = frozenset(("Generator", "manual_seed"))
_TYPES = ("typing", "collections")  # whose Generator is what yields
_DRAWS_INPUTS = ("get_inputs", "get_init_inputs")

Finding = tuple[Cause, str]


def own_seed(source: str, op_source: str) -> Finding | None:
    """Why a seed in `source` is none that weights need; None where the reference's module has one, too."""
    line = _seeded(ast.parse(source))
    if line is None or _seeded(_without_inputs(ast.parse(op_source))) is not None:
        return None
    return "forbidden-code", f"line {line}: it draws from a seed of its own, and the op's module from none"


def _seeded(tree: ast.Module) -> int | None:
    """The first line that names a generator or sets one."""
    imported = {(name, full.split(".")[0] in _TYPES) for name, full in aliases(tree)}
    of_types = {name for name, types in imported if types and (name, False) not in imported}
    named = (one for one in nodes(tree) if isinstance(one, ast.Attribute) and one.attr in _SEEDS)
    return min((one.lineno for one in named if ast.unparse(one).split(".")[0] not in of_types), default=None)


def _without_inputs(tree: ast.Module) -> ast.Module:
    kept = [one for one in tree.body if getattr(one, "name", None) not in _DRAWS_INPUTS]
    return ast.Module(kept, [])
