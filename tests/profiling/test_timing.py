"""The clock on a simulated card: what is measured, and which ways of hiding work from it are caught."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from kbgen.profiling.agreement import complaints
from kbgen.profiling.clock import ClockError, CudaClock, flush_bytes
from kbgen.profiling.interval import median, ratio_to_fastest, relative_standard_error
from kbgen.profiling.probe import ClockState
from kbgen.profiling.samples import Samples, Session
from kbgen.profiling.session import Plan, Subject, measure
from kbgen.profiling.simulated import SimulatedClock
from kbgen.profiling.timing import timing
from kbgen.profiling.window import device_window, host_window

Call = Callable[..., Any]
PLAN = Plan()


def subject(
    call: Call, name: str = "candidate", check: Callable[[int, tuple[Any, ...], Any], str] | None = None
) -> Subject:
    return Subject(name, lambda seed: (seed,), call, check)


def timed(call: Call, clock: SimulatedClock, plan: Plan = PLAN, seed: int = 1) -> tuple[Samples, Session]:
    session = measure([subject(call)], clock, plan, seed)
    return session.samples[0], session


def doubts(call: Call, clock: SimulatedClock) -> tuple[str, ...]:
    record, session = timed(call, clock)
    assert not record.error
    return complaints(record, session.floor)


# ---- what is measured


def test_a_busy_driver_is_no_hidden_work() -> None:
    """Trusted code that seems late says what is normal; what is later than that by far still shows."""

    def late(us: float) -> list[float]:
        return [us] * 5

    card = SimulatedClock()
    session = timed(card.kernel(40.0), card)[1]
    own = Samples("eager", trusted=True, device_us=late(40.0), host_us=late(90.0), enqueue_us=late(50.0))
    own.late_us = late(24.0)
    for seems_late, hidden in ((26.0, False), (60.0, True)):
        candidate = replace(own, subject="candidate", trusted=False, late_us=late(seems_late))
        taken = replace(session, samples=(own, candidate))
        assert timing("eager", [taken]).doubts == ()  # type: ignore[union-attr]
        assert any("stayed busy" in doubt for doubt in timing("candidate", [taken]).doubts) is hidden  # type: ignore[union-attr]


def test_the_device_window_holds_no_launch_gaps() -> None:
    """Five kernels of 10 us whose launches take 4 us each are 50 us of device time."""
    clock = SimulatedClock(noise=0.0)

    def five(*_: object) -> None:
        for _index in range(5):
            clock.launch(10.0)

    window, _ = device_window(clock, five)
    assert window.device_us == pytest.approx(50.0)
    assert window.enqueue_us == pytest.approx(20.0)
    assert window.covered


def test_the_host_window_is_what_a_caller_waits_for() -> None:
    clock = SimulatedClock(noise=0.0, launch_us=4.0, sync_us=3.0)
    assert host_window(clock, lambda: clock.launch(10.0))[0] == pytest.approx(4.0 + 10.0 + 3.0)


def test_the_cache_is_cold_in_both_windows() -> None:
    """A kernel that runs four times as fast from a warm cache never gets one."""
    clock = SimulatedClock(noise=0.0)
    record, session = timed(clock.kernel(40.0, warm_us=10.0), clock)
    assert record.device_us == pytest.approx([40.0] * len(record.device_us))
    assert min(record.host_us) > 40.0
    assert complaints(record, session.floor) == ()


def test_without_the_flush_the_warm_cache_would_show() -> None:
    """The control of the test above: the same kernel on a card whose flush does nothing."""

    class NoFlush(SimulatedClock):
        def flush(self) -> None:
            self._host_us += self.launch_us

    clock = NoFlush(noise=0.0)
    record, _ = timed(clock.kernel(40.0, warm_us=10.0), clock)
    assert max(record.device_us) < 20.0


def test_the_flush_is_large_enough() -> None:
    assert flush_bytes(None) == flush_bytes(50 << 20) == 256 << 20
    assert flush_bytes(200 << 20) == 400 << 20


def test_a_host_bound_call_gets_a_longer_cover() -> None:
    """Launches that outlast one flush are hidden behind several."""
    clock = SimulatedClock(noise=0.0, flush_us=50.0)

    def many(*_: object) -> None:
        for _index in range(40):
            clock.launch(1.0)

    record, _ = timed(many, clock)
    assert record.uncovered == 0
    assert record.device_us[-1] == pytest.approx(40.0)


def test_a_call_that_cannot_be_covered_is_counted() -> None:
    clock = SimulatedClock(noise=0.0, flush_us=20.0)

    def waits(*_: object) -> None:
        clock.launch(100.0)
        clock.synchronize()

    record, session = timed(waits, clock)
    taken = timing("candidate", [session])
    assert taken is not None
    assert taken.uncovered_share == 1.0
    assert record.uncovered == len(record.device_us)


# ---- how much, in which order, with which arguments


def test_counts_and_warm_up_differ_from_run_to_run() -> None:
    """Nothing can be told by counting calls."""
    lengths, calls = set(), set()
    for seed in range(8):
        clock = SimulatedClock(noise=0.2, seed=seed)
        record, _ = timed(clock.kernel(20.0), clock, seed=seed)
        assert 100 <= len(record.device_us) <= 120
        lengths.add(len(record.device_us))
        calls.add(clock.launched - 2 * len(record.device_us))
    assert len(lengths) > 3
    assert len(calls) > 2


def test_a_quiet_card_needs_fewer_samples() -> None:
    clock = SimulatedClock(noise=0.0005)
    record, session = timed(clock.kernel(100.0), clock)
    assert len(record.device_us) == 20
    assert session.complete


def test_a_budget_that_is_too_small_is_told() -> None:
    clock = SimulatedClock(noise=0.2)
    _, session = timed(clock.kernel(1e6), clock, Plan(budget_s=10.0))
    assert not session.complete


def test_every_timed_call_has_arguments_of_its_own() -> None:
    clock = SimulatedClock()
    seen: list[list[int]] = []
    alive: list[list[int]] = []

    def prepare(seed: int) -> tuple[list[int]]:
        return ([seed],)

    def call(argument: list[int]) -> None:
        assert all(argument is not other for other in alive)
        alive.append(argument)
        seen.append(list(argument))
        clock.launch(20.0)

    measure([Subject("candidate", prepare, call)], clock, seed=3)
    assert len({value for (value,) in seen}) == len(seen)


def test_subjects_are_shuffled_and_no_contents_come_twice() -> None:
    """What a baseline gave for the same contents may lie in memory that the candidate gets unwritten."""
    clock = SimulatedClock()
    order: list[tuple[str, int]] = []

    def call(name: str) -> Call:
        def run(seed: int) -> None:
            order.append((name, seed))
            clock.launch(20.0)

        return run

    measure([subject(call("a"), "a"), subject(call("b"), "b")], clock, Plan(warmup=(0, 0), audits=0), seed=5)
    assert len({seed for _, seed in order}) == len(order)
    rounds = order[6:-2]  # two first calls, two weighed and two audited before; two audited after
    firsts = [rounds[index][0] for index in range(0, len(rounds), 4)]
    assert 0.3 < firsts.count("a") / len(firsts) < 0.7


def test_a_drift_of_the_clocks_cancels_between_interleaved_subjects() -> None:
    """The card slows by half while it is timed; the ratio does not move."""
    clock = SimulatedClock(noise=0.01, drift=lambda now_us: 1.0 + min(0.5, now_us / 2e5))
    session = measure(
        [subject(clock.kernel(100.0, name="e"), "eager"), subject(clock.kernel(50.0, name="c"))],
        clock,
        seed=2,
    )
    eager, own = (record.device_us for record in session.samples)
    assert max(eager) > 1.3 * min(eager)
    ratio = ratio_to_fastest(own, [eager])
    assert ratio.low < 2.0 < ratio.high
    assert ratio.high - ratio.low < 0.1


# ---- hiding work from the clock


def test_an_honest_kernel_raises_no_doubt() -> None:
    for seed in range(20):
        clock = SimulatedClock(seed=seed, noise=0.03)
        assert doubts(clock.kernel(5.0 + 10.0 * seed), clock) == ()


def test_work_on_a_side_stream_after_the_stop_event_is_caught() -> None:
    clock = SimulatedClock()

    def cheat(*_: object) -> None:
        clock.launch(5.0, name="decoy")
        clock.launch(300.0, name="real", stream=7)

    found = doubts(cheat, clock)
    assert any("stayed busy" in sentence for sentence in found)


def test_work_on_a_side_stream_behind_the_flush_is_caught() -> None:
    """It ends before the start event, so neither the events nor the idle check can see it."""
    clock = SimulatedClock(flush_us=400.0)

    def cheat(*_: object) -> None:
        clock.launch(200.0, name="real", stream=7)
        clock.launch(5.0, name="decoy")

    found = doubts(cheat, clock)
    assert not any("stayed busy" in sentence for sentence in found)
    assert any("the host waited" in sentence for sentence in found)
    assert any("profiler saw" in sentence for sentence in found)


def test_a_blocking_side_stream_behind_the_flush_is_caught_by_the_profiler() -> None:
    """The call waits for its own side stream, so the host's share looks like launch time."""
    clock = SimulatedClock(flush_us=400.0)

    def cheat(*_: object) -> None:
        clock.launch(200.0, name="real", stream=7)
        clock._host_us = max(clock._host_us, clock._busy_until[7])
        clock.launch(5.0, name="decoy")

    assert any("profiler saw" in sentence for sentence in doubts(cheat, clock))


def test_patched_events_disagree_with_the_host() -> None:
    class Patched(SimulatedClock):
        def between_us(self, start: float, stop: float) -> float:
            return (stop - start) / 10

    clock = Patched()
    assert any("the host waited" in sentence for sentence in doubts(clock.kernel(200.0), clock))


def test_a_patched_host_clock_disagrees_with_the_events() -> None:
    class Patched(SimulatedClock):
        def now_us(self) -> float:
            return self._host_us / 10

    clock = Patched()
    assert any("the events say" in sentence for sentence in doubts(clock.kernel(200.0), clock))


def test_other_kernels_in_some_calls_are_caught() -> None:
    clock = SimulatedClock()
    dice = random.Random(0)

    def cheat(*_: object) -> None:
        clock.launch(20.0, name="real" if dice.random() < 0.5 else "shortcut")

    assert any("differ from call to call" in sentence for sentence in doubts(cheat, clock))


@dataclass
class Replayer:
    """Computes once and gives the first result again, quickly, as soon as it has one."""

    clock: SimulatedClock
    results: list[int] = field(default_factory=list)

    def __call__(self, seed: int) -> int:
        if not self.results:
            self.clock.launch(100.0)
            self.results.append(seed * 2)
        else:
            self.clock.launch(1.0)
        return self.results[0]


def is_double(seed: int, arguments: tuple[Any, ...], result: int) -> str:
    return "" if result == 2 * seed else f"gave {result}"


def test_a_replayed_result_is_caught_by_checking_timed_calls() -> None:
    clock = SimulatedClock()
    session = measure([subject(Replayer(clock), check=is_double)], clock, seed=4)
    assert session.samples[0].complaints


def test_some_timed_calls_of_an_honest_subject_are_checked() -> None:
    clock = SimulatedClock(noise=0.2)

    def honest(seed: int) -> int:
        clock.launch(20.0)
        return 2 * seed

    record = measure([subject(honest, check=is_double)], clock, seed=4).samples[0]
    assert 2 <= record.checked < 40
    assert not record.complaints


def test_a_result_that_changes_its_argument_cannot_mislead_the_check() -> None:
    """The check gets the seed, not the argument that the call has seen."""
    clock = SimulatedClock()

    def cheat(argument: list[int]) -> int:
        clock.launch(1.0)
        argument[0] = 0
        return 0

    record = measure(
        [Subject("candidate", lambda seed: ([seed + 1],), cheat, is_double)], clock, seed=4
    ).samples[0]
    assert record.complaints


def test_a_check_that_raises_is_told_apart_from_a_wrong_result() -> None:
    clock = SimulatedClock()

    def check(seed: int, arguments: tuple[Any, ...], result: Any) -> str:
        raise MemoryError("34 GB")

    record = measure([subject(clock.kernel(20.0), check=check)], clock, seed=4).samples[0]
    assert (record.error, record.complaints, record.checked) == ("", [], 0)
    assert record.unchecked == "MemoryError: 34 GB"


# ---- failures


def test_a_failing_subject_keeps_its_place_and_the_others_go_on() -> None:
    clock = SimulatedClock()

    def fails(*_: object) -> None:
        raise ValueError("no such tile")

    session = measure([subject(fails, "compile"), subject(clock.kernel(20.0))], clock, seed=1)
    broken, fine = session.samples
    assert broken.error == "ValueError: no such tile"
    assert len(fine.device_us) >= 20
    assert session.complete


def test_a_lost_device_ends_the_session_and_says_who_lost_it() -> None:
    class Lost(SimulatedClock):
        dead = False

        def synchronize(self) -> None:
            if self.dead:
                raise RuntimeError("illegal memory access")
            super().synchronize()

    clock = Lost()

    def kills(*_: object) -> None:
        clock.dead = True
        raise RuntimeError("launch failed")

    session = measure([subject(clock.kernel(20.0), "eager"), subject(kills)], clock, seed=1)
    assert "after candidate failed" in session.lost
    assert not session.complete
    assert not session.samples[0].device_us


# ---- summing up


def test_the_summary_has_intervals_clocks_and_throttling() -> None:
    hot = ClockState(1400, 2619, 84, 690.0, ("software thermal slowdown",))
    clock = SimulatedClock(states=(ClockState(1980, 2619, 40, 100.0, ()), hot))
    taken = timing("candidate", [timed(clock.kernel(100.0, name="rmsnorm"), clock)[1]])
    assert taken is not None
    low, high = taken.interval_us
    assert low <= taken.median_us <= high
    assert low < 100.0 < high
    assert (taken.source, taken.kernels) == ("simulated", ("rmsnorm",))
    assert taken.throttle == ("software thermal slowdown",)
    assert json.dumps(taken.to_json())


def test_the_first_call_is_told_apart() -> None:
    """What compiling and autotuning cost is never part of a sample."""
    clock = SimulatedClock(noise=0.0)
    compiled: list[int] = []

    def jit(*_: object) -> None:
        if not compiled:
            clock.work(2e6)
            compiled.append(1)
        clock.launch(20.0)

    taken = timing("candidate", [timed(jit, clock)[1]])
    assert taken is not None
    assert taken.first_call_us > 2e6
    assert taken.median_us == pytest.approx(20.0)


def test_a_session_survives_its_journey_as_json() -> None:
    clock = SimulatedClock(states=(ClockState(1980, None, 40, None, ("sync boost",)),))
    session = replace(timed(clock.kernel(20.0), clock)[1], environment={"grad": "no_grad"})
    assert Session.from_json(json.loads(json.dumps(session.to_json()))) == session


def test_the_cuda_clock_refuses_where_there_is_no_card() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a card here")
    with pytest.raises(ClockError, match="run this where the card is"):
        CudaClock(None, lambda: None)


# ---- intervals


def test_the_median_interval_covers_the_truth_as_often_as_it_says() -> None:
    hits = 0
    for seed in range(200):
        dice = random.Random(seed)
        estimate = median([dice.gauss(100.0, 5.0) for _ in range(60)], seed)
        hits += estimate.low <= 100.0 <= estimate.high
    assert 180 <= hits <= 199


def test_the_ratio_divides_by_the_fastest_baseline() -> None:
    ratio = ratio_to_fastest([10.0] * 30, [[30.0] * 30, [20.0] * 30, [25.0] * 30])
    assert (ratio.value, ratio.low, ratio.high) == (2.0, 2.0, 2.0)


def test_one_sample_has_no_error_estimate() -> None:
    assert relative_standard_error([5.0]) == float("inf")


def test_the_cuda_clock_keeps_its_own_timers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A candidate imported later replaces torch's and Python's timers in vain."""
    import time

    import torch

    class Event:
        def __init__(self, enable_timing: bool) -> None:
            assert enable_timing

        def record(self, stream: object) -> None:
            assert stream == "the first stream"

        def query(self) -> bool:
            return True

        def synchronize(self) -> None:
            """Nothing to wait for."""

        def elapsed_time(self, other: Event) -> float:
            return 0.25

    idle: list[str] = []
    empty = torch.empty
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch._C, "_cuda_synchronize", lambda: idle.append("real"), raising=False)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: "the first stream")
    monkeypatch.setattr(torch, "empty", lambda *shape, dtype, device: empty(*shape, dtype=dtype))
    clock = CudaClock(None, lambda: None)
    monkeypatch.setattr(Event, "elapsed_time", lambda *_: 0.0)
    monkeypatch.setattr(torch.cuda, "Event", None)
    monkeypatch.setattr(torch._C, "_cuda_synchronize", lambda: idle.append("patched"))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: idle.append("patched"))
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: "a stream where nothing runs")
    monkeypatch.setattr(time, "perf_counter_ns", lambda: 0)
    window, result = device_window(clock, lambda: "done")
    assert (window.device_us, result) == (250.0, "done")
    assert set(idle) == {"real"}
    assert clock.now_us() > 0


def test_a_library_that_runs_on_side_streams_alone_makes_nobody_suspicious() -> None:
    """cuDNN runs the groups of a convolution there; where the clock's own kernels run is usual."""

    class Logged(SimulatedClock):
        def flush(self) -> None:
            super().flush()
            self.launch(1.0, name="flush")

    def doubts_on(stream: int) -> tuple[str, ...]:
        card = Logged()

        def work(place: int) -> Call:
            def call(*_: object) -> None:
                card.launch(40.0, stream=place)
                card.synchronize()

            return call

        library = replace(subject(work(3), "eager"), trusted=True)
        taken = measure([library, subject(work(stream))], card, PLAN, 1)
        assert taken.streams == (0,)
        found = timing("candidate", [taken])
        assert found is not None
        return tuple(doubt for doubt in found.doubts if "stream" in doubt)

    assert doubts_on(0) == doubts_on(3) == ()
    assert doubts_on(5) == ("it runs kernel on a stream of its own",)
