"""Draws weights that an op file's constructor never gives: other scales, statistics, edges of bins."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase

from ..reference.eight_bits import widened


def draw_weights(
    model: nn.Module,
    generator: torch.Generator,
    integers: bool = False,
    moving: frozenset[str] = frozenset(),
    redrawn: Mapping[str, torch.Tensor] | None = None,
    rising: frozenset[str] = frozenset(),
) -> dict[str, torch.Tensor]:
    """A state_dict like the model's with every parameter moved, norm scales and biases included.

    With `integers` they become small whole numbers. Of the buffers only running statistics move, those that
    the model is known to change itself or takes any bytes for (`moving`), those of one value throughout,
    which stand for what is loaded later, edges of bins, which rise or fall throughout, and those that another
    construction draws otherwise or loading may bring (`redrawn`): another buffer may be a table that the
    constructor computed. Those `rising` stay above zero.
    """
    statistics = {
        f"{prefix}{'.' if prefix else ''}{name}"
        for prefix, module in model.named_modules()
        if isinstance(module, _NormBase)
        for name in ("running_mean", "running_var")
    }
    uniform = {name for name, buffer in model.named_buffers() if _one_value(buffer)}
    movable = {name for name, _ in model.named_parameters()} | statistics | moving | uniform
    move = _whole if integers else _moved
    drawn = {
        name: move(value, generator) if name in movable and value.is_floating_point() else value.clone()
        for name, value in {**model.state_dict(), **(redrawn or {})}.items()
    }
    for name in moving & drawn.keys():
        if drawn[name].dtype in BYTES:
            drawn[name] = any_bytes(drawn[name], generator)
    for name in rising & drawn.keys():
        drawn[name] = drawn[name].abs()
    for name, buffer in model.named_buffers():
        if name in drawn and name not in movable and _rises(buffer):
            drawn[name] = _respaced(buffer, generator)
    for name, value in drawn.items():
        if name.endswith("num_batches_tracked"):
            value.fill_(int(torch.randint(0, _MOST_BATCHES, (1,), generator=generator)))
    return drawn


def _one_value(buffer: torch.Tensor) -> bool:
    """Several elements, and one finite number in them all; a single number may be a constant."""
    if buffer.numel() < 2 or not buffer.is_floating_point():
        return False
    flat = widened(buffer).reshape(-1)
    return bool(flat[0].isfinite()) and bool((flat == flat[0]).all())


def in_powers_of_two(model: nn.Module, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """`state`, of which what is positive throughout, and not as constructed, is in powers of two: by such a
    scale a half stays a half."""
    made = model.state_dict()
    found = dict(state)
    for name, value in state.items():
        moves = value.is_floating_point() and value.numel() > 0 and not torch.equal(value, made[name])
        if moves and bool((widened(value) > 0).all()):
            found[name] = widened(value).log2().round().exp2().to(value.dtype)
    return found


BYTES = (torch.uint8, torch.int8)


def any_bytes(buffer: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Every value that the type has."""
    range_ = torch.iinfo(buffer.dtype)
    return torch.randint(range_.min, range_.max + 1, buffer.shape, generator=generator).to(buffer.dtype)


def uniform_bytes(model: nn.Module) -> list[str]:
    """Buffers of bytes that hold one number throughout, the zero points of a quantised weight, say."""
    return [name for name, one in model.named_buffers() if one.dtype in BYTES and _all_alike(one)]


def other_buffers(model: nn.Module, generator: torch.Generator) -> dict[str, torch.Tensor]:
    """What loading may bring in the place of buffers that the constructor fills with one truth or one integer
    (a mask of ones, zero points), bytes apart, or that are one floating number: truths, zeros and ones, and a
    number nearer to zero."""
    found = {}
    for name, one in model.named_buffers():
        single = one.is_floating_point() and one.numel() == 1 and bool(widened(one).isfinite().all())
        if single:
            found[name] = torch.where(widened(one) == 0, _NEARER, widened(one) * _NEARER).to(one.dtype)
        elif not (one.is_floating_point() or one.is_complex() or one.dtype in BYTES) and _all_alike(one):
            found[name] = torch.randint(0, 2, one.shape, generator=generator).to(one.dtype)
    return found


_NEARER = 0.65


def _all_alike(buffer: torch.Tensor) -> bool:
    return buffer.numel() > 1 and bool((buffer == buffer.reshape(-1)[0]).all())


def _rises(buffer: torch.Tensor) -> bool:
    """A row of floating numbers, four at least and not all of them whole, each above the one before, or each
    below."""
    if buffer.ndim != 1 or buffer.numel() < 4 or not buffer.is_floating_point():
        return False
    exact = widened(buffer)
    steps = exact.diff()
    return bool((steps > 0).all() or (steps < 0).all()) and bool((exact % 1 != 0).any())


def _respaced(buffer: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """The same beginning, and each step half to one and a half of what it was."""
    exact = buffer.detach().double()
    factors = 0.5 + torch.rand(exact.numel() - 1, generator=generator, dtype=torch.float64)
    moved = torch.cat([exact[:1], exact[:1] + (exact.diff() * factors).cumsum(0)])
    return moved.to(buffer.dtype)


_MOST_BATCHES = 1 << 20
"""Batches that a normalisation may have seen before a call."""


def _moved(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Scaled by 0.5 to 1.5 element by element, shifted by a tenth of its size; all-positive stays so. What
    was zero throughout is drawn anew, large enough to be missed, and so is what was infinite."""
    exact = value.detach().float()
    if exact.numel() and (not exact.any() or not exact.isfinite().all()):
        return torch.randn(exact.shape, generator=generator).to(value.dtype)
    size = exact.square().mean().sqrt().clamp_min(0.1) if exact.numel() else exact.sum()
    scaled = exact * (0.5 + torch.rand(exact.shape, generator=generator))
    shift = 0.1 * size * torch.randn(exact.shape, generator=generator)
    positive = bool((exact > 0).all())
    return (scaled + (shift.abs() if positive else shift)).to(value.dtype)


def _whole(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Whole numbers from -2 to 2; 1 or 2 where all are positive."""
    least = 1 if bool((widened(value) > 0).all()) else -2
    return torch.randint(least, 3, value.shape, generator=generator).to(value.dtype)


def _of_either_sign(
    model: nn.Module, state: Mapping[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """Every other element, at random, of what is positive throughout is negative: scales of a norm become so.
    None where no parameter is."""
    changed = dict(state)
    for name in _parameters(model, state):
        exact = widened(state[name])
        if exact.numel() and bool((exact > 0).all()):
            signs = torch.randint(0, 2, exact.shape, generator=generator) * 2 - 1
            signs.view(-1)[0] = -1
            changed[name] = (exact * signs).to(state[name].dtype)
    return changed if any(changed[name] is not state[name] for name in state) else None


def _single_far_out(
    model: nn.Module, state: Mapping[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """Parameters of one element four times as large, or 3 where they were 0: a scale reaches its bound. None
    where there are none."""
    single = [name for name in _parameters(model, state) if state[name].numel() == 1]
    far = {name: torch.where(widened(state[name]) == 0, 3.0, 4 * widened(state[name])) for name in single}
    return {**state, **{name: one.to(state[name].dtype) for name, one in far.items()}} if far else None


def _single_farther(
    model: nn.Module, state: Mapping[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """Likewise a hundred: exponentials of it overflow in float32."""
    single = [name for name in _parameters(model, state) if state[name].numel() == 1]
    return {**state, **{name: torch.full_like(state[name], 100) for name in single}} if single else None


def _some_zero(
    model: nn.Module, state: Mapping[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """The first of every parameter's elements is zero, and every eighth at random, as pruning and new layers
    have them: nothing may be divided by a weight. None where there are none of several elements."""
    changed = dict(state)
    for name in _parameters(model, state):
        if state[name].numel() > 1:
            zero = torch.rand(state[name].shape, generator=generator) < _PRUNED
            zero.view(-1)[0] = True
            changed[name] = state[name].masked_fill(zero, 0)
    return changed if any(changed[name] is not state[name] for name in state) else None


_PRUNED = 1 / 8


def _faint(
    model: nn.Module, state: Mapping[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """Every parameter next to nothing, as behind a long decay: what skips a weight below a bound of its own
    loses all. None where there are none of float32's range."""
    wide = [name for name in _parameters(model, state) if state[name].dtype in _OF_WIDE_RANGE]
    faint = {name: (_FAINT * state[name]).to(state[name].dtype) for name in wide}
    return {**state, **faint} if faint else None


_FAINT, _OF_WIDE_RANGE = 2.0**-24, (torch.float32, torch.bfloat16)


def _scaled_up(
    model: nn.Module, state: Mapping[str, torch.Tensor], generator: torch.Generator
) -> dict[str, torch.Tensor] | None:
    """Every parameter some times as large; None where there are none."""
    large = {name: _SCALE * widened(state[name]) for name in _parameters(model, state)}
    return {**state, **{name: one.to(state[name].dtype) for name, one in large.items()}} if large else None


_SCALE = 4


def level_weights(
    model: nn.Module, state: Mapping[str, torch.Tensor], generator: torch.Generator, level: float
) -> dict[str, torch.Tensor]:
    """Every matrix of parameters about `level` throughout."""
    changed = dict(state)
    for name in _parameters(model, state):
        if state[name].ndim > 1:
            drawn = level + torch.randn(state[name].shape, generator=generator)
            changed[name] = drawn.to(state[name].dtype)
    return changed


def _parameters(model: nn.Module, state: Mapping[str, torch.Tensor]) -> list[str]:
    return [n for n, _ in model.named_parameters() if n in state and state[n].is_floating_point()]


TRAINED = {
    "weights of either sign": _of_either_sign,
    "single weights far out": _single_far_out,
    "single weights of a hundred": _single_farther,
    "some weights of zero": _some_zero,
    "faint weights": _faint,
}
"""What training makes of weights and no constructor gives."""


def counted_on(
    counters: Collection[str],
    model: nn.Module,
    state: Mapping[str, torch.Tensor],
    generator: torch.Generator,
) -> dict[str, torch.Tensor] | None:
    """`counters` of 64 bits, which calls keep up, where the lower half of each is about to run over; None
    where there is none."""
    found = {name: state[name] for name in counters if name in state and state[name].dtype == torch.int64}
    full = {name: torch.full_like(one, (1 << 32) - 1) for name, one in found.items()}
    return {**state, **full} if full else None


def at_their_beginning(
    moving: Collection[str],
    model: nn.Module,
    state: Mapping[str, torch.Tensor],
    generator: torch.Generator,
) -> dict[str, torch.Tensor] | None:
    """Buffers of `moving`, which calls keep up, empty as those of a new optimizer; None where
    there are none that float."""
    found = [name for name in moving if name in state and state[name].is_floating_point()]
    return {**state, **{name: torch.zeros_like(state[name]) for name in found}} if found else None


AS_INPUTS = {"weights scaled up": _scaled_up}
"""Where no numbers go in but places: the tables that they name are what other ops are given."""
