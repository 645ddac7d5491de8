"""The best evidence that is to be had is taken, less is told with its reason, and nothing is asked of a card
that is not here."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kbgen.generator import gather as module
from kbgen.generator.gather import Gathered, NotHereError, Wanted, gather
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.classify import Diagnosis
from kbgen.profiling.counters.record import CounterReport, Launch, Reading
from kbgen.profiling.counters.refusals import CountersRefused, Refusal
from kbgen.profiling.device import Device
from kbgen.profiling.op import Op
from kbgen.profiling.profile import Profile
from kbgen.profiling.timing import Timing
from kbgen.profiling.trace import TracedOp

H100 = find_spec("h100")
REPORT = CounterReport(
    "ncu",
    tuple(
        Launch(index, name, {"duration": Reading(us * 1e3, "t"), "dram_pct": Reading(80.0, "d")})
        for index, (name, us) in enumerate((("short", 1.0), ("long", 9.0)))
    ),
)
TIMING = cast(Timing, SimpleNamespace(median_us=10.0))


@pytest.fixture(autouse=True)
def _no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rules make of the evidence is not the question here, only which evidence they are given."""
    monkeypatch.setattr(module, "classify", lambda profile: Diagnosis((), (), None, profile.level))
    monkeypatch.setattr(module, "diagnose_op", lambda traced, spec: Diagnosis((), (), None, "D"))
    monkeypatch.setattr(module, "_timed", lambda *given: TIMING)


def gathered(live: bool, wanted: Wanted, tmp_path: Path) -> Gathered:
    device = cast(Device, SimpleNamespace(spec=H100, roof=H100, live=live, reason="no card here"))
    traced = cast(TracedOp, SimpleNamespace(mode="as-is"))
    return gather(cast(Op, None), None, device, traced, scratch=tmp_path, wanted=wanted)


def counting(monkeypatch: pytest.MonkeyPatch, refusal: CountersRefused | None = None) -> list[Any]:
    calls: list[Any] = []

    def collect(*given: Any, **rest: Any) -> CounterReport:
        calls.append(given)
        if refusal:
            raise refusal
        return REPORT

    monkeypatch.setattr(module, "collect_op", collect)
    return calls


def test_counters_are_taken_where_they_are_to_be_had(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    counting(monkeypatch)
    found = gathered(True, "auto", tmp_path)
    assert (found.counters, found.refused) == (REPORT, "")
    assert found.profile.counters is REPORT.launches[1]  # the longest kernel
    assert found.diagnosis.level == "A"


def test_a_refusal_leaves_times_and_its_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refusal = CountersRefused(Refusal("ERR", "not allowed", "run as root"))
    counting(monkeypatch, refusal)
    found = gathered(True, "auto", tmp_path)
    assert (found.counters, found.refused) == (None, "no counters: not allowed; run as root")
    assert found.profile.timing is TIMING
    assert found.diagnosis.level == "C"  # no candidate, so no compiled code beside the time
    with pytest.raises(CountersRefused):
        gathered(True, "counters", tmp_path)


def test_a_card_that_is_not_here_is_not_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = counting(monkeypatch)
    found = gathered(False, "auto", tmp_path)
    assert (found.diagnosis.level, found.profile) == ("D", Profile(found.profile.traced, H100))
    assert "no card here" in found.refused
    with pytest.raises(NotHereError, match="kbgen advise"):
        gathered(False, "counters", tmp_path)
    assert calls == []


def test_static_asks_nothing_of_a_card_that_is_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = counting(monkeypatch)
    found = gathered(True, "static", tmp_path)
    assert (calls, found.refused, found.diagnosis.level) == ([], "", "D")
