"""One judgement, from the plan of its calls to the verdict: child, right answers, comparison, impostors."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

from ...profiling.sandbox import Limits, Outcome, run_child
from ...profiling.static import StaticReport, inspect
from .comparison.controls import run_controls
from .comparison.review import in_words
from .inputs.setting import Setting
from .process.exchange import (
    CHILD,
    CHILD_ENV,
    StepReport,
    read_report,
    read_tensors,
    write_request,
)
from .sanitizer import sanitize
from .stages.again import Again, again
from .stages.answering import Answering
from .stages.answers import Answers
from .stages.apart import Apart
from .stages.at_sizes import beside_plan
from .stages.cases import plan
from .stages.ending import ended_badly
from .stages.full_axes import most_rows
from .stages.full_size import at_full_size, full_size
from .stages.further import FEW_UNITS, further, on_few_units
from .stages.halves import second_half
from .stages.modes import mode_note
from .stages.record import Record, device_answers
from .stages.settings import uncrowded, written
from .stages.whole import (
    first_fault,
    hidden_library_call,
    moved_by_torch,
    own_kernels,
    reached_lines,
    unreached_path,
    unrun,
    unsettled,
    unwritten_read,
)
from .summary import fill_in
from .target import compiled_document, target_fault, unjudged
from .verdict import OPEN_CAUSES, Fault, Verdict

PATIENCE_S = 10.0
"""What the child spends on calls marked optional, in seconds as its `Effort` counts; what needs more is left
out."""

_MORE, _OFF = "one more configuration", "off the card"


class Judgement:
    """One candidate, one set of cases, one child, which refuses the first shape in words (`guards`), or is to
    be judged `again` in less room, unless the judge is `patient`: then a first call that takes long is no
    reason to make no other. `static` is the offline compile where there is one."""

    def __init__(
        self,
        record: Record,
        found: list[Setting],
        scratch: Path,
        limits: Limits,
        static: StaticReport | None = None,
        live: bool = False,
        patient: bool = False,
    ) -> None:
        self.record, self.found, self.scratch, self.limits = record, found, scratch, limits
        self.static, self.live, self.patient, self.guards = static, live, patient, False
        self.again: Again | None = None
        self.judged_whole = False
        self.cases = plan(found, record.seed)
        usual = uncrowded(found)
        self.cases += further(usual, self.cases, record.seed, record.source, record.precision)
        self.beside = beside_plan(record.op, found, self.cases, record.mode, record.seed)
        self.few = on_few_units(usual, len(found) + bool(self.beside.natural), record.seed, record.source)
        self.cases += self.few
        normal = (one.family == "normal" and not one.step.ghost for one in self.cases)
        self.retried = next((place for place, found in enumerate(normal) if found), 0)
        self.right = Answers()
        self.answering = Answering(record, scratch, self.cases, self.right)

    def verdict(self) -> Verdict:
        record = self.record
        self._write()
        stopped, ended = Event(), Event()
        with ThreadPoolExecutor(1) as pool:
            random = pool.submit(self.answering.beside, stopped, ended)
            try:
                outcome = self._child()
            except BaseException:  # a person's Ctrl-C: the child is gone, the answers need not be finished
                stopped.set()
                raise
            finally:
                ended.set()
        record.seconds["child"] = outcome.wall_s
        record.fields["layers"], record.fields["layers_missing"] = outcome.layers, outcome.missing
        if random.result():
            return record.inconclusive(
                "random", "the reference draws random numbers; judge it with --mode eval"
            )
        if 0 not in self.right.known:
            return record.inconclusive(
                "no-oracle", f"the reference has no float64 answer: {self.right.dropped[0]}"
            )
        self.again = again(outcome, self.scratch, self.cases, self._in_time())
        fault = ended_badly(outcome, self.scratch, [case.name for case in self.cases])
        return record.concluded(fault) if fault is not None else self._compare(outcome)

    def _write(self) -> None:
        self.scratch.mkdir(parents=True, exist_ok=True)
        settings = [*self.found, *(case.setting for case in self.beside.natural[:1])]
        shapes = [written(setting, self.record.source, self.scratch) for setting in settings]
        few = [case.setting for case in self.few]
        shapes += [written(setting, self.record.source, self.scratch, FEW_UNITS) for setting in few]
        full = full_size(self.record, self.found, self.beside, self.scratch)
        self.judged_whole = full is not None and full.judged
        write_request(self.scratch, shapes, [case.step for case in self.cases], full)

    def _in_time(self) -> float:
        """What the first call may take, in CPU time, if all that are asked for are to be within the limit."""
        calls = sum(not case.step.optional for case in self.cases)
        return (self.limits.cpu_s or self.limits.wall_s) / calls

    def _child(self) -> Outcome:
        request = {
            "device": device_answers(self.record.spec),
            "mode": self.record.mode,
            "patience_s": PATIENCE_S,
            "cpu_s": self.limits.cpu_s,
            "first_call_s": math.inf if self.patient else self._in_time(),
            "retried": self.retried,
            "helped": second_half(self.cases, self.record.source),
            "processors": len(os.sched_getaffinity(0)),
        }
        return run_child(
            CHILD,
            request,
            scratch=self.scratch,
            limits=self.limits,
            env=CHILD_ENV,
            warm=True,
        )

    def _compare(self, outcome: Outcome) -> Verdict:
        assert outcome.reply is not None
        record = self.record
        reports = [read_report(document) for document in outcome.reply["reports"]]
        record.seconds["full size"] = outcome.reply["full_size_s"]
        record.seconds["calls"] = outcome.reply["calls_s"]
        self.guards = reports[:1] != [] and reports[0].status == "raised" and in_words(reports[0])
        enough = self.answering.enough
        if len(reports) < (enough or len(self.cases)):
            return record.failed(Fault("tampering", "its process ended before all calls were made"))
        if enough is not None:
            record.notes.append(f"{len(self.cases) - enough} calls were left out: the cause was known")
            self.cases, reports = self.cases[:enough], reports[:enough]
        try:
            tensors = read_tensors(self.scratch)
        except Exception as error:  # whatever a damaged or forged file makes of the reader
            return record.failed(Fault("tampering", f"the outputs it left cannot be read: {error}"))
        with record.clock("compare"):
            self._take_in_repetitions(reports)
            reviewed = self.right.review(self.cases, reports, tensors)
            record.notes += mode_note(self.cases, reviewed) + self.right.lost_nan(tensors)
            fill_in(record, self.cases, self.right.known, reports, reviewed, tensors)
            on_card = [report for report in reports if not report.off]
            operators = self.right.known[0].oracle.operators if 0 in self.right.known else ()
            fault = (
                first_fault(self.cases, reviewed, reports)
                or hidden_library_call(on_card, record.allowed_calls)
                or moved_by_torch(self.cases, reports, operators, record.allowed_calls)
            )
            if fault is None and enough is not None:
                fault = Fault("tampering", "what it left is not what it left while it ran")
            if fault is None and "*" not in record.allowed_calls:
                fault = own_kernels(self.cases, reports, tensors)
        if fault is not None and fault.cause not in OPEN_CAUSES:
            return record.concluded(fault)
        full = at_full_size(record, outcome.reply["rehearsed"], on_card, operators)
        if full is not None and full.cause not in OPEN_CAUSES:
            return record.concluded(full)
        forced = {
            one.fault: (case.family, case.step.layout)
            for case, one, report in zip(self.cases, reviewed, reports, strict=True)
            if one and one.fault and report.forced
        }
        failed = fault is not None and fault in forced
        apart = Apart(
            record, self.found, self.right.precision, self.beside.altered, self.scratch, self.limits
        )
        rehearsed = outcome.reply["rehearsed"]
        walked = None if self.judged_whole else rehearsed
        axes = apart.at_full_size(walked, failed, most_rows(self.cases, reports))
        if axes is not None and axes.fault is not None:
            return record.concluded(axes.fault)
        reached, given = reached_lines(outcome.reply, reviewed, reports), len(self.cases[0].inputs)
        if axes is not None:
            reached = sorted({*reached, *axes.reached})
            held = {tuple(site[:2]) for site in (*rehearsed["forced"], *rehearsed["unasked"])}
            if not axes.left & held and fault in forced:
                fault = next((one for one, asked in forced.items() if asked not in axes.right), None)
        if fault is None and unreached_path(record.source, reached, given) is not None:
            lone = apart.at_lone_sizes()
            if lone is not None and lone.fault is not None:
                return record.concluded(lone.fault)
            reached = sorted({*reached, *(lone.reached if lone is not None else ())})
        fault = (
            fault
            or unrun(record, outcome.reply["configurations"])
            or unsettled(on_card)
            or unwritten_read(self.cases, reviewed, reports)
            or unreached_path(record.source, reached, given)
            or full
        )
        return record.concluded(self._uncompiled(fault, on_card)) if fault else self._vouched(on_card)

    def _uncompiled(self, fault: Fault, reports: list[StepReport]) -> Fault:
        """What the interpreter cannot run, the target's compiler may refuse."""
        if fault.cause != "unsupported" or self.record.spec is None:
            return fault
        refused = self._on_target(reports)
        return refused if refused is not None and refused.cause == "does-not-compile" else fault

    def _vouched(self, reports: list[StepReport]) -> Verdict:
        """What speaks for a candidate that made no mistake: refused impostors, and the target's compiler."""
        record = self.record
        fault = self._accomplices() or (self._on_target(reports) if record.spec is not None else None)
        if fault is None and self.live:
            fault = self._on_card(reports)
        return record.concluded(fault) if fault is not None else record.passed()

    def _accomplices(self) -> Fault | None:
        """Impostors that this op lets pass."""
        record = self.record
        with record.clock("controls"):
            controls = run_controls(self.right.judged(), self.right.precision)
        record.fields["controls"] = controls
        names = ", ".join(name for name, result in controls.items() if result == "passed")
        told = f"this op cannot tell a kernel from a cheat: {names} would pass as well"
        return Fault("degenerate", told) if names else None

    def _on_target(self, reports: list[StepReport]) -> Fault | None:
        spec = self.record.spec
        assert spec is not None
        with self.record.clock("static"):
            static = self.static or inspect(
                self.record.candidate, self.record.op, spec, self.scratch / "static"
            )
        self.record.fields["target"] = compiled_document(static, spec)
        return target_fault(static, spec, self.right.precision, reports) or unjudged(static, reports)

    def _on_card(self, reports: list[StepReport]) -> Fault | None:
        record, shapes = self.record, [setting.op.overrides for setting in self.found[:2]]
        with record.clock("sanitizer"):
            found = sanitize(
                record.candidate, record.op, shapes, record.mode, record.seed, self.scratch / "sanitizer"
            )
        record.fields["sanitizer"] = found.to_json()
        record.notes += found.unwatched()
        return found.fault([launch.split("[")[0] for report in reports for launch in report.launches])

    def _take_in_repetitions(self, reports: list[StepReport]) -> None:
        """The child's calls beyond the plan repeat one case: in configurations that no other call ran, and
        with conditions as full size has them, or on a CPU; or they are made at whole tiles."""
        for number in range(len(self.cases), len(reports)):
            tiles, forced, off = reports[number].tiles, reports[number].forced, reports[number].off
            repeated = self.retried if (again := reports[number].repeats) is None else again
            case = self.cases[repeated] if tiles is None else self.beside.all()[tiles]
            more = f"with {forced}" if forced else _OFF if off else _MORE if tiles is None else ""
            self.cases.append(replace(case, name=", ".join(filter(None, [case.name, more]))))
            if tiles is not None:
                self.right.find(number, case)
            else:
                self.right.repeat(number, repeated)
        if any(report.tiles is not None and report.tiles < len(self.beside.natural) for report in reports):
            setting = self.beside.natural[0].setting
            self.record.fields["shapes"][setting.name] = dict(setting.op.overrides)
