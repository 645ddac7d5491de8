"""Compares strategies, with the knowledge base and without: how many candidates until one is near the best.

    evaluate_search([Path("examples")], ("h100",), library).to_json()["strategies"]

Every space is compiled whole once. Where the card is in this machine its clock times all candidates;
elsewhere they get the times of simulated devices, and everything says so: that compares searches, not
kernels.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from ..writers.synth.transforms.inherent import INHERENT
from ..writers.synth.writer import SynthWriter
from ..writers.writer import Declined, Request
from .machine import draw
from .result import BY_ESTIMATE, Cell, SearchEval
from .space import Space, whole_space
from .times import OnCard, Simulated, Times
from .trial import Remembering, walk

SEEDS = 12
"""Simulated devices of each name; the searches without knowledge have as many orders."""

Say = Callable[[Event], None]


class NothingToSearchError(KbgenError):
    """There is no op file, or none that the built-in writer has candidates for."""


@dataclass(frozen=True)
class Site:
    """One operator on one device, compiled whole."""

    op: str
    gpu: str
    space: Space
    times: Sequence[Mapping[str, float]]
    traced: TracedOp
    device: Device


def own_folders() -> list[Path]:
    """The examples of a checkout, and what lies beside them for this; none in an installed kbgen."""
    examples = Path(__file__).parents[2] / "examples"
    return [folder for folder in (examples, examples / "search") if folder.is_dir()]


def evaluate_search(
    folders: Sequence[Path], gpus: Sequence[str], library: Library, *, seeds: int = SEEDS,
    cache: CompileCache | None = None, on_event: Say = lambda event: None,
) -> SearchEval:  # fmt: skip
    """Raises NothingToSearchError where no op file gives a space, DeviceError for what is no device."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    if not paths:
        told = ", ".join(map(str, folders)) or "this installation"
        raise NothingToSearchError(
            f"{told} holds no op file; give a folder of files with a class Model each."
        )
    devices = [detect(gpu) for gpu in gpus]
    begun = time.monotonic()
    cells: list[Cell] = []
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="kbgen-search-") as scratch:
        for gpu, device in zip(gpus, devices, strict=True):
            for path in paths:
                on_event(Event("search", f"{path.stem} for {gpu}"))
                try:
                    site = _site(path, gpu, device, Path(scratch), seeds, cache or CompileCache(), on_event)
                except KbgenError as error:
                    skipped[f"{path.stem} for {gpu}"] = str(error)
                    continue
                cells += _cells(site, library)
    if not cells:
        raise NothingToSearchError(f"no op file gives anything to search: {'; '.join(skipped.values())}")
    sources = {"card" if device.live else "simulated" for device in devices}
    return SearchEval(tuple(cells), skipped, " and ".join(sorted(sources)), time.monotonic() - begun)


def _site(
    path: Path, gpu: str, device: Device, scratch: Path, seeds: int, cache: CompileCache, say: Say
) -> Site:
    op = load_op(path)
    traced = trace(op)
    smaller = tuple(trace(op.with_overrides(s.overrides)) for s in op.planned_sets())
    folder = scratch / gpu / path.stem
    space = whole_space(
        Remembering(SynthWriter()), Request(op, traced, smaller, device.spec), folder, cache,
        lambda text: say(Event("compile", text)),
    )  # fmt: skip
    if isinstance(space, Declined):
        raise NothingToSearchError(space.reason)
    if len(space.standing) < 2:
        raise NothingToSearchError("no technique applies to the plain kernel")
    clocks: list[Times] = (
        [OnCard(op, device, traced, folder)]
        if device.live
        else [Simulated(draw(device.spec, seed)) for seed in range(seeds)]
    )
    times = [found for clock in clocks if (found := clock.of(space))]
    if not times:
        raise NothingToSearchError("none of its candidates could be timed on the card")
    return Site(path.stem, gpu, space, times, traced, device)


def _cells(site: Site, library: Library) -> Iterator[Cell]:
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
        found = walk(site.space, times, writer, known, STRATEGIES["advised"], seed, clock=False)
        yield Cell(*where, BY_ESTIMATE, True, found)
