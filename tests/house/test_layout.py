"""A file is found by guessing its path once: rooms, names, sizes and marks are as CONTRIBUTING.md says."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("hardware_specs", "corpus", "profiling", "kb", "retrieval", "generator")
SHIPPED = sorted([*ROOT.glob("*.py"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))])
TESTS = sorted((ROOT / "tests").rglob("*.py"))
GRAB_BAGS = {"util", "utils", "common", "helper", "helpers", "misc", "types"}
MAX_LINES = 300
# A bracket in each mark, so that this line is not one.
MARKS = re.compile(
    r"TOD[O]|FIXM[E]|XX[X]|raise NotImplemented[E]rror|pragma: no [c]over|type: ignor[e]$", re.MULTILINE
)


def swallows(source: str) -> list[int]:
    """Lines of exception handlers that do nothing."""
    handlers = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ExceptHandler))
    return [node.lineno for node in handlers if all(idles(statement) for statement in node.body)]


def idles(statement: ast.stmt) -> bool:
    ellipsis = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass) or ellipsis


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_only_the_doors_stand_in_the_root() -> None:
    assert {path.name for path in ROOT.glob("*.py")} <= {"__init__.py", "cli.py", "mcp_server.py"}


def test_rooms_and_tests_have_no_init_file() -> None:
    folders = [ROOT / room for room in (*ROOMS, "tests")]
    assert [shown(path) for folder in folders for path in folder.rglob("__init__.py")] == []


def test_tests_mirror_the_rooms() -> None:
    beside = {"house", "cheats", "honest", "hostile", "golden", "loop"}
    folders = {
        path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert folders - beside <= set(ROOMS)


def test_a_module_is_short_and_says_what_it_is() -> None:
    """Where one is long, a second noun has grown in it: give it a file of its own. It opens with one sentence
    in the present tense."""
    sources = {shown(path): path.read_text(encoding="utf-8") for path in SHIPPED}
    assert [name for name, source in sources.items() if len(source.splitlines()) > MAX_LINES] == []
    assert [name for name, source in sources.items() if not opening(source).endswith(".")] == []


def opening(source: str) -> str:
    return (ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0]


def test_no_grab_bag_no_mark_nothing_swallowed() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in (*SHIPPED, *TESTS)}
    assert [shown(path) for path in sources if path.stem in GRAB_BAGS] == []
    assert [shown(path) for path, source in sources.items() if MARKS.search(source)] == []
    caught = {path: source for path, source in sources.items() if "except" in source}
    assert [shown(path) for path, source in caught.items() if swallows(source)] == []


@pytest.mark.parametrize("body", ["pass", "...", "'later'"])
def test_a_swallowed_exception_is_seen(body: str) -> None:
    assert swallows(f"try:\n    work()\nexcept Exception:\n    {body}\n") == [3]
    assert swallows("try:\n    work()\nexcept OSError:\n    value = 1\n") == []
