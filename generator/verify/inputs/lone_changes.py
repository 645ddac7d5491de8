"""Rows that are what is expected of them but for one place: what is folded over a row hangs on it alone.

Of random numbers a truth about a whole row is nearly always the same, and a first place nearly always an
early one: whoever leaves out the border of two tiles, or what is beyond some place, is right about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.eight_bits import is_eight_bits
from ..reference.operators import RANKS, plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .domain import distributions, is_positive, operators_of
from .extremes import is_mask
from .families import floats
from .integers import floats_out, is_answered, is_whole
from .links import names_own
from .one_number import Sorts
from .places import puts_at_places, rises

_COMPARES = words("eq ne lt le gt ge")
_TELLS = RANKS | _COMPARES | words("cummax cummin any all count_nonzero isclose")

_LEAST = 4
"""Numbers in a row: a shorter one has no border."""

ALIKE = "alike but once"

FACTORS = (31, 33, 257)
"""By which hashes of rows are usually multiplied, number by number."""


def rising_but_once(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose rows rise, or fall, but for two neighbours that have changed places: one step back where
    a tile begins, and runs as long as rows are. None where the reference neither tells truths or places of
    what it compares nor compares a row with itself, puts something where integers say, or has no number."""
    rows = [_has_rows(one) and not (is_whole(one) and (rises(one) or names_own(one))) for one in inputs]
    if not any(rows) or puts_at_places(reference, inputs, state):
        return None
    if not _tells(reference, inputs, state):
        with _Met(inputs, _COMPARES) as met:
            reference.tried(inputs, state)
        rows = [one and (place, place) in met.pairs for place, one in enumerate(rows)]
    changed = [
        _rising(one, generator) if has and _has_rows(one) else one
        for one, has in zip(inputs, rows, strict=True)
    ]
    return changed if any(rows) and _agrees(reference, changed, state) else None


def turned_once(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose floating rows each has one sign up to some place and the other one from there on, or
    at one place alone; what is positive throughout is one, and two. None where the reference tells no truths
    or places of what it compares, or has no number."""
    shares = distributions([inputs])
    turns = [
        floats(one) and _has_rows(one) and place not in shares and not is_mask(one)
        for place, one in enumerate(inputs)
    ]
    if not any(turns) or not _tells(reference, inputs, state, _COMPARES):
        return None
    changed = [
        _turned(one, generator) if has and floats(one) else one
        for one, has in zip(inputs, turns, strict=True)
    ]
    return changed if _agrees(reference, changed, state) else None


def alike_but_once(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
    factors: Sequence[int] = FACTORS,
) -> list[Input] | None:
    """`inputs` of which one of two that are compared, or subtracted, has the other's rows but for one place:
    a number one more, two neighbours exchanged, or, of integers, one more and one of `factors` less right
    behind, which a hash that multiplies by it takes for the same. Every fourth row is the other's. Floating
    numbers are small whole ones, so that no rounding decides. None where there are no such two, integers name
    classes, or what the reference gives floats."""
    usual = reference.tried(inputs, state) if sum(map(_has_rows, inputs)) > 1 else None
    if usual is None or floats_out(usual):
        return None
    with _Met(inputs, _COMPARES | _SUBTRACTS) as met:
        reference.tried(inputs, state)
    for first, second in sorted(met.pairs):
        pair = inputs[first], inputs[second]
        if first == second or not _pairs(*pair) or any(map(rises, pair)):
            continue
        if any(is_whole(one) and names_classes(reference, inputs, state, one) for one in pair):
            continue
        from_, to = (first, second) if len(_rows(pair[0])) >= len(_rows(pair[1])) else (second, first)
        changed = list(inputs)
        changed[from_] = kept = _whole(inputs[from_])
        changed[to] = _nearly(kept, inputs[to], factors, generator)
        if not puts_at_places(reference, inputs, state) and _agrees(reference, changed, state):
            return changed
    return None


_SUBTRACTS = words("sub rsub isclose bitwise_xor __xor_ logical_xor")


class _Met(Watching):
    """Notes the `pairs` of `inputs`, by their places, that operators of these names take together: views of
    them, or casts, known by all the numbers that stand in their memory."""

    def __init__(self, inputs: Sequence[Input], names: frozenset[str]) -> None:
        super().__init__()
        self.inputs, self.names, self.pairs = inputs, names, set[tuple[int, int]]()

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        tensors = [one for one in args[:2] if isinstance(one, torch.Tensor)]
        if plain_name(func) in self.names and len(tensors) > 1:
            for first in self._places(tensors[0]):
                self.pairs |= {(first, second) for second in self._places(tensors[1])}

    def _places(self, value: torch.Tensor) -> list[int]:
        if is_eight_bits(value) or value.is_complex():
            return []
        held = torch.empty(0, dtype=value.dtype).set_(value.untyped_storage())
        return [
            place
            for place, one in enumerate(self.inputs)
            if _has_rows(one) and one.numel() == held.numel()
            if torch.equal(held.double(), one.reshape(-1).double())
        ]


def _tells(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    names: frozenset[str] = _TELLS,
) -> bool:
    """Whether truths or places come of a comparison."""
    answer = reference.tried(inputs, state)
    whole = answer is not None and any(not one.is_floating_point() for one in answer.outputs)
    return whole and not names.isdisjoint(operators_of(reference, inputs, state))


def _agrees(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    """Whether the reference has an answer, and no rounding decides over what is whole in it."""
    with Sorts() as sorts:
        answer = reference.tried(inputs, state)
    exact = reference.tried_exactly(inputs, state)
    if answer is None or exact is None or not is_answered(answer) or sorts.anyhow:
        return False
    pairs = zip(answer.outputs, exact.outputs, strict=True)
    return all(one.is_floating_point() or torch.equal(one, other) for one, other in pairs)


def _has_rows(value: Input) -> TypeGuard[torch.Tensor]:
    """Of numbers: what is true or not other families make sparse."""
    if not (floats(value) or is_whole(value)) or is_eight_bits(value):
        return False
    return value.ndim > 0 and value.shape[-1] >= _LEAST and not (is_whole(value) and is_mask(value))


def _rows(value: Input) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    return value.reshape(-1, value.shape[-1])


def _places(rows: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """One in each row, never the first: where the last tile of a power of two begins, whatever
    tiles are taken, the last place, and then such of other powers, and any, in turns."""
    count, length = rows.shape
    powers = (length - 1).bit_length()
    places = torch.randint(1, length, (count,), generator=generator)
    places[::2] = 2 ** (powers - 1 - torch.arange(len(places[::2])) % powers)
    places[1::2][:1] = length - 1
    return places[:, None]


def _rising(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """The third and the fourth row fall, and so on."""
    rows = _rows(value).sort(-1).values
    rows[2::4], rows[3::4] = rows[2::4].flip(1), rows[3::4].flip(1)
    return _exchanged(rows, _places(rows, generator)).view(value.shape)


def _exchanged(rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    both = torch.cat((places - 1, places), 1)
    return rows.scatter(1, both, rows.gather(1, both).flip(1))


def _turned(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    rows = _rows(value)
    places, at = _places(rows, generator), torch.arange(rows.shape[1])
    other = at >= places
    other[2::4], other[3::4] = (at == places)[2::4], (at == places)[3::4]
    if is_positive(value):
        return (1 + other.to(value.dtype)).view(value.shape)
    return rows.abs().where(~other, -rows.abs()).view(value.shape)


def _pairs(one: Input, other: Input) -> bool:
    if not _has_rows(one) or not _has_rows(other) or one.dtype != other.dtype:
        return False
    return one.shape[-1] == other.shape[-1]


def _whole(value: Input) -> torch.Tensor:
    """Whole numbers as they are, and floating ones as small whole ones of the same signs."""
    assert isinstance(value, torch.Tensor)
    if is_whole(value):
        return value.contiguous()
    whole = (value.float() * _STEPS).round().clamp(-_MOST, _MOST)
    return (whole.abs() + 1 if is_positive(value) else whole).to(value.dtype).contiguous()


_STEPS, _MOST = 4, 16
"""Whole numbers in a usual deviation, and where they end: sums of their squares are exact."""


def _nearly(
    kept: torch.Tensor, was: Input, factors: Sequence[int], generator: torch.Generator
) -> torch.Tensor:
    assert isinstance(was, torch.Tensor)
    count = len(_rows(was))
    rows = _rows(kept)[torch.arange(count) % len(_rows(kept))]
    places = _places(rows, generator)
    turn = torch.arange(count)[:, None]
    one = torch.ones_like(rows[:, :1])
    more = rows.scatter_add(1, places, one)
    behind = torch.tensor(factors)[(turn // len(_TURNS)) % len(factors)].to(rows.dtype)
    hashed = rows.scatter_add(1, places - 1, one).scatter_add(1, places, -behind)
    exchanged = _exchanged(rows, places)
    same = (exchanged == rows).all(1, keepdim=True)
    kinds = {"more": more, "exchanged": exchanged.where(~same, more), "same": rows}
    kinds["hashed"] = hashed if is_whole(kept) else more
    for number, kind in enumerate(_TURNS):
        rows = kinds[kind].where(turn % len(_TURNS) == number, rows)
    return rows.view(was.shape)


_TURNS = ("more", "exchanged", "hashed", "same")
"""What becomes of rows, one after the other."""
