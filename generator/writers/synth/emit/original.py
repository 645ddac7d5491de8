"""What the new file keeps of the op file: the constructor as it stands, and what the constructor needs."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..space import CannotFuseError

_DROPPED = frozenset({"get_inputs", "get_init_inputs", "Model"})
_CONSTRUCTION = frozenset({"__init__", "reset_parameters", "extra_repr", "__repr__"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Original:
    """Source pieces of an op file around its Model class."""

    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def model(self) -> ast.ClassDef:
        found = [n for n in self.tree.body if isinstance(n, ast.ClassDef) and n.name == "Model"]
        if not found:
            raise CannotFuseError("class Model is not written out in the op file")
        return found[-1]

    @cached_property
    def forward(self) -> ast.FunctionDef:
        for statement in self.model.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "forward":
                return statement
        raise CannotFuseError("class Model inherits its forward, so its constructor cannot be kept by itself")

    @property
    def arguments(self) -> list[str]:
        """Names of what forward takes, self left out."""
        args = self.forward.args
        return [a.arg for a in [*args.posonlyargs, *args.args][1:]]

    @property
    def defaults(self) -> dict[str, Any]:
        """What forward takes where it is not given: numbers, truths, words and None."""
        args = self.forward.args
        names = [a.arg for a in [*args.posonlyargs, *args.args]]
        pairs = list(zip(reversed(names), reversed(args.defaults), strict=False))[::-1]
        return {name: one.value for name, one in pairs if isinstance(one, ast.Constant)}

    @property
    def returned(self) -> list[str]:
        """Of `return a, f(b), c` the names ["a", "", "c"]; nothing where forward has several returns."""
        found = [n.value for n in ast.walk(self.forward) if isinstance(n, ast.Return)]
        if len(found) != 1 or found[0] is None:
            return []
        values = found[0].elts if isinstance(found[0], ast.Tuple | ast.List) else [found[0]]
        return [v.id if isinstance(v, ast.Name) else "" for v in values]

    def class_source(self, forward: str, doc: str, guard: str) -> str:
        """`class ModelNew` with what its constructor needs, `guard` at that one's end, and `forward`."""
        bases = ", ".join(ast.unparse(b) for b in self.model.bases)
        members = [
            f"{m}\n{textwrap.indent(guard, '    ')}" if guard and m.startswith("def __init__") else m
            for m in self._members(self.model)
        ]
        pieces = [textwrap.indent(p, "    ") for p in [*members, forward]]
        body = "\n\n".join(pieces).replace("super(Model,", "super(ModelNew,")
        return f'class ModelNew({bases}):\n    """{doc}"""\n\n{body}'

    @cached_property
    def kept(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(imports, other statements) of the module that the kept parts of Model refer to, in order."""
        needed = _names_of_members(self.model) | _names(self.forward.args)
        if self.forward.returns is not None:
            needed |= _names(self.forward.returns)
        statements = [s for s in self.tree.body if getattr(s, "name", "") not in _DROPPED]
        chosen: set[ast.stmt] = set()
        while more := {s for s in statements if defines(s) & needed} - chosen:  # a class may name a later one
            chosen |= more
            needed |= set().union(*(_names_of_statement(s) for s in more))
        imports = [s for s in statements if s in chosen and isinstance(s, ast.Import | ast.ImportFrom)]
        others = [s for s in statements if s in chosen and s not in imports]
        return tuple(self._dedented(s) for s in imports), tuple(self._statement(s) for s in others)

    @cached_property
    def kept_names(self) -> frozenset[str]:
        """Module-level names that the kept statements define."""
        return frozenset().union(*(defines(s) for text in self.kept[1] for s in ast.parse(text).body))

    def _statement(self, statement: ast.stmt) -> str:
        """A statement as it stands; of a class only what constructing needs, since forward calls kernels."""
        if not isinstance(statement, ast.ClassDef):
            return self._dedented(statement)
        members = [textwrap.indent(m, "    ") for m in self._members(statement)]
        bases = ", ".join(ast.unparse(b) for b in [*statement.bases, *statement.keywords])
        header = f"class {statement.name}({bases}):" if bases else f"class {statement.name}:"
        decorators = [f"@{ast.unparse(d)}" for d in statement.decorator_list]
        return "\n".join([*decorators, header, "\n\n".join(members) or "    pass"])

    def _members(self, owner: ast.ClassDef) -> list[str]:
        return [self._dedented(s) for s in _construction(owner)]

    def _dedented(self, statement: ast.stmt) -> str:
        lines = self.text.splitlines()
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        return textwrap.dedent("\n".join(lines[first - 1 : statement.end_lineno]))


def _construction(owner: ast.ClassDef) -> list[ast.stmt]:
    """Class-level values, the constructor, and the methods that these call."""
    methods = {s.name: s for s in owner.body if isinstance(s, _FUNCTIONS)}
    kept = [s for s in owner.body if not isinstance(s, _FUNCTIONS) and not _is_docstring(s)]
    pending = [m for name, m in methods.items() if name in _CONSTRUCTION]
    while pending:
        method = pending.pop()
        kept.append(method)
        called = {n.attr for n in ast.walk(method) if isinstance(n, ast.Attribute)} - {"forward"}
        pending += [m for name, m in methods.items() if name in called and m not in kept + pending]
    return sorted(kept, key=lambda s: s.lineno)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _names_of_statement(statement: ast.stmt) -> set[str]:
    return _names_of_members(statement) if isinstance(statement, ast.ClassDef) else _names(statement)


def _names_of_members(owner: ast.ClassDef) -> set[str]:
    parts: list[ast.AST] = [*owner.bases, *owner.decorator_list, *_construction(owner)]
    return set().union(*(_names(part) for part in parts))


def _names(tree: ast.AST) -> set[str]:
    """Names read from outside: a function's own parameters and variables do not count."""
    if isinstance(tree, ast.FunctionDef):
        arguments = {a.arg for a in ast.walk(tree.args) if isinstance(a, ast.arg)}
        inside = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        outer = [tree.args, *tree.decorator_list, *([tree.returns] if tree.returns else [])]
        body = set().union(*(_names(s) for s in tree.body)) - arguments - inside
        return body.union(*(_names(part) for part in outer))
    found = {tree.id} if isinstance(tree, ast.Name) else set()
    return found.union(*(_names(child) for child in ast.iter_child_nodes(tree)))


def defines(statement: ast.stmt) -> set[str]:
    """Module-level names that a statement binds."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(a.asname or a.name).split(".")[0] for a in statement.names}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return {n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)}
