"""What the new file keeps of the op file: the constructor as it stands, and whatever the constructor needs."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass

_DROPPED = frozenset({"get_inputs", "get_init_inputs"})


@dataclass(frozen=True)
class Original:
    """Source pieces of an op file around its Model class."""

    text: str

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def model(self) -> ast.ClassDef:
        return next(n for n in self.tree.body if isinstance(n, ast.ClassDef) and n.name == "Model")

    def forward(self) -> ast.FunctionDef | None:
        """The forward method, when the class itself defines it."""
        return next((n for n in self.model().body if isinstance(n, ast.FunctionDef) and n.name == "forward"), None)

    def class_source(self, forward: str) -> str:
        """`class ModelNew` with every method but forward kept and `forward` put in its place."""
        model = self.model()
        bases = ", ".join(ast.unparse(b) for b in model.bases)
        pieces = []
        for statement in model.body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            if isinstance(statement, ast.FunctionDef) and statement.name == "forward":
                continue
            pieces.append(textwrap.indent(self._dedented(statement), "    "))
        pieces.append(textwrap.indent(forward, "    "))
        body = "\n\n".join(pieces).replace("super(Model,", "super(ModelNew,")
        return f"class ModelNew({bases}):\n" + '    """Same constructor, parameters and results as Model."""\n\n' + body

    def kept(self) -> tuple[list[str], list[str]]:
        """(imports, other statements) of the module that the kept parts of Model refer to, in order."""
        model = self.model()
        model.body = [s for s in model.body if not (isinstance(s, ast.FunctionDef) and s.name == "forward")]
        needed = _names(model)
        forward = self.forward()
        if forward is not None:
            needed |= _names(forward.args)
        statements = [s for s in self.tree.body if not self._is_dropped(s)]
        chosen: list[ast.stmt] = []
        for statement in reversed(statements):
            if _defines(statement) & needed:
                chosen.append(statement)
                needed |= _names(statement)
        imports = [self._dedented(s) for s in statements if s in chosen and isinstance(s, ast.Import | ast.ImportFrom)]
        others = [self._dedented(s) for s in statements if s in chosen and not isinstance(s, ast.Import | ast.ImportFrom)]
        return imports, others

    def _is_dropped(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.FunctionDef | ast.ClassDef) and statement.name in {*_DROPPED, "Model"}

    def _dedented(self, statement: ast.stmt) -> str:
        lines = self.text.splitlines()
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        return textwrap.dedent("\n".join(lines[first - 1 : statement.end_lineno]))


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


def _defines(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(a.asname or a.name).split(".")[0] for a in statement.names}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return {n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)}
