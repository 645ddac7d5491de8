"""Optimize every op file of some folders, many at once, and gather one line of figures for each.

    run_suite([Path("examples")], ("h100",), SuitePlan(jobs=4)).to_json()["total"]

A suite measures the writer and the judge: its library is thrown away, unless it is given one. Where the
card is here, the search goes without it, by the estimate, so that many files are worked on at once; what
passed the judge is then timed, in turn with others on a card.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ... import KbgenError
from ...hardware_specs.spec import find_spec
from ...profiling.calibration import Calibration
from ...profiling.device import Device, detect
from ...profiling.probe import nvml
from ..benchmark import PROCESSES
from ..job import Event
from ..summary import versions
from .cards import cards_here
from .finding import Task, find
from .journal import Journal
from .places import TIMED_AT_ONCE, needed_bytes, next_place
from .pool import Bounds, Ending, Here, Pool, Processes
from .result import SuiteResult
from .row import UNCONFIRMED, Row
from .timing import Timing, ceilings, clock, confirm
from .unfinished import explained

Say = Callable[[Event], None]
_IMPORTED = (f"{__package__}.timing", "chromadb", "llama_index.core.node_parser")
"""What every task needs, by module, and what takes seconds."""

_MEMORY = 4 << 30  # what a job is reckoned to need
_TRIES = 2  # of a timing that told nothing: the card was full, say
_LEFT_TO_TIMING = 3  # cores a card: what times must not wait for a core
_TIMING_MEMORY = 64 << 30  # inputs of an op at full size may be made on the host


@dataclass(frozen=True)
class SuitePlan:
    """How a suite runs. `jobs` op files at once (None: as many as the machine bears; 0: one after another in
    this process), each within `bounds`; `out` keeps rows and results, and a run that finds rows there goes on
    with them; `also` names further devices to compile for; no new work starts after `for_s` seconds, and what
    runs then is ended. On a card each kernel is timed in `processes` processes."""

    knowledge: bool = True
    library: Path | None = None
    out: Path | None = None
    jobs: int | None = None
    bounds: Bounds = Bounds()  # noqa: RUF009
    also: tuple[str, ...] = ()
    for_s: float | None = None
    processes: int = PROCESSES


@dataclass(frozen=True)
class Crew:
    """Who does the work: replaced in tests."""

    find: Callable[[Task], Row] = find
    clock: Callable[[Timing], Row] = clock
    confirm: Callable[[Timing], Row] = confirm
    ceilings: Callable[[tuple[str, Path]], Mapping[str, Any]] = ceilings
    detect: Callable[[str], Device] = detect
    cards: Callable[[], Sequence[str]] = cards_here


def run_suite(
    folders: Sequence[Path],
    gpus: Sequence[str],
    plan: SuitePlan = SuitePlan(),
    *,
    on_event: Say | None = None,
    crew: Crew = Crew(),
) -> SuiteResult:
    """Run the loop on every `*.py` of the folders for every device; what cannot run is a row with a reason.

    Raises KbgenError for a folder without op files, for a device that is not known, and for rows in `out`
    that were made otherwise.
    """
    files = [(folder.resolve().name, path) for folder in folders for path in op_files(folder)]
    devices = {gpu: crew.detect(gpu) for gpu in gpus}  # a name that stands for no device is told at once
    also = tuple(find_spec(name).id for name in plan.also)
    with tempfile.TemporaryDirectory(prefix="kbgen-suite-") as temporary:
        out = (plan.out or Path(temporary)).resolve()
        library = str(plan.library) if plan.library else None
        settings = {"knowledge": plan.knowledge, "also": list(also), "library": library}
        journal = Journal(out, settings)
        template = Path(temporary) / "template"
        say = on_event or (lambda event: None)
        run = _Run(replace(plan, also=also), devices, journal, out, say, crew, template)
        tasks = [run.task(path, level, gpu) for gpu in gpus for level, path in files]
        with nvml():  # a driver that is held open answers each of many processes at once
            run.all(tasks)
        rows = tuple(run.row(task.key) for task in tasks)
        seconds = round(time.monotonic() - run.begun, 1)
        named = {gpu: device.to_json() for gpu, device in devices.items()}
        environment = {"devices": named, "versions": versions(), "cores": _cores(), "jobs": run.jobs}
        result = SuiteResult(tuple(map(str, folders)), settings, rows, seconds, run.ceilings(), environment)
        if plan.out is not None:
            text = json.dumps(result.to_json(), indent=1, default=str)
            (out / "suite.json").write_text(text + "\n", encoding="utf-8")
        return result


def op_files(folder: Path) -> list[Path]:
    """The op files of a folder, 2_x before 10_x."""
    files = [*folder.glob("*.py")] if folder.is_dir() else []
    if not files:
        raise KbgenError(f"{folder} holds no op file; give a folder of files with a class Model each.")
    return sorted(
        files, key=lambda path: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", path.stem)]
    )


_Key = tuple[Literal["find", "clock", "confirm", "ceilings"], Task | None]


class _Run:
    """The state of one suite: what waits, what runs, what is known."""

    def __init__(
        self,
        plan: SuitePlan,
        devices: Mapping[str, Device],
        journal: Journal,
        out: Path,
        say: Say,
        crew: Crew,
        template: Path,
    ) -> None:
        self.template = template
        self.plan, self.devices, self.journal, self.out = plan, devices, journal, out
        self.say, self.crew, self.begun = say, crew, time.monotonic()
        self.cards = tuple(crew.cards()) if any(device.live for device in devices.values()) else ()
        self.jobs = _jobs(len(self.cards)) if plan.jobs is None else plan.jobs
        self.paths: dict[tuple[str, str, str], Path] = {}
        self.cut = set[tuple[str, str, str]]()
        self._ceilings: Mapping[str, Any] | None = self._stored()

    def task(self, path: Path, level: str, gpu: str) -> Task:
        spec = self.devices[gpu].spec.id
        task = Task(
            path.resolve(), level, spec, self.out / spec / level / path.stem, self.plan.knowledge,
            self.plan.library, self.plan.also, max(1, _cores() // self.jobs) if self.jobs else None,
            self.template,
        )  # fmt: skip
        self.paths[task.key] = task.path
        return task

    def all(self, tasks: Sequence[Task]) -> None:
        """Work off the tasks, then what their rows still need of a card."""
        pool: Pool[_Key] = Processes(self.plan.bounds, _IMPORTED) if self.jobs else Here()
        waiting = [task for task in tasks if task.key not in self.journal.rows or self._lost(task)]
        clocked = [task for task in tasks if self._untimed(task.key) and task not in waiting]
        unsure = [task for task in tasks if self._unconfirmed(task.key) and task not in waiting]
        taken: dict[_Key, str] = {}
        tried = Counter[Task]()
        if self.cards and self._ceilings is None:
            key: _Key = ("ceilings", None)
            taken[key] = self.cards[-1]
            pool.start(key, self.crew.ceilings, (taken[key], self.out / "ceilings"))
        done = len(tasks) - len(waiting)
        try:
            while not self._over() and (waiting or clocked or unsure or pool.running):
                while (found := self._next(clocked, taken)) is not None:
                    one, card = found
                    clocked.remove(one)
                    taken["clock", one] = card
                    tried[one] += 1
                    self._start_timing(pool, ("clock", one), card)
                while (unsure or waiting) and pool.running - len(taken) < max(1, self.jobs):
                    if unsure:
                        pool.start(("confirm", unsure[0]), self.crew.confirm, self._timing(unsure.pop(0), ""))
                    else:
                        pool.start(("find", waiting[0]), self.crew.find, waiting.pop(0))
                for (kind, task), ending in pool.ended():
                    taken.pop((kind, task), None)
                    if task is None:
                        self._ceilings = ending.value
                        continue
                    done += kind == "find"
                    row = self._row(kind, task, ending)
                    self.journal.add(row)
                    self._tell(row, kind, done, len(tasks))
                    if self._untimed(task.key) and tried[task] < _TRIES:
                        clocked.append(task)
                    if kind == "clock" and self._unconfirmed(task.key):
                        unsure.append(task)
        finally:
            self.cut = {task.key for kind, task in taken if kind == "clock" and task is not None}
            pool.stop()

    def _next(self, clocked: Sequence[Task], taken: Mapping[_Key, str]) -> tuple[Task, str] | None:
        there = [(task, card) for (_, task), card in taken.items()]
        memory = min((device.spec.memory_gb for device in self.devices.values() if device.live), default=0.0)
        return next_place(
            clocked, self.cards, there, lambda task: needed_bytes(self.journal.rows[task.key]), memory * 1e9
        )

    def ceilings(self) -> Mapping[str, float]:
        """What was measured of the card, by key."""
        return {one["key"]: one["value"] for one in (self._ceilings or {}).get("ceilings", ())}

    def _stored(self) -> Mapping[str, Any] | None:
        """The ceilings that an earlier run left in the folder."""
        for path in sorted((self.out / "ceilings").glob("*.json")):
            return Calibration.from_json(json.loads(path.read_text(encoding="utf-8"))).to_json()
        return None

    def _untimed(self, key: tuple[str, str, str]) -> bool:
        row = self.journal.rows.get(key)
        live = any(device.live and device.spec.id == key[2] for device in self.devices.values())
        return live and row is not None and row.verified and not row.timed and row.kernel is not None

    def row(self, key: tuple[str, str, str]) -> Row:
        live = any(device.live and device.spec.id == key[2] for device in self.devices.values())
        return explained(self.journal.row(key), live=live, cut=key in self.cut)

    def _unconfirmed(self, key: tuple[str, str, str]) -> bool:
        row = self.journal.rows.get(key)
        return row is not None and row.status == UNCONFIRMED

    def _lost(self, task: Task) -> bool:
        """Whether there is something left to do with its kernel, and its files are not here: it is made
        again then."""
        kernel = self.journal.rows[task.key].kernel or ""
        there = all((task.out / name).exists() for name in (kernel, "report.json"))
        return not there and (self._untimed(task.key) or self._unconfirmed(task.key))

    def _start_timing(self, pool: Pool[_Key], key: _Key, card: str) -> None:
        _, task = key
        assert task is not None
        compilers = min(32, max(2, _cores() // (TIMED_AT_ONCE * len(self.cards))))
        timing = replace(self._timing(task, card), compilers=compilers)
        bounds = Bounds(timing.wall_s * (self.plan.processes + 1), _TIMING_MEMORY)
        pool.start(key, self.crew.clock, timing, bounds)

    def _timing(self, task: Task, card: str) -> Timing:
        return Timing(task.path, self.journal.rows[task.key], task.out, card, self.plan.processes)

    def _row(self, kind: str, task: Task, ending: Ending) -> Row:
        """What came of it; a timing or a second verification that ended badly leaves the row as it was, with
        the reason."""
        if kind != "find":
            found = self.journal.rows[task.key]
            if ending.status == "ok":
                return ending.value  # type: ignore[no-any-return]
            reason = f"{'timing it' if kind == 'clock' else 'verifying it again'}: {ending.detail}"
            if kind == "confirm":
                return replace(found, status="inconclusive", reason=reason)
            return replace(found, status="inconclusive", reason=reason, timing_seconds=ending.wall_s)
        row: Row = ending.value if ending.status == "ok" else _fallen(task, ending)
        if row.status == "error":
            row = replace(row, seconds=ending.wall_s)
        return replace(row, cpu_seconds=ending.cpu_s, peak_memory_bytes=ending.peak_bytes or None)

    def _over(self) -> bool:
        return self.plan.for_s is not None and time.monotonic() - self.begun > self.plan.for_s

    def _tell(self, row: Row, kind: str, done: int, count: int) -> None:
        words = row.status if row.verified else f"{row.status} ({row.cause})"
        if kind != "find" and row.speedup:
            words = f"{row.status} {row.speedup:.2f}x"
        self.say(Event("suite", f"{done}/{count} {row.level}/{row.op} for {row.gpu}: {words}"))


def _fallen(task: Task, ending: Ending) -> Row:
    """The row of a task that gave none."""
    return Row(
        task.path.stem, task.gpu, ending.status, ending.wall_s, ending.detail, task.level, cause=ending.status
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _jobs(cards: int) -> int:
    """As many as there are cores, less what timing needs, and no more than fit into free memory."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        lines = dict(line.split(":", 1) for line in file)
    free = int(lines["MemAvailable"].split()[0]) * 1024
    return max(1, min(_cores() - _LEFT_TO_TIMING * cards, free // _MEMORY))
