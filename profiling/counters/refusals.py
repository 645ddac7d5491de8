"""Tells why a profiler gave no counters: what Nsight Compute says, what it means, and what to do about it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ... import KbgenError


@dataclass(frozen=True)
class Refusal:
    """`symptom` is the tool's own line or what was seen, `meaning` a clause on why, `cure` what to do."""

    symptom: str
    meaning: str
    cure: str


class CountersRefused(KbgenError):  # noqa: N818 - named for what happened
    """No counters can be had here; timing and compiled code still tell what they can."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"no counters: {refusal.meaning}; {refusal.cure}")
        self.refusal = refusal


@dataclass(frozen=True)
class Rule:
    """A refusal as the tool words it; `pattern` is searched in each line of the output, case ignored."""

    name: str
    pattern: str
    meaning: str
    cure: str


# In the order of precedence: a line of an earlier rule explains those of later ones.
RULES = (
    Rule(
        "wsl",
        r"windows subsystem for linux|\bWSL\b.*(?:not supported|permission)",
        "under WSL the permission for counters is a setting of Windows",
        "allow it in the NVIDIA control panel of Windows (Developer, Manage GPU Performance Counters), "
        "with a driver that supports profiling under WSL",
    ),
    Rule(
        "permission",
        r"ERR_NVGPUCTRPERM|permission to access NVIDIA GPU Performance Counters",
        "this user may not read the GPU's performance counters",
        "run as root or with CAP_SYS_ADMIN (CAP_PERFMON from driver 565 on), start the container with "
        "--cap-add=SYS_ADMIN, or have the host load its driver with NVreg_RestrictProfilingToAdminUsers=0; "
        "rented machines often refuse all three, and then diagnoses rest on timing and compiled code",
    ),
    Rule(
        "busy",
        r"driver resource was unavailable|another (?:tool|profiler) .*(?:profil|in use)",
        "another profiler or a monitor such as DCGM holds the counters",
        "pause it (dcgmi profile --pause, afterwards --resume) or end the other profiler, then repeat",
    ),
    Rule(
        "sandboxed runtime",
        r"LibraryNotLoaded",
        "the profiler's library cannot reach the driver, as in a sandboxed container runtime (gVisor)",
        "run where the container talks to the kernel's own driver (runc, a virtual machine, bare metal)",
    ),
    Rule(
        "lock",
        r"InterprocessLockFailed|nsight-compute-lock|lock file",
        "another user's ncu left or holds its lock file in the temporary folder",
        "set TMPDIR to a folder of your own, or have the other user's lock file removed",
    ),
    Rule(
        "confidential computing",
        r"confidential comput",
        "the card runs in confidential-computing mode, which closes its counters",
        "profile on a card outside of that mode; until then diagnoses rest on timing and compiled code",
    ),
    Rule(
        "vgpu",
        r"\bvGPU\b|\bGRID\b.*not supported",
        "this is a virtual GPU whose host does not pass the counters on",
        "have the host enable profiling for this virtual machine (enable_profiling=1 in its vGPU plugin), "
        "or profile on the whole card",
    ),
    Rule(
        "mig",
        r"\bMIG\b.*(?:not supported|unsupported|cannot|not allowed)|not supported .*\bMIG\b",
        "this is a MIG slice, where the counters shared with other slices are closed",
        "take what the slice counts (the rest stays unknown), or profile on the whole card",
    ),
    Rule(
        "unsupported card",
        r"Unsupported GPU|profiling is not supported on (?:this )?device|not a supported GPU|"
        r"no supported (?:gpu|device)",
        "this version of ncu does not know the card: it is too old for it, or too new "
        "(tools of CUDA 13 have no Volta)",
        "install a Nsight Compute whose --list-chips names the card",
    ),
    Rule(
        "driver too old",
        r"driver is not compatible|cuda driver version is insufficient|incompatible (?:cuda )?driver|"
        r"requires? (?:a )?(?:newer|more recent) driver",
        "the driver is too old for this version of ncu",
        "update the driver, or install the Nsight Compute of the driver's CUDA version",
    ),
    Rule(
        "unknown metric",
        r"Failed to find (?:metric|section)|(?:unknown|invalid) (?:metric|section)",
        "this version of ncu does not know a metric or section that was asked for",
        "install a newer Nsight Compute",
    ),
    Rule(
        "disk",
        r"No space left on device|(?:failed|unable|cannot) to (?:write|create|open) (?:the )?report",
        "the report could not be written",
        "free space in the temporary folder or point TMPDIR to another",
    ),
    Rule(
        "not started",
        r"does not exist|not (?:an )?executable|failed to launch|cannot execute|no such file or directory",
        "the program to profile does not start",
        "check that its command runs without the profiler",
    ),
    Rule(
        "program failed",
        r"application returned an error code",
        "the profiled program itself failed",
        "run its command without the profiler and mend it first",
    ),
    Rule(
        "no GPU work",
        r"terminated before first instrumented API call",
        "the program ended before it used the GPU",
        "check that its command runs to its end without the profiler and uses the card",
    ),
    Rule(
        "nothing matched",
        r"No kernels were profiled",
        "the program launched no kernel in the range and under the name that were asked for",
        "give a program that launches kernels, and with --kernel a part of one's name, letter case included",
    ),
)


def recognise(output: str) -> Refusal | None:
    """The refusal that explains a profiler's output, None when nothing in it is one.

    Only lines of the tool itself count where it marked any (`==ERROR==`, `==WARNING==`, `==PROF==`): the
    profiled program may print the same words about something else.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("==")]
    for rule in RULES:
        for line in own or lines:
            if re.search(rule.pattern, line, re.IGNORECASE):
                return Refusal(line[:300], rule.meaning, rule.cure + _launched(rule, lines))
    error = next((line for line in own if line.startswith("==ERROR==")), None)
    if error is None:
        return None
    said = error.removeprefix("==ERROR==").strip()
    return Refusal(error[:300], f"ncu says: {said[:200]}", "check the program without the profiler first")


def _launched(rule: Rule, lines: list[str]) -> str:
    """The kernels that ncu names as available where none matched."""
    if rule.name != "nothing matched" or "Available Kernels:" not in lines:
        return ""
    listed = lines[lines.index("Available Kernels:") + 1 :]
    names = [found[1] for line in listed if (found := re.match(r"\d+\. (.+)", line))]
    return f"; it launched {', '.join(names[:10])}" if names else ""


def missing_tool(tool: str) -> Refusal:
    """The profiler is not on this machine."""
    cures = {
        "ncu": "install Nsight Compute (it comes with the CUDA toolkit) or set KBGEN_NCU to its ncu",
        "rocprofv3": "install ROCm's rocprofiler-sdk, or put rocprofv3 on the PATH",
    }
    return Refusal(f"{tool} is not on PATH", f"{tool} is not installed", cures[tool])


def timed_out(seconds: float) -> Refusal:
    """The profiled program took too long; each kernel is replayed some forty times for a full set."""
    return Refusal(
        f"no end after {seconds:g} s",
        f"the profiled program did not end within {seconds:g} s",
        "profile fewer launches (--count), name the kernel (--kernel), or use the quick set (--quick)",
    )


def no_rows(report: str) -> Refusal:
    """The tool ended well and its report holds no launch: a false "ok" of a program that launches nothing."""
    return Refusal(
        f"{report} holds no launch",
        "the profiler ended without an error and counted no launch",
        "give a program that launches a kernel in the profiled range",
    )
