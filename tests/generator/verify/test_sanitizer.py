"""compute-sanitizer's reports are read right, and its calls run.

REAL and FAILED_CALL were written on an H200 by compute-sanitizer of CUDA 13.0 (host frames left out); the
others are invented after the tool's documented format: no race has been met on a card yet.
"""

import os
import stat
import sys
from pathlib import Path

import pytest

from kbgen.generator.verify.sanitizer import Finding, Sanitized, find_tool, read_report, sanitize
from kbgen.profiling.op import load_op

TESTS = Path(__file__).parents[2]

MEMCHECK = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at add_kernel+0x2b0 in /tmp/candidate.py:15
=========     by thread (96,0,0) in block (3,0,0)
=========     Access at 0x7f2d4a000fa0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f2d4a000000 of size 4000 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========
========= Invalid __global__ write of size 4 bytes
=========     at add_kernel+0x2b0 in /tmp/candidate.py:15
=========     by thread (97,0,0) in block (3,0,0)
=========
========= Invalid __shared__ read of size 16 bytes
=========     at 0x148 in /tmp/candidate.py:33:tile_kernel
=========
========= ERROR SUMMARY: 3 errors
"""

RACECHECK = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sum_kernel+0x90 in /tmp/candidate.py:12
=========     and Read access at sum_kernel+0xa0 in /tmp/candidate.py:13 [256 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""

REAL = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 16 bytes
=========     at add_kernel+0x410 in store_past_end.py:19
=========     by thread (115,0,0) in block (14,0,0)
=========     Access to 0x7f7eba84af30 is out of bounds
=========     and is inside the nearest allocation at 0x7f7eba83c000 of size 61,244 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: forward in store_past_end.py:26
=========
========= Target application returned an error
========= ERROR SUMMARY: 1 error
"""

FAILED_CALL = """========= COMPUTE-SANITIZER
========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to "invalid argument" on CUDA API call to cuPointerGetAttribute.
=========     Saved host backtrace up to driver entry point at error
=========         Host Frame: forward in lost_update.py:45
=========
========= Target application returned an error
========= ERROR SUMMARY: 1 error
"""  # noqa: E501

CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"


def test_memcheck_names_each_fault_of_each_kernel_once() -> None:
    found = read_report("memcheck", MEMCHECK)
    assert [(one.cause, one.kernel) for one in found] == [
        ("out-of-bounds", "add_kernel"), ("out-of-bounds", "tile_kernel"),
    ]  # fmt: skip
    assert found[0].detail == "Invalid __global__ write of size 4 bytes"


def test_racecheck_names_the_kernel() -> None:
    assert [(one.cause, one.kernel) for one in read_report("racecheck", RACECHECK)] == [
        ("race", "sum_kernel")
    ]


def test_a_report_from_a_card_is_read() -> None:
    (found,) = read_report("memcheck", REAL)
    assert found == Finding(
        "memcheck", "out-of-bounds", "add_kernel", "Invalid __global__ write of size 16 bytes"
    )


def test_a_clean_report_and_a_failed_call_of_the_driver_hold_nothing() -> None:
    assert read_report("memcheck", CLEAN) == read_report("memcheck", FAILED_CALL) == ()


@pytest.mark.parametrize(
    ("report", "ran"), [(CLEAN, True), (CLEAN.replace("0 errors", "2 errors"), False), (FAILED_CALL, True)]
)
def test_complaints_in_strange_words_are_not_taken_for_none(
    report: str, ran: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report alone decides, so that the calls need not be made."""
    monkeypatch.setattr("kbgen.generator.verify.sanitizer.TOOLS", ("memcheck",))
    op, tool = load_op(Path(__file__).parent / "ops" / "add.py"), fake_tool(tmp_path, report, calls=False)
    candidate = TESTS / "honest" / "add_flat.py"
    found = sanitize(
        candidate, op, [{"ROWS": 3, "COLUMNS": 40}], "as-is", 1, tmp_path, tool=tool, device="cpu"
    )
    assert bool(found.ran) is ran
    assert found.findings == ()
    assert any("words that are not known" in reason for reason in found.reasons) is not ran


def test_only_the_candidate_s_own_kernels_are_held_against_it() -> None:
    foreign = Finding("memcheck", "out-of-bounds", "some_gemm", "Invalid __global__ read of size 4 bytes")
    assert Sanitized(findings=(foreign,)).fault(["add_kernel"]) is None
    fault = Sanitized(findings=(foreign,)).fault(["some_gemm"])
    assert fault is not None
    assert fault.cause == "out-of-bounds"


def fake_tool(folder: Path, report: str, *, calls: bool = True) -> str:
    """A compute-sanitizer that runs the command it is given, or the shortest one, and writes `report`."""
    path, command = folder / "compute-sanitizer", "sys.argv[sys.argv.index(log) + 1:]" if calls else "'true'"
    path.write_text(
        f"#!{sys.executable}\nimport pathlib, subprocess, sys\n"
        "log = sys.argv[sys.argv.index('--log-file') + 1]\n"
        f"done = subprocess.run({command})\n"
        f"pathlib.Path(log).write_text({report!r} if done.returncode == 0 else '')\n"
        "sys.exit(done.returncode)\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_calls_run_under_the_tool_and_its_report_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    monkeypatch.setattr("kbgen.generator.verify.sanitizer.TOOLS", ("memcheck",))
    op, overrides = load_op(Path(__file__).parent / "ops" / "add.py"), [{"ROWS": 3, "COLUMNS": 40}]
    candidate, tool = TESTS / "honest" / "add_flat.py", fake_tool(tmp_path, MEMCHECK)
    found = sanitize(candidate, op, overrides, "as-is", 1, tmp_path, tool=tool, device="cpu")
    assert found.ran == ("memcheck",), found.reasons
    assert [one.kernel for one in found.findings] == ["add_kernel", "tile_kernel"]


def test_calls_that_fail_and_tools_that_are_missing_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbgen.generator.verify.sanitizer.TOOLS", ("memcheck",))
    op, broken = load_op(Path(__file__).parent / "ops" / "add.py"), tmp_path / "broken.py"
    broken.write_text("raise ValueError('not today')\n")
    tool = fake_tool(tmp_path, CLEAN)
    failed = sanitize(broken, op, [{"ROWS": 3, "COLUMNS": 40}], "as-is", 1, tmp_path, tool=tool, device="cpu")
    assert failed.ran == ()
    assert "not today" in failed.reasons[0]
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "nowhere"))
    if find_tool() is None:  # a machine may have it in /usr/local/cuda
        assert "not installed" in sanitize(broken, op, [], "as-is", 1, tmp_path).reasons[0]
