"""Times a candidate beside eager, compile and compile max-autotune on the live card, in fresh processes.

    result = benchmark(Path("rmsnorm_optimized.py"), op, detect("auto"), trace(op), scratch=folder)
    result.label, result.speedup, result.interval

Within a process all subjects are interleaved (`profiling/session.py`). A win needs the lower end of the 95 %
interval of fastest baseline / candidate above 1 in every process. What fails stays in the result: a baseline
that does not compile is named, a candidate that crashes is a benchmark that failed.

Where the fastest baseline takes longer to launch than to run, the first process times torch's CUDA graphs
too; the others do where they were the fastest of the first, by the card's clock or by the host's.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from .. import KbgenError
from ..profiling.device import Device
from ..profiling.limit import by_parts_us, least_us
from ..profiling.op import Op
from ..profiling.samples import Session
from ..profiling.sandbox import Limits, Outcome, run_child
from ..profiling.session import Plan
from ..profiling.trace import TracedOp
from .decision import CANDIDATE, EAGER, GRAPHS, decide
from .decision import Benchmark as Benchmark
from .in_class import EXACT

PROCESSES = 3
COMPILED = ("compile", "compile-max-autotune")

_LIMITS = Limits(wall_s=1800.0, cpu_s=None, memory_bytes=None, file_bytes=4 << 30, processes=512)
_LARGE = 0.02  # of the card's memory: from there on, fewer old buffers are kept alive

RunChild = Callable[[dict[str, Any], Path], Outcome]


class BenchmarkError(KbgenError):
    """There is nothing to time on."""


def benchmark(
    candidate: Path,
    op: Op,
    device: Device,
    traced: TracedOp,
    *,
    scratch: Path,
    precision: str = "fp32",
    saves_arithmetic: bool = False,
    plan: Plan = Plan(),  # noqa: B008 - frozen
    run: RunChild | None = None,
    processes: int = PROCESSES,
) -> Benchmark:
    """Time the candidate; raises BenchmarkError where the device is not in this machine. `saves_arithmetic`:
    the judge found that it needs fewer operations than the op as written (label "algorithmic"). `run`
    replaces the child; fewer `processes` than usual are told in the result."""
    require_live(device)
    asked = request({CANDIDATE: candidate}, baselines(traced), op, device, traced, precision, plan)
    asked["graphs"] = True
    sessions, crash = list[Session](), ""
    for number in range(1, processes + 1):
        outcome = (run or in_child)({**asked, "seed": secrets.randbits(48)}, scratch / f"timing-{number}")
        if outcome.reply is None:
            crash = (
                f"timing process {number} of {processes} gave no result ({outcome.status}): {outcome.detail}"
            )
            break
        sessions.append(Session.from_json(outcome.reply))
        if number == 1 and not _graphs_lead(sessions[0]):
            asked["graphs"] = False
    floor = least_us(traced, device.spec, saves_arithmetic=saves_arithmetic)
    return decide(
        sessions, crash, floor, device.to_json(),
        parts_us=by_parts_us(traced, device.spec), needed_us=by_parts_us(traced, device.spec, needed=True),
        saves_arithmetic=saves_arithmetic,
    )  # fmt: skip


def baselines(traced: TracedOp) -> tuple[str, ...]:
    """Torch's ways to run the op; where it convolves in float32 also eager without TF32."""
    exact = (EXACT,) if "conv" in traced.op_kinds and "float32" in traced.dtypes else ()
    return (EAGER, *exact, *COMPILED)


def _graphs_lead(session: Session) -> bool:
    alone = session.alone
    return GRAPHS in alone and GRAPHS in (
        min(alone, key=lambda name: alone[name].device_us),
        min(alone, key=lambda name: alone[name].host_us),
    )


def require_live(device: Device) -> None:
    """Raises BenchmarkError where the device is not in this machine."""
    if not device.live:
        raise BenchmarkError(
            f"nothing can be timed on {device.spec.name}: {device.reason}; "
            "run this on a machine that has the card, with --gpu auto"
        )


def in_child(asked: dict[str, Any], scratch: Path) -> Outcome:
    """One timing session in a fresh process."""
    return run_child("kbgen.generator.benchmark_child", asked, scratch=scratch, limits=_LIMITS)


def request(
    candidates: Mapping[str, Path], baselines: Sequence[str], op: Op, device: Device, traced: TracedOp,
    precision: str, plan: Plan,
) -> dict[str, Any]:  # fmt: skip
    """What a timing process is asked: kernel files by the name of their subject, beside torch's own ways."""
    if traced.bytes_min > _LARGE * device.spec.memory_gb * 1e9:
        plan = replace(plan, keep=1)
    return {
        "op": str(op.path.resolve()),
        "source": op.source,
        "overrides": dict(op.overrides),
        "candidates": {name: str(path.resolve()) for name, path in candidates.items()},
        "mode": traced.mode,
        "precision": precision,
        "baselines": list(baselines),
        "graphs": False,
        "compile_s": None,
        "l2_bytes": device.spec.l2_bytes,
        "plan": asdict(plan),
    }
