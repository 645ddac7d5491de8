"""Draws the calls of a judgement: values of a family, laid out in memory, with weights to go with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial

import torch

from ....profiling.build import Input
from ..process.exchange import Step
from ..process.layout import LENGTHS, NUMBERS, ROWS, Layout, placed
from .added_weights import ADDED, SUMS, beside_scores
from .altered import ALTERED
from .axes import axes_of
from .counters import BEYOND, buffers_beyond
from .domain import within
from .emptied import emptied
from .extremes import is_finite
from .families import (
    FAINT,
    FEW,
    HALVES,
    LEVEL,
    MUST,
    NAN_IN_A_PART,
    ONE_NAN,
    TIES,
    draw_inputs,
    floats,
    nudged,
)
from .lengths import no_longer_than
from .lone_changes import ALIKE
from .lone_numbers import at_number, lone_numbers
from .many_draws import farthest_draws
from .offsets import divide_all, on_their_axes
from .other_numbers import OTHER_NUMBERS
from .places import puts_at_places
from .regimes import REGIMES
from .repeated import state_twice
from .resized import MANY_ROWS, ONE_ROW, other_lengths, other_rows, other_sides
from .setting import Case, Setting
from .weights import (
    AS_INPUTS,
    TRAINED,
    at_their_beginning,
    counted_on,
    draw_weights,
    in_powers_of_two,
    level_weights,
)
from .with_weights import WITH_WEIGHTS
from .won_last import WON_LAST, won_last

FRESH = "faint inputs to fresh buffers"
"""What is added to a moment that is nothing yet, so that it does not vanish, is small beside an epsilon."""


class Draw:
    """Makes cases from one generator, so that a seed repeats them all."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator

    def nudged(self, case: Case) -> Case:
        """The same call but for one element of each input and weight."""
        puts = puts_at_places(case.setting.reference, case.inputs, case.step.state)
        changed = _allowed(case.setting, nudged(case.inputs, self.generator, puts), case.inputs)
        inputs = placed(changed, "contiguous")
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
        alter, factors = ALTERED[family], case.setting.factors
        if family == NAN_IN_A_PART and not case.setting.offsets:  # lengths may rise by chance
            return []
        if family == ALIKE and factors:
            alter = partial(alter, factors=factors)
        inputs = alter(case.setting.reference, case.inputs, case.step.state, self.generator)
        if inputs is None:
            return []
        inputs = no_longer_than(inputs, case.setting.lengths)
        inputs = on_their_axes(inputs, case.inputs, case.setting.offsets)
        return [_with(case, family, within("any", inputs, case.inputs, case.setting.ordered))]

    def farthest(self, place_of_shape: int, setting: Setting) -> list[Case]:
        """Calls with few integers as far out as the op file's own draws have them."""
        case = self.case(place_of_shape, setting, "as shipped", optional=False)
        return [_with(case, family, inputs) for family, inputs in farthest_draws(setting).items()]

    def won_last(self, case: Case) -> list[Case]:
        """The same call with what wins in the last place of the axis that its shape stretches; none where
        results name no places of it."""
        setting = case.setting
        held = setting.ordered | setting.offsets | setting.lengths.keys()
        inputs = won_last(setting.reference, case.inputs, case.step.state, setting.axis, held)
        return [] if inputs is None else [_with(case, WON_LAST, inputs)]

    def emptied(self, case: Case, layout: Layout) -> list[Case]:
        """The same call without rows or columns; none where the reference has no answer to it."""
        given = (case.setting.reference, case.inputs, case.step.state)
        inputs = emptied(*given, layout, axes_of(case.setting.op))
        if inputs is None or not divide_all(inputs, case.inputs, case.setting.offsets):
            return []
        return [_sized(case, layout, layout, inputs)]

    def resized(
        self, case: Case, lengths: Collection[int] | None = None, rows: bool = True, many: int = 0
    ) -> Iterator[Case]:
        """The same call on other numbers of `rows`, so `many` elements too, and with other lengths of each
        other axis (of those as long as one of `lengths`, if given), where the reference has an answer."""
        given = (case.setting.reference, case.inputs, case.step.state)
        op = case.setting.op
        sizes, axes = op.constants.values() if lengths is None else lengths, axes_of(op)
        fewer = other_rows(*given, axes, many) if rows else iter(())
        sides = other_sides(*given, sizes, lengths is not None, axes)
        longer = other_lengths(*given, sizes, lengths is not None, axes)
        for layout, found in ((ROWS, fewer), (LENGTHS, longer), (LENGTHS, sides)):
            for told, inputs in found:
                if not divide_all(inputs, case.inputs, case.setting.offsets):
                    continue
                sized = _sized(case, layout, told, inputs)
                must = told in (ONE_ROW, MANY_ROWS) or layout == LENGTHS
                yield replace(sized, step=replace(sized.step, optional=not must))

    def renumbered(self, place_of_shape: int, setting: Setting) -> list[Case]:
        """Calls with other numbers among their inputs; none where it has none that matter."""
        case = self.case(place_of_shape, setting, "as shipped")
        given = case.setting.reference, case.inputs, case.step.state
        together = [one for change in OTHER_NUMBERS if (one := change(*given)) is not None]
        return _numbered(case, (*together, *lone_numbers(*given)))

    def at_numbers(self, place_of_shape: int, setting: Setting, numbers: Collection[float]) -> list[Case]:
        """Calls with each number among their inputs at each of these; none where it has none."""
        case = self.case(place_of_shape, setting, "as shipped")
        given = case.setting.reference, case.inputs, case.step.state
        return _numbered(case, [inputs for number in numbers for inputs in at_number(*given, number)])

    def trained(
        self, place_of_shape: int, setting: Setting, families: Collection[str] | None = None
    ) -> list[Case]:
        """Calls with weights that training leads to: of either sign, and single ones far out, or of these
        `families`; none where there are none such, or the reference has no number then."""
        cases = []
        few = (*SUMS, *REGIMES, BEYOND) if place_of_shape == 0 else ()
        all_here = (*_of_models(setting), *ADDED, *WITH_WEIGHTS, *few)
        for family in all_here if families is None else families:
            case = self.case(place_of_shape, setting, FAINT if family == FRESH else "normal")
            found = self._weighed(family, setting, case.inputs, case.step.state)
            if found is None:
                continue
            inputs, state = found
            if inputs is not case.inputs:
                inputs = _allowed(setting, inputs, case.inputs)
            answer = setting.reference.tried(inputs, state)
            if answer is not None and all(map(is_finite, answer.outputs)):
                made = _with(case, family, inputs)
                step = replace(made.step, state=state)
                cases.append(replace(made, name=f"{setting.name}, {family}", step=step))
        return cases

    def _weighed(
        self, family: str, setting: Setting, inputs: list[Input], state: dict[str, torch.Tensor]
    ) -> tuple[list[Input], dict[str, torch.Tensor]] | None:
        """Inputs and weights of such a family; None where this op has none."""
        reference, generator = setting.reference, self.generator
        if family in WITH_WEIGHTS or family in REGIMES:
            return {**WITH_WEIGHTS, **REGIMES}[family](reference, inputs, state, generator)
        if family == BEYOND:
            found = buffers_beyond(setting.moving, reference, inputs, state, generator)
        elif family in ADDED | SUMS:
            found = (ADDED | SUMS)[family](reference, inputs, state, generator)
        else:
            found = _of_models(setting)[family](reference.model, state, generator)
        return None if found is None else (inputs, found)

    def sunk(self, case: Case) -> list[Case]:
        """The same call with weights beside the scores far below zero too; none where there are none."""
        state = beside_scores(case.setting.reference, case.inputs, case.step.state)
        if state is None:
            return []
        step = replace(case.step, state=state, again=False, optional=False)
        return [replace(case, name=f"{case.name}, weights too", step=step)]

    def nan_beside_zeros(self, place_of_shape: int, setting: Setting) -> list[Case]:
        """A call with NaN in what goes in, and parameters of nothing but zeros: who skips products with zero
        leaves it out. None where there are no parameters."""
        case = self.case(place_of_shape, setting, ONE_NAN, optional=False)
        names = {name for name, _ in setting.reference.model.named_parameters()} & case.step.state.keys()
        state = {
            name: torch.zeros_like(one) if name in names else one for name, one in case.step.state.items()
        }
        step = replace(case.step, state=state)
        return [replace(case, name=f"{case.name}, weights of zero", step=step)] if names else []

    def weights_twice(self, place_of_shape: int, setting: Setting) -> list[Case]:
        """A call with rows of weights that stand there twice; none where there are no such rows."""
        case = self.case(place_of_shape, setting, "normal")
        state = state_twice(case.step.state)
        if all(one is case.step.state[name] for name, one in state.items()):
            return []
        step = replace(case.step, state=state, again=False, optional=False)
        family = "rows of weights twice"
        return [replace(case, name=f"{setting.name}, {family}", family=family, step=step)]

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
        drawn = self._values(setting, family, base)
        other = self._values(setting, family, other_base)
        laid = placed(drawn, layout)
        values = [value.contiguous() if isinstance(value, torch.Tensor) else value for value in laid]
        model, whole = setting.reference.model, family == "small integers"
        state = setting.state
        if not shipped_weights:
            state = draw_weights(
                model, self.generator, whole, setting.moving, setting.redrawn, setting.rising
            )
        if family == TIES:
            state = in_powers_of_two(model, state)
        if family == HALVES:
            state = level_weights(model, state, self.generator, LEVEL)
        may_skip = family not in MUST | FEW if optional is None else optional
        step = Step(place_of_shape, layout, values, state, again, ghost, may_skip)
        extra = [] if layout == "contiguous" else [str(layout)]
        extra += ["other draw"] if family == "as shipped" and not shipped_weights else []
        name = ", ".join([setting.name, family, *extra, *(["kernels left out"] if ghost else [])])
        return Case(name, setting, family, step, laid, other)

    def _values(self, setting: Setting, family: str, shipped: list[Input]) -> list[Input]:
        drawn = draw_inputs(family, shipped, self.generator)
        return drawn if family == "as shipped" else _allowed(setting, drawn, shipped)


def _of_models(setting: Setting) -> dict[str, Callable[..., dict[str, torch.Tensor] | None]]:
    """What changes weights for what they are, whatever takes them."""
    trained = TRAINED if any(map(floats, setting.shipped)) else TRAINED | AS_INPUTS
    counted = {"counters past 32 bits": partial(counted_on, setting.moving)}
    return {**trained, **counted, FRESH: partial(at_their_beginning, setting.moving)}


def _allowed(setting: Setting, drawn: list[Input], shipped: list[Input]) -> list[Input]:
    places = setting.ordered, setting.dividing, setting.sharing
    return within(setting.domain, drawn, shipped, *places)


def _with(case: Case, family: str, inputs: list[Input]) -> Case:
    step = replace(case.step, inputs=inputs, again=False, optional=False)
    laid = placed(inputs, "contiguous")
    return replace(case, name=f"{case.name}, {family}", family=family, step=step, inputs=laid)


def _sized(case: Case, layout: Layout, told: str, given: list[Input]) -> Case:
    inputs = within("any", given, given, case.setting.ordered)
    step = replace(case.step, layout=layout, inputs=inputs, again=False, optional=True)
    name = f"{case.setting.name}, {told}"
    return replace(case, name=name, family=layout, step=step, inputs=inputs, other_inputs=inputs)


def _numbered(case: Case, given: Iterable[list[Input]]) -> list[Case]:
    """The same call with others, each once."""
    sized = [_sized(case, NUMBERS, told, one) for told, one in {_told(one): one for one in given}.items()]
    return [replace(one, step=replace(one.step, optional=False)) for one in sized]


def _told(inputs: list[Input]) -> str:
    numbers = ", ".join(str(one) for one in inputs if not isinstance(one, torch.Tensor))
    return f"{NUMBERS} ({numbers})"
