"""Finds the numbers that a network writes into its constructor, so that all its widths can be set at once.

Of `nn.Conv2d(64, 128, kernel_size=3)` and `nn.Linear(512 * 7 * 7, 4096)` the widths 64, 128, 512 and 4096
become parts of themselves by one divisor, `width_divisor`, and the extent 7 that the last features have
becomes `built_7`, as do a size of the inputs and a window that the model has as defaults. So a file is
read as if its author had written `64 // width_divisor` below `width_divisor = 1`. Numbers side by side, as
in `[6, 12, 24, 16]`, may be widths or say how many layers there are, so they have a divisor of their own.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeGuard

DIVISOR, LISTED_DIVISOR = "width_divisor", "listed_divisor"
DIVISORS = (8, 4, 2)
"""What widths are divided by; the first is what a number has to be a multiple of to be one."""

SMALLEST_WIDTH = 16
"""Below it a number is a setting: the side of a window, a count of groups, an extent."""

LARGEST_FACTOR = 4
"""Up to it a number is a factor, such as the expansion of a block, even where an extent may stand."""

_PREFIX = "built_"
_MODELS = ("Model", "ModelNew")


class _Whole(ast.Constant):
    """A constant that is a whole number, for those who check types."""

    value: int


@dataclass(frozen=True)
class BuiltIn:
    """One number in a constructor: the constant that sets it, and what it is at a value of that."""

    node: _Whole
    name: str

    def at(self, value: int) -> int:
        return self.node.value // value if divides(self.name) else value

    def expression(self) -> ast.expr:
        """What stands for the number."""
        named: ast.expr = ast.Name(self.name, ast.Load())
        if divides(self.name):
            named = ast.BinOp(ast.Constant(self.node.value), ast.FloorDiv(), named)
        return ast.fix_missing_locations(ast.copy_location(named, self.node))

    @property
    def shipped(self) -> int:
        """What the constant is as the file stands."""
        return 1 if divides(self.name) else self.node.value


def built_in(body: list[ast.stmt], sizes: Collection[int]) -> Iterator[BuiltIn]:
    """Numbers in the methods of the module's classes, but for those that compute (`forward...`); `sizes` are
    those of the inputs."""
    for owner in body:
        if isinstance(owner, ast.ClassDef):
            for method in owner.body:
                if isinstance(method, ast.FunctionDef) and not method.name.startswith("forward"):
                    yield from _numbers(method, sizes, owner.name in _MODELS)


def sizes_in(names: Iterable[str]) -> set[int]:
    """The numbers that constants of these names stand for."""
    return {int(name.removeprefix(_PREFIX)) for name in names if is_built_in(name) and not divides(name)}


def with_built_in(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a module with constants for what its constructors hold, defined before the first
    class; as they were where the file uses such a name itself."""
    given = [part.value for part in body if isinstance(part, ast.Assign)]
    sizes = {node.value for value in given for node in ast.walk(value) if _is_whole(node)}
    found = {id(one.node): one for one in built_in(body, sizes)}
    names = {one.name: one.shipped for one in found.values()}
    if any(isinstance(node, ast.Name) and node.id in names for part in body for node in ast.walk(part)):
        return body
    put = _Put({key: one.expression() for key, one in found.items()})
    changed: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            changed += [_assigned(name, value, statement) for name, value in names.items()]
            names = {}
        changed.append(put.visit(statement))
    return changed


def is_built_in(name: str) -> bool:
    """Whether a constant stands for numbers of a constructor."""
    return divides(name) or (name.startswith(_PREFIX) and name.removeprefix(_PREFIX).isdigit())


def divides(name: str) -> bool:
    """Whether what the constant is set to divides the numbers that it stands for."""
    return name in (DIVISOR, LISTED_DIVISOR)


def cuts(
    constants: Iterable[str], images: Collection[int], sides: Collection[int]
) -> Iterator[tuple[dict[str, int], int | None]]:
    """Values for what constructors hold that make a network small, the smallest widths first: with extents of
    two, so that their order still matters, at one of `sides` in the place of those of `images`; or with
    extents as they are. Where numbers side by side are among the widths, these come last by themselves."""
    names = set(constants)
    kept = (number for number in sorted(sizes_in(names)) if number < SMALLEST_WIDTH or number in images)
    extents = {f"{_PREFIX}{number}": number for number in kept}
    dividing = [name for name in (DIVISOR, LISTED_DIVISOR) if name in names]
    apart = [[name] for name in dividing] if len(dividing) > 1 else []
    for together, divisor in product([dividing, *apart] if dividing else [], DIVISORS):
        widths = dict.fromkeys(together, divisor)
        for side in sides if extents else ():
            small = {name: side if number >= SMALLEST_WIDTH else 2 for name, number in extents.items()}
            yield {**small, **widths}, side
        yield widths, None


def _assigned(name: str, value: int, beside: ast.stmt) -> ast.stmt:
    """`name = value`, said to stand where `beside` does."""
    statement = ast.Assign(targets=[ast.Name(name, ast.Store())], value=ast.Constant(value))
    return ast.fix_missing_locations(ast.copy_location(statement, beside))


def _numbers(method: ast.FunctionDef, sizes: Collection[int], is_model: bool) -> Iterator[BuiltIn]:
    extents = {id(node) for part in ast.walk(method) for node in _extents(part)}
    defaults = [node for node in (*method.args.defaults, *method.args.kw_defaults) if _is_whole(node)]
    extents |= {id(node) for node in defaults if _is_extent(node, is_model) or _is_size(node, sizes)}
    others = {id(node) for part in ast.walk(method) for node in _no_sizes(part)}
    listed = {id(node) for part in ast.walk(method) for node in _side_by_side(part)}
    for node in ast.walk(method):
        if not _is_whole(node) or id(node) in others:
            continue
        if id(node) in extents:
            yield BuiltIn(node, f"{_PREFIX}{node.value}")
        elif node.value >= SMALLEST_WIDTH and node.value % DIVISORS[0] == 0:
            yield BuiltIn(node, LISTED_DIVISOR if id(node) in listed else DIVISOR)


def _no_sizes(part: ast.AST) -> Iterator[ast.AST]:
    """The place of a layer among others, as in `self.features[16]`, and settings that are compared, side by
    side, with those of a model."""
    if isinstance(part, ast.Subscript):
        yield part.slice
    elif isinstance(part, ast.Compare):
        yield from (node for other in part.comparators if isinstance(other, ast.Tuple) for node in other.elts)


def _side_by_side(part: ast.AST) -> Sequence[ast.expr]:
    """The elements of a list that holds whole numbers alone."""
    elements = part.elts if isinstance(part, ast.List | ast.Tuple) else []
    return elements if all(map(_is_whole, elements)) else []


def _extents(part: ast.AST) -> Iterator[ast.expr]:
    """The 7s of `512 * 7 * 7`, and of an average over 7 x 7."""
    candidates: list[ast.expr] = []
    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
        candidates = [part.right] if _is_number(part.left) else []
    elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute | ast.Name):
        called = part.func.attr if isinstance(part.func, ast.Attribute) else part.func.id
        candidates = part.args[:1] if called.startswith("AvgPool") else []
    yield from (node for node in candidates if _is_extent(node, True))


def _is_extent(node: ast.AST | None, there: bool) -> bool:
    """Whether a number, where it stands `there`, may be an extent."""
    return there and _is_whole(node) and LARGEST_FACTOR < node.value < SMALLEST_WIDTH


def _is_size(node: _Whole, sizes: Collection[int]) -> bool:
    return node.value >= SMALLEST_WIDTH and node.value in sizes


def _is_whole(node: ast.AST | None) -> TypeGuard[_Whole]:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_number(node: ast.expr) -> bool:
    """A number, or a product of numbers."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mult) and _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant)


class _Put(ast.NodeTransformer):
    """Puts expressions in the place of numbers."""

    def __init__(self, found: Mapping[int, ast.expr]) -> None:
        self.found = found

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self.found.get(id(node), node)
