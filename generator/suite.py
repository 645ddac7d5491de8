"""Optimize every op file of a folder and gather one line of figures for each.

    run_suite(Path("examples"), ("h100",)).to_json()["total"]

A suite measures the writer and the judge: its library is thrown away, unless it is given one.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import KbgenError
from ..profiling.device import detect
from .decision import CANDIDATE
from .job import Event, OptimizeRequest, OptimizeResult
from .loop import optimize

Say = Callable[[Event], None]
FAST = (1.0, 1.5)
"""The p of fast_p."""


@dataclass(frozen=True)
class Row:
    """One operator on one device.

    `narrowest_bits` is the narrowest global access of any kernel, `mean_bits` the mean over the accesses in
    the compiled code, `best_at` the number of candidates compiled when the best was found, and
    `estimate_over_bound` the estimated time over the bound of the roofline. Where the card is here,
    `measured_us` is the kernel's median, `speedups` those over eager and both compiled baselines, `speedup`
    that over the fastest with its 95 % `interval`, and `fraction_of_least` the share of the roofline reached.
    """

    op: str
    gpu: str
    status: str
    seconds: float
    reason: str
    verified: bool = False
    kernels: int = 0
    traffic_ratio: float | None = None
    spill_bytes: int = 0
    narrowest_bits: int | None = None
    mean_bits: float | None = None
    techniques: tuple[str, ...] = ()
    estimate_over_bound: float | None = None
    candidates: int = 0
    best_at: int = 0
    left_to_torch: int = 0
    measured_us: float | None = None
    speedups: Mapping[str, float] = field(default_factory=dict)
    speedup: float | None = None
    interval: tuple[float, float] | None = None
    fraction_of_least: float | None = None


@dataclass(frozen=True)
class SuiteResult:
    """The rows in the order they ran."""

    folder: str
    knowledge: bool
    rows: tuple[Row, ...]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        return {
            "folder": self.folder,
            "knowledge": self.knowledge,
            "rows": [asdict(row) for row in self.rows],
            "total": self.total(),
            "seconds": self.seconds,
        }

    def total(self) -> dict[str, Any]:
        """Counts over all rows; a failure stays in the denominator."""
        by_status: dict[str, int] = {}
        for row in self.rows:
            by_status[row.status] = by_status.get(row.status, 0) + 1
        fits = [r for r in self.rows if r.traffic_ratio is not None]
        found_at = [r.best_at for r in self.rows if r.best_at]
        return {
            "rows": len(self.rows),
            "verified": sum(r.verified for r in self.rows),
            "by_status": by_status,
            "one_kernel": sum(r.kernels == 1 for r in self.rows),
            "traffic_at_most_1.05": sum(
                r.traffic_ratio is not None and r.traffic_ratio <= 1.05 for r in fits
            ),
            "without_spills": sum(r.verified and r.spill_bytes == 0 for r in self.rows),
            "mean_candidates_to_best": sum(found_at) / max(1, len(found_at)),
            **(self._on_card() if any(row.measured_us for row in self.rows) else {}),
        }

    def _on_card(self) -> dict[str, float]:
        """KernelBench's fast_p (the share of all rows that are right and faster than p times a baseline), and
        the geometric mean of what is handed over: a row without a win keeps the original, 1x."""
        count = len(self.rows)
        right = [row for row in self.rows if row.verified and row.measured_us]
        shares = {
            f"fast_{p:g}_over_{name}": sum(row.speedups.get(name, 0.0) > p for row in right) / count
            for name in ("eager", "compile", "compile-max-autotune")
            for p in FAST
        }
        fastest = {
            f"fast_{p:g}_over_fastest": sum(min(row.speedups.values(), default=0.0) > p for row in right)
            / count
            for p in FAST
        }
        won = [math.log(row.speedup) for row in self.rows if row.status == "win" and row.speedup]
        return {**shares, **fastest, "geomean_handed_over": math.exp(sum(won) / count)}


def run_suite(
    folder: Path,
    gpus: Sequence[str],
    *,
    knowledge: bool = True,
    library: Path | None = None,
    on_event: Say | None = None,
) -> SuiteResult:
    """Run the loop on every `*.py` of the folder for every device; what cannot run is a row with a reason.

    Raises KbgenError for a folder without op files and for a device that is not known.
    """
    files = sorted(folder.glob("*.py")) if folder.is_dir() else []
    if not files:
        raise KbgenError(f"{folder} holds no op file; give a folder of files with a class Model each.")
    for gpu in gpus:
        detect(gpu)  # a name that stands for no device is told before anything runs
    say = on_event or (lambda event: None)
    begun = time.monotonic()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="kbgen-suite-") as temporary:
        store = library or Path(temporary) / "library"
        for gpu in gpus:
            for path in files:
                say(Event("suite", f"{path.stem} for {gpu}"))
                out = Path(temporary) / gpu / path.stem
                rows.append(
                    _row(OptimizeRequest(path, gpu=gpu, knowledge=knowledge, library=store, out=out), say)
                )
    return SuiteResult(str(folder), knowledge, tuple(rows), round(time.monotonic() - begun, 1))


def _row(request: OptimizeRequest, say: Say) -> Row:
    begun = time.monotonic()
    try:
        result = optimize(request, say)
    except KbgenError as error:
        taken = round(time.monotonic() - begun, 1)
        return Row(request.op_path.stem, request.gpu, "error", taken, str(error))
    return _figures(result, request.gpu, round(time.monotonic() - begun, 1))


def _figures(result: OptimizeResult, gpu: str, seconds: float) -> Row:
    statics: list[Mapping[str, Any]] = [k["static"] for k in result.kernels]
    accesses = [p for s in statics for name in ("load_bits", "store_bits") for p in s[name].items()]
    kept = [i for i, step in enumerate(result.steps) if step["kept"]]
    bound = result.attainable_us
    timed: Mapping[str, Any] = result.benchmark or {}
    own = timed.get("timings", {}).get(CANDIDATE)
    return Row(
        op=result.op,
        gpu=gpu,
        status=result.status,
        seconds=seconds,
        reason=result.reason,
        verified=result.verified,
        kernels=len(result.kernels),
        traffic_ratio=result.traffic_ratio,
        spill_bytes=sum(int(s["spill_bytes"]) for s in statics),
        narrowest_bits=min((int(bits) for bits, _ in accesses), default=None),
        mean_bits=sum(int(b) * n for b, n in accesses) / sum(n for _, n in accesses) if accesses else None,
        techniques=tuple(result.steps[i]["transform"] for i in kept),
        estimate_over_bound=result.estimate_us / bound if result.estimate_us and bound else None,
        candidates=len(result.steps) + 1,
        best_at=2 + kept[-1] if kept else 1,
        left_to_torch=len(result.left_to_torch),
        measured_us=own["median_us"] if own else None,
        speedups=timed.get("speedups", {}),
        speedup=timed.get("speedup"),
        interval=timed.get("interval"),
        fraction_of_least=timed.get("fraction_of_least"),
    )
