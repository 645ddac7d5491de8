"""What works on this machine: checks are right, cures come with what is missing, nothing heavy loads."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kbgen.profiling import doctor
from kbgen.profiling.doctor import Check, checks
from kbgen.profiling.probe import ClockState, LiveFacts
from kbgen.profiling.sandbox import LAYERS, Outcome

if TYPE_CHECKING:
    from .conftest import FakeNcu

CARD = LiveFacts("NVIDIA H100 80GB HBM3", "nvidia", "sm_90", 132, 85_000_000_000, None, "570", "cuda 12.8")


class OneCard:
    """A machine with an H100."""

    def facts(self) -> LiveFacts:
        return CARD

    def clocks(self) -> ClockState | None:
        return None


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Check]:
    library = tmp_path_factory.mktemp("home") / "not" / "made" / "yet"
    return {check.name: check for check in checks(library, OneCard())}


def test_the_compiler_and_the_interpreter_really_run(found: dict[str, Check]) -> None:
    assert found["offline compile"].ok
    assert "sm_90" in found["offline compile"].found
    assert "gfx942" in found["offline compile"].found
    assert found["interpreter"].ok


def test_installed_packages_are_found(found: dict[str, Check]) -> None:
    import torch

    assert found["torch"].found.startswith(torch.__version__)
    assert all(found[name].ok for name in ("python", "torch", "triton", "chromadb"))


def test_what_is_missing_comes_with_a_cure_and_what_works_does_not(found: dict[str, Check]) -> None:
    for check in found.values():
        lacks = check.ok is False or "; missing: " in check.found  # a sandbox may be fit and yet lack a layer
        assert bool(check.cure) == lacks, check
        assert check.status == {True: "ok", False: "missing", None: "untried"}[check.ok]


def test_the_card_is_the_one_that_the_probe_sees(found: dict[str, Check]) -> None:
    assert found["live card"] == Check("live card", True, f"{CARD.name} (sm_90, 132 units), cuda 12.8")


def permission(tmp_path: Path) -> Check:
    return next(
        check for check in doctor._profilers(OneCard(), tmp_path) if check.name == "counter permission"
    )


def test_counter_permission_is_claimed_by_a_counted_kernel_alone(
    fake_ncu: FakeNcu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_NCU", str(fake_ncu.says(**fake_ncu.pages("add_kernel"))))
    check = permission(tmp_path)
    assert (check.ok, check.cure) == (True, "")
    assert check.found.startswith("counted add_kernel (5.0 us, ")
    assert "torch.ones" in "\n".join(fake_ncu.asked())  # it did launch something


def test_a_profiler_that_counts_nothing_and_ends_well_is_no_permission(
    fake_ncu: FakeNcu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_NCU", str(fake_ncu.says(output="==PROF== Disconnected\n", code=0)))
    check = permission(tmp_path)
    assert check.ok is False
    assert check.cure


def test_refused_permission_is_told_with_its_cure(
    fake_ncu: FakeNcu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"
    monkeypatch.setenv("KBGEN_NCU", str(fake_ncu.says(output=refused, code=1)))
    check = permission(tmp_path)
    assert (check.ok, check.found) == (False, refused)
    assert "CAP_SYS_ADMIN" in check.cure


def test_permission_stays_untried_without_a_profiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KBGEN_NCU", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert permission(tmp_path) == Check("counter permission", None, "no profiler here to count with")


def test_a_library_that_is_not_there_yet_is_fine_and_is_not_made(found: dict[str, Check]) -> None:
    check = found["library folder"]
    assert check.ok
    assert check.found.endswith("made when first needed")
    assert not Path(check.found.split(",")[0]).exists()


def test_a_library_below_a_file_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (check,) = doctor._library(tmp_path / "file" / "library")
    assert check.ok is False
    assert "--library" in check.cure


def test_the_sandbox_is_only_whole_with_its_walls() -> None:
    bare = Outcome("ok", {}, "", 0.1, "", ("clean environment", "guard"))
    check = doctor._sandbox(bare)
    assert check.ok is False
    assert check.found.startswith("clean environment, guard; missing: resource limits, process count")
    whole = doctor._sandbox(Outcome("ok", {}, "", 0.1, "", tuple(LAYERS)))
    assert (whole.ok, whole.cure) == (True, "")
    assert "missing" not in whole.found


def test_a_sandbox_without_namespaces_is_fit_and_says_what_it_lacks() -> None:
    layers = tuple(layer for layer in LAYERS if layer != "own namespaces")
    check = doctor._sandbox(Outcome("ok", {}, "", 0.1, "", layers))
    assert check.ok
    assert check.found.endswith("; missing: own namespaces")
    assert "kernel.unprivileged_userns_clone" in check.cure


def test_a_broken_compiler_is_told_in_its_own_words() -> None:
    crashed = Outcome("crashed", None, "", 0.1, "ImportError: libtriton.so", ())
    check = doctor._compile(crashed)
    assert (check.ok, check.found) == (False, "ImportError: libtriton.so")


def test_a_wrong_interpreter_is_not_called_working() -> None:
    assert doctor._interpret(Outcome("ok", {"error": 1.0}, "", 0.1, "", ())).ok is False


def test_it_is_quick_and_loads_nothing_heavy() -> None:
    import torch

    # Only a build of torch for GPUs has to be asked for its card.
    built_for_gpus = torch.version.cuda is not None or torch.version.hip is not None
    heavy = {"triton", "chromadb", "sentence_transformers"} | (set() if built_for_gpus else {"torch"})
    code = (
        "import sys; from kbgen.profiling.doctor import checks; checks();"
        f"sys.exit(bool({heavy!r} & sys.modules.keys()))"
    )
    start = time.monotonic()
    ended = subprocess.run([sys.executable, "-c", code], timeout=120)
    assert ended.returncode == 0
    assert time.monotonic() - start < 60  # under 10 s on a quiet machine; tests share theirs
