"""What a verdict holds, how it repeats, and what the judge says where it cannot begin or finish."""

import json
import re
from pathlib import Path

import pytest
import torch

from kbgen import KbgenError
from kbgen.generator.verify import judge as judging
from kbgen.generator.verify.inputs.setting import Setting
from kbgen.generator.verify.judge import CHILD_LIMITS, verify
from kbgen.generator.verify.judgement import Judgement
from kbgen.generator.verify.process.exchange import PROGRESS_FILE, REQUEST_FILE
from kbgen.generator.verify.stages import again as second
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.record import Record
from kbgen.generator.verify.stages.settings import NARROWER, settings
from kbgen.generator.verify.verdict import Fault, Inconclusive, Passed, Verdict, from_json
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.op import load_op
from kbgen.profiling.sandbox import Limits, Outcome

pytestmark = pytest.mark.usefixtures("quick_judgements")

TESTS = Path(__file__).parents[2]
OPS = Path(__file__).parent / "ops"


def header(path: Path, name: str) -> str | None:
    found = re.search(rf"^{name}: (.+)$", path.read_text(), re.MULTILINE)
    return found[1] if found else None


def judge(path: Path, scratch: Path, **more: object) -> Verdict:
    op = load_op(OPS / f"{header(path, 'op')}.py")
    allowed = (header(path, "allowed") or "").split()
    wall_s = header(path, "wall_s")
    limits = Limits(wall_s=float(wall_s)) if wall_s else CHILD_LIMITS
    return verify(path, op, None, scratch=scratch, allowed_calls=allowed, limits=limits, **more)


def test_verdict_repeats_from_its_seed(tmp_path: Path) -> None:
    path = TESTS / "honest" / "reciprocal_flat.py"
    first = judge(path, tmp_path / "first", seed=11)
    again = judge(path, tmp_path / "again", seed=first.replay["seed"])
    assert first.oracle_error == again.oracle_error
    assert [case.oracle_error for case in first.cases] == [case.oracle_error for case in again.cases]
    other = judge(path, tmp_path / "other", seed=12)
    assert other.oracle_error != first.oracle_error


def test_verdict_survives_json(tmp_path: Path) -> None:
    verdict = judge(TESTS / "honest" / "reciprocal_flat.py", tmp_path)
    document = json.loads(json.dumps(verdict.to_json()))
    assert document["verdict"] == "passed"
    assert from_json(document) == verdict


def test_traffic_counts_each_byte_of_an_elementwise_op_once(tmp_path: Path) -> None:
    verdict = judge(TESTS / "honest" / "add_flat.py", tmp_path)
    assert set(verdict.traffic) == {"a", "b", "output"}
    for name, seen in verdict.traffic.items():
        loads, stores = (seen.load_issued, seen.load_unique), (seen.store_issued, seen.store_unique)
        assert loads[0] == loads[1]
        assert stores[0] == stores[1]
        assert (max(loads), max(stores)).count(0) == 1, name


def test_traffic_shows_a_second_pass_over_the_input(tmp_path: Path) -> None:
    verdict = judge(TESTS / "honest" / "cumsum_tile_sums.py", tmp_path)
    [x] = [seen for name, seen in verdict.traffic.items() if name in ("x", "x_ptr")]  # as it was laid out
    assert x.load_issued == 2 * x.load_unique


def test_lower_precision_passes_when_it_is_declared(tmp_path: Path) -> None:
    path = TESTS / "cheats" / "matmul_tf32.py"
    verdict = judge(path, tmp_path, precision="tf32")
    assert isinstance(verdict, Passed), verdict.detail
    assert "precision-changed" in verdict.labels


@pytest.mark.parametrize(("device", "word"), [("mi250x", "passed"), ("mi300x", "failed"), ("h100", "failed")])
def test_what_an_unnamed_dot_precision_means_depends_on_the_target(
    device: str, word: str, tmp_path: Path
) -> None:
    path = TESTS / "cheats" / "matmul_default.py"
    verdict = verify(path, load_op(OPS / "matmul.py"), find_spec(device), scratch=tmp_path)
    assert verdict.word == word, verdict.detail
    assert verdict.cause in (None, "low-precision")


def test_eval_mode_makes_a_random_op_judgeable(tmp_path: Path) -> None:
    verdict = judge(TESTS / "cheats" / "random_op.py", tmp_path, mode="eval")
    assert verdict.cause == "input-returned" or isinstance(verdict, Inconclusive)
    assert not isinstance(verdict, Passed)


def test_declared_library_call_is_labelled(tmp_path: Path) -> None:
    path = tmp_path / "softmax_by_torch.py"
    path.write_text((TESTS / "cheats" / "torch_fallback.py").read_text())
    verdict = judge(path, tmp_path / "scratch")
    assert verdict.cause == "library-call"
    op = load_op(OPS / "softmax.py")
    allowed = verify(path, op, None, scratch=tmp_path / "scratch", allowed_calls=["*"])
    assert isinstance(allowed, Passed), allowed.detail
    assert allowed.labels == ("library-call",)
    assert allowed.library_calls == ("torch.softmax",)


def test_what_cannot_begin_is_told_with_its_cure(tmp_path: Path) -> None:
    op, path = load_op(OPS / "add.py"), TESTS / "honest" / "add_flat.py"
    with pytest.raises(KbgenError, match="no file"):
        verify(tmp_path / "missing.py", op, None, scratch=tmp_path)
    with pytest.raises(KbgenError, match="choose one of"):
        verify(path, op, None, scratch=tmp_path, precision="fp8")
    with pytest.raises(KbgenError, match="choose one of"):
        verify(path, op, None, scratch=tmp_path, mode="predict")


def test_time_that_runs_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kbgen.generator.verify.judgement.PATIENCE_S", 0.0)
    verdict = judge(TESTS / "honest" / "softmax_row.py", tmp_path)
    skipped = [case.name for case in verdict.cases if case.outcome == "skipped"]
    assert "odd, normal" not in skipped
    assert "small, equal rows" in skipped
    assert any("left out" in note for note in verdict.notes)


def test_candidate_s_process_never_holds_an_expected_output(tmp_path: Path) -> None:
    """What goes over is inputs and weights: no tensor in it equals a right answer."""
    judge(TESTS / "honest" / "softmax_row.py", tmp_path)
    assert not (tmp_path / REQUEST_FILE).exists()
    op = load_op(OPS / "softmax.py")
    found = settings(op, "as-is", 5)
    steps = [case.step for case in plan(found, 5)]
    sent = [value for step in steps for value in step.inputs if value.numel()]
    answers = [torch.softmax(value, -1) for value in sent]
    assert not any(a.shape == b.shape and torch.allclose(a, b) for a in answers for b in sent)


def test_reference_that_no_cpu_runs_ends_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "card_alone.py"
    on_the_cpu = "\n        if type(x) is torch.Tensor:\n            raise RuntimeError('a card alone')"
    text = (OPS / "relu.py").read_text()
    line = next(one for one in text.splitlines() if "def forward" in one)
    path.write_text(text.replace(line, line + on_the_cpu))
    verdict = verify(
        TESTS / "honest" / "relu_libdevice.py", load_op(path), None, scratch=tmp_path / "scratch"
    )
    assert verdict.cause == "no-oracle"
    assert verdict.detail.endswith("where right answers come from: RuntimeError: a card alone")


def test_who_is_too_slow_is_judged_once_more_in_less_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[int] = []

    class Slow:
        """Runs past its limit in its first judgement, and would in the second."""

        guards, again = False, second.Again(NARROWER, second.SLOW)

        def __init__(self, record: Record, found: list[Setting], *_: object) -> None:
            self.record = record
            wide = next(one for one in found if one.name == "wide")
            seen.append(sum(one.numel() for one in wide.shipped if isinstance(one, torch.Tensor)))

        def verdict(self) -> Verdict:
            return self.record.failed(Fault("timeout", "late"))

    monkeypatch.setattr(judging, "Judgement", Slow)
    verdict = judge(TESTS / "honest" / "add_flat.py", tmp_path)
    assert verdict.cause == "timeout"
    assert len(seen) == 2
    assert seen[1] < seen[0]
    assert second.SLOW in verdict.notes


@pytest.mark.parametrize(
    ("at", "status", "found"),
    [
        ("wide", "timeout", second.Again(NARROWER, second.SLOW)),
        ("small", "timeout", None),
        ("wide", "crashed", None),
    ],
)
def test_sizes_are_to_blame_where_the_widest_shape_takes_too_long(
    at: str, status: str, found: second.Again | None, tmp_path: Path
) -> None:
    cases = plan(settings(load_op(OPS / "add.py"), "as-is", 0), 0)
    number = next(number for number, case in enumerate(cases) if case.setting.name == at)
    (tmp_path / PROGRESS_FILE).write_text(str(number))
    ended = Outcome(status, None, "", 90.0, "", ())
    assert second.again(ended, tmp_path, cases, 1.0) == found


def test_whose_first_call_takes_too_long_is_judged_at_smaller_sizes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    candidate = TESTS / "honest" / "add_flat.py"
    usual = judge(candidate, tmp_path / "usual").to_json()["shapes"]["small"]
    monkeypatch.setattr(Judgement, "_in_time", lambda self: 1e-3)
    verdict = judge(candidate, tmp_path / "slow")
    smaller = verdict.to_json()["shapes"]["small"]
    assert verdict.to_json()["verdict"] == "passed"
    assert second.TOO_SLOW in verdict.notes
    assert smaller != usual
    assert all(size <= usual[name] for name, size in smaller.items())


@pytest.mark.parametrize(
    ("wanted", "kept", "word"),
    [
        ("", [""], "passed"),
        ("COLUMNS", ["", "ROWS", "COLUMNS"], "passed"),
        ("both", ["", "ROWS", "COLUMNS"], "failed"),
    ],
)
def test_who_refuses_the_smallest_shape_in_words_is_judged_with_one_constant_as_shipped(
    wanted: str, kept: list[str], word: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[str] = []

    class Choosy:
        again = None

        def __init__(self, record: Record, found: list[Setting], *_: object) -> None:
            self.record, self.found = record, found
            seen.append("".join(record.op.kept))
            self.guards = seen[-1] != wanted

        def verdict(self) -> Verdict:
            return self.record.failed(Fault("raises", "no")) if self.guards else self.record.passed()

    monkeypatch.setattr(judging, "Judgement", Choosy)
    guarded = tmp_path / "guarded.py"
    text = (TESTS / "honest" / "add_flat.py").read_text()
    guarded.write_text(text + "\n\ndef only(widths):\n    raise ValueError(widths)\n")
    verdict = judge(guarded, tmp_path)
    assert (seen, verdict.to_json()["verdict"]) == (kept, word)
    assert any("COLUMNS stays" in note for note in verdict.notes) is (wanted == "COLUMNS")


def test_a_file_that_never_says_no_is_judged_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What it raises is a mistake, and would be one at any shape."""
    seen: list[str] = []

    class Broken:
        guards, again = True, None

        def __init__(self, record: Record, *_: object) -> None:
            self.record = record
            seen.append("judged")

        def verdict(self) -> Verdict:
            return self.record.failed(Fault("raises", "RuntimeError: sizes do not match"))

    monkeypatch.setattr(judging, "Judgement", Broken)
    assert judge(TESTS / "honest" / "add_flat.py", tmp_path).cause == "raises"
    assert seen == ["judged"]


@pytest.mark.parametrize(
    ("load", "limits", "wall_s", "cpu_s"),
    [
        (0.5, CHILD_LIMITS, CHILD_LIMITS.wall_s, 90),
        (1.2, CHILD_LIMITS, 1.2 * CHILD_LIMITS.wall_s, 108),
        (2.1, CHILD_LIMITS, 1.5 * CHILD_LIMITS.wall_s, 135),
        (5.0, CHILD_LIMITS, 2.5 * CHILD_LIMITS.wall_s, 135),
        (99.0, CHILD_LIMITS, 4 * CHILD_LIMITS.wall_s, 135),
        (99.0, Limits(wall_s=8, cpu_s=90), 8, 90),
        (99.0, Limits(wall_s=600, cpu_s=None), 600, None),
    ],
)
def test_on_a_busy_machine_cpu_time_decides(
    load: float, limits: Limits, wall_s: float, cpu_s: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    found = judging._on_this_machine(limits)
    assert (found.wall_s, found.cpu_s) == (wall_s, cpu_s)
