"""What counts against a candidate over all of its calls."""

from dataclasses import replace

import torch
from torch import nn

from kbgen.generator.verify.comparison.review import Reviewed
from kbgen.generator.verify.inputs.families import ONE_NAN
from kbgen.generator.verify.inputs.setting import Case, Setting
from kbgen.generator.verify.inputs.won_last import WON_LAST
from kbgen.generator.verify.process.exchange import Step, StepReport
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.stages.whole import first_fault, unwritten_read
from kbgen.generator.verify.verdict import CaseOutcome, CaseResult, Fault

UNWRITTEN = (("unwritten", "kernel: program 0 reads out_ptr[0], which nobody has written"),)


def test_memory_that_nobody_has_written_counts_where_there_is_a_result() -> None:
    def found(status: str, outcome: CaseOutcome = "passed", family: str = "normal") -> Fault | None:
        x = torch.ones(3)
        setting = Setting("small", None, Reference(nn.Identity(), "as-is"), (), {}, [x], [x], {}, 0)  # type: ignore[arg-type]
        usual = Case("small, normal", setting, "normal", Step(0, "contiguous", [x], {}), [x], [x])
        reviewed = [Reviewed(CaseResult("usual", "passed")), Reviewed(CaseResult(family, outcome))]
        reports = [StepReport("ok"), StepReport(status, violations=UNWRITTEN)]
        return unwritten_read([usual, replace(usual, family=family)], reviewed, reports)

    fault = found("ok")
    assert fault is not None
    assert fault.cause == "unwritten-read"
    assert found("raised") is None
    assert found("ok", "dropped") == found("ok", "passed", ONE_NAN) == fault
    assert found("ok", "dropped", ONE_NAN) is None


def first_at(found: dict[tuple[str, str], bool]) -> Fault | None:
    """The fault of a candidate whose calls, by shape and family, are right or give wrong values."""
    x = torch.ones(3)
    shapes = {name: place for place, name in enumerate(dict.fromkeys(name for name, _ in found))}
    settings = {
        name: Setting(name, None, Reference(nn.Identity(), "as-is"), (), {}, [x], [x], {}, 0)  # type: ignore[arg-type]
        for name in shapes
    }
    cases = [
        Case(f"{name}, {family}", settings[name], family, Step(shapes[name], "contiguous", [x], {}), [x], [x])
        for name, family in found
    ]
    reviewed = [
        Reviewed(CaseResult(case.name, "passed"))
        if right
        else Reviewed(CaseResult(case.name, "failed"), Fault("wrong-values", case.name))
        for case, right in zip(cases, found.values(), strict=True)
    ]
    return first_fault(cases, reviewed, [StepReport("ok")] * len(cases))


def test_a_family_that_is_right_where_sizes_are_odd_and_wrong_at_a_large_one_tells_of_the_size() -> None:
    usual = {("small", "normal"): True, ("odd", "spikes"): True}
    told = first_at({**usual, ("wide", "spikes"): False})
    assert told == Fault("hard-coded-shape", "right at the small shape, but wide, spikes")
    assert first_at({**usual, ("wide", "constant"): False}) == Fault("wrong-values", "wide, constant")
    assert first_at({**usual, ("small", "spikes"): False}) == Fault("wrong-values", "small, spikes")


def test_what_wins_behind_where_other_shapes_end_tells_of_the_size() -> None:
    told = first_at({("small", "normal"): True, ("a thousand of N", WON_LAST): False})
    assert told is not None
    assert told.cause == "hard-coded-shape"
