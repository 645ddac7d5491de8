"""Nothing heavy is loaded, and no time is lost, before a command needs it."""

import statistics
import subprocess
import sys
import time

import pytest

HEAVY = ("torch", "triton", "chromadb", "llama_index", "sentence_transformers", "transformers")
RUN_CLI = """
from kbgen.cli import main
sys.argv = ["kbgen", *{words!r}]
try:
    main()
except SystemExit as end:
    assert not end.code
"""


def loaded(code: str) -> set[str]:
    """Which heavy libraries a fresh interpreter holds after `code`."""
    script = f"import sys\n{code}\nprint('HEAVY', *(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        ["optimize", "--help"],
        ["specs"],
        ["specs", "h100"],
        ["specs", "h100", "--json"],
    ],
    ids=" ".join,
)
def test_a_light_command_loads_nothing_heavy(words: list[str]) -> None:
    assert loaded(RUN_CLI.format(words=words)) == set()


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded("import kbgen, kbgen.cli") == set()


def test_the_check_sees_a_heavy_import() -> None:
    assert loaded("import triton") >= {"triton"}


def seconds(*words: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], capture_output=True, check=True)
    return time.perf_counter() - start


def test_help_takes_at_most_three_times_the_time_of_importing_click() -> None:
    help_s, click_s = [], []
    for _ in range(9):  # in turn, so that a busy moment of the machine meets both
        click_s.append(seconds("-c", "import click"))
        help_s.append(seconds("-c", "from kbgen.cli import main; main()", "--help"))
    assert statistics.median(help_s) <= 3 * statistics.median(click_s)
