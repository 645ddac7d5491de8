"""What a step moved is told on the best evidence that both kernels have; a refusal is told once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from kbgen.generator import moved as module
from kbgen.generator.evaluated import Evaluated
from kbgen.generator.moved import Count, Figure, Watch
from kbgen.generator.search import Climber
from kbgen.generator.writers.scripted import ScriptedWriter
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.counters.record import CounterReport, Launch, Reading
from kbgen.profiling.counters.refusals import CountersRefused, Refusal
from kbgen.profiling.occupancy import occupancy
from kbgen.profiling.op import Op
from kbgen.profiling.roofline import Estimate
from kbgen.profiling.static import KernelReport, StaticReport
from kbgen.profiling.trace import TracedOp

SPEC = find_spec("h100")


@pytest.fixture
def traced() -> TracedOp:
    op = SimpleNamespace(
        flops=1e6, bytes_min=1e6, dtypes=("float32",), op_kinds=("pointwise",), family="pointwise"
    )
    return cast(TracedOp, op)


def evaluated(name: str, registers: int, moved: float = 2e6, us: float = 10.0) -> Evaluated:
    report = KernelReport(
        name="rows", arch="sm_90", grid=(12672, 1, 1), num_warps=4, num_stages=1, registers=registers,
        spill_bytes=0, shared_bytes=0, load_bits={128: 2}, store_bits={128: 1}, instructions={},
        occupancy=occupancy(SPEC, 128, registers, 0), waves=8.0, compile_s=0.0,
    )  # fmt: skip
    candidate = Candidate(name, "scripted", bytes_per_kernel=(moved,))
    estimate = Estimate(us, 0.0, 0.0, 0.0, us)
    return Evaluated(candidate, Path(name), StaticReport("sm_90", (report,), ()), estimate)


def figures(found: tuple[Figure, ...]) -> dict[str, tuple[float | None, float | None]]:
    return {one.name: (one.before, one.after) for one in found}


def simulated(**by_file: dict[str, float]) -> Count:
    """A card that counts what it is told to, by the file it runs."""

    def count(path: Path) -> CounterReport:
        readings = {key: Reading(value, key) for key, value in by_file[path.name].items()}
        return CounterReport(
            "ncu", (Launch(0, "rows", readings, (12672, 1, 1), (128, 1, 1), "H100", "sm_90"),)
        )

    return count


SLOW = {"duration": 20e3, "dram_pct": 45.0, "l2_pct": 30.0, "l1_pct": 20.0, "mem_pct": 45.0, "sm_pct": 20.0,
        "stall_long_scoreboard": 0.6, "waves": 8.0, "dram_read": 2**20, "dram_write": 2**20}  # fmt: skip
FAST = {**SLOW, "duration": 11e3, "dram_pct": 82.0, "mem_pct": 82.0, "stall_long_scoreboard": 0.605}


def test_without_a_card_compiled_code_and_plan_are_compared(traced: TracedOp) -> None:
    found = Watch(traced, SPEC).moved(evaluated("a", 40), evaluated("b", 128, moved=1e6, us=6.0))
    assert found.level == "D"
    told = figures(found.figures)
    assert told["registers"] == (40, 128)
    assert told["planned DRAM traffic"] == (2e6 / 2**20, 1e6 / 2**20)
    assert told["estimated time"] == (10.0, 6.0)
    assert told["occupancy"][1] == 25.0
    assert not {"spills", "kernels"} & set(told)  # what stayed is not told


def test_on_a_card_the_kernel_is_profiled_again_and_its_class_moves(traced: TracedOp) -> None:
    watch = Watch(traced, SPEC, simulated(a=SLOW, b=FAST))
    found = watch.moved(evaluated("a", 40), evaluated("b", 40))
    assert (found.level, found.was, found.now) == ("A", "memory_latency", "dram_bandwidth")
    told = figures(found.figures)
    assert told["time of all kernels"] == (20.0, 11.0)
    assert told["dram_pct"] == (45.0, 82.0)
    assert "stall_long_scoreboard" not in told  # 0.600 and 0.605
    assert "DRAM traffic" not in told
    assert watch.refused == ""


def test_each_kernel_is_profiled_once(traced: TracedOp) -> None:
    seen: list[str] = []
    inner = simulated(a=SLOW, b=FAST, c=FAST)

    def count(path: Path) -> CounterReport:
        seen.append(path.name)
        return inner(path)

    watch = Watch(traced, SPEC, count)
    a, b, c = (evaluated(name, 40) for name in "abc")
    watch.moved(a, b)
    watch.moved(b, c)
    assert seen == ["a", "b", "c"]


def test_a_refusal_is_told_once_and_compiled_code_stands_in(traced: TracedOp) -> None:
    calls: list[Path] = []

    def refusing(path: Path) -> CounterReport:
        calls.append(path)
        raise CountersRefused(Refusal("ERR", "this user may not read them", "run as root"))

    watch = Watch(traced, SPEC, refusing)
    a, b, c = (evaluated(name, registers) for name, registers in (("a", 40), ("b", 64), ("c", 80)))
    assert watch.moved(a, b).level == "D"
    assert watch.moved(b, c).level == "D"
    assert len(calls) == 1
    assert watch.refused == "no counters: this user may not read them; run as root"


def test_a_missing_side_is_none_and_not_zero(traced: TracedOp) -> None:
    parent = evaluated("a", 40)
    unplanned = replace(parent, candidate=Candidate("b", "scripted"), estimate=None)
    told = figures(Watch(traced, SPEC).moved(parent, unplanned).figures)
    assert told["estimated time"] == (10.0, None)
    assert told["planned DRAM traffic"][1] is None


def test_counting_ends_when_it_takes_too_long(traced: TracedOp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COUNTING_S", -1.0)
    watch = Watch(traced, SPEC, simulated(a=SLOW, b=FAST))
    assert watch.moved(evaluated("a", 40), evaluated("b", 64)).level == "D"
    assert "counting stopped" in watch.refused


class Prepared(Climber):
    """Registers and time of every candidate stand in its source; nothing is compiled."""

    def evaluate(self, candidate: Candidate) -> Evaluated:
        return evaluated(candidate.source, int(candidate.source), us=float(candidate.source))


def test_the_climb_tells_of_accepted_steps_alone(traced: TracedOp, tmp_path: Path) -> None:
    writer = ScriptedWriter(["100", "50", "130"], transforms=("one", "two"))
    request = Request(cast(Op, None), traced, (), SPEC)
    climb = Prepared(
        writer, request, ("one", "two"), tmp_path, deadline=float("inf"), most=9, say=lambda text: None,
        watch=Watch(traced, SPEC),
    ).climb()  # fmt: skip
    kept, left = climb.tried
    assert (kept.kept, left.kept) == (True, False)
    assert kept.moved is not None
    assert figures(kept.moved.figures)["registers"] == (100, 50)
    assert left.moved is None
    assert climb.uncounted == ""
