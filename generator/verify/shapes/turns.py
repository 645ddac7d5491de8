"""Cuts the turns of a reference's loop, over experts say, which make a network of a single operator."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

from ....profiling.footprint import NETWORK_CALLS
from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from .sizing import sizes_of

_TURNS = (4, 3, 2)


def with_fewer_turns(op: Op) -> Op | None:
    """`op` with the one constant that shapes tensors and makes most of its calls cut to a few turns, for
    which there is time at more shapes; None where it makes few calls, or there is no such constant."""
    if op.footprint().work < NETWORK_CALLS:
        return None
    return next((few for few in _cut(op) if few.shape_sets()[:1] and few.shape_sets()[0].fits), None)


def _cut(op: Op) -> Iterator[Op]:
    usual = op.footprint()
    for name, size in sizes_of(op.constants).items():
        for turns in _TURNS:
            if name not in op.text.free() or size <= turns:
                continue
            with contextlib.suppress(OpError):
                few = op.with_overrides({name: turns})
                now = few.footprint()
                shapes = (now.inputs, now.state) != (usual.inputs, usual.state)
                if shapes and now.work < NETWORK_CALLS and op.is_sound({name: turns}):
                    yield few


def beside(sets: list[ShapeSet], few: Op, its: list[ShapeSet]) -> list[ShapeSet]:
    """`sets`, and of those that `few` has what they have none like."""
    known = {one.name for one in sets}
    more = [one for one in its if one.name not in known]
    return [*sets, *(replace(one, overrides={**few.overrides, **one.overrides}) for one in more)]
