"""Puts into an op's inputs the numbers that the reference compares with: `>` and `>=` differ there alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.eight_bits import widened
from ..reference.operators import plain_name
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .places import Uses, names_each_once, rises

_ORDERS = frozenset(("gt", "ge", "lt", "le", "clamp", "clamp_min", "clamp_max", "histc"))
_EQUALS = frozenset(("eq", "ne"))

_EDGES, _MOST_EDGES = frozenset(("bucketize", "searchsorted")), 16

_SHARE = 0.25
"""Of the integers of a tensor that become one that is compared with."""


class _Compared(Watching):
    """What stands on the right of comparisons in the block, ends of clamps and of bins included; of floating
    numbers zero and infinity apart, which other families hold."""

    def __init__(self) -> None:
        super().__init__()
        self.floating: list[torch.Tensor] = []
        self.whole: dict[int, bool] = {}  # whether order is asked for, or equality alone
        self.fullest: list[tuple[torch.Tensor, int]] = []  # lengths, and the one that takes an axis whole

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = plain_name(func)
        if name in _DIVIDES and _integers(args[0]):
            self._note_multiples(*args[:2])
        if name not in _ORDERS | _EQUALS | _EDGES or not isinstance(args[0], torch.Tensor):
            return
        if name in _EDGES:
            tensors = [one for one in args[:2] if isinstance(one, torch.Tensor)]
            edges = min(tensors, key=torch.numel)
            self.floating += [edge.float().clone() for edge in edges.reshape(-1)[:_MOST_EDGES] if edge]
            return
        if name in _FULLEST:
            self._note_lengths(name, *args[:2])
        for bound in _bounds(args[1:]):
            if args[0].is_floating_point():
                self.floating += [bound.detach().float().clone()] * _is_met(bound)
            elif bound.numel() == 1 and not bound.is_floating_point() and args[0].dtype != torch.bool:
                self.whole[int(bound)] = self.whole.get(int(bound), False) or name in _ORDERS

    def _note_multiples(self, left: torch.Tensor, right: Any) -> None:
        """The largest multiples of a divisor: a quotient that is not whole may round up just below them."""
        divisor = int(right) if isinstance(right, int) or (_is_whole(right) and right.numel() == 1) else 0
        turns = int(left.max()) // divisor if divisor > 1 else 0
        self.whole.update({turn * divisor: True for turn in range(max(1, turns - _MULTIPLES), turns + 1)})

    def _note_lengths(self, name: str, left: Any, right: Any) -> None:
        for places, lengths, beyond in (
            (left, right, name in ("lt", "ge")),
            (right, left, name in ("gt", "le")),
        ):
            if _integers(places) and _integers(lengths) and _counts_up(places.reshape(-1)):
                self.fullest.append((lengths.detach().clone(), places.numel() - (not beyond)))


def _is_met(bound: torch.Tensor) -> bool:
    return bool(bound.any()) and bool(bound.isfinite().all())


_DIVIDES, _MULTIPLES = frozenset(("floor_divide", "remainder", "fmod", "div")), 4

_FULLEST = frozenset(("gt", "ge", "lt", "le"))


def _counts_up(value: torch.Tensor) -> bool:
    return torch.equal(value, torch.arange(len(value), dtype=value.dtype))


def _bounds(given: Iterable[Any]) -> Iterator[torch.Tensor]:
    for one in given:
        if isinstance(one, torch.Tensor | int | float):
            yield torch.as_tensor(one)


def met_thresholds(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose first rows are what the reference compares with, and whose last rows are its negative;
    None where it compares with nothing that fits into a row."""
    with _Compared() as seen:
        answer = reference.tried(inputs, state)
    changed = [_meeting(one, seen.floating) for one in inputs]
    if answer is None or all(one is was for one, was in zip(changed, inputs, strict=True)):
        return None
    return None if reference.tried(changed, state) is None else changed


def met_results(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of small whole numbers, drawn so that what the reference compares on its way, and has reckoned
    from them, is equal to its bound most often among some draws; None where it never is."""
    if not any(map(_floats, inputs)):
        return None
    with _Equal() as seen:
        reference.tried(inputs, state)
    if not seen.compared:
        return None
    found, most = None, 0
    for draw in range(_DRAWS):
        lowest, highest = _WHOLE[draw % len(_WHOLE)]
        given = [_whole_numbers(one, lowest, highest, generator) if _floats(one) else one for one in inputs]
        with _Equal() as seen:
            answer = reference.tried(given, state)
        if answer is not None and seen.equal > most and all(map(_mostly_finite, answer.outputs)):
            found, most = given, seen.equal
    return found if found is not None and _is_certain(reference, found, state) else None


def _is_certain(reference: Reference, inputs: list[Input], state: dict[str, torch.Tensor]) -> bool:
    """Whether float64 decides as the op's own dtype does: no rounding then brought the bound about."""
    own, right = reference.tried(inputs, state), reference.tried_exactly(inputs, state)
    if own is None or right is None:
        return False
    both = zip(own.outputs, right.outputs, strict=True)
    pairs = ((widened(one).double(), widened(other).double()) for one, other in both)
    return all(torch.allclose(*pair, 1e-4, 1e-4, equal_nan=True) for pair in pairs)


_DRAWS, _WHOLE = 6, ((1, 4), (0, 2), (-2, 2))


class _Equal(Watching):
    """How many floating numbers in the block are compared with one number, zero apart, and equal to it."""

    def __init__(self) -> None:
        super().__init__()
        self.compared, self.equal = False, 0

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if plain_name(func) not in _FULLEST or not _floats(args[0]):
            return
        bound = torch.as_tensor(args[1])
        if bound.numel() == 1 and bool(bound):
            self.compared = True
            self.equal += int((args[0] == bound).sum())


def _floats(value: Any) -> TypeGuard[torch.Tensor]:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel() > 0


def _mostly_finite(value: torch.Tensor) -> bool:
    return not value.is_floating_point() or float(value.isfinite().float().mean()) >= 0.5


def _whole_numbers(value: Input, lowest: int, highest: int, generator: torch.Generator) -> Input:
    assert isinstance(value, torch.Tensor)
    return torch.randint(lowest, highest + 1, value.shape, generator=generator).to(value.dtype)


def met_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers a quarter are what the reference compares some with, and, where it asks
    which is larger, one less and one more; tensor by tensor, as far as it takes them, those apart that rise,
    as beginnings of rows do. None where it takes none."""
    whole = [
        place
        for place, one in enumerate(inputs)
        if _integers(one) and not rises(one) and not names_classes(reference, inputs, state, one)
    ]
    if not whole:
        return None
    with _Compared() as seen:
        reference.tried(inputs, state)
    bounds, beside = list(seen.whole), [
        near for bound, ordered in seen.whole.items() for near in (bound - 1, bound, bound + 1) if ordered
    ]  # fmt: skip
    changed = full_lengths(reference, inputs, state, generator, less=True) or list(inputs)
    for place in whole:
        looked_up = _looked_up(
            reference, inputs, state, inputs[place]
        )  # -1: from the end, by grace of an index
        met, near = ([one for one in some if one >= 0 or not looked_up] for some in (bounds, beside))
        for numbers in ([*met, *near], met, *([one] for one in (*met, *near))):
            moved = _holding(changed[place], numbers, generator) if numbers else changed[place]
            given = [*changed[:place], moved, *changed[place + 1 :]]
            if moved is not changed[place] and reference.tried(given, state) is not None:
                changed = given
                break
    return changed if any(one is not was for one, was in zip(changed, inputs, strict=True)) else None


def full_lengths(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
    less: bool = False,
) -> list[Input] | None:
    """`inputs` with a length, among its lengths, that is as long as the axis, one of a single place, and one
    less by one than the axis, which is no multiple of anything and with `less` comes first; None where there
    are none such, or the reference has no answer."""
    if not any(map(_integers, inputs)):
        return None
    with _Compared() as seen:
        reference.tried(inputs, state)
    full = [_with_fullest(one, seen.fullest, generator, less) for one in inputs]
    moved = any(one is not was for one, was in zip(full, inputs, strict=True))
    return full if moved and reference.tried(full, state) is not None else None


def _looked_up(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], value: Input
) -> bool:
    """Whether an index takes integers as places, none of them negative."""
    if not _integers(value) or int(value.min()) < 0:
        return False
    with Uses([value]) as uses:
        reference.tried(inputs, state)
    return not uses.names.isdisjoint(("index", "index_put"))


def _with_fullest(
    value: Input, seen: Sequence[tuple[torch.Tensor, int]], generator: torch.Generator, less: bool
) -> Input:
    """Lengths among which one is as long as the axis that they tell of, one is a single place, and one is
    less by one than the axis: no multiple of anything."""
    if not _integers(value):
        return value
    for lengths, fullest in seen:
        same = lengths.numel() == value.numel() and torch.equal(lengths.reshape(-1), value.reshape(-1))
        lowest = 1 if rises(value) else 0  # from zero on, beginnings rise
        if same and int(value.min()) >= lowest and int(value.max()) <= fullest:
            numbers = [fullest, 1, max(1, fullest - 1)]
            return _holding(value, numbers[::-1] if less else numbers, generator)
    return value


def _integers(value: Any) -> TypeGuard[torch.Tensor]:
    return (
        isinstance(value, torch.Tensor)
        and value.numel() > 1
        and value.dtype in (torch.int8, torch.int16, torch.int32, torch.int64)
    )


def _is_whole(value: Any) -> TypeGuard[torch.Tensor]:
    return isinstance(value, torch.Tensor) and not (value.is_floating_point() or value.is_complex())


def _holding(value: Input, numbers: Sequence[int], generator: torch.Generator) -> Input:
    assert isinstance(value, torch.Tensor)
    ends = torch.iinfo(value.dtype)
    inside = [one for one in numbers if ends.min <= one <= ends.max]
    if each := names_each_once(value):
        inside = [one for one in dict.fromkeys(inside) if one not in value.tolist()]
    if not inside:
        return value
    share = 0 if each else int(_SHARE * value.numel())
    count = min(value.numel(), max(len(inside), share))
    places = torch.randperm(value.numel(), generator=generator)[:count]
    moved = value.contiguous().clone()
    moved.view(-1)[places] = torch.tensor(
        [inside[turn % len(inside)] for turn in range(count)], dtype=value.dtype
    )
    return moved


def _meeting(value: Input, bounds: Sequence[torch.Tensor]) -> Input:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.ndim == 0:
        return value
    rows = value.numel() // max(1, value.shape[-1])
    fitting = [one for one in bounds if one.numel() in (1, value.shape[-1])]
    if not fitting or rows < 2 * len(fitting):
        return _among(value, fitting)
    moved = value.contiguous().clone()
    flat = moved.view(rows, -1)
    for place, bound in enumerate(fitting):
        flat[place], flat[-1 - place] = bound.reshape(-1), -bound.reshape(-1)
    return moved


def _among(value: torch.Tensor, bounds: Sequence[torch.Tensor]) -> torch.Tensor:
    """Of a tensor with too few rows: every bound that is one number, in places of its own."""
    single = [float(one) for one in bounds if one.numel() == 1]
    if not single or value.numel() < 4 * len(single):
        return value
    moved = value.contiguous().clone()
    for place, bound in enumerate(single):
        moved.view(-1)[place :: 4 * len(single)] = bound
        moved.view(-1)[place + len(single) :: 4 * len(single)] = -bound
    return moved
