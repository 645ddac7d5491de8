"""Finds the meta-parameters of a Triton kernel file in its text: what may be set otherwise as it stands.

    for parameter in read_parameters(source):
        parameter.name, parameter.kind, parameter.value      # "matmul_kernel: BLOCK_M", "block", 128

Read are whole numbers given to `tl.constexpr` parameters, `num_warps`, `num_stages` and the options of one
vendor's compiler at a launch, by themselves or through a name that is set once; and the configurations of an
autotuner. What a launch leaves out is found too, with what Triton takes then. A number
that the host code repeats, as in `cdiv(n, 64)`, moves with the parameter of that value.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

Node = TypeVar("Node", bound=ast.AST)
Kind = Literal[
    "block", "group", "warps", "stages", "waves", "shape", "pack", "cluster", "registers", "config"
]

OF_AMD: tuple[Kind, ...] = ("waves", "shape", "pack")
OF_NVIDIA: tuple[Kind, ...] = ("cluster", "registers")
"""Kinds of options that the other vendor's backend of Triton refuses, or has no hardware for."""

BY_CLOCK: tuple[Kind, ...] = ("group", "shape", "pack")
"""What no estimate sees: in which order tiles run, which form of a matrix instruction does them."""

UNSET = 0
"""Of an option: what Triton takes where nothing is said, which cannot be written."""

_OPTIONS: Mapping[str, Kind] = {
    "num_warps": "warps", "num_stages": "stages", "waves_per_eu": "waves", "matrix_instr_nonkdim": "shape",
    "kpack": "pack", "num_ctas": "cluster", "maxnreg": "registers",
}  # fmt: skip
_USUAL = {
    "num_warps": 4, "num_stages": 3, "waves_per_eu": UNSET, "matrix_instr_nonkdim": UNSET, "kpack": 1,
    "num_ctas": 1, "maxnreg": UNSET,
}  # fmt: skip
"""What Triton takes for a launch that says nothing."""
_OF_LOOPS = ("num_stages",)
_OF_DOTS = ("matrix_instr_nonkdim", "kpack", "num_ctas")
_BLOCK = re.compile(r"BLOCK|TILE|CHUNK|DEPTH|^B[MNKLD]$", re.IGNORECASE)
_GROUP = re.compile(r"GROUP", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """Bytes `start` to `end` of the source, and the text that stands there with the value as `{}`."""

    start: int
    end: int
    text: str = "{}"


@dataclass(frozen=True)
class Parameter:
    """One number, wherever it stands. `name` tells kernel and parameter; `value` is what it is set to now, or
    the index of a configuration, of which `texts` are all. `dots`: the kernel multiplies matrices."""

    name: str
    kind: Kind
    value: int
    places: tuple[Place, ...]
    dots: bool
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Kernel:
    name: str
    arguments: tuple[str, ...]
    constexprs: frozenset[str]
    dots: bool
    loops: bool
    configs: ast.expr | None


def read_parameters(source: str) -> tuple[Parameter, ...]:
    """All that is found, in the order of the text; SyntaxError where it is no Python."""
    tree = ast.parse(source)
    reader = _Reader(source, tree)
    found = [one for kernel in reader.kernels.values() for one in reader.configurations(kernel)]
    for function in (tree, *_functions(tree)):
        found += reader.launches(function)
    return tuple(_joined(found))


class _Reader:
    def __init__(self, source: str, tree: ast.Module) -> None:
        self.lines = [line.encode() for line in source.splitlines(keepends=True)]
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.whole = b"".join(self.lines)
        self.tree = tree
        self.kernels = {kernel.name: kernel for kernel in map(_kernel, _functions(tree)) if kernel}

    def place(self, node: ast.expr) -> Place:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return Place(
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def text(self, node: ast.expr) -> str:
        place = self.place(node)
        return self.whole[place.start : place.end].decode()

    def configurations(self, kernel: _Kernel) -> Iterator[Parameter]:
        """The autotuner's list as one parameter; the numbers of a list of one as themselves."""
        if not isinstance(kernel.configs, ast.List) or not kernel.configs.elts:
            return
        configs = kernel.configs.elts
        if len(configs) > 1:
            texts = tuple(self.text(config) for config in configs)
            place = self.place(kernel.configs)
            yield Parameter(
                f"{kernel.name}: configuration", "config", 0, (Place(place.start, place.end, "[{}]"),),
                kernel.dots, texts,
            )  # fmt: skip
            return
        (config,) = configs
        if isinstance(config, ast.Call):
            yield from self._named(kernel, _entries(config), None)

    def launches(self, function: ast.AST) -> Iterator[Parameter]:
        """The numbers of all launches that stand in this function and in no inner one."""
        for call in _own(function, ast.Call):
            kernel = self._launched(call)
            if kernel is None:
                continue
            positional = zip(kernel.arguments, call.args, strict=False)
            named = [(word.arg, word.value) for word in call.keywords if word.arg]
            given = [*((name, value) for name, value in positional if name in kernel.constexprs), *named]
            yield from self._named(kernel, given, function)
            if kernel.configs is None:
                yield from self._left_out(kernel, call, {name for name, _ in given})

    def _launched(self, call: ast.Call) -> _Kernel | None:
        place = call.func
        if isinstance(place, ast.Subscript) and isinstance(place.value, ast.Name):
            return self.kernels.get(place.value.id)
        return None

    def _named(
        self, kernel: _Kernel, given: Sequence[tuple[str, ast.expr]], function: ast.AST | None
    ) -> Iterator[Parameter]:
        for name, value in given:
            kind, literal = _kind(name, kernel), self._literal(value, function)
            if kind is None or literal is None:
                continue
            number = literal.value
            assert isinstance(number, int)
            places = {self.place(literal)}
            if kind == "block" and function is not None:
                places |= {self.place(one) for one in _repeated(function, number)}
            ordered = tuple(sorted(places, key=lambda place: place.start))
            yield Parameter(f"{kernel.name}: {name}", kind, number, ordered, kernel.dots)

    def _literal(self, value: ast.expr, function: ast.AST | None) -> ast.Constant | None:
        """The number itself, or what a name stands for that is set once."""
        if _is_number(value):
            return value  # type: ignore[return-value]
        if isinstance(value, ast.Name):
            for scope in (function, self.tree):
                set_to = list(_assigned(scope, value.id)) if scope is not None else []
                if len(set_to) == 1 and _is_number(set_to[0]):
                    return set_to[0]  # type: ignore[return-value]
                if set_to:
                    return None
        return None

    def _left_out(self, kernel: _Kernel, call: ast.Call, given: set[str]) -> Iterator[Parameter]:
        """Options that the launch leaves to Triton: a keyword more, behind its last argument."""
        written: list[ast.expr] = [*call.args, *(word.value for word in call.keywords)]
        if not written or any(word.arg is None for word in call.keywords):
            return
        end = max(self.place(one).end for one in written)
        for name, value in _USUAL.items():
            applies = (kernel.loops or name not in _OF_LOOPS) and (kernel.dots or name not in _OF_DOTS)
            if name not in given and applies:
                place = Place(end, end, f", {name}={{}}")
                yield Parameter(f"{kernel.name}: {name}", _OPTIONS[name], value, (place,), kernel.dots)


def _joined(found: Sequence[Parameter]) -> Iterator[Parameter]:
    """Parameters that share a place are one: they can only be set together."""
    left = list(found)
    while left:
        first, *left = left
        while shared := next((one for one in left if set(one.places) & set(first.places)), None):
            left.remove(shared)
            places = tuple(sorted({*first.places, *shared.places}, key=lambda place: place.start))
            names = dict.fromkeys((*first.name.split(" = "), shared.name))
            first = Parameter(" = ".join(names), first.kind, first.value, places, first.dots or shared.dots)
        yield first


def _kernel(function: ast.FunctionDef) -> _Kernel | None:
    decorators = {_last_name(one): one for one in function.decorator_list}
    if "jit" not in decorators:
        return None
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    constexprs = {
        one.arg for one in arguments if one.annotation and "constexpr" in ast.unparse(one.annotation)
    }
    tuned = decorators.get("autotune")
    configs: ast.expr | None = None
    if isinstance(tuned, ast.Call):
        named = [word.value for word in tuned.keywords if word.arg == "configs"]
        configs = next(iter([*named, *tuned.args]), None)
    dots = any(_last_name(call) == "dot" for call in ast.walk(function) if isinstance(call, ast.Call))
    loops = any(isinstance(node, ast.For | ast.While) for node in ast.walk(function))
    names = tuple(one.arg for one in arguments)
    return _Kernel(function.name, names, frozenset(constexprs), dots, loops, configs)


def _kind(name: str, kernel: _Kernel) -> Kind | None:
    if name in _OPTIONS:
        return _OPTIONS[name]
    if name not in kernel.constexprs:
        return None
    return "group" if _GROUP.search(name) else "block" if _BLOCK.search(name) else None


def _entries(config: ast.Call) -> list[tuple[str, ast.expr]]:
    """The names and values of `triton.Config({...}, num_warps=...)`."""
    found = [(word.arg, word.value) for word in config.keywords if word.arg]
    for table in (one for one in (*config.args, *(value for _, value in found)) if isinstance(one, ast.Dict)):
        pairs = zip(table.keys, table.values, strict=True)
        found += [
            (key.value, v) for key, v in pairs if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
    return found


def _functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _own(function: ast.AST, kind: type[Node]) -> Iterator[Node]:
    """Nodes of a kind in the function itself; those of inner functions are theirs, lambdas' are not."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, kind):
            yield node
        waiting += ast.iter_child_nodes(node)


def _assigned(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    """What the name is set to in this scope."""
    for node in _own(scope, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts, strict=False)
                yield from (v for t, v in pairs if isinstance(t, ast.Name) and t.id == name)


def _repeated(function: ast.AST, number: int) -> Iterator[ast.Constant]:
    """The same number wherever else the function has it, launch options apart."""
    calls = _own(function, ast.Call)
    options = {id(word.value) for call in calls for word in call.keywords if word.arg in _OPTIONS}
    for node in _own(function, ast.Constant):
        if _is_number(node) and node.value == number and id(node) not in options:
            yield node


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
