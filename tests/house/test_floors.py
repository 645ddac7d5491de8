"""Imports only run down the floors and never in a circle; imports inside functions count like any other."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("hardware_specs", "corpus", "profiling", "kb", "retrieval", "generator")
# What each room stands on; "" is __init__.py. The wings, measuring and knowing, meet in retrieval.
STANDS_ON = {
    "": set(),
    "hardware_specs": {""},
    "corpus": {""},
    "profiling": {"", "hardware_specs"},
    "kb": {"", "corpus"},
    "retrieval": {"", "hardware_specs", "corpus", "profiling", "kb"},
    "generator": {"", "hardware_specs", "corpus", "profiling", "kb", "retrieval"},
    "cli": {"", *ROOMS},
    "mcp_server": {"", *ROOMS},
}
# The rooms of the judge, `generator/verify`, from the ground up; what stands beside them may use them all.
JUDGE = (
    "verdict", "text", "interpreter", "reference", "process", "inputs", "shapes", "comparison", "stages"
)  # fmt: skip


def module_sources() -> dict[str, str]:
    """Dotted name within kbgen -> source of every module that ships; "" is the package itself."""
    paths = [*ROOT.glob("*.py"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))]
    return {dotted(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def dotted(path: Path) -> str:
    return "" if path.name == "__init__.py" else ".".join(path.with_suffix("").parts)


def imports(name: str, source: str, modules: set[str]) -> Iterator[str]:
    """The kbgen modules that `source` imports anywhere, by dotted name."""
    package = name.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "kbgen":
                    yield nearest(alias.name.split(".")[1:], modules)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - node.level + 1] + (node.module or "").split(".")
            elif (node.module or "").split(".")[0] == "kbgen":
                base = node.module.split(".")[1:]
            else:
                continue
            for alias in node.names:
                yield nearest([part for part in [*base, alias.name] if part], modules)


def nearest(parts: list[str], modules: set[str]) -> str:
    """`parts` as a module, or the module that a name in it comes from."""
    for end in range(len(parts), -1, -1):
        if ".".join(parts[:end]) in modules:
            return ".".join(parts[:end])
    raise AssertionError("the package itself is a module")


def graph(sources: dict[str, str]) -> dict[str, set[str]]:
    return {name: set(imports(name, text, set(sources))) for name, text in sources.items()}


def climbs(edges: dict[str, set[str]]) -> list[str]:
    """Every import that leaves its room for anything but what the room stands on."""
    found = []
    for name, targets in edges.items():
        room = name.split(".")[0]
        allowed = STANDS_ON[room] | {room}
        found += [f"{name} imports {target}" for target in targets if target.split(".")[0] not in allowed]
    return sorted(found)


def climbs_in_the_judge(edges: dict[str, set[str]]) -> list[str]:
    """Every import of the judge's that goes to a floor above its own."""
    floors = {name: floor for name in edges if (floor := floor_in_the_judge(name)) is not None}
    return sorted(
        f"{name} imports {target}"
        for name, floor in floors.items()
        for target in edges[name]
        if floors.get(target, -1) > floor
    )


def floor_in_the_judge(name: str) -> int | None:
    room = name.removeprefix("generator.verify.").split(".")[0]
    if room == name.split(".")[0]:
        return None
    return JUDGE.index(room) if room in JUDGE else len(JUDGE)


def circle(edges: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_imports_only_run_down() -> None:
    assert climbs(graph(module_sources())) == []


def test_imports_only_run_down_within_the_judge() -> None:
    edges = graph(module_sources())
    assert {name.split(".")[2] for name in edges if name.startswith("generator.verify.")} > set(JUDGE)
    assert climbs_in_the_judge(edges) == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("generator.verify.text.scan", "from ..comparison.review import x"),
        ("generator.verify.stages.whole", "from ..judge import verify"),
        ("generator.verify.verdict", "from .text import scan"),
    ],
)
def test_an_import_that_climbs_within_the_judge_is_seen(name: str, line: str) -> None:
    rooms = ("comparison.review", "judge", "text.scan")
    others = ("", *(f"generator.verify.{room}" for room in rooms))
    assert climbs_in_the_judge(graph({**dict.fromkeys(others, ""), name: line})) != []


def test_no_import_circle() -> None:
    assert circle(graph(module_sources())) == []


def test_every_module_is_in_the_graph() -> None:
    assert {"", "cli", "hardware_specs.spec"} <= set(graph(module_sources()))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("kb.store", "from ..profiling import op"),
        ("profiling.op", "from ..corpus.document import shipped"),
        ("hardware_specs.spec", "from ..corpus import document"),
        ("retrieval.advise", "import kbgen.generator.loop"),
        ("generator.loop", "from ..cli import main"),
        ("generator.verify.judge", "def late():\n    from ... import cli"),
        ("kb.store", "if True:\n    from kbgen.retrieval.advise import advise"),
    ],
)
def test_an_import_that_climbs_is_seen(name: str, line: str) -> None:
    others = ("", "profiling.op", "corpus.document", "generator.loop", "retrieval.advise", "cli", "kb.store")
    sources = {
        **dict.fromkeys(others, ""),
        "hardware_specs.spec": "",
        "generator.verify.judge": "",
        name: line,
    }
    assert climbs(graph(sources)) != []


def test_an_import_that_runs_down_is_allowed() -> None:
    sources = {
        "": "class KbgenError: ...",
        "kb.store": "from .. import KbgenError",
        "kb.chunk": "from . import store",
    }
    assert climbs(graph(sources)) == []
    assert graph(sources) == {"": set(), "kb.store": {""}, "kb.chunk": {"kb.store"}}


def test_a_deferred_circle_is_seen() -> None:
    sources = {"": "", "kb.a": "from .b import x", "kb.b": "def late():\n    from .a import y"}
    assert set(circle(graph(sources))) == {"kb.a", "kb.b"}
