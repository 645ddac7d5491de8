"""The whole comparison on one operator: the space, the simulated devices, every strategy, the document."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator import evaluated
from kbgen.generator.known import nothing_known
from kbgen.generator.report.searching_view import eval_search
from kbgen.generator.search_eval import space as space_module
from kbgen.generator.search_eval.evaluate import evaluate_search, on_cards, own_folders
from kbgen.generator.search_eval.machine import draw
from kbgen.generator.search_eval.result import BY_ESTIMATE, SearchEval
from kbgen.generator.search_eval.site import NothingToSearchError, Task
from kbgen.generator.search_eval.space import Space, whole_space
from kbgen.generator.search_eval.times import TOGETHER, OnCard, Simulated
from kbgen.generator.search_eval.trial import Remembering, walk
from kbgen.generator.strategies.choose import STRATEGIES
from kbgen.generator.writers.synth.writer import SynthWriter
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder
from kbgen.kb.library import Library
from kbgen.profiling.device import detect
from kbgen.profiling.op import load_op
from kbgen.profiling.samples import Floor, Samples, Session
from kbgen.profiling.sandbox import Outcome
from kbgen.profiling.static import StaticReport
from kbgen.profiling.trace import trace

EXAMPLES = Path(__file__).parents[3] / "examples"
SPEC = find_spec("h100")


def as_foreseen(candidate: Candidate, request: Request, *_: Any) -> evaluated.Evaluated:
    """Compiled as it was foreseen: no compiler is run here."""
    static = StaticReport(request.spec.arch, candidate.foreseen, ())
    path = Path(candidate.id) / "x.py"
    return evaluated.Evaluated(
        candidate, path, static, evaluated.estimate_of(candidate, static, request.spec)
    )


@pytest.fixture(scope="module", autouse=True)
def _no_compiler() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(space_module, "compiled", as_foreseen)
        yield


@pytest.fixture(scope="module")
def request_() -> Request:
    op = load_op(EXAMPLES / "rmsnorm.py")
    return Request(op, trace(op), (), SPEC)


@pytest.fixture(scope="module")
def writer() -> Remembering:
    return Remembering(SynthWriter())


@pytest.fixture(scope="module")
def space(request_: Request, writer: Remembering) -> Space:
    made = whole_space(writer, request_, Path())
    assert isinstance(made, Space)
    return made


@pytest.fixture(scope="module")
def times(space: Space) -> Mapping[str, float]:
    return Simulated(draw(SPEC, 1)).of(space)


def test_a_space_holds_every_code_once_and_all_that_follows_from_any_of_them(
    space: Space, request_: Request, writer: Remembering
) -> None:
    assert 10 < len(space.candidates) < 60
    assert not space.cut
    for one in space.standing:
        for transform in writer.transforms:
            child = writer.write(replace(request_, parent=one.candidate, transform=transform))
            assert not isinstance(child, Candidate) or child.code in space.candidates


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_walk_counts_what_it_compiles_and_when_it_got_there(
    name: str, space: Space, times: Mapping[str, float], writer: Remembering
) -> None:
    found = walk(space, times, writer, nothing_known(writer, 3), STRATEGIES[name], 3)
    assert 1 < found.compiled <= len(space.candidates)
    assert found.reached_at is None or found.reached_at <= found.compiled
    assert 0.5 < found.chosen <= 1.0
    assert found == walk(space, times, writer, nothing_known(writer, 3), STRATEGIES[name], 3)


def test_a_budget_of_one_sees_the_plain_kernel_alone(
    space: Space, times: Mapping[str, float], writer: Remembering
) -> None:
    found = walk(space, times, writer, nothing_known(writer), STRATEGIES["advised"], 0, most=1)
    plain = times[space.standing[0].candidate.code]
    assert (found.compiled, found.chosen) == (1, min(times.values()) / plain)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory, indexed_library: Path) -> SearchEval:
    folder = tmp_path_factory.mktemp("ops")
    (folder / "geglu.py").write_text((EXAMPLES / "geglu.py").read_text())
    (folder / "copied.py").write_text("x = 1\n")
    shutil.copytree(indexed_library, folder / "library")
    with Library.open(folder / "library", choice=Choice(HashingEmbedder(), "test")) as library:
        return evaluate_search([folder], ("mi300x",), library, seeds=2)


def test_every_strategy_runs_with_knowledge_and_without_on_every_device(result: SearchEval) -> None:
    ways = {(cell.strategy, cell.knowledge) for cell in result.cells}
    assert ways == {(n, k) for n in STRATEGIES for k in (True, False)} | {
        (n + BY_ESTIMATE, True) for n in STRATEGIES
    }
    assert len(result.cells) == 2 * len(ways)


def test_the_document_says_whose_clock_it_was_and_what_was_not_searched(result: SearchEval) -> None:
    document = result.to_json()
    assert document["clock"] == "simulated"
    assert list(document["skipped"]) == ["copied for mi300x"]
    shown = [part for part in eval_search(document) if isinstance(part, str)]
    assert "none was measured" in shown[0]
    assert any(part.startswith("not searched: copied for mi300x") for part in shown)


def test_a_folder_without_op_files_is_told(tmp_path: Path, fresh_library: Path) -> None:
    with (
        Library.open(fresh_library, choice=Choice(HashingEmbedder(), "test")) as library,
        pytest.raises(NothingToSearchError, match="holds no op file"),
    ):
        evaluate_search([tmp_path], ("h100",), library)


def test_a_checkout_brings_its_own_operators() -> None:
    assert [folder.name for folder in own_folders()] == ["examples", "search"]


def test_a_card_times_few_at_a_time_beside_the_plain_kernel(
    space: Space, request_: Request, tmp_path: Path
) -> None:
    """Each process runs at its own speed; the plain kernel puts all on one scale. One kernel is wrong."""
    plain, wrong = space.standing[0].candidate.code, space.standing[2].candidate.code
    asked: list[list[str]] = []

    def run(wanted: dict[str, Any], scratch: Path) -> Outcome:
        asked.append(list(wanted["candidates"]))
        speed = 1.0 + 0.5 * (len(asked) - 1)
        samples = []
        for code in wanted["candidates"]:
            record = Samples(code, trusted=False)
            record.device_us = [speed * (100.0 if code == plain else 80.0)] * 20
            record.complaints = ["output 0 is off"] if code == wrong else []
            samples.append(record)
        floor = Floor(0.0, 0.0)
        session = Session("simulated", 1, None, None, floor, tuple(samples), True, "")
        return Outcome("ok", session.to_json(), "", 1.0, "", ())

    device = replace(detect("h100"), live=True)
    times = OnCard(request_.op, device, request_.traced, tmp_path, run=run).of(space)
    assert all(batch[0] == plain and len(batch) <= TOGETHER + 1 for batch in asked)
    assert wrong not in times
    assert times[plain] == pytest.approx(100.0)
    assert {round(us) for code, us in times.items() if code != plain} == {80}


def test_what_ends_the_process_of_a_batch_costs_no_other_candidate_its_time(
    space: Space, request_: Request, tmp_path: Path
) -> None:
    crashes = space.standing[2].candidate.code

    def run(wanted: dict[str, Any], scratch: Path) -> Outcome:
        if crashes in wanted["candidates"]:
            return Outcome("crashed", None, "segmentation fault", 1.0, "", ())
        samples = [Samples(code, trusted=False, device_us=[100.0] * 20) for code in wanted["candidates"]]
        session = Session("simulated", 1, None, None, Floor(0.0, 0.0), tuple(samples), True, "")
        return Outcome("ok", session.to_json(), "", 1.0, "", ())

    device = replace(detect("h100"), live=True)
    times = OnCard(request_.op, device, request_.traced, tmp_path, run=run).of(space)
    assert times.keys() == {one.candidate.code for one in space.standing} - {crashes}


def test_every_card_has_its_share_of_the_operators(
    tmp_path: Path, fresh_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbgen.generator.search_eval.evaluate.A_CARD", 1)
    with Library.open(fresh_library, choice=Choice(HashingEmbedder(), "test")) as library:
        tasks = [Task(Path(f"{n}.py"), "h200", library, 2, tmp_path) for n in range(2)]
        # `attrgetter` stands for a search: what it finds is the card that the task was given
        found = list(on_cards(tasks, lambda event: None, lambda: ("GPU-a", "GPU-b"), attrgetter("card")))
    assert sorted(task.path.stem for task, _ in found) == ["0", "1"]
    assert Counter(card for _, card in found) == {"GPU-a": 1, "GPU-b": 1}
