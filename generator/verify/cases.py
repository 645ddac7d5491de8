"""Chooses the calls that one judgement makes: few enough for seconds, each shape, family and layout covered.

Not the full product: every family at the small shape, shipped and normal values at every shape, every layout
at the odd one. What matters most comes first; the rest is marked optional and is skipped, openly, when time
runs out.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from ...profiling.build import Input, seeded
from ...profiling.op import Op, OpError
from ...profiling.shapes import ShapeSet
from .candidate import with_constants
from .exchange import Shape, Step
from .extremes import extreme_integers, whole_masks
from .families import FAMILIES, INFINITE, draw_inputs, draw_weights, nudged
from .idle import idle_spike
from .ignored import ignored_classes
from .layout import LAYOUTS, Layout, applies, place
from .oracle import Reference
from .whole_tiles import whole_tiles

SMALL_BYTES, WIDE_BYTES = (128 << 10, 1 << 20, 4 << 20), 1 << 20
"""Inputs and temporaries of the small and odd shapes, the first of these that any shape fits, and of the wide
one before it may grow: a few seconds of interpreter, whose time goes by programs rather than by bytes."""

_TALLER = 4
"""Times the small shape's rows: a grid cut to a round number shows, and an interpreter still gets through."""

_MUST = {"as shipped", "normal", "spikes", "small integers"}
_AT_ODD = {"spikes", "negative spikes", "small integers"}
"""Families that look for elements left out, where sizes are odd; the others run at the first shape."""

_ALTERED = {
    "idle spikes": idle_spike, "ignored classes": ignored_classes, "extreme integers": extreme_integers,
    "whole masks": whole_masks,
}  # fmt: skip
"""What becomes of the first call's inputs, where an op has such."""


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
    sets = next((sets for budget in SMALL_BYTES if (sets := _fitting(op, budget, ("small", "odd")))), [])
    if sets:
        larger = _fitting(op, WIDE_BYTES, ("wide",)) or _fitting(op, WIDE_BYTES, ("small",))
        sets += [replace(one, name="wide") for one in larger if one.overrides != sets[0].overrides]
        sets += _tall(op, sets)
    return [_setting(op, found, mode, seed + 1000 * place) for place, found in enumerate(sets)]


def _tall(op: Op, sets: list[ShapeSet]) -> list[ShapeSet]:
    """Many short rows, by stretching the constant that makes most of them: a grid may end before they do."""
    small, known = sets[0], {rows_of(op.with_overrides(one.overrides)) for one in sets}
    found = []
    for name, value in small.overrides.items():
        if isinstance(value, int) and not isinstance(value, bool):
            overrides = {**small.overrides, name: _TALLER * value + 1}
            with contextlib.suppress(OpError):
                stretched = op.with_overrides(overrides)
                size = stretched.footprint().total_bytes
                if size <= 2 * _TALLER * small.total_bytes:
                    found.append(
                        (rows_of(stretched), ShapeSet("tall", overrides, size, True, f"many {name}"))
                    )
    most = max(found, key=lambda one: one[0], default=None)
    return [most[1]] if most is not None and most[0] > max(known) else []


def rows_of(op: Op) -> int:
    """Elements of the first output but for its last dimension."""
    shape = op.footprint().outputs[0]
    return math.prod(shape[:-1])


def _columns(op: Op) -> int:
    """Of the first input."""
    shapes = op.footprint().inputs
    return shapes[0][-1] if shapes and shapes[0] else 0


def _gives_places(setting: Setting, case: Case) -> bool:
    """Whether outputs may be places, by which ties are told from each other."""
    with contextlib.suppress(Exception):  # which the answer to the first case tells
        outputs = setting.reference.eager(case.inputs, case.step.state).outputs
        return any(not output.is_floating_point() for output in outputs)
    return False


def _fitting(op: Op, budget: int, names: tuple[str, ...]) -> list[ShapeSet]:
    return [found for found in op.shape_sets(budget) if found.fits and found.name in names]


def _setting(op: Op, sizes: ShapeSet, mode: str, seed: int) -> Setting:
    sized = op.with_overrides(sizes.overrides) if sizes.overrides else op
    model, shipped = sized.instantiate(seed)
    _, other = sized.instantiate(seed + 500)
    args, kwargs = init_arguments(sized, seed)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    return Setting(sizes.name, sized, Reference(model, mode), args, kwargs, shipped, other, state, seed)


def init_arguments(op: Op, seed: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
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
    draw = Draw(torch.Generator().manual_seed(seed))
    first, rest = found[0], found[1:]
    odd_place, odd = next(((place, one) for place, one in enumerate(found) if one.name == "odd"), (0, first))

    def families(must: bool) -> list[Case]:
        chosen = [name for name in FAMILIES if name != "normal" and (name in _MUST) is must]
        pairs = [(name, (odd_place, odd) if name in _AT_ODD else (0, first)) for name in chosen]
        return [draw.case(*where, name) for name, where in pairs if _tells_more(name, where[1])]

    cases = [draw.case(0, first, "as shipped", shipped_weights=True, again=True)]
    cases += [draw.case(place, one, "normal") for place, one in enumerate(rest, 1)]
    cases.append(draw.case(0, first, "normal"))
    cases.append(replace(cases[-1], name=f"{cases[-1].name}, kernels left out", step=_ghost(cases[-1].step)))
    cases += [*families(must=True), draw.nudged(cases[0])]
    cases += [case for family in _ALTERED for case in draw.altered(cases[0], family)]
    if _gives_places(first, cases[0]):
        widest, one = max(enumerate(found), key=lambda pair: _columns(pair[1].op))
        cases.append(draw.case(widest, one, "equal rows", optional=False))
    cases.append(replace(cases[0], name=f"{cases[0].name}, moved", step=_moved(first, cases[0])))
    for layout in LAYOUTS:
        if any(isinstance(value, torch.Tensor) and applies(value, layout) for value in odd.shipped):
            cases.append(draw.case(odd_place, odd, "normal", layout=layout, optional=True))
    cases += families(must=False)
    cases += [
        draw.case(place, one, "as shipped", optional=True)
        for place, one in enumerate(rest, 1)
        if one.name != "tall"  # many rows like the others
    ]
    return cases


def at_whole_tiles(op: Op, found: list[Setting], mode: str, seed: int) -> list[Case]:
    """Calls at sizes that are whole tiles where full size's are, for conditions that full size alone meets;
    none where there are no such sizes."""
    sizes = whole_tiles(op, found[0].op.overrides, WIDE_BYTES)
    families = [name for name in FAMILIES if name in _MUST - {"as shipped"}]
    return at_sizes(op, "whole tiles", sizes, mode, seed, families, len(found)) if sizes else []


def at_sizes(
    op: Op,
    name: str,
    sizes: Mapping[str, Any],
    mode: str,
    seed: int,
    families: Sequence[str] = ("normal",),
    place: int = 0,
) -> list[Case]:
    """Calls at these sizes, one for each of `families` that tells anything; none where the op has no such."""
    try:
        setting = _setting(op, ShapeSet(name, dict(sizes), 0, True, ""), mode, seed + 1000 * place)
    except OpError:
        return []
    draw = Draw(torch.Generator().manual_seed(seed + 1))  # the plan's own draws stay what they were
    told = [family for family in families if _tells_more(family, setting)] or ["as shipped"]
    return [draw.case(place, setting, family) for family in told]


def written(setting: Setting, source: str, scratch: Path) -> Shape:
    """The candidate's file for one setting, put into `scratch`, and how ModelNew is built there."""
    file = scratch / f"candidate_{setting.name.replace(' ', '_')}.py"
    file.write_text(with_constants(source, setting.op.overrides), encoding="utf-8")
    return Shape(setting.name, str(file.resolve()), setting.args, setting.kwargs, setting.seed)


def _ghost(step: Step) -> Step:
    """The call before once more, with every kernel left out."""
    return replace(step, ghost=True, optional=False)


def _moved(setting: Setting, case: Case) -> Step:
    """The same contents at new addresses, late in the instance's life, with gradients on, and in the other
    mode where that makes no difference to the reference."""
    flipped = setting.reference.ignores_mode(case.inputs, case.step.state)
    return replace(case.step, again=False, moved=True, late=True, flipped=flipped)


def _tells_more(family: str, setting: Setting) -> bool:
    """Without floating inputs all families are alike; without weights the shipped one has run already."""
    tensors = [value for value in setting.shipped if isinstance(value, torch.Tensor)]
    floating = [value.is_floating_point() for value in tensors]
    if family == INFINITE:  # a mask may be a factor or a choice, of which one alone makes NaN of infinity
        return bool(floating) and all(floating)
    return any(floating) if family != "as shipped" else bool(setting.state) or not any(floating)


class Draw:
    """Makes cases from one generator, so that a seed repeats them all."""

    def nudged(self, case: Case) -> Case:
        """The same call but for one element of each input and weight."""
        changed = nudged(case.inputs, self.generator)
        inputs = [
            place(value, "contiguous") if isinstance(value, torch.Tensor) else value for value in changed
        ]
        names, weights = list(case.step.state), list(case.step.state.values())
        parameters = {name for name, _ in case.setting.reference.model.named_parameters()}
        moved = [
            one if name in parameters else was
            for name, was, one in zip(names, weights, nudged([*weights], self.generator), strict=True)
        ]
        state = {name: one for name, one in zip(names, moved, strict=True) if isinstance(one, torch.Tensor)}
        step = replace(case.step, inputs=changed, state=state, again=False, optional=False)
        return replace(
            case, name=f"{case.name}, one element changed", family="nudged", step=step, inputs=inputs
        )

    def altered(self, case: Case, family: str) -> list[Case]:
        """The same call with what few ops can be given; none where this one cannot."""
        alter = _ALTERED[family]
        inputs = alter(case.setting.reference, case.inputs, case.step.state, self.generator)
        if inputs is None:
            return []
        step = replace(case.step, inputs=inputs, again=False, optional=False)
        laid = [place(one, "contiguous") if isinstance(one, torch.Tensor) else one for one in inputs]
        return [replace(case, name=f"{case.name}, {family}", family=family, step=step, inputs=laid)]

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
        model, whole = setting.reference.model, family == "small integers"
        state = setting.state if shipped_weights else draw_weights(model, self.generator, whole)
        may_skip = family not in _MUST if optional is None else optional
        step = Step(place_of_shape, layout, values, state, again, ghost, may_skip)
        extra = [] if layout == "contiguous" else [str(layout)]
        extra += ["other draw"] if family == "as shipped" and not shipped_weights else []
        name = ", ".join([setting.name, family, *extra, *(["kernels left out"] if ghost else [])])
        return Case(name, setting, family, step, laid, other)
