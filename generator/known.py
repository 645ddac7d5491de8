"""What a search knows before it starts: which technique to try first, what it gave before, what it may."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..hardware_specs.spec import DeviceSpec
from ..kb.library import Library
from ..profiling.trace import TracedOp
from ..retrieval.advise import Advice
from ..retrieval.seen import Seen
from .headroom import Headroom
from .strategies.strategy import expected
from .writers.writer import Writer


@dataclass(frozen=True)
class Known:
    """`order` of transforms, the one to try first at its head; `proven` is the time before over the time
    after that earlier runs measured here, `seen` what those of any like conditions let one expect; `headroom`
    bounds what each can give, None where nothing does."""

    order: Sequence[str]
    proven: Mapping[str, float] = field(default_factory=dict)
    headroom: Headroom | None = None
    seen: Mapping[str, Seen] = field(default_factory=dict)


def measured_first(advice: Advice) -> Advice:
    """The advice with its steps in the order of what they let one expect: by their place, and by what trials
    under like conditions gained."""
    steps = {step.transform: step for step in reversed(advice.steps)}
    order = list(dict.fromkeys(step.transform for step in advice.steps))
    gains = expected(order, {transform: step.seen for transform, step in steps.items()})
    return replace(advice, steps=tuple(sorted(advice.steps, key=lambda step: -gains[step.transform])))


def known_from(advice: Advice, writer: Writer, library: Library, traced: TracedOp, spec: DeviceSpec) -> Known:
    """What the library says: the advice in its order, then what it neither names nor withholds (no search for
    words finds every card), and what the cards address."""
    steps = [step for step in advice.steps if step.transform in writer.transforms]
    here = ((step.transform, past.median_effect) for step in steps for past in step.outcomes if past.here)
    proven = {transform: effect for transform, effect in here if effect is not None}
    cards = [page for page in library.pages("technique") if page.transform in writer.transforms]
    levers = {page.transform: page.addresses for page in cards if page.transform}
    seen = {step.transform: step.seen for step in reversed(steps) if step.seen.weight}
    withheld = {one.technique for one in advice.withheld}
    unfit = {page.transform for page in cards if page.id in withheld}
    rest = sorted(set(writer.transforms) - unfit)
    order = list(dict.fromkeys([*(step.transform for step in steps), *rest]))
    return Known(refined_last(order, writer), proven, Headroom(levers, traced.bytes_min, spec), seen)


def nothing_known(writer: Writer, seed: int | None = None) -> Known:
    """Every technique of the writer in the order of the alphabet, or in one that is drawn from a seed."""
    order = sorted(writer.transforms)
    if seed is not None:
        random.Random(seed).shuffle(order)
    return Known(refined_last(order, writer))


def refined_last(order: list[str], writer: Writer) -> list[str]:
    """Refinements wait for the shape that they refine."""
    return sorted(order, key=lambda transform: transform in writer.refinements)
