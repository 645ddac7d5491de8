"""The pages cannot rot: written pages are what the program says, and the README names what exists."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["cli", "files"])
def test_a_written_page_is_what_the_program_says_today(name: str) -> None:
    page = runpy.run_path(str(ROOT / "docs" / f"{name}_page.py"))["page"]()
    assert (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") == page, "run `make docs`"


def test_every_file_in_the_readmes_tree_exists() -> None:
    tree = README.split("## The tree")[1].split("```")[1]
    missing, folder = [], ROOT
    for indent, name in re.findall(r"^( *)([\w./-]+)", tree, flags=re.MULTILINE):
        path = (folder if indent else ROOT) / name
        folder = path if name.endswith("/") and not indent else folder
        missing += [] if path.exists() else [path]
    assert missing == []


def test_every_command_in_the_readme_exists() -> None:
    from kbgen.cli import cli

    named = set(re.findall(r"`kbgen ([a-z]+)\b", README))
    assert named
    assert named <= set(cli.commands)


def test_every_make_target_in_the_readme_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z]+)\b", README, flags=re.MULTILINE)) <= targets
    assert {"setup", "demo", "check", "test", "bench", "docs"} <= targets
