"""Names the whole numbers that an op file writes out in get_inputs(), so that they are set like constants."""

import ast
from collections.abc import Iterable

SMALLEST = 4
"""Below it a number is a setting: a dimension, a count of channels, a bound of values."""

SMALLEST_BESIDE_NAMES = 17
"""Likewise in a file that gives its sizes names: what it writes out then is what does not vary, five
exposures or rows of eight, and a kernel may rely on it."""

_FUNCTIONS = ("get_inputs", "get_init_inputs")
_PREFIX = "size_"


def with_named_sizes(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a module in which `torch.rand(rows, 224)` reads `torch.rand(rows, size_224)`, after
    `size_224 = 224`; equal numbers share a name. So do shapes that stand in a tuple beside other names.

    A number that is no size (a seed, a bound of random integers) gets a name too and is never changed:
    the search for smaller shapes keeps to numbers that move the shape of a tensor (`axes.find_axes`).
    """
    taken = {node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    names = any(map(_is_size, body))
    namer = _Namer(taken, SMALLEST_BESIDE_NAMES if names else SMALLEST)
    found: list[ast.stmt] = []
    for statement in body:
        before = set(namer.defined)
        named = namer.visit(statement) if _holds_sizes(statement) else statement
        found += [new for name, new in namer.defined.items() if name not in before]
        found.append(named)
    return found


def _is_size(statement: ast.stmt) -> bool:
    given = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    return isinstance(given, ast.Constant) and type(given.value) is int and given.value >= SMALLEST


def is_named_here(name: str) -> bool:
    """Whether a constant was written as a number, and its name given here."""
    return name.startswith(_PREFIX) and name.removeprefix(_PREFIX).isdigit()


def _holds_sizes(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.FunctionDef):
        return statement.name in _FUNCTIONS
    shape = statement.value if isinstance(statement, ast.Assign) else None
    return isinstance(shape, ast.Tuple | ast.List) and any(isinstance(e, ast.Name) for e in shape.elts)


class _Namer(ast.NodeTransformer):
    """Puts names in the place of numbers; what the file calls so itself stays a number."""

    def __init__(self, taken: Iterable[str], smallest: int) -> None:
        self.taken, self.smallest, self.defined = frozenset(taken), smallest, dict[str, ast.Assign]()

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        value = node.value
        if not isinstance(value, int) or isinstance(value, bool) or value < self.smallest:
            return node
        name = f"{_PREFIX}{value}"
        if name in self.taken:
            return node
        if name not in self.defined:
            assigned = ast.Assign(targets=[ast.Name(name, ast.Store())], value=node)
            self.defined[name] = ast.fix_missing_locations(ast.copy_location(assigned, node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)
