"""Writes docs/files.md: every module with its opening sentence, room by room."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("files.md")
ROOMS = ("hardware_specs", "corpus", "profiling", "kb", "retrieval", "generator")
INTRODUCTION = """\
# Files

Written by `make docs` from the first sentence of every module; rooms from the ground floor up, as in
[ARCHITECTURE.md](../ARCHITECTURE.md).
"""


def opening(path: Path) -> str:
    """The first paragraph of the module's docstring, on one line."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def table(folder: Path) -> str:
    """The modules of one folder."""
    rows = [
        f"| `{path.name}` | {opening(path).replace('|', chr(92) + '|')} |"
        for path in sorted(folder.glob("*.py"))
    ]
    return "\n".join(["| file | |", "| --- | --- |", *rows])


def page() -> str:
    """The whole page."""
    folders = [folder for room in ROOMS for folder in [ROOT / room, *sorted((ROOT / room).rglob("*/"))]]
    named = [
        (f"{folder.relative_to(ROOT).as_posix()}/", folder) for folder in folders if any(folder.glob("*.py"))
    ]
    return "\n".join(
        [INTRODUCTION, *(f"## {name}\n\n{table(folder)}\n" for name, folder in [*named, ("the root", ROOT)])]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
