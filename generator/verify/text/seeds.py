"""Finds seeds that a candidate draws from and its op does not: what they give are guesses at inputs, or at
what comes of them."""

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
    tree, op = ast.parse(source), _without_inputs(ast.parse(op_source))
    line = _seeded(tree) if _seeded(op) is None else None
    if line is None and not _draws(op):
        line = _in_kernels(tree)
    if line is None:
        return None
    return "forbidden-code", f"line {line}: it draws from a seed of its own, and the op's module from none"


def _in_kernels(tree: ast.Module) -> int | None:
    """The first line on which a kernel draws numbers."""
    bound = {name: full for name, full in aliases(tree) if full.startswith("triton")}

    def full_name(node: ast.AST) -> str:
        root, _, rest = ast.unparse(node).partition(".")
        return f"{bound[root]}.{rest}".rstrip(".") if root in bound else ""

    names = (one for one in nodes(tree) if isinstance(one, ast.Attribute | ast.Name))
    drawn = (one.lineno for one in names if full_name(one).removeprefix(_LANGUAGE) in _KERNEL_DRAWS)
    return min(drawn, default=None)


_LANGUAGE = "triton.language."
_KERNEL_DRAWS = frozenset(
    prefix + name
    for prefix in ("", "random.")
    for name in ["rand", "rand4x", "randn", "randn4x", "randint", "randint4x", "philox", "philox_impl"]
)


def _draws(op: ast.Module) -> bool:
    """Whether an op may draw anything beside its weights: a dropout, noise, a rounding by chance."""
    making = (one for one in nodes(op) if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    weights = {id(inner) for one in making for inner in ast.walk(one)}
    return any(
        any(word in name.lower() for word in (_MODULES if id(one) in weights else _CHANCE))
        for one in nodes(op)
        for name in [getattr(one, "attr", getattr(one, "id", ""))]
    )


_MODULES = ("dropout", "rrelu")
_CHANCE = (*_MODULES, "rand", "bernoulli", "multinomial", "gumbel", "normal_", "uniform_", "poisson")


def _seeded(tree: ast.Module) -> int | None:
    """The first line that names a generator or sets one."""
    imported = {(name, full.split(".")[0] in _TYPES) for name, full in aliases(tree)}
    of_types = {name for name, types in imported if types and (name, False) not in imported}
    named = (one for one in nodes(tree) if isinstance(one, ast.Attribute) and one.attr in _SEEDS)
    return min((one.lineno for one in named if ast.unparse(one).split(".")[0] not in of_types), default=None)


def _without_inputs(tree: ast.Module) -> ast.Module:
    kept = [one for one in tree.body if getattr(one, "name", None) not in _DRAWS_INPUTS]
    return ast.Module(kept, [])
