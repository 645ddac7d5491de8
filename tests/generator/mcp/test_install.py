"""Installing tells a client of the server and takes nothing from anybody."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from kbgen.cli import cli
from kbgen.generator.mcp.install import CLIENTS, InstallError, own_command, plan, write
from kbgen.generator.mcp.resources import guide
from kbgen.generator.mcp.tools import TOOLS
from kbgen.generator.report import serving

COMMAND = ["/opt/kb gen/kbgen", "mcp", "--library", '/data/"mine"']


@pytest.mark.parametrize("client", CLIENTS)
def test_a_fresh_folder_gets_the_stanza_and_the_guide(client: str, tmp_path: Path) -> None:
    settings, skill = plan(client, tmp_path, COMMAND)
    assert list(tmp_path.iterdir()) == []
    write((settings, skill))
    assert skill.path.read_text() == guide()
    assert skill.path.name == "SKILL.md"
    assert all(one.unchanged for one in plan(client, tmp_path, COMMAND))


@pytest.mark.parametrize("client", ["claude", "cursor", "vscode"])
def test_other_settings_stay_and_ours_is_replaced_only_when_told(client: str, tmp_path: Path) -> None:
    path, key = tmp_path / CLIENTS[client].settings, CLIENTS[client].servers
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"theme": "dark", key: {"other": {"command": "x"}}}))
    write(plan(client, tmp_path, COMMAND))
    kept = json.loads(path.read_text())
    assert kept["theme"] == "dark"
    assert kept[key]["other"] == {"command": "x"}
    assert [kept[key]["kbgen"]["command"], *kept[key]["kbgen"]["args"]] == COMMAND
    before = path.read_text()
    with pytest.raises(InstallError, match="--replace"):
        plan(client, tmp_path, ["elsewhere"])
    assert path.read_text() == before
    write(plan(client, tmp_path, ["elsewhere"], replace=True))
    assert json.loads(path.read_text())[key]["kbgen"]["command"] == "elsewhere"
    assert json.loads(path.read_text())[key]["other"] == {"command": "x"}


def test_a_toml_file_keeps_its_tables(tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n')
    write(plan("codex", tmp_path, COMMAND))
    text = path.read_text()
    assert text.startswith('model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n\n[mcp_servers.kbgen]\n')
    assert f"command = {json.dumps(COMMAND[0])}\nargs = {json.dumps(COMMAND[1:])}\n" in text
    path.write_text(text + '\n[mcp_servers.last]\ncommand = "z"\n')
    with pytest.raises(InstallError, match="--replace"):
        plan("codex", tmp_path, ["elsewhere"])
    write(plan("codex", tmp_path, ["elsewhere"], replace=True))
    text = path.read_text()
    assert text.count("[mcp_servers.kbgen]") == 1
    assert COMMAND[0] not in text
    assert '[mcp_servers.last]\ncommand = "z"\n' in text


@pytest.mark.parametrize("held", ["// a comment\n{}", "[]", '{"mcpServers": []}', '{"mcpServers": '])
def test_settings_that_cannot_be_merged_are_left_alone(held: str, tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text(held)
    with pytest.raises(InstallError, match="by hand"):
        plan("claude", tmp_path, COMMAND)
    assert (tmp_path / ".mcp.json").read_text() == held


def test_what_cannot_be_merged_can_still_be_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".mcp.json").write_text("// a comment\n{}")
    printed = CliRunner().invoke(cli, ["mcp", "install", "--print"])
    assert printed.exit_code == 0
    assert printed.stdout.startswith('# .mcp.json\n{\n  "mcpServers": {')


def test_the_library_is_found_from_the_client_s_folder_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert own_command(Path("mine"))[1:] == ["mcp", "--library", str(tmp_path / "mine")]
    assert own_command(Path("http://127.0.0.1:8000"))[-1] == "http://127.0.0.1:8000"


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="no folder"):
        plan("claude", tmp_path / "my-porject", COMMAND)
    assert list(tmp_path.iterdir()) == []


def test_a_guide_of_somebodys_own_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / ".claude/skills/kbgen/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(InstallError, match="--replace"):
        plan("claude", tmp_path, COMMAND)
    assert path.read_text() == "mine"
    assert not (tmp_path / ".mcp.json").exists()


def test_the_command_prints_without_writing_or_writes_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    printed = run(cli, ["mcp", "install", "--print", "--client", "codex"])
    assert printed.exit_code == 0
    assert "[mcp_servers.kbgen]" in printed.stdout
    assert "name: kbgen" in printed.stdout
    assert list(tmp_path.iterdir()) == []
    assert run(cli, ["mcp", "install"]).exit_code == 2
    assert run(cli, ["mcp", "install", "--print", "--into", "."]).exit_code == 2
    done = run(cli, ["mcp", "install", "--into", ".", "--json"])
    document = json.loads(done.stdout)
    assert document["schema"] == "kbgen/mcp-install/1"
    assert [one["status"] for one in document["files"]] == ["written", "written"]
    stanza = json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]["kbgen"]
    assert [stanza["command"], *stanza["args"]] == own_command(None) == document["command"]
    assert Path(stanza["command"]).is_file()


def test_the_clients_that_the_command_offers_are_those_that_are_known() -> None:
    assert set(serving.CLIENTS) == set(CLIENTS)


def test_the_guide_names_its_purpose_and_only_tools_that_there_are() -> None:
    _, header, body = guide().split("---\n", 2)
    assert yaml.safe_load(header)["name"] == "kbgen"
    assert len(yaml.safe_load(header)["description"]) <= 1024
    table = body.split("## Which tool when")[1].split("## ")[0]
    named = set(re.findall(r"\| `(\w+)`", table)) | set(re.findall(r"`(job)`", table))
    assert named == set(TOOLS)
