"""What an agent asks reaches the command line as it was meant: no value is taken for another option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from kbgen.cli import cli
from kbgen.generator.mcp.asked import AskedError, read
from kbgen.generator.mcp.commands import COMMANDS
from kbgen.generator.mcp.sources import SourceError
from kbgen.generator.mcp.tools import TOOLS

TEXTS = {"op_text": "x = 1\n", "candidate_text": "y = 1\n"}
ASKED: dict[str, dict[str, Any]] = {
    "optimize": {"op_text": "x = 1\n", "budget_s": 90, "max_candidates": 3, "knowledge": False},
    "verify": {**TEXTS, "precision": "bf16", "allow": ["torch.mm"], "overrides": {"n": 4, "flag": True}},
    "bench": {**TEXTS, "mode": "train"},
    "record": {**TEXTS, "technique": "--debug", "note": "--quiet", "parent_text": "z = 1\n"},
    "profile": {**TEXTS, "level": "static"},
    "advise": {"op_text": "x = 1\n", "gpu": "--debug"},
}


def parsed(tool: str, asked: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What the command line makes of a tool's arguments."""
    words = COMMANDS[tool](read(tool, TOOLS[tool].asked, asked), folder)
    command = cli.commands[words[0]]
    assert words[0] == tool
    return command.make_context(tool, words[1:], parent=click.Context(cli, **cli.context_settings)).params


@pytest.mark.parametrize("tool", ASKED)
def test_a_tools_arguments_are_the_commands_own(tool: str, tmp_path: Path) -> None:
    params = parsed(tool, ASKED[tool], tmp_path)
    assert params["debug"] is params["quiet"] is False
    assert tmp_path in Path(params.get("op_file") or params["subject"]).parents


def test_values_arrive_as_they_were_given(tmp_path: Path) -> None:
    params = parsed("verify", ASKED["verify"], tmp_path)
    assert dict(params["overrides"]) == {"n": 4, "flag": True}
    assert (params["precision"], params["allowed_calls"]) == ("bf16", ("torch.mm",))
    params = parsed("record", ASKED["record"], tmp_path)
    assert (params["technique"], params["note"]) == ("--debug", "--quiet")
    assert params["parent"] == tmp_path / "parent.py"
    params = parsed("optimize", ASKED["optimize"], tmp_path)
    assert (params["budget"], params["max_candidates"], params["no_knowledge"]) == (90.0, 3, True)
    assert (params["out"], params["writer"]) == (tmp_path, "synth")


def test_a_report_is_advised_on_instead_of_an_op(tmp_path: Path) -> None:
    report = tmp_path / "profile.csv"
    report.write_text("x")
    params = parsed("advise", {"report_path": str(report), "kernel": "--debug"}, tmp_path)
    assert (params["subject"], params["kernel"], params["debug"]) == (report, "--debug", False)
    with pytest.raises(SourceError, match="both were given"):
        parsed("advise", {"report_path": str(report), "op_text": "x"}, tmp_path)


@pytest.mark.parametrize(
    ("tool", "asked", "named"),
    [
        ("search", {}, "query"),
        ("search", {"query": "x", "k": 500}, "k"),
        ("search", {"query": "x", "library": "/etc"}, "library"),
        ("verify", {**TEXTS, "overrides": {"a b": 1}}, "overrides"),
        ("verify", {**TEXTS, "overrides": {"n": float("nan")}}, "overrides"),
        ("verify", {**TEXTS, "wait_s": 1e9}, "wait_s"),
        ("optimize", {"op_text": "x", "writer": "openai:gpt"}, "writer"),
        ("optimize", {"op_text": "x", "out": "/etc"}, "out"),
        ("profile", {"op_text": "x", "command": "rm -rf /"}, "command"),
        ("record", {**TEXTS, "note": "x" * 501}, "note"),
        ("job", {"action": "erase"}, "action"),
    ],
)
def test_arguments_that_a_tool_does_not_take_are_named_in_one_sentence(
    tool: str, asked: dict[str, Any], named: str
) -> None:
    with pytest.raises(AskedError) as told:
        read(tool, TOOLS[tool].asked, asked)
    assert str(told.value).startswith(f"{tool}: {named}")
    assert "\n" not in str(told.value)


def test_every_tool_that_runs_a_command_has_one() -> None:
    waits = {name for name, tool in TOOLS.items() if "wait_s" in tool.input_schema["properties"]}
    assert waits - {"job"} == set(COMMANDS)
