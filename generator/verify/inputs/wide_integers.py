"""Puts integers of every magnitude into an op's inputs that floating results are reckoned from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.operators import plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching
from ..reference.wrapping import wraps
from .domain import operators_of
from .integers import floats_out, is_answered, is_whole
from .places import Uses, rises

_EXACT_BITS = 20
"""Of whole numbers that go into floating ones: float32 holds them and their usual sums."""

_AT_END = 0.6
"""Of bytes: so many are the smallest or the largest that there is."""


def wide_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with whole numbers of every magnitude up to 2^20, or what a byte holds, of the signs that they
    have as shipped, or with any bits at all where bits are picked out, where floating results are reckoned
    from them; and any numbers where it does nothing but compare them with each other. None where it compares
    them with others than zero, or looks up or counts at the places they name.
    """
    whole = [one for one in inputs if is_whole(one)]
    if not whole or any(map(rises, whole)):  # where rows begin
        return None
    with Reckoned(whole, RECKONS) as uses:
        answer = reference.tried(inputs, state)
    if answer is None:
        return None
    if uses.otherwise or not floats_out(answer):
        return _far_apart(reference, inputs, state, generator)
    bits = any(word in name for name in uses.names for word in ("and", "or", "shift"))
    hashes = "remainder" in operators_of(reference, inputs, state)
    kinds = [any_bits] if bits else [_hashed, _spread] if hashes else [_spread]
    for drawn in kinds:
        changed = [drawn(one, generator) if is_whole(one) else one for one in inputs]
        wrapped = drawn is _hashed and wraps(reference, changed, state)
        if not wrapped and is_answered(reference.tried(changed, state)):
            return changed
    return None


def hashed_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with whole numbers of either sign, as large as none of the reference's own runs over, where it
    multiplies them or adds them up before it takes a remainder and looks something up: a shift, a division
    and a remainder below zero are others where no signs are meant. None where there is no such, where it only
    takes their remainder, where it would look up from the end, or has no answer."""
    names = reckoned_by(reference, inputs, state, RECKONS)
    hashes = "remainder" in operators_of(reference, inputs, state)
    if names is None or names.isdisjoint(_SUMS) or not hashes:
        return None
    for bits in _HASHED_BITS:
        changed = [_of_either_sign(one, bits, generator) if is_whole(one) else one for one in inputs]
        if not wraps(reference, changed, state):
            with _FromTheEnd() as seen:
                answer = reference.tried(changed, state)
            return changed if is_answered(answer) and not seen.found else None
    return None


_SUMS, _HASHED_BITS = words("mul add sub rsub sum"), (49, 40, 30, 20, 10)


class _FromTheEnd(Watching):
    """Notes whether anything is looked up at places below zero."""

    found = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if plain_name(func) in ("index", "index_put"):
            places = [one for one in args[1] if isinstance(one, torch.Tensor) and is_whole(one)]
            self.found |= any(bool((one < 0).any()) for one in places)


def _of_either_sign(value: torch.Tensor, bits: int, generator: torch.Generator) -> torch.Tensor:
    bits = min(bits, torch.iinfo(value.dtype).bits - 1)
    drawn = torch.randint(0, 1 << bits, value.shape, generator=generator)
    below = torch.randint(0, 2, value.shape, generator=generator) * (torch.iinfo(value.dtype).min < 0)
    return drawn.where(below == 0, ~drawn).to(value.dtype)


def _far_apart(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Any numbers of their type, its two ends, those about zero and neighbours far out among them, where
    the reference does nothing with those of all tensors, or of one, but compare them with each other; None
    where there is no such tensor."""
    alone = {
        place: _among_themselves(reference, inputs, state, [one])
        for place, one in enumerate(inputs)
        if is_whole(one)
    }
    compared = [place for place, uses in alone.items() if uses.names and uses.names <= _COMPARES]
    apart = {place for place in compared if not alone[place].otherwise}
    pairs = [pair for pair in combinations(compared, 2) if _only_so(reference, inputs, state, pair)]
    taken = apart.union(*pairs) or (compared if _only_so(reference, inputs, state, compared) else ())
    changed = [
        _compared(one, generator) if is_whole(one) and place in taken else one
        for place, one in enumerate(inputs)
    ]
    moved = any(one is not was for one, was in zip(changed, inputs, strict=True))
    return changed if moved and is_answered(reference.tried(changed, state)) else None


def _only_so(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], places: Sequence[int]
) -> bool:
    numbers = [one for place, one in enumerate(inputs) if place in places and is_whole(one)]
    return bool(numbers) and not _among_themselves(reference, inputs, state, numbers).otherwise


def _among_themselves(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    numbers: Sequence[torch.Tensor],
) -> _AmongThemselves:
    uses = _AmongThemselves(numbers)
    with uses:
        reference.tried(inputs, state)
    return uses


def _compared(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    drawn = any_bits(value, generator)
    ends, flat = torch.iinfo(value.dtype), drawn.view(-1)
    flat[::5], flat[2::5] = ends.min, ends.max
    near = torch.tensor([one for one in _NEAR if one >= ends.min])
    flat[1::5] = near[torch.arange(len(flat[1::5])) % len(near)].to(value.dtype)
    flat[3::5] = (ends.max >> _BELOW_THE_END) + torch.randint(
        0, _NEIGHBOURS, flat[3::5].shape, generator=generator
    )
    return drawn


_BELOW_THE_END, _NEIGHBOURS = 2, 4
"""A quarter of the largest number and those right behind it: no float of its size tells them apart."""


_NEAR = (-1, -2, -100, 0, 1, -3)
"""What kernels put in the place of a label that is not there, in turns: a unit or two below zero, or torch's
own; and their neighbours."""


def close_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with whole numbers that are one or none apart, in every other tensor of them at the upper end
    of a byte, or about 2^12, and in those between at the lower end, where floating results are reckoned from
    them: of squares of such numbers, less a squared mean, float32 leaves nothing. None where the reference
    picks out their bits, or does anything but reckon with them."""
    if reckoned_by(reference, inputs, state, RECKONS - PICKS_BITS) is None:
        return None
    numbers = [(place, one) for place, one in enumerate(inputs) if is_whole(one)]
    changed = list(inputs)
    for turn, (place, one) in enumerate(numbers):
        changed[place] = _close(one, turn % 2 == 0, generator)
    wrapped = wraps(reference, changed, state)
    return changed if not wrapped and is_answered(reference.tried(changed, state)) else None


def _close(value: torch.Tensor, high: bool, generator: torch.Generator) -> torch.Tensor:
    ends = torch.iinfo(value.dtype)
    signed = ends.min < 0 and (ends.bits == 8 or bool((value < 0).any()))
    most = min(ends.max, _CLOSE_AT)
    least = max(ends.min, -_CLOSE_AT) if signed else 0
    near = torch.randint(0, 2, value.shape, generator=generator)
    return (most - near if high else least + near).to(value.dtype)


_CLOSE_AT = 1 << 12
"""Whose squares float32 still tells apart, and whose sums of squares it does not."""

_ORDERS = words("lt le gt ge")
_COMPARES = _ORDERS | words("eq ne")


class Reckoned(Uses):
    """Which side of zero they are on tells nothing of what they are for."""

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        zero = len(args) > 1 and isinstance(args[1], int | float) and args[1] == 0
        if not (zero and plain_name(func) in _ORDERS):
            super().saw(func, args, result)


def reckoned_by(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], allowed: frozenset[str]
) -> set[str] | None:
    """The operators that take the whole numbers among `inputs`, all of them `allowed`; None where there are
    no such numbers, where they rise, as where rows begin, where others take them or no result floats."""
    whole = [one for one in inputs if is_whole(one)]
    if not whole or any(map(rises, whole)):
        return None
    with Reckoned(whole, allowed) as uses:
        answer = reference.tried(inputs, state)
    return None if answer is None or uses.otherwise or not floats_out(answer) else uses.names


class _AmongThemselves(Uses):
    """Notes whether anything but a comparison of two of them takes the numbers of a tensor."""

    def __init__(self, numbers: Sequence[torch.Tensor]) -> None:
        super().__init__(numbers, _COMPARES)
        self._with_others = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        super().saw(func, args, result)
        if plain_name(func) in _COMPARES:
            own = [self._is_one(one) for one in args]
            self._with_others |= any(own) and not all(own)
        self.otherwise |= self._with_others


PICKS_BITS = words("""
    bitwise_and bitwise_or bitwise_xor bitwise_not __and_ __or_ __xor_ __rshift_ __lshift_
    bitwise_right_shift bitwise_left_shift
    """)

RECKONS = PICKS_BITS | words("""
    _to_copy add sub rsub mul div neg abs pow square sum mean log log1p log2 sqrt remainder
    mm bmm addmm baddbmm mv dot _int_mm convolution constant_pad_nd roll flip cat
    """)
"""Among what takes whole numbers for numbers, or brings them beside each other."""


def _spread(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    ends = torch.iinfo(value.dtype)
    bits = min(_EXACT_BITS, ends.bits - (ends.min < 0))
    drawn = torch.randint(0, 1 << bits, value.shape, generator=generator)
    drawn = drawn >> torch.randint(0, bits, value.shape, generator=generator)
    if ends.min < 0 and (ends.bits == 8 or bool((value < 0).any())):
        drawn = drawn * (torch.randint(0, 2, value.shape, generator=generator) * 2 - 1)
    if ends.bits == 8:  # of either end products run over first
        end, least = torch.rand(value.shape, generator=generator), int(value.min())
        if least == ends.min + 1:  # as quantised to both sides alike
            least = ends.min
        drawn = drawn.where(end > _AT_END, least).where(end > _AT_END / 4, int(value.max()))
    return drawn.to(value.dtype)


def _hashed(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """What is hashed is as large as an integer of 32 bits: a float64 loses digits of the products."""
    bits = min(30, torch.iinfo(value.dtype).bits - 1)
    return torch.randint(0, 1 << bits, value.shape, generator=generator).to(value.dtype)


def any_bits(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Every number that the type has, as likely as any other."""
    raw = torch.randint(0, 256, (*value.shape, value.itemsize), dtype=torch.uint8, generator=generator)
    return raw.view(value.dtype).view(value.shape)
