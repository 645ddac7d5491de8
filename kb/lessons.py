"""Chooses the records that a model may be trained on, and counts the others by why they may not.

A lesson is a verified kernel with the op file that it answers and that file's licence. What is withheld stays
in the library: quarantined and damaged records, operators of unknown licence, text that gives orders to its
reader.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from . import shipped
from .library import Library
from .records import Episode, Task
from .screen import clean, suspicious

QUARANTINED = "in quarantine"
DAMAGED = "the record is damaged"
NO_KERNEL = "no verified kernel"
NO_OP = "the record does not hold its op file"
NO_LICENCE = "the op file states no licence"
ORDERS = "its text reads as orders to a model"
TWICE = "the same kernel stands in a later record of the op on this device"

_STATED = re.compile(r"^\W*SPDX-License-Identifier:\s*(?P<name>[\w.+() -]+?)\W*$", re.MULTILINE)
_HEAD = 4000


@dataclass(frozen=True)
class Lesson:
    """A record fit to learn from; `licence` is an SPDX expression, `stated_by` says who says so."""

    record: str
    episode: Episode
    task: Task
    licence: str
    stated_by: str

    @property
    def measured(self) -> bool:
        """Whether the kernel was timed on a live card beside its baselines."""
        return self.episode.live and self.episode.speedup is not None

    @property
    def conditions(self) -> tuple[object, ...]:
        """What two lessons must share before one may be called faster than the other."""
        one = self.episode
        return (
            one.fingerprint, one.device_id, one.driver, one.torch_version, one.triton_version, one.precision,
            self.task.mode, self.task.constants,
        )  # fmt: skip


@dataclass(frozen=True)
class Lessons:
    """Those chosen, oldest first, and the ids of the others by the reason."""

    chosen: tuple[Lesson, ...]
    withheld: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Pair:
    """Two kernels of one op under the same conditions. `ratio` is how much faster the fast one is: both were
    timed beside the same baselines, though not in the same session."""

    fast: Lesson
    slow: Lesson
    ratio: float


def choose(
    library: Library, licence: str = "", lacking: Callable[[Episode], Task | None] = lambda episode: None
) -> Lessons:
    """Of all records, shipped ones too. `licence` holds for op files that state none; `lacking` finds the
    task of a record that does not hold it."""
    withheld: dict[str, list[str]] = defaultdict(list)
    kept_apart = library.quarantine.entries()
    own = library.records()
    everything = {**shipped.episodes(), **own}
    on_disk = {path.stem for path in (library.root / "records").glob("*.json")}
    for name in sorted(on_disk | everything.keys()):
        if name in kept_apart:
            withheld[QUARANTINED].append(name)
        elif name not in everything:
            withheld[DAMAGED].append(name)
    found: dict[tuple[str, str, str], Lesson] = {}
    for name, episode in sorted(everything.items()):
        if name in kept_apart:
            continue
        made = _lesson(name, episode, licence, lacking)
        if isinstance(made, str):
            withheld[made].append(name)
            continue
        same = (episode.fingerprint, episode.device_id, episode.source)
        if same in found:
            withheld[TWICE].append(found.pop(same).record)
        found[same] = made
    chosen = tuple(sorted(found.values(), key=lambda lesson: lesson.record))
    return Lessons(chosen, {reason: tuple(sorted(names)) for reason, names in sorted(withheld.items())})


def _lesson(
    name: str, episode: Episode, licence: str, lacking: Callable[[Episode], Task | None]
) -> Lesson | str:
    """The lesson, or why there is none."""
    if not (episode.verified and episode.source):
        return NO_KERNEL
    task = episode.task or lacking(episode)
    if task is None:
        return NO_OP
    stated = stated_licence(task.source)
    if not (stated or licence):
        return NO_LICENCE
    told = (task.source, episode.source, *task.evidence, *(step.reason for step in episode.steps))
    if any(map(suspicious, told)):
        return ORDERS
    task = replace(task, source=clean(task.source)[0])
    return Lesson(name, episode, task, stated or licence, "the op file" if stated else "who exported")


def stated_licence(source: str) -> str:
    """The licence of a file by its SPDX line, which stands near the top; "" where there is none."""
    found = _STATED.search(source[:_HEAD])
    return found["name"].strip() if found else ""


def pairs(lessons: Iterable[Lesson], margin: float) -> tuple[Pair, ...]:
    """Fast and slow kernels of one op under the same conditions, `margin` apart at least and, where both have
    them, with intervals that do not meet. Kernels that were not timed are ranked by nothing."""
    groups: dict[tuple[object, ...], list[Lesson]] = defaultdict(list)
    for lesson in lessons:
        if lesson.measured:
            groups[lesson.conditions].append(lesson)
    found = [pair for group in groups.values() for pair in _pairs(group, margin)]
    return tuple(sorted(found, key=lambda pair: (pair.fast.record, pair.slow.record)))


def _pairs(group: Sequence[Lesson], margin: float) -> Iterator[Pair]:
    for one, other in combinations(group, 2):
        fast, slow = sorted((one, other), key=lambda lesson: -(lesson.episode.speedup or 0.0))
        assert fast.episode.speedup
        assert slow.episode.speedup
        ratio = fast.episode.speedup / slow.episode.speedup
        high, low = fast.task.interval, slow.task.interval
        apart = high is None or low is None or high[0] > low[1]
        if ratio >= margin and apart:
            yield Pair(fast, slow, ratio)
