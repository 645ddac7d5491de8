"""Trims a complaint to its cause: a compiler's log to what points, a verdict to the calls that failed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...profiling.cuda_static import CudaReport
from ...profiling.static import StaticReport
from ..verify.verdict import CaseResult, Passed, Verdict
from .quoting import gives_orders, visible

_CHARACTERS = 1500
_CASES = 3
_NOISE = re.compile(r"\s*(File \"(?!.*_optimized).*|Traceback .*|During handling .*|The above exception .*)")
WITHHELD = "the message reads as orders to its reader and is left out"


def of_static(report: StaticReport) -> str:
    """Every rejection of the compile, each trimmed to its cause."""
    share = _CHARACTERS // max(1, len(report.rejections))
    return safe("\n".join(trimmed(one, share) for one in report.rejections))


def of_cuda(report: CudaReport) -> str:
    """The same of a compile of CUDA C++."""
    share = _CHARACTERS // max(1, len(report.rejections))
    return safe("\n".join(trimmed(one, share) for one in report.rejections))


def of_verdict(verdict: Verdict) -> str:
    """The cause, what was seen, and the calls that failed by how much; "" for a verdict that passed."""
    if isinstance(verdict, Passed):
        return ""
    detail = trimmed(verdict.detail)
    return "\n".join((f"{verdict.cause}: {safe(detail)}", *_cases(verdict.cases)))


def trimmed(text: str, most: int = _CHARACTERS) -> str:
    """Without a traceback's foreign frames; of what is still too long its head and, mostly, its end."""
    lines = [
        line.rstrip() for line in visible(text).splitlines() if line.strip() and not _NOISE.fullmatch(line)
    ]
    kept = "\n".join(lines)
    if len(kept) <= most:
        return kept
    head = most // 4
    return f"{kept[:head]}\n[...]\n{kept[-(most - head) :]}"


def _cases(cases: Sequence[CaseResult]) -> list[str]:
    failed = [case for case in cases if case.outcome == "failed"]
    lines = [f"- call {case.name}: {_off(case)}" for case in failed[:_CASES]]
    right = sum(case.outcome == "passed" for case in cases)
    return [*lines, f"{len(failed)} calls failed, {right} agreed"] if failed else lines


def _off(case: CaseResult) -> str:
    """By how much a call was wrong: its relative L2 error against float64, beside what eager itself has."""
    if case.oracle_error is None or case.budget is None:
        return safe(trimmed(case.detail, 200)) or "no result to compare"
    own = f", eager's own {case.baseline_error:.2g}" if case.baseline_error is not None else ""
    return f"error {case.oracle_error:.2g}, allowed {case.budget:.2g}{own}"


def safe(text: str) -> str:
    """`text`, or that it is left out: a message may hold what the candidate chose to say to its reader."""
    text = visible(text)
    return WITHHELD if gives_orders(text) else text
