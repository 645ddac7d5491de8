"""The command line keeps its promises: four options everywhere, exit codes, data and errors apart."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from kbgen import KbgenError, __version__
from kbgen.cli import cli
from kbgen.generator.report.options import assignment, seconds
from kbgen.generator.report.session import Command, Session

OP = """\
import torch
from torch import nn
rows, width = 4, 8
class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
def get_inputs():
    return [torch.randn(rows, width)]
def get_init_inputs():
    return []
"""


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words), prog_name="kbgen")


def leaves(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


@pytest.fixture(autouse=True)
def _hashing_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here depends on a model."""
    monkeypatch.setenv("KBGEN_EMBEDDER", "hashing")


@pytest.fixture
def op_file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.py"
    path.write_text(OP)
    return path


@pytest.mark.parametrize(("name", "command"), list(leaves(cli)), ids=str)
def test_every_command_takes_the_four_options_and_says_what_it_does(
    name: str, command: click.Command
) -> None:
    taken = {text for param in command.params for text in param.opts}
    assert {"--json", "--library", "--quiet", "--debug"} <= taken
    assert (command.help or "").endswith(".")


def test_version() -> None:
    assert run("--version").output == f"kbgen {__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["optimize"],
        ["optimize", "op.py", "--precision", "fp4"],
        ["optimize", "op.py", "--set", "batch"],
        ["optimize", "op.py", "--set", "2=3"],
        ["optimize", "op.py", "--budget", "soon"],
        ["optimize", "op.py", "--max-candidates", "0"],
        ["profile"],
        ["profile", "op.py", "--cmd", "python train.py"],
        ["profile", "--cmd", "python train.py", "--level", "static"],
        ["profile", "op.py", "--skip", "3"],
        ["profile", "op.py", "--nvtx", "step", "--quick"],
        ["search"],
        ["library", "show"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_2(words: list[str]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["specs", "h10"], "nvidia-h100-sxm5"),
        (["profile", "absent.py", "--gpu", "h100"], "give the path"),
        (["advise", "absent.ncu-rep"], "does not exist"),
        (["advise", "absent.ncu-rep", "--out", "advice.pdf"], "FILE.html or FILE.md"),
        (["eval", "diagnosis", "--profiles", "absent"], "give the folder"),
        (["verify", "absent.py", "absent.py", "--gpu", "h10"], "give the path"),
        (["ingest", "absent.md"], "check the path"),
        (["library", "show", "absent"], "kbgen library list"),
        (["library", "why", "absent"], "kbgen library list"),
        (["library", "remove", "absent"], "kbgen library list"),
        (["library", "remove", "online-softmax"], "only documents you ingested"),
    ],
    ids=str,
)
def test_a_users_error_is_one_sentence_with_the_cure(words: list[str], cure: str, tmp_path: Path) -> None:
    result = run(*words, "--library", str(tmp_path / "library"))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("kbgen: ")
    assert result.stderr.count("\n") == 1
    assert cure in result.stderr


def test_a_folder_that_is_no_library_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    assert run("library", "status", "--library", str(tmp_path)).exit_code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_specs_json_is_one_document_with_its_schema() -> None:
    result = run("specs", "h100", "--json")
    assert result.exit_code == 0
    read = json.loads(result.stdout)
    assert read["schema"] == "kbgen/specs/1"
    assert read["id"] == "nvidia-h100-sxm5"
    assert set(read["sheet"]["memory"]["sources"]) <= set(read["sources"])


@pytest.mark.parametrize("name", ["status", "list", "verify", "rebuild"])
def test_care_json_carries_its_own_schema(name: str, fresh_library: Path) -> None:
    result = run("library", name, "--json", "--library", str(fresh_library))
    assert json.loads(result.stdout)["schema"] == f"kbgen/library-{name}/1"


def test_specs_lists_every_device() -> None:
    read = json.loads(run("specs", "--json").stdout)
    assert len(read["devices"]) == 25


def test_profile_of_an_op_needs_no_card(op_file: Path) -> None:
    result = run("profile", str(op_file), "--gpu", "mi300x", "--set", "width=16", "--json")
    assert result.exit_code == 0, result.stderr
    read = json.loads(result.stdout)
    assert (read["op"], read["family"], read["device"]) == ("rows", "softmax", "amd-mi300x")
    assert read["bytes_min"] == 2 * 4 * 16 * 4


def test_a_profile_is_saved_and_advised_on_without_its_op(
    op_file: Path, tmp_path: Path, fresh_library: Path
) -> None:
    saved, page = tmp_path / "saved.json", tmp_path / "advice.md"
    words = ["profile", str(op_file), "--gpu", "h100", "--level", "static", "--out", str(saved)]
    assert run(*words).exit_code == 0
    op_file.unlink()
    library = ["--library", str(fresh_library)]
    result = run("advise", str(saved), "--out", str(page), "--json", *library)
    assert result.exit_code == 0, result.stderr
    read = json.loads(result.stdout)
    assert (read["schema"], read["level"], read["page"]) == ("kbgen/advise/1", "D", str(page))
    (kernel,) = read["kernels"]
    assert {"name", "bottlenecks", "advice"} <= set(kernel)
    assert {"class", "confidence", "evidence"} <= set(kernel["bottlenecks"][0])
    assert kernel["advice"]
    for step in kernel["advice"]:
        assert {"technique", "why", "citations", "outcomes"} <= set(step)
        assert {"title", "source", "section", "version"} <= set(step["citations"][0])
    assert page.read_text().startswith("# Advice for")


RAW_PAGE = """\
==PROF== Connected to process 7
"ID","Kernel Name","Block Size","Grid Size","Device","CC","gpu__time_duration.sum","{metrics}"
"","","","","","","ns","%","%","%","%"
"0","rows_kernel","(256, 1, 1)","(4096, 1, 1)","0","9.0","20000","20.0","81.0","81.0","35.0"
"1","other_kernel","(256, 1, 1)","(4096, 1, 1)","0","9.0","5000","20.0","21.0","21.0","15.0"
""".format(
    metrics='","'.join(
        (
            "sm__throughput.avg.pct_of_peak_sustained_elapsed",
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
            "lts__throughput.avg.pct_of_peak_sustained_elapsed",
        )
    )
)


def test_advice_on_a_report_names_kernels_by_share_and_takes_a_filter(
    tmp_path: Path, fresh_library: Path
) -> None:
    report = tmp_path / "raw.csv"
    report.write_text(RAW_PAGE)
    words = ["advise", str(report), "--json", "--library", str(fresh_library)]
    read = json.loads(run(*words).stdout)
    assert [kernel["name"] for kernel in read["kernels"]] == ["rows_kernel", "other_kernel"]
    assert read["kernels"][0]["share"] == 0.8
    assert read["level"] == "A"
    (one,) = json.loads(run(*words, "--kernel", "^other", "--gpu", "h200").stdout)["kernels"]
    assert (one["name"], one["device"]["id"]) == ("other_kernel", "nvidia-h200-sxm")
    refused = run(*words, "--kernel", "absent")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "rows_kernel" in refused.stderr


@pytest.mark.parametrize("command", ["profile", "bench", "verify"])
def test_a_candidate_that_is_not_there_is_a_users_error(command: str, op_file: Path) -> None:
    result = run(command, str(op_file), "absent.py", "--gpu", "h100")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "there is no file absent.py" in result.stderr
    assert "ModelNew" in result.stderr


def test_search_finds_shipped_pages(tmp_path: Path) -> None:
    result = run("search", "online", "softmax", "-k", "3", "--json", "--library", str(tmp_path / "library"))
    assert result.exit_code == 0, result.stderr
    results = json.loads(result.stdout)["results"]
    assert len(results) == 3
    promised = {
        "id",
        "title",
        "text",
        "source",
        "section",
        "version",
        "licence",
        "vendor",
        "archs",
        "score",
        "why",
    }
    assert all(promised <= set(hit) for hit in results)


def test_ingest_adds_what_it_can_and_names_what_it_refuses(tmp_path: Path, fresh_library: Path) -> None:
    (tmp_path / "good.md").write_text("# A made-up page\n\nzyzzyva loads are wide.\n")
    (tmp_path / "bad.txt").write_bytes(b"\0\0")
    store = str(fresh_library)
    result = run("ingest", str(tmp_path / "good.md"), str(tmp_path / "bad.txt"), "--json", "--library", store)
    assert result.exit_code == 1
    read = json.loads(result.stdout)
    assert len(read["added"]) == 1
    assert [refused["path"] for refused in read["refused"]] == [str(tmp_path / "bad.txt")]
    found = json.loads(run("search", "zyzzyva", "--json", "--library", store).stdout)["results"]
    assert "A made-up page" in {hit["title"] for hit in found}


def test_devices_without_a_card_is_no_error() -> None:
    result = run("devices", "--json")
    assert result.exit_code == 0
    assert {"devices", "reason"} <= set(json.loads(result.stdout))


@pytest.mark.parametrize(
    ("text", "value"), [("90s", 90), ("10m", 600), ("1h", 3600), ("45", 45), ("1.5m", 90), ("0.5h", 1800)]
)
def test_times(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "0", "m", "-5s", "1d", "5 m"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="90s"):
        seconds(text)


@pytest.mark.parametrize(
    ("text", "pair"), [("n=8", ("n", 8)), ("eps=1e-6", ("eps", 1e-6)), ("shape=(2, 3)", ("shape", (2, 3)))]
)
def test_assignments(text: str, pair: tuple[str, object]) -> None:
    assert assignment(text) == pair


@pytest.mark.parametrize("text", ["n", "=8", "n=", "n=open('x')", "n m=8", "n=8 8"])
def test_what_is_no_assignment_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="batch_size=8"):
        assignment(text)


class BoomError(KbgenError):
    """A user's error."""


def failing(error: Exception) -> click.Command:
    def callback(session: Session, /) -> None:
        raise error

    return Command("fail", callback=click.pass_obj(callback))


def test_a_kbgen_error_is_its_sentence_and_with_debug_itself() -> None:
    error = BoomError("found x; expected y; do z.")
    told = CliRunner().invoke(failing(error), [])
    assert (told.exit_code, told.stdout, told.stderr) == (1, "", "kbgen: found x; expected y; do z.\n")
    assert CliRunner().invoke(failing(error), ["--debug"]).exception is error


def test_an_unexpected_error_is_told_without_a_traceback() -> None:
    told = CliRunner().invoke(failing(ValueError("odd\nand long")), [])
    assert told.exit_code == 1
    assert told.stderr == "kbgen: unexpected ValueError: odd; run again with --debug to see where.\n"


def test_a_file_that_is_not_there_is_a_users_error() -> None:
    told = CliRunner().invoke(failing(FileNotFoundError(2, "No such file or directory", "k.py")), [])
    assert told.stderr.startswith("kbgen: k.py: No such file or directory; check the path")


def test_a_closed_pipe_and_an_interrupt_are_not_reported_as_faults() -> None:
    for error in (BrokenPipeError(), click.Abort()):
        assert "unexpected" not in CliRunner().invoke(failing(error), []).stderr
