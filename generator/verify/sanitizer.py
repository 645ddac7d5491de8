"""Runs a candidate's calls on the live card under compute-sanitizer, and reads its report.

The interpreter sees every address of a kernel but none of what a compiler makes of it: asynchronous copies,
shared memory, missing barriers. memcheck and racecheck of NVIDIA's compute-sanitizer do. The tool talks to
the process it watches through sockets, which the sandbox forbids; so it runs beside it, with a limit on time
alone, and only for candidates that everything else has passed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...profiling.op import Op
from .verdict import Cause, Fault

TOOLS = ("memcheck", "racecheck")
_LIMIT_S = 300.0
_BOOT = """import sys
sys.path[:] = {path!r}
from {package}.sanitized_calls import main
main({request!r}, {device!r})
"""

_BEGINS: tuple[tuple[str, Cause], ...] = (
    (r"Invalid __\w+__ (?:read|write|atomic)\w* of size \d+", "out-of-bounds"),
    (r"(?:Error|Warning): (?:Potential )?(?:Race|WAW|RAW|WAR)\b.*", "race"),
    (r"Barrier error detected.*", "race"),
    (r"Misaligned .*", "out-of-bounds"),
)
_AT_KERNEL = re.compile(r"\bat (?:0x[0-9a-f]+ in \S*?:(?P<old>\w+)$|(?P<new>\w+)(?:\(.*?\))?\+0x[0-9a-f]+)")
_API_CALL = re.compile(r"Program hit \w+ \(error \d+\) due to .* on CUDA API call")
_SUMMARY = re.compile(r"(?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")


@dataclass(frozen=True)
class Finding:
    """One complaint of a tool about one kernel; `kernel` is empty where the report names none."""

    tool: str
    cause: Cause
    kernel: str
    detail: str


@dataclass(frozen=True)
class Sanitized:
    """Which tools ran to their end, what they found, and for those that did not, why."""

    ran: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    reasons: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def unwatched(self) -> list[str]:
        """What no tool that ran to its end looked at, for the verdict to say."""
        why = f": {'; '.join(self.reasons)}" if self.reasons else ""
        looked = {"memcheck": "addresses were", "racecheck": "races in shared memory were"}
        return [f"{looked[tool]} not watched on the card{why}" for tool in TOOLS if tool not in self.ran]

    def fault(self, kernels: Sequence[str]) -> Fault | None:
        """The first finding in one of the candidate's own kernels, or in none that is named."""
        for found in self.findings:
            if not found.kernel or found.kernel in kernels:
                return Fault(found.cause, f"{found.tool} on the card: {found.kernel}: {found.detail}")
        return None


def find_tool() -> str | None:
    """compute-sanitizer on the search path, or where the CUDA toolkit keeps it."""
    homes = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
    places = [f"{home}/{folder}" for home in homes if home for folder in ("bin", "compute-sanitizer")]
    return shutil.which("compute-sanitizer", path=os.pathsep.join([os.environ.get("PATH", ""), *places]))


def sanitize(
    candidate: Path,
    op: Op,
    overrides: Sequence[Mapping[str, Any]],
    mode: str,
    seed: int,
    scratch: Path,
    *,
    tool: str | None = None,
    device: str = "cuda",
) -> Sanitized:
    """Call `candidate` at each of `overrides` (small shapes: the tools are slow) under every tool."""
    tool = tool or find_tool()
    if tool is None:
        return Sanitized(reasons=("compute-sanitizer is not installed; it comes with the CUDA toolkit",))
    scratch.mkdir(parents=True, exist_ok=True)
    request = scratch / "sanitized.json"
    request.write_text(
        json.dumps(
            {
                "op": str(op.path), "source": op.source, "overrides": [dict(one) for one in overrides],
                "candidate": str(candidate.resolve()), "mode": mode, "seed": seed,
            }
        )
    )  # fmt: skip
    together = [_under(name, tool, request, device, scratch) for name in TOOLS]
    return Sanitized(
        ran=tuple(name for one in together for name in one.ran),
        findings=tuple(found for one in together for found in one.findings),
        reasons=tuple(reason for one in together for reason in one.reasons),
    )


def _under(name: str, tool: str, request: Path, device: str, scratch: Path) -> Sanitized:
    boot = _BOOT.format(path=sys.path, package=__package__, request=str(request), device=device)
    log = scratch / f"{name}.log"
    command = [tool, "--tool", name, "--log-file", str(log), sys.executable, "-c", boot]
    environment = {
        **os.environ,
        "PYTORCH_NO_CUDA_MEMORY_CACHING": "1",
        "TRITON_CACHE_DIR": str(scratch / "triton"),
    }
    try:
        done = subprocess.run(
            command,
            cwd=scratch,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Sanitized(reasons=(f"{name} was ended after {_LIMIT_S:g} s",))
    except OSError as error:
        return Sanitized(reasons=(f"{name} does not start: {error}",))
    report = log.read_text(errors="replace") if log.exists() else ""
    if not _SUMMARY.search(report):
        last = (done.stderr.strip().splitlines() or ["it left no report"])[-1]
        return Sanitized(
            reasons=(f"{name} ended with code {done.returncode} and without a summary: {last[:300]}",)
        )
    findings = read_report(name, report)
    if done.returncode and not findings:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        return Sanitized(reasons=(f"under {name} the calls ended with code {done.returncode}: {last[:300]}",))
    if _counted(report) > 0 and not findings:
        return Sanitized(reasons=(f"{name} counts complaints in words that are not known here",))
    return Sanitized((name,), findings)


def read_report(tool: str, report: str) -> tuple[Finding, ...]:
    """The findings in a log, equal ones once. A failed call of the driver's API is none: it has no kernel."""
    lines = [line.removeprefix("=========").strip() for line in report.splitlines()]
    found: list[Finding] = []
    for place, line in enumerate(lines):
        cause = next((cause for pattern, cause in _BEGINS if re.match(pattern, line)), None)
        if cause is not None:
            finding = Finding(tool, cause, _kernel(lines[place : place + 4]), line)
            found += [finding] if finding not in found else []
    return tuple(found)


def _counted(report: str) -> int:
    """Complaints by the summary's count, failed calls of the driver's API apart."""
    summary = _SUMMARY.search(report)
    counted = int(summary[1] or summary[2]) if summary else 0
    return counted - len(_API_CALL.findall(report))


def _kernel(lines: Sequence[str]) -> str:
    match = next((match for line in lines if (match := _AT_KERNEL.search(line))), None)
    return (match["old"] or match["new"]) if match else ""
