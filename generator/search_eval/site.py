"""One operator on one device: its space is compiled whole and timed, then every strategy walks it.

found = search_site(Task(Path("rmsnorm.py"), "h100", library, seeds=12, scratch=folder))
found.cells or found.skipped
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from ... import KbgenError
from ...kb.library import Library
from ...profiling.classify import diagnose_op
from ...profiling.compile_cache import CompileCache
from ...profiling.device import Device, detect
from ...profiling.op import load_op
from ...profiling.trace import TracedOp, trace
from ...retrieval.advise import advise
from ..job import Event
from ..known import known_from, measured_first, nothing_known
from ..strategies.choose import STRATEGIES
from ..suite.cards import VISIBLE, lock_of, variables
from ..turn import turn
from ..writers.synth.transforms.inherent import INHERENT
from ..writers.synth.writer import SynthWriter
from ..writers.writer import Declined, Request
from .machine import draw
from .result import BY_ESTIMATE, Cell
from .space import Space, whole_space
from .times import OnCard, Simulated
from .trial import Remembering, walk

Say = Callable[[Event], None]


class NothingToSearchError(KbgenError):
    """There is no op file, or none that the built-in writer has candidates for."""


@dataclass(frozen=True)
class Task:
    """`seeds` simulated devices of the name `gpu`, or orders without knowledge where its card is here:
    `card`, by its UUID, whose turn is waited for. A `library` by its folder is opened for the task alone."""

    path: Path
    gpu: str
    library: Library | Path
    seeds: int
    scratch: Path
    card: str | None = None
    threads: int | None = None
    cache: CompileCache | None = None
    say: Say | None = None

    @property
    def name(self) -> str:
        return f"{self.path.stem} for {self.gpu}"

    @property
    def folder(self) -> Path:
        """The library's."""
        return self.library if isinstance(self.library, Path) else self.library.root


@dataclass(frozen=True)
class Found:
    """The searches, or why there are none."""

    cells: tuple[Cell, ...] = ()
    skipped: str = ""


def search_site(task: Task) -> Found:
    """All searches of a task; what cannot be searched says why."""
    try:
        with ExitStack() as held:
            if task.card is not None:
                held.enter_context(variables({VISIBLE: task.card}))
            library = task.library
            if isinstance(library, Path):
                library = held.enter_context(Library.open(library))
            return Found(tuple(_cells(_site(task), library)))
    except KbgenError as error:
        return Found(skipped=str(error))


@dataclass(frozen=True)
class _Site:
    """The space of an operator on a device with the times of each clock that there is; `seeds` name the
    simulated devices, or the orders of searches without knowledge, a clock each."""

    op: str
    gpu: str
    space: Space
    times: Sequence[Mapping[str, float]]
    traced: TracedOp
    device: Device


def _site(task: Task) -> _Site:
    say = task.say or (lambda event: None)
    device = detect(task.gpu)
    op = load_op(task.path)
    traced = trace(op)
    smaller = tuple(trace(op.with_overrides(s.overrides)) for s in op.planned_sets())
    folder = task.scratch / task.gpu / task.path.stem
    space = whole_space(
        Remembering(SynthWriter()), Request(op, traced, smaller, device.spec), folder,
        task.cache or CompileCache(), lambda text: say(Event("compile", text)), task.threads,
    )  # fmt: skip
    if isinstance(space, Declined):
        raise NothingToSearchError(space.reason)
    if len(space.standing) < 2:
        raise NothingToSearchError("no technique applies to the plain kernel")
    if device.live:
        with turn(None if task.card is None else str(lock_of(task.card))):
            measured = OnCard(op, device, traced, folder).of(space)
        if not measured:
            raise NothingToSearchError("none of its candidates could be timed on the card")
        return _Site(task.path.stem, task.gpu, space, [measured] * task.seeds, traced, device)
    times = [Simulated(draw(device.spec, seed)).of(space) for seed in range(task.seeds)]
    return _Site(task.path.stem, task.gpu, space, times, traced, device)


def _cells(site: _Site, library: Library) -> Iterator[Cell]:
    """Every strategy, with knowledge and without, on every device of that name; and without any clock."""
    writer = Remembering(SynthWriter())
    diagnosis = diagnose_op(site.traced, site.device.roof)
    advice = advise(diagnosis, site.traced, site.device.spec, library, (*writer.transforms, *INHERENT))
    known = known_from(measured_first(advice), writer, library, site.traced, site.device.spec)
    for seed, times in enumerate(site.times):
        plain = times.get(site.space.standing[0].candidate.code)
        where = (site.op, site.gpu, seed, len(times), min(times.values()) / plain if plain else 0.0)
        for name, strategy in STRATEGIES.items():
            for knowledge in (True, False):
                knows = known if knowledge else nothing_known(writer, seed)
                found = walk(site.space, times, writer, knows, strategy, seed)
                yield Cell(*where, name, knowledge, found)
            found = walk(site.space, times, writer, known, strategy, seed, clock=False)
            yield Cell(*where, name + BY_ESTIMATE, True, found)
