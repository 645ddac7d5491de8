"""Chooses the calls that one judgement makes: few enough for seconds, each shape, family and layout covered.

Not the full product: every family at the small shape, shipped and normal values at every shape, every layout
at the odd one. What matters most comes first; the rest is marked optional and is skipped, openly, when time
runs out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from ...profiling.build import Input, seeded
from ...profiling.op import Op
from ...profiling.shapes import ShapeSet
from .exchange import Step
from .families import FAMILIES, draw_inputs, draw_weights
from .layout import Layout, applies, place
from .oracle import Reference

SMALL_BYTES, WIDE_BYTES = (128 << 10, 1 << 20, 4 << 20), 1 << 20
"""Inputs and temporaries of the small and odd shapes, the first of these that any shape fits, and of the wide
one before it may grow: in all, a few seconds of interpreter, whose time goes by programs rather than by
bytes."""

_MUST = {"as shipped", "normal"}


@dataclass(frozen=True)
class Setting:
    """The op at one set of sizes."""

    name: str
    op: Op
    reference: Reference
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    shipped: list[Input]
    other_draw: list[Input]
    state: dict[str, torch.Tensor]
    seed: int


@dataclass(frozen=True)
class Case:
    """One call with what the parent needs to judge it; `inputs` lie in memory as the candidate's will.

    `other_inputs` are another draw of the same family, which the right output must not be mistaken for.
    """

    name: str
    setting: Setting
    family: str
    step: Step
    inputs: list[Input]
    other_inputs: list[Input]


def settings(op: Op, mode: str, seed: int) -> list[Setting]:
    """The op at each of its smaller shapes that an interpreter can run."""
    small = next((sets for budget in SMALL_BYTES if (sets := _fitting(op, budget, ("small", "odd")))), [])
    sets = small + _fitting(op, WIDE_BYTES, ("wide",))
    return [_setting(op, found, mode, seed + 1000 * place) for place, found in enumerate(sets)]


def _fitting(op: Op, budget: int, names: tuple[str, ...]) -> list[ShapeSet]:
    return [found for found in op.shape_sets(budget) if found.fits and found.name in names]


def _setting(op: Op, sizes: ShapeSet, mode: str, seed: int) -> Setting:
    sized = op.with_overrides(sizes.overrides) if sizes.overrides else op
    model, shipped = sized.instantiate(seed)
    _, other = sized.instantiate(seed + 500)
    args, kwargs = _init_arguments(sized, seed)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    return Setting(sizes.name, sized, Reference(model, mode), args, kwargs, shipped, other, state, seed)


def _init_arguments(op: Op, seed: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What Model is constructed with, in each of the three forms that an op file may give it."""
    module = op.module()
    with seeded(seed):
        values = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
    if isinstance(values, dict):
        return (), values
    if len(values) == 2 and isinstance(values[0], list | tuple) and isinstance(values[1], dict):
        return tuple(values[0]), values[1]
    return tuple(values), {}


def plan(found: list[Setting], seed: int) -> list[Case]:
    """All cases in the order of their importance."""
    generator = torch.Generator().manual_seed(seed)
    draw = _Draw(generator)
    first, rest = found[0], found[1:]
    cases = [draw.case(0, first, "as shipped", shipped_weights=True, again=True)]
    cases += [draw.case(place, one, "normal") for place, one in enumerate(rest, 1)]
    cases.append(draw.case(0, first, "as shipped", shipped_weights=True, ghost=True))
    cases += [draw.case(0, first, family) for family in FAMILIES if _tells_more(family, first)]
    odd_place, odd = next(((place, one) for place, one in enumerate(found) if one.name == "odd"), (0, first))
    for layout in ("transposed", "shifted", "expanded"):
        if any(isinstance(value, torch.Tensor) and applies(value, layout) for value in odd.shipped):
            cases.append(draw.case(odd_place, odd, "normal", layout=layout, optional=True))
    cases += [draw.case(place, one, "as shipped", optional=True) for place, one in enumerate(rest, 1)]
    return cases


def _tells_more(family: str, setting: Setting) -> bool:
    """Without floating inputs all families are alike; without weights the shipped one has run already."""
    floating = any(isinstance(value, torch.Tensor) and value.is_floating_point() for value in setting.shipped)
    return floating if family != "as shipped" else bool(setting.state) or not floating


class _Draw:
    """Makes cases from one generator, so that a seed repeats them all."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator

    def case(
        self,
        place_of_shape: int,
        setting: Setting,
        family: str,
        *,
        layout: Layout = "contiguous",
        shipped_weights: bool = False,
        again: bool = False,
        ghost: bool = False,
        optional: bool | None = None,
    ) -> Case:
        draws = (setting.shipped, setting.other_draw)
        base, other_base = draws if shipped_weights else reversed(draws)
        drawn = draw_inputs(family, base, self.generator)
        other = draw_inputs(family, other_base, self.generator)
        laid = [place(value, layout) if isinstance(value, torch.Tensor) else value for value in drawn]
        values = [value.contiguous() if isinstance(value, torch.Tensor) else value for value in laid]
        state = setting.state if shipped_weights else draw_weights(setting.reference.model, self.generator)
        may_skip = family not in _MUST if optional is None else optional
        step = Step(place_of_shape, layout, values, state, again, ghost, may_skip)
        extra = [] if layout == "contiguous" else [layout]
        name = ", ".join([setting.name, family, *extra, *(["kernels left out"] if ghost else [])])
        return Case(name, setting, family, step, laid, other)
