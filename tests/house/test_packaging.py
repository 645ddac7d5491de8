"""What is built is what stands here: packages, the files in the wheel, requirements, the tested set."""

import ast
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
ROOMS = ("hardware_specs", "corpus", "profiling", "kb", "retrieval", "generator")
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CORE = [Requirement(line) for line in PYPROJECT["project"]["dependencies"]]
EXTRAS = [
    Requirement(line) for lines in PYPROJECT["project"]["optional-dependencies"].values() for line in lines
]


def room_files(suffix: str = "") -> set[str]:
    """Files of the rooms, relative to the root, caches left out."""
    paths = (path for room in ROOMS for path in (ROOT / room).rglob(f"*{suffix}") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts}


def pins() -> list[Requirement]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def imported() -> set[str]:
    """Top-level names that the shipped modules import, kbgen's own and the standard library's left out."""
    names = set()
    for path in [*ROOT.glob("*.py"), *(ROOT / name for name in room_files(".py"))]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(str(node.module).split(".")[0])
    return names - set(sys.stdlib_module_names) - {"kbgen"}


def test_packages_are_the_folders_that_hold_modules() -> None:
    folders = {Path(name).parent.as_posix().replace("/", ".") for name in room_files(".py")}
    assert set(PYPROJECT["tool"]["setuptools"]["packages"]) == {"kbgen"} | {
        f"kbgen.{name}" for name in folders
    }


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in a wheel built from a copy of the tree."""
    copy = tmp_path_factory.mktemp("tree")
    for room in ROOMS:
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    for path in [
        *ROOT.glob("*.py"),
        *(ROOT / n for n in ("pyproject.toml", "README.md", "LICENSE", "py.typed")),
    ]:
        shutil.copy(path, copy)
    build = "from setuptools import build_meta; import sys; build_meta.build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", build, str(copy)], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return set(zipfile.ZipFile(next(copy.glob("*.whl"))).namelist())


def test_the_wheel_holds_every_module_and_every_data_file(wheel_names: set[str]) -> None:
    rooms = {f"kbgen/{name}" for name in room_files()}
    doors = {f"kbgen/{path.name}" for path in ROOT.glob("*.py")} | {"kbgen/py.typed"}
    assert {name for name in wheel_names if ".dist-info/" not in name} == rooms | doors


WITH_THE_DRIVER = {"amdsmi"}
"""Modules that AMD ships with its driver; what the index has under the name is a copy by others."""


def test_every_import_is_a_requirement() -> None:
    provided = packages_distributions()
    declared = {canonicalize_name(req.name) for req in [*CORE, *EXTRAS]}
    undeclared = {
        name for name in imported() if not declared & {canonicalize_name(d) for d in provided.get(name, ())}
    }
    assert undeclared - WITH_THE_DRIVER == set()


def test_every_requirement_is_imported() -> None:
    provided = packages_distributions()
    used = {canonicalize_name(d) for name in imported() for d in provided.get(name, ())}
    assert {canonicalize_name(req.name) for req in CORE} - used == set()


def test_the_tested_set_pins_every_requirement_inside_its_range() -> None:
    for req in [*CORE, *EXTRAS]:
        found = [pin for pin in pins() if canonicalize_name(pin.name) == canonicalize_name(req.name)]
        assert found, f"constraints.txt has no line for {req.name}"
        for pin in found:
            version = next(iter(pin.specifier)).version
            assert req.specifier.contains(version), f"{pin} lies outside {req}"


def test_a_pin_serves_machines_with_and_without_a_gpu() -> None:
    specifiers = [next(iter(pin.specifier)) for pin in pins()]
    assert all(spec.operator == "==" and "+" not in spec.version for spec in specifiers)
