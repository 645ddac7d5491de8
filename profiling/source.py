"""Reads a Python file as text and runs it with some of its module-level constants replaced."""

import ast
import contextlib
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType

from .. import KbgenError
from .constructors import with_built_in
from .literals import with_named_sizes

_FILES, _SIZES = 16, 256
"""Files that are not parsed again, and files with some constants that are not compiled again: a search for
shapes tries each many times over."""

Literal = int | float | bool | str | None | tuple["Literal", ...] | list["Literal"]


class OpError(KbgenError):
    """An op file that cannot be used, told in one sentence with the cure."""


@dataclass(frozen=True)
class Source:
    """A parsed file; `assigned` maps each module-level constant to the expression that defines it."""

    path: Path
    text: str

    def tree(self) -> ast.Module:
        """The text parsed, `a, b = 1, 2` and `a = b = 1` split in two, sizes in get_inputs() and in
        constructors named; OpError names the line. All who ask share it, and change nothing in it."""
        return _parsed(self)

    def assigned(self) -> dict[str, ast.expr]:
        return {name: value for name, value in map(_assignment, self.tree().body) if name and value}

    def free(self) -> tuple[str, ...]:
        """Constants written as plain numbers (`2048 * 2` too), in file order: not derived from others."""
        return tuple(name for name, value in self.assigned().items() if _is_closed(value))


@lru_cache(_FILES)
def _parsed(source: Source) -> ast.Module:
    try:
        tree = ast.parse(source.text, filename=str(source.path))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f" on line {line}" if line else ""
        what = getattr(error, "msg", None) or error
        raise OpError(f"{source.path} has a syntax error{where} ({what}); correct the line.") from error
    single = [part for statement in tree.body for part in _split(statement)]
    tree.body = with_built_in(with_named_sizes(single))
    return tree


def read_source(path: Path, holding: str = "class Model and get_inputs()") -> Source:
    """Read `path`, which should hold `holding`; OpError when it is missing, a folder, not a .py file or not
    text."""
    if not path.exists():
        raise OpError(f"there is no file {path}; give the path of a Python file with {holding}.")
    if path.is_dir() or path.suffix != ".py":
        raise OpError(f"{path} is not a Python file; give a .py file with {holding}.")
    try:
        return Source(path.resolve(), path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise OpError(f"{path} cannot be read as UTF-8 text ({error}); save it as a Python file.") from error


def execute(source: Source, overrides: Mapping[str, Literal]) -> ModuleType:
    """Run the file as a fresh module; each assignment to a name in `overrides` gets the new value.

    Constants computed from an overridden one follow it. Printed text goes to standard error.
    """
    changed = tuple((name, repr(value)) for name, value in overrides.items())
    module = ModuleType(f"kbgen_op_{source.path.stem}")
    module.__file__ = str(source.path)
    sys.modules[module.__name__] = module  # dataclasses and type hints look their module up by name
    with quiet(), _importable(source.path.parent):
        try:
            exec(_compiled(source, changed), module.__dict__)
        except ModuleNotFoundError as error:
            raise OpError(
                f"{source.path} imports {error.name!r}, which is not installed here; "
                "install it or remove the import."
            ) from error
        except (Exception, SystemExit) as error:
            raise OpError(f"{source.path} fails while it is loaded: {blame(error, source.path)}.") from error
    return module


@lru_cache(_SIZES)
def _compiled(source: Source, overrides: tuple[tuple[str, str], ...]) -> CodeType:
    """The file's code with constants of these names as their values read in Python."""
    tree, values = source.tree(), dict(overrides)
    body = list(tree.body)
    for position, statement in enumerate(body):
        name, value = _assignment(statement)
        if name in values and value is not None:
            replaced = ast.parse(f"{name} = {values[name]}").body[0]
            body[position] = ast.fix_missing_locations(ast.copy_location(replaced, statement))
    return compile(ast.Module(body, tree.type_ignores), str(source.path), "exec")


def blame(error: BaseException, path: Path) -> str:
    """`ValueError: the message (line 12)`: first line of the message, last line of the user's own file."""
    line = blamed_line(error, path)
    message = (str(error).strip().splitlines() or [""])[0].rstrip(".")[:300]
    where = f" (line {line})" if line else ""
    return f"{type(error).__name__}{': ' if message else ''}{message}{where}"


def blamed_line(error: BaseException, path: Path) -> int | None:
    """The last line of `path` that was running when `error` was raised."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep standard output for our own document: what the op file prints goes to standard error.

    Its warnings are dropped: the file runs many times, and a run by hand shows them once.
    """
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let the file import its neighbours; the folder comes last, so it shadows no installed package."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _assignment(statement: ast.stmt) -> tuple[str | None, ast.expr | None]:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return (target.id, statement.value) if isinstance(target, ast.Name) else (None, None)
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id, statement.value
    return None, None


def _split(statement: ast.stmt) -> list[ast.stmt]:
    """Single assignments for `a, b = 1, 2` and `a = b = 1`, where the right side needs no other name."""
    if not (isinstance(statement, ast.Assign) and _is_closed(statement.value)):
        return [statement]
    pairs: list[tuple[ast.expr, ast.expr]] = [(target, statement.value) for target in statement.targets]
    (first, value), *others = pairs
    if not others and isinstance(first, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = [*zip(first.elts, value.elts, strict=False)] if len(first.elts) == len(value.elts) else pairs
    if not all(isinstance(target, ast.Name) for target, _ in pairs):
        return [statement]
    return [ast.copy_location(ast.Assign(targets=[name], value=part), statement) for name, part in pairs]


def _is_closed(value: ast.expr) -> bool:
    return not any(isinstance(node, ast.Name | ast.Call | ast.Attribute) for node in ast.walk(value))
