"""Compares the arguments of two forwards by their text: what no call with the op file's own inputs shows."""

from __future__ import annotations

import ast

from ..verdict import Cause

Finding = tuple[Cause, str]


def misread(source: str, op_source: str) -> Finding | None:
    """Why ModelNew.forward does something else with its arguments than Model.forward: it has the same names
    in another order, so that a call by name differs, or takes an optional one that it never reads."""
    mine, theirs = _forward(source, "ModelNew"), _forward(op_source, "Model")
    if mine is None or theirs is None:
        return None
    names, right = _names(mine), _names(theirs)
    if sorted(names) == sorted(right) and names != right:
        return (
            "wrong-structure",
            f"its forward takes ({', '.join(names)}), the reference ({', '.join(right)})",
        )
    unread = [name for name in _optional(mine) if name in _read(theirs) and name not in _read(mine)]
    if unread:
        return "unjudged-path", f"its forward takes {unread[0]} and never reads it"
    return None


def _forward(source: str, name: str) -> ast.FunctionDef | None:
    classes = (
        node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == name
    )
    return next(
        (
            one
            for model in classes
            for one in model.body
            if isinstance(one, ast.FunctionDef) and one.name == "forward"
        ),
        None,
    )


def _names(function: ast.FunctionDef) -> list[str]:
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)][1:]


def _optional(function: ast.FunctionDef) -> list[str]:
    positional = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    last = len(positional) - len(function.args.defaults)
    return positional[last:] + [one.arg for one, default in named if default is not None]


def _read(function: ast.FunctionDef) -> set[str]:
    loads = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    return {node.id for node in loads if isinstance(node.ctx, ast.Load)}
