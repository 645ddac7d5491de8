"""What a call is judged by: the op at one set of sizes, and one call of it with what the parent needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn

from ....profiling.build import Input, seeded
from ....profiling.op import Op
from ....profiling.shapes import ShapeSet
from ..process.exchange import Step
from ..process.lasting import mark, passing
from ..reference.eight_bits import widened
from ..reference.oracle import Ran, Reference
from .domain import Domain, distributions, divisors, domain_of, in_order, operators_of
from .integers import is_whole
from .lengths import lengths_of
from .offsets import divides_an_axis
from .places import Uses
from .weights import any_bytes, other_buffers, uniform_bytes
from .wide_integers import PICKS_BITS, any_bits

PUBLIC_SEEDS = (42, 0)
"""What benchmarks draw inputs with, KernelBench among them: a candidate may know them and do less then."""


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
    moving: frozenset[str] = frozenset()
    """Buffers that the reference itself changes, or takes any bytes for, so that they may hold anything."""
    rising: frozenset[str] = frozenset()
    """Those of them that it leads above zero and never below, squares say."""
    redrawn: Mapping[str, torch.Tensor] = field(default_factory=dict)
    """Buffers that the constructor draws at random, as it draws them another time."""
    operators: frozenset[str] = frozenset()
    """Of ATen, by their plain names."""
    domain: Domain = "any"
    """Where inputs have to lie that are positive as shipped."""
    ordered: frozenset[int] = frozenset()
    """Places of inputs whose rows rise in every draw of the op file's."""
    dividing: frozenset[int] = frozenset()
    """Places of inputs above zero, as shipped, by which the reference divides."""
    sharing: frozenset[int] = frozenset()
    """Places of inputs whose rows have a sum of one in every draw."""
    offsets: frozenset[int] = frozenset()
    """Places of inputs that divide an axis of another, in every draw."""
    lengths: Mapping[int, int] = field(default_factory=dict)
    """Places of inputs that tell how much of an axis counts, and what all of it would be."""
    axis: int = 0
    """How long the axis is that these sizes stretch, if they do."""
    apart: bool = False
    """Whether these sizes were made for a few calls of their own."""
    factors: tuple[int, ...] = ()
    """Numbers by which the candidate may multiply what it hashes."""


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


def setting_at(op: Op, sizes: ShapeSet, mode: str, seed: int, public: int = PUBLIC_SEEDS[0]) -> Setting:
    """The first draw is that of a secret `seed`, the other one of a `public` one."""
    sized = op.with_overrides(sizes.overrides) if sizes.overrides else op
    model, shipped = sized.instantiate(seed)
    another, other = sized.instantiate(public - 1)  # inputs are drawn by one more
    args, kwargs = init_arguments(sized, seed)
    reference = Reference(model, mode, op.source)
    _hold_what_changes(reference, shipped)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    setting = Setting(sizes.name, sized, reference, args, kwargs, shipped, other, state, seed)
    setting = replace(
        setting,
        operators=operators_of(reference, shipped, state),
        domain=domain_of(reference, shipped, state),
        dividing=divisors(reference, (shipped, other), state),
        sharing=distributions((shipped, other)),
        offsets=divides_an_axis(reference, (shipped, other), state),
        lengths=lengths_of(reference, (shipped, other), state),
        axis=sizes.axis,
        apart=sizes.apart,
        ordered=in_order(lambda turn: (shipped, other)[turn] if turn < 2 else sized.instantiate(turn)[1]),
    )
    if not any(True for _ in model.buffers()):
        return setting
    changed = _changed(reference, shipped, state)
    return replace(
        setting,
        moving=_moving(reference, shipped, state, changed),
        rising=_rising(reference, shipped, state, changed),
        redrawn=_redrawn(reference, shipped, state, another, changed),
    )


def _hold_what_changes(reference: Reference, inputs: list[Input]) -> None:
    """Have the state_dict hold those buffers too that a call changes."""
    outside = passing(reference.model)
    if outside:
        mark(reference.model, outside, True)
        state = {name: value.clone() for name, value in reference.model.state_dict().items()}
        mark(reference.model, outside - _changed(reference, inputs, state), False)


def _moving(
    reference: Reference, inputs: list[Input], state: dict[str, torch.Tensor], changed: set[str]
) -> frozenset[str]:
    """Buffers that one call changes, and uniform ones of bytes for which it takes any."""
    draw = torch.Generator().manual_seed(0)
    taken = {
        name
        for name in uniform_bytes(reference.model)
        if name in state and reference.tried(inputs, {**state, name: any_bytes(state[name], draw)})
    }
    return frozenset(changed | taken)


def _rising(
    reference: Reference, inputs: list[Input], state: dict[str, torch.Tensor], changed: set[str]
) -> frozenset[str]:
    ran = reference.tried(inputs, state)
    pairs = {name: (state[name], ran.state[name]) for name in changed if ran is not None}
    return frozenset(
        name
        for name, (was, now) in pairs.items()
        if was.is_floating_point()
        and bool((was >= 0).all())
        and bool((now >= 0).all())
        and bool((now > 0).any())
    )


def _changed(reference: Reference, inputs: list[Input], state: dict[str, torch.Tensor]) -> set[str]:
    ran = reference.tried(inputs, state)
    after = ran.state if ran else state
    return {name for name, was in state.items() if not torch.equal(after[name], was)}


def _redrawn(
    reference: Reference,
    inputs: list[Input],
    state: dict[str, torch.Tensor],
    another: nn.Module,
    changed: set[str],
) -> dict[str, torch.Tensor]:
    """Buffers that two constructions draw differently, as the other one has them, and those that calls leave
    alone and that may be loaded with others, for which the reference has an answer."""
    theirs, model = dict(another.named_buffers()), reference.model
    mine = {name: one for name, one in model.named_buffers() if name in state}
    drawn = {
        name: theirs[name].detach().clone()
        for name, one in mine.items()
        if name in theirs and theirs[name].shape == one.shape and not torch.equal(theirs[name], one)
    }
    drawn.update(_other_singles(reference, inputs, state, mine))
    drawn.update(_any_bits(reference, inputs, state, [name for name in mine if name not in changed]))
    others = other_buffers(model, torch.Generator().manual_seed(0)).items()
    loaded = {name: other for name, other in others if name in mine and name not in changed | drawn.keys()}
    taken = {name: other for name, other in loaded.items() if reference.tried(inputs, {**state, name: other})}
    return {**drawn, **taken}


def _other_singles(
    reference: Reference, inputs: list[Input], state: dict[str, torch.Tensor], names: Iterable[str]
) -> dict[str, torch.Tensor]:
    """Another number for buffers of one integer, and the other truth, as later calls find them: a step, a
    place in a cache; where the reference has an answer to it."""
    found = {}
    for name in names:
        was = state[name]
        if was.numel() != 1 or was.is_floating_point() or was.is_complex() or name.endswith(COUNTED):
            continue
        for other in [~was] if was.dtype == torch.bool else [was + 3, was + 1]:
            answer = reference.tried(inputs, {**state, name: other})
            if answer and all(bool(widened(one).isfinite().all()) for one in answer.outputs):
                found[name] = other
                break
    return found


COUNTED = "num_batches_tracked"
"""Which `draw_weights` moves."""


def _any_bits(
    reference: Reference, inputs: list[Input], state: dict[str, torch.Tensor], names: list[str]
) -> dict[str, torch.Tensor]:
    """Any bits for those buffers of which the reference does nothing but pick some out, as packed weights;
    none where they leave nothing of its answer: bits of a veto, say."""
    draw, found = torch.Generator().manual_seed(0), {}
    usual = reference.tried(inputs, state)
    told = _told(usual) if usual else 0
    for name in names:
        if is_whole(state[name]):
            with Uses([state[name]], PICKS_BITS) as uses:
                reference.tried(inputs, state)
            drawn = any_bits(state[name], draw)
            if uses.names and not uses.otherwise:
                answer = reference.tried(inputs, {**state, name: drawn})
                if answer is not None and _told(answer) >= told:
                    found[name] = drawn
    return found


def _told(answer: Ran) -> int:
    """How many of its outputs are not one number throughout."""
    values = (widened(one).reshape(-1) for one in answer.outputs if one.numel())
    return sum(bool((one != one[0]).any()) for one in values)


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
