"""The search over answers: what is refused goes back, what stands is improved, what was paid for is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kbgen.generator.beam import Beam, Seams
from kbgen.generator.climb import Climb
from kbgen.generator.comparison import Gain
from kbgen.generator.evaluated import Evaluated
from kbgen.generator.job import Asking
from kbgen.generator.prompts.briefing import Briefing
from kbgen.generator.verify.verdict import Failed, Inconclusive, Passed, Verdict
from kbgen.generator.writers import journal as journals
from kbgen.generator.writers.journal import Journal, JournalError
from kbgen.generator.writers.llm import writer as writers
from kbgen.generator.writers.llm.chat import Answer
from kbgen.generator.writers.llm.settings import Endpoint
from kbgen.generator.writers.llm.writer import LLMWriter
from kbgen.generator.writers.writer import Answering, Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.occupancy import occupancy
from kbgen.profiling.roofline import Estimate
from kbgen.profiling.static import KernelReport, StaticReport

GOLDEN = Path(__file__).parents[2] / "golden" / "llm"
SPEC = find_spec("h100")
KERNEL = KernelReport(
    name="double", arch="sm_90", grid=(64, 1, 1), num_warps=4, num_stages=1, registers=32, spill_bytes=0,
    shared_bytes=0, load_bits={128: 2}, store_bits={128: 1}, instructions={},
    occupancy=occupancy(SPEC, 128, 32, 0), waves=1.0, compile_s=0.0,
)  # fmt: skip


def kernel(says: str) -> str:
    """A reply whose file says what becomes of it: `time N`, `does not compile`, `wrong`, `open`."""
    return f"```python\n# {says}\nclass ModelNew:\n    pass\n```\n"


@dataclass
class Model:
    """Answers by a script, in order of distinct questions; equal questions get equal answers."""

    script: Sequence[str]
    keys: list[str] = field(default_factory=list)

    def ask(self, endpoint: Endpoint, turns: Any, question: str) -> Answer:
        self.keys.append(question)
        place = min(len(self.keys), len(self.script)) - 1
        return Answer(self.script[place], "stop", 1000, 100)


def compiled(candidate: Candidate) -> Evaluated:
    refused = ("double does not compile",) if "does not compile" in candidate.source else ()
    return Evaluated(candidate, Path(candidate.id) / "x.py", StaticReport("sm_90", (KERNEL,), refused), None)


def judged(found: Evaluated) -> Verdict:
    if "wrong" in found.candidate.source:
        return Failed(cause="wrong-values", detail="all of them")
    if "open" in found.candidate.source:
        return Inconclusive(cause="unjudged-path", detail="line 3")
    return Passed()


def weighed(found: Evaluated, verdict: Verdict) -> Evaluated:
    us = time_of(found.candidate.source)
    return replace(found, estimate=Estimate(us, 0.0, 0.0, 0.0, us))


def time_of(source: str) -> float:
    said = re.search(r"time (\d+)", source)
    return float(said[1]) if said else 100.0


SEAMS = Seams(compiled, judged, weighed, lambda found: "It stands.", None, floor_us=10.0)


@pytest.fixture
def asked(briefing: Briefing) -> Request:
    op = SimpleNamespace(name="double")
    return Request(cast(Any, op), cast(Any, SimpleNamespace(flops=1)), (), cast(Any, SPEC), briefing=briefing)


Search = Callable[..., tuple[Climb, Model]]


@pytest.fixture
def search(asked: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Search:
    def run(
        *script: str, seams: Seams = SEAMS, most: int = 16, out: str = "out", resume: bool = False,
        model: Model | None = None, seed: Candidate | None = None, **asking: Any,
    ) -> tuple[Climb, Model]:  # fmt: skip
        model = model or Model(script)
        monkeypatch.setattr(writers, "ask", model.ask)
        endpoint = Endpoint("openai", "scripted", "http://nowhere/v1", "k", price_in=1.0, price_out=1.0)
        writer = LLMWriter(
            endpoint, Asking(**{"drafts": 1, "samples": 1, "beam": 1, **asking}), tmp_path / out
        )
        assert isinstance(writer, Answering)
        assert writer.journal is not None
        writer.journal.begin({"op": "double"}, resume=resume)
        beam = Beam(writer, asked, seams, deadline=1e18, most=most, say=lambda text: None, seed=seed)
        climb = beam.climb()
        writer.journal.finish()
        return climb, model

    return run


def times(climb: Climb) -> list[float]:
    return [time_of(found.candidate.source) for found in climb.accepted]


def told(climb: Climb) -> list[tuple[str, str, bool]]:
    return [(one.transform, one.outcome, one.kept) for one in climb.tried]


def test_two_repairs_lead_to_a_kernel_that_is_then_improved_by_the_advice(search: Search) -> None:
    climb, model = search(
        kernel("does not compile"), kernel("wrong"), kernel("time 90"), kernel("time 60"), kernel("time 70"),
    )  # fmt: skip
    assert times(climb) == [90, 60]
    assert told(climb) == [
        ("draft", "rejected", False),
        ("repair", "failed", False),
        ("draft", "neutral", True),
        ("wide", "helped", True),
        ("warps", "hurt", False),
    ]
    assert climb.tried[3].effect == 1.5
    assert climb.spent is not None
    assert [one["kind"] for one in climb.spent["asked"]] == [
        "draft",
        "repair",
        "repair",
        "improve",
        "improve",
    ]
    assert climb.spent["cost"] == pytest.approx(5 * 1100 / 1e6)
    assert len(set(model.keys)) == len(model.keys) == 5


def test_a_model_s_mistakes_are_not_laid_to_the_technique_it_was_asked_for(search: Search) -> None:
    climb, _ = search(
        kernel("time 90"), kernel("wrong, of wide"), kernel("time 80"), kernel("open"), repairs=1
    )
    steps = told(climb)
    assert steps[1:3] == [("improve", "failed", False), ("wide", "helped", True)]
    assert ("warps", "failed", False) not in steps
    assert "asked for wide: wrong-values: all of them" in climb.tried[1].reason


def test_the_complaint_goes_to_the_model(search: Search, tmp_path: Path) -> None:
    search(kernel("does not compile"), kernel("wrong"), kernel("time 20"), samples=1)
    page = (tmp_path / "out" / "journal" / "transcript.md").read_text(encoding="utf-8")
    assert "<complaint>\ndouble does not compile\n</complaint>" in page
    assert "<complaint>\nwrong-values: all of them\n</complaint>" in page


def test_what_never_stands_is_declined_with_the_last_complaint(search: Search) -> None:
    climb, model = search(*(kernel(f"wrong {n}") for n in range(9)), drafts=2)
    assert climb.accepted == ()
    assert "wrong-values" in climb.declined
    assert len(model.keys) == 6


def test_the_same_file_again_is_not_judged_again(search: Search) -> None:
    climb, model = search(kernel("wrong"))
    assert climb.accepted == ()
    assert climb.declined == "the same file as before"
    assert len(model.keys) == 2


def test_near_the_roof_nothing_more_is_asked(search: Search) -> None:
    climb, model = search(kernel("time 13"))
    assert times(climb) == [13]
    assert len(model.keys) == 1


def test_candidates_and_tokens_bound_the_search(search: Search) -> None:
    many = [kernel(f"time {200 - n}") for n in range(40)]
    climb, _ = search(*many, most=2)
    assert len(climb.accepted) == 2
    climb, model = search(*many, out="b", max_tokens=20_000)
    assert len(model.keys) == 3
    assert len(climb.accepted) == 3


def test_a_beam_works_on_several_at_once(search: Search) -> None:
    climb, model = search(
        kernel("time 90"), kernel("time 95"), kernel("time 80"), kernel("time 50"), kernel("time 99"),
        drafts=2, beam=2,
    )  # fmt: skip
    assert times(climb) == [95, 90, 80, 50]
    assert {one.parent for one in climb.tried[2:4]} == {one.candidate.id for one in climb.accepted[:2]}
    assert len(model.keys) > 4


def test_a_model_improves_what_the_built_in_writer_made(search: Search) -> None:
    made = Candidate("# time 80\nclass ModelNew:\n    pass\n", "synth", allowed_calls=("torch.cumsum",))
    climb, _ = search(kernel("time 40"), kernel("time 41"), seed=made)
    assert times(climb) == [80, 40]
    assert told(climb)[:2] == [("synth", "neutral", True), ("wide", "helped", True)]
    assert climb.accepted[1].candidate.allowed_calls == ("torch.cumsum",)
    assert climb.spent is not None
    assert climb.spent["asked"][0]["kind"] == "improve"
    wrong = replace(made, source="# wrong")
    climb, _ = search(kernel("time 12"), seed=wrong, out="b")
    assert told(climb) == [("synth", "failed", False), ("draft", "neutral", True)]


def test_on_a_card_the_clock_decides(search: Search) -> None:
    gains = iter([Gain(1.2, (1.1, 1.3)), Gain(failure="it raises", fault=True), Gain(0.9, (0.8, 1.1))])
    seams = replace(SEAMS, measure=lambda parent, child: next(gains))
    climb, _ = search(*(kernel(f"time {n}") for n in (90, 91, 92, 93)), seams=seams, samples=2)
    assert told(climb)[1:] == [
        ("wide", "helped", True),
        ("warps", "rejected", False),
        ("warps", "neutral", False),
    ]
    assert climb.tried[1].interval == (1.1, 1.3)
    assert [time_of(found.candidate.source) for found in climb.accepted] == [90, 91]


SCRIPT = [
    kernel("does not compile"),
    kernel("wrong"),
    "no block",
    kernel("time 90"),
    kernel("time 12"),
]


class KilledError(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after it"])
def test_a_crash_at_any_write_pays_for_nothing_twice_and_loses_no_answer(
    after: bool, search: Search, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write = journals.write_durably
    whole, model = search(*SCRIPT)
    page = (tmp_path / "out" / "journal" / "transcript.md").read_bytes()
    writes = 1 + 2 * len(model.keys)
    for place in range(writes):
        model, left = Model(SCRIPT), [place]

        def dying(path: Path, data: bytes, left: list[int] = left) -> None:
            if not left[0] and not after:
                raise KilledError
            write(path, data)
            if not left[0]:
                raise KilledError
            left[0] -= 1

        out = f"{after}-{place}"
        monkeypatch.setattr(journals, "write_durably", dying)
        with pytest.raises(KilledError):
            search(model=model, out=out)
        monkeypatch.setattr(journals, "write_durably", write)
        held = (tmp_path / out / "journal" / "run.json").exists()
        climb, _ = search(model=model, out=out, resume=held)
        assert len(set(model.keys)) == len(model.keys), "a question was sent twice"
        assert climb.spent is not None
        lost = [one for one in climb.spent["asked"] if one["kind"] == "lost"]
        answered = [one for one in climb.spent["asked"] if one["kind"] != "lost"]
        assert len(model.keys) == len(answered) + (len(lost) if not after and place % 2 == 0 and place else 0)
        if not lost:
            assert times(climb) == times(whole)
            assert (tmp_path / out / "journal" / "transcript.md").read_bytes() == page


def test_a_replay_asks_nothing_and_gives_the_same_bytes(search: Search, tmp_path: Path) -> None:
    first, _ = search(*SCRIPT)
    page = (tmp_path / "out" / "journal" / "transcript.md").read_bytes()
    assert page.decode() == (GOLDEN / "transcript.md.expected").read_text(encoding="utf-8")
    again, silent = search(model=Model([]), resume=True)
    assert silent.keys == []
    assert [one.candidate.id for one in again.accepted] == [one.candidate.id for one in first.accepted]
    assert again.tried == first.tried
    assert again.spent == first.spent
    assert (tmp_path / "out" / "journal" / "transcript.md").read_bytes() == page


def test_a_broken_off_run_is_not_thrown_away(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    with pytest.raises(JournalError, match="no run to resume"):
        journal.begin({"op": "a"}, resume=True)
    journal.begin({"op": "a"}, resume=False)
    with pytest.raises(JournalError, match="--resume"):
        journal.begin({"op": "a"}, resume=False)
    with pytest.raises(JournalError, match="another run: op differs"):
        journal.begin({"op": "b"}, resume=True)
    assert journal.once("note", "k", lambda: [1, 2]) == journal.once("note", "k", lambda: None) == [1, 2]
    journal.finish()
    journal.begin({"op": "b"}, resume=False)
    assert journal.once("note", "k", lambda: 3) == 3
    next(tmp_path.glob("journal/note-*.json")).write_text("{")
    with pytest.raises(JournalError, match="cannot be read"):
        journal.once("note", "k", lambda: 4)
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]
    (tmp_path / "own.json").write_text("mine")
    with pytest.raises(JournalError, match="no journal"):
        Journal(tmp_path).begin({}, resume=False)
    assert (tmp_path / "own.json").read_text() == "mine"
