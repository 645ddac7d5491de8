"""What the search compiles and what it does not: the hopeless, what is known, variants, a full budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, cast

from kbgen.generator.comparison import Gain
from kbgen.generator.evaluated import Evaluated
from kbgen.generator.foresight import Foresight
from kbgen.generator.search import Climber
from kbgen.generator.strategies.advised import advised
from kbgen.generator.strategies.beam import beam
from kbgen.generator.strategies.strategy import Strategy
from kbgen.generator.writers.writer import Candidate, Declined, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.occupancy import occupancy
from kbgen.profiling.op import Op
from kbgen.profiling.roofline import Estimate
from kbgen.profiling.static import KernelReport, StaticReport
from kbgen.profiling.trace import TracedOp

SPEC = find_spec("h100")
KERNEL = KernelReport(
    name="flat", arch="sm_90", grid=(4096, 1, 1), num_warps=4, num_stages=1, registers=32, spill_bytes=0,
    shared_bytes=0, load_bits={128: 2}, store_bits={128: 1}, instructions={},
    occupancy=occupancy(SPEC, 128, 32, 0), waves=2.0, compile_s=0.0,
)  # fmt: skip
MIB = 2.0**20


class Table:
    """A writer that knows by heart what each technique makes of each source; a source is its time in us."""

    name, refinements = "table", ()

    def __init__(self, made: Mapping[tuple[str, str, int], str], foreseen: Mapping[str, float] = {}) -> None:
        self.made, self.foreseen = made, foreseen
        self.transforms = tuple(dict.fromkeys(transform for _, transform, _ in made))

    def write(self, request: Request) -> Candidate | Declined:
        if request.complaint is not None:
            return Declined("nothing to mend")
        if request.parent is None:
            return self._candidate("100")
        key = (request.parent.source, request.transform or "", request.sample)
        return self._candidate(self.made[key]) if key in self.made else Declined("it does not apply")

    def _candidate(self, source: str) -> Candidate:
        moved = self.foreseen.get(source)
        return Candidate(
            source, "table", bytes_per_kernel=(moved,) if moved else None, foreseen=(KERNEL,) if moved else ()
        )


class Timed(Climber):
    """Every candidate's time stands in its source; nothing is compiled, and 666 spills."""

    def evaluate(self, candidate: Candidate) -> Evaluated:
        self.within_time()
        spilled = ("it spills",) if candidate.source == "666" else ()
        estimate = None if spilled else Estimate(0, 0, 0, 0, float(candidate.source))
        static = StaticReport("sm_90", (KERNEL,), spilled)
        return Evaluated(candidate, Path(candidate.source), static, estimate)


def climber(writer: Table, strategy: Strategy = advised, *, clock: bool = False, most: int = 99) -> Timed:
    def measure(parent: Path, child: Path) -> Gain:
        effect = float(parent.name) / float(child.name)
        return Gain(effect, (effect * 0.99, effect * 1.01))

    request = Request(cast(Op, None), cast(TracedOp, None), (), SPEC)
    return Timed(
        writer, request, writer.transforms, Path(), deadline=float("inf"), most=most, say=lambda text: None,
        measure=measure if clock else None, strategy=strategy,
    )  # fmt: skip


def sources(search: Timed) -> list[str]:
    return [found.candidate.source for found in search.accepted]


def test_what_is_foreseen_to_be_hopeless_is_not_compiled() -> None:
    made = {("100", "a", 0): "90", ("100", "b", 0): "80", ("80", "a", 0): "90"}
    writer = Table(made, foreseen={"100": 200 * MIB, "90": 1024 * MIB, "80": 190 * MIB})
    search = climber(writer)
    climb = search.climb()
    assert sources(search) == ["100", "80"]
    assert search.count == 2
    (declined,) = [t for t in climb.tried if t.transform == "a"]
    assert declined.outcome == "declined"
    assert declined.reason.startswith("not compiled: foreseen to take ")


def test_the_same_code_under_other_comments_is_compiled_once() -> None:
    writer = Table({
        ("100", "a", 0): "90 # by a", ("100", "b", 0): "80", ("90 # by a", "b", 0): "70 # by a and b",
        ("80", "a", 0): "70 # by b and a",
    })  # fmt: skip
    search = climber(writer, beam)
    search.evaluate = lambda candidate: Timed.evaluate(  # type: ignore[method-assign]
        search, replace(candidate, source=candidate.source.split(" ")[0])
    )
    search.climb()
    assert search.count == 4
    assert sources(search)[-1] == "70"


def test_where_a_variant_spills_the_next_one_is_tried() -> None:
    writer = Table({("100", "a", 0): "666", ("100", "a", 1): "60", ("100", "a", 2): "50"})
    search = climber(writer)
    climb = search.climb()
    assert sources(search) == ["100", "60"]
    assert [t.outcome for t in climb.tried] == ["rejected", "helped"]


def test_the_clock_compares_all_variants_and_goes_on_with_the_fastest() -> None:
    made = {("100", "a", n): str(us) for n, us in enumerate((70, 50, 60))} | {("50", "b", 0): "40"}
    search = climber(Table(made), clock=True)
    search.climb()
    assert sources(search) == ["100", "70", "60", "50", "40"]


def test_the_kernel_that_is_judged_first_is_the_fastest_whatever_the_order() -> None:
    made = {("100", "a", 0): "60", ("100", "b", 0): "62", ("62", "a", 0): "40", ("100", "c", 0): "120"}
    search = climber(Table(made), beam)
    search.climb()
    assert sources(search) == ["100", "62", "60", "40"]


def test_a_budget_ends_a_round_and_keeps_what_was_found() -> None:
    made = {("100", "a", 0): "60", ("100", "b", 0): "90", ("100", "c", 0): "80", ("60", "b", 0): "50"}
    search = climber(Table(made), most=2)
    search.climb()
    assert (search.count, sources(search)) == (2, ["100", "60"])


def test_a_round_that_the_budget_cuts_keeps_what_it_compiled() -> None:
    made = {("100", "a", 0): "60", ("100", "b", 0): "90", ("100", "c", 0): "50"}
    search = climber(Table(made), beam, most=3)
    climb = search.climb()
    assert (search.count, sources(search)) == (3, ["100", "90", "60"])
    assert [t.transform for t in climb.tried] == ["a", "b"]


def test_a_search_that_may_compile_nothing_says_so() -> None:
    climb = climber(Table({("100", "a", 0): "60"}), most=0).climb()
    assert (climb.accepted, climb.best) == ((), None)
    assert climb.declined == "0 candidates were compiled, as many as asked for"


class Mending(Table):
    """What spills is mended to the time that stands behind it."""

    def write(self, request: Request) -> Candidate | Declined:
        if request.complaint is not None and request.parent is not None:
            return self._candidate(request.parent.source.replace("666 ", ""))
        return super().write(request)


class Late(Timed):
    """The first of a round is not the first to be compiled."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.other = Event()

    def evaluate(self, candidate: Candidate) -> Evaluated:
        if candidate.source == "666 60":
            self.other.wait(1)  # in vain where there is one core
        if candidate.source == "666 50":
            self.other.set()
        spilled = ("it spills",) if candidate.source.startswith("666") else ()
        estimate = None if spilled else Estimate(0, 0, 0, 0, float(candidate.source))
        return Evaluated(
            candidate, Path(candidate.source), StaticReport("sm_90", (KERNEL,), spilled), estimate
        )


def test_threads_decide_neither_the_order_nor_what_the_budget_is_spent_on() -> None:
    writer = Mending({("100", "a", 0): "666 60", ("100", "b", 0): "666 50", ("100", "c", 0): "40"})
    request = Request(cast(Op, None), cast(TracedOp, None), (), SPEC)
    search = Late(
        writer, request, writer.transforms, Path(), deadline=float("inf"), most=5, say=lambda text: None,
        strategy=beam,
    )  # fmt: skip
    climb = search.climb()
    assert [one.source for one in search.spent] == ["100", "666 60", "666 50", "40", "60"]
    assert [(t.transform, t.outcome) for t in climb.tried] == [
        ("shrink-tile", "neutral"), ("a", "helped"), ("b", "rejected"), ("c", "helped"),
    ]  # fmt: skip
    assert sources(search) == ["100", "60", "40"]


def test_foresight_writes_what_is_asked_for_alone() -> None:
    writer = Table({("100", "a", 0): "90", ("100", "b", 0): "80"}, {"100": 200 * MIB, "90": 100 * MIB})
    request = Request(cast(Op, None), cast(TracedOp, None), (), SPEC)
    plain = writer.write(request)
    assert isinstance(plain, Candidate)
    seen = Foresight(writer, request, plain, ("a", "b", "c"))
    assert 1.8 < seen["a"] < 2.0
    assert list(seen) == ["a"]
    assert seen.get("b") is None
