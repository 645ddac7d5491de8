"""What a search knows before it starts: which technique to try first, what it gave before, what it may."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..hardware_specs.spec import DeviceSpec
from ..kb.library import Library
from ..profiling.trace import TracedOp
from ..retrieval.advise import Advice
from ..retrieval.past import Seen
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


def known_from(advice: Advice, writer: Writer, library: Library, traced: TracedOp, spec: DeviceSpec) -> Known:
    """The advice, in its order but for what was measured, and what the cards address."""
    steps = {step.transform: step for step in reversed(advice.steps) if step.transform in writer.transforms}
    here = (
        (step.transform, past.median_effect) for step in advice.steps for past in step.outcomes if past.here
    )
    proven = {transform: effect for transform, effect in here if effect is not None}
    cards = [page for page in library.pages("technique") if page.transform in writer.transforms]
    levers = {page.transform: page.addresses for page in cards if page.transform}
    seen = {transform: step.seen for transform, step in steps.items() if step.seen.weight}
    advised = list(dict.fromkeys(step.transform for step in advice.steps if step.transform in steps))
    gains = expected(advised, seen)
    order = sorted(advised, key=lambda transform: -gains[transform])
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
