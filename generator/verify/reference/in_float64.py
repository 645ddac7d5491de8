"""Computes in float64 whatever an op computes, and remembers what it did on the way."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from .budget import STEP_ROUNDOFF
from .eight_bits import EIGHT_BITS, scaled_product
from .growth import CHAIN
from .indices import Choices
from .nested_sums import NestedSums
from .on_a_card import added, added_at_places, rounds, terms
from .operators import extremes, near_one, plain_name, told_name

_SINGLE = (torch.float16, torch.bfloat16, torch.float32)


class InFloat64(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Lifts floating tensors and requested floating dtypes to float64, casts inside the op included.

    `choices` remembers the arg-reductions on the way, `terms` the longest sum, `in_turn` that of what is
    added at places, `multiplies` whether there is one of products, `steps` how many operators round,
    `operators` the names of all, `passes_integers` whether a number is cast that its integer does not hold.
    With a `shaking` generator, what these give is off by so many `times`
    +-`STEP_ROUNDOFF`, equal values by one sign if `equals_alike`, as one kernel would round them; and those
    whose common form is a difference of numbers near one by as much of one.
    """

    def __init__(
        self, shaking: torch.Generator | None = None, equals_alike: bool = False, times: float = 1.0
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.choices, self.terms, self.in_turn, self.steps = Choices(), 1, 1, 0
        self.shaking, self.roundoff = shaking, times * STEP_ROUNDOFF
        self.signs = _signs_of_values if equals_alike else _signs
        self.multiplies, self.operators, self.compares_nan = False, set[str](), False
        self.passes_integers = False
        self.sides_with_infinity, self.sums = False, NestedSums()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and True would import torch._dynamo

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        args, kwargs = _each(lifted, args), _each(lifted, kwargs or {})
        result = _WIDE.get(func, func)(*args, **kwargs)
        self.choices.note(func, args, kwargs, result)
        self.operators.add(told_name(func, args))
        if extremes(plain_name(func)) or plain_name(func) in _ORDERS:
            self.compares_nan = self.compares_nan or any(map(_holds_nan, pytree.tree_leaves(args)))
        if plain_name(func) in _SIDES:
            self.sides_with_infinity = self.sides_with_infinity or any(map(_holds_infinity, args))
        elif plain_name(func) in _CHOOSES and self.sides_with_infinity:
            self.compares_nan = self.compares_nan or any(map(_holds_nan, args))
        if plain_name(func) in _CASTS:
            self.passes_integers = self.passes_integers or _passes(args, result)
        products, sums = terms(func, args), added(func, args)
        self.in_turn = max(self.in_turn, added_at_places(func, args))
        self.terms = max(self.terms, products, sums * self.sums.within(func, args, result), self.in_turn)
        self.multiplies = self.multiplies or products > 1
        if rounds(func):
            self.steps += 1
            if self.shaking is not None:
                farther = sqrt(max(1.0, sums / _SHORT_SUM))
                result = _each(lambda one: self._off(one, farther), result)
                self._off_by_mean(func, args, result)
        if self.shaking is not None and (size := near_one(func, args)) is not None:
            result = _each(lambda one: one.add_(size * (self._factors(one) - 1)), result)
        return _each(lifted, result)

    def seen(self) -> dict[str, Any]:
        """What there is to say of a run by now, choices apart."""
        names = ("terms", "in_turn", "steps", "multiplies", "compares_nan", "passes_integers")
        return {name: getattr(self, name) for name in names} | {"operators": frozenset(self.operators)}

    def _off(self, value: Any, farther: float) -> Any:
        """In place, as the operator itself may have worked."""
        floats = isinstance(value, torch.Tensor) and value.is_floating_point()
        floats = floats and value.dtype not in EIGHT_BITS
        return value.mul_(self._factors(value, farther)) if floats else value

    def _factors(self, value: torch.Tensor, farther: float = 1.0) -> torch.Tensor:
        return 1 + farther * self.roundoff * self.signs(value, self.shaking)

    def _off_by_mean(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        """In place, what a normalisation gives with each of its means off by one sign: no average over what a
        mean was taken from makes that less. So it is with the logarithm of a sum that is taken from a row."""
        if plain_name(func) == "_log_softmax":
            logarithm = args[0].logsumexp(args[1], keepdim=True).nan_to_num(0, 0, 0)
            result += logarithm * (self._factors(logarithm) - 1)
            return
        place = NORMALISATIONS.get(plain_name(func))
        if place is None or not result[1].numel():  # by running statistics
            return
        values, off, weight = result[0], result[1] * result[2], args[place]
        off *= self._factors(off) - 1
        if plain_name(func) != "native_layer_norm":  # of channels, or of groups of them
            groups, ones = off.shape[-1], (1,) * (values.ndim - 2)
            off = off.reshape(-1, groups).repeat_interleave(values.shape[1] // groups, 1)
            off, weight = (one if one is None else one.unflatten(-1, (-1, *ones)) for one in (off, weight))
        values += off if weight is None else off * weight


def _each(change: Callable[[Any], Any], value: Any) -> Any:
    """What `change` makes of all that arguments or results hold, in tuples, lists and dictionaries; what else
    holds something goes through torch's own trees, which know more and take their time."""
    kind = value.__class__
    if kind is tuple or kind is list:
        return kind([_each(change, one) for one in value])
    if kind is dict:
        return {name: _each(change, one) for name, one in value.items()}
    return pytree.tree_map(change, value) if isinstance(value, tuple | list) else change(value)


_SHORT_SUM = CHAIN / 16
"""Products whose sum is off by no more than any other operator's result; of longer ones `SENSITIVITY` makes
the floor that they have where nothing is made of them. Of rows that are zero but for a few numbers, less
their mean, hundreds of equal squares are added to one that is large: each addition rounds the same way."""

_ORDERS = frozenset({"lt", "le", "gt", "ge", "topk", "sort", "msort", "kthvalue", "median"})
"""Of numbers. What ranks NaN that was computed drops it, or puts it anywhere."""

_SIDES, _CHOOSES = frozenset({"lt", "le", "gt", "ge", "eq", "ne"}), frozenset({"where", "masked_fill"})
"""What is left out by a comparison of infinity is left out as NaN, or as zero times that."""

_CASTS = frozenset({"_to_copy", "copy"})

NORMALISATIONS = {
    "native_batch_norm": 1, "_native_batch_norm_legit": 1, "native_group_norm": 1, "native_layer_norm": 2
}  # fmt: skip
"""Which give a mean and one over a deviation beside their values, by where the weight stands."""


def _holds_nan(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and bool(value.isnan().any())


def _holds_infinity(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and bool(value.isinf().any())


def _passes(args: tuple[Any, ...], result: Any) -> bool:
    """Whether a number, or what is none, is cast that the integers of the result do not hold."""
    floating = [one for one in args if isinstance(one, torch.Tensor) and one.is_floating_point()]
    if result.is_floating_point() or result.is_complex() or result.dtype == torch.bool or not floating:
        return False
    value, held = floating[-1].double(), torch.iinfo(result.dtype)
    return not bool(((value > held.min - 1.0) & (value < held.max + 1.0)).all())


_WIDE = {
    torch.ops.aten._int_mm.default: lambda left, right: left.int() @ right.int(),
    torch.ops.aten._scaled_mm.default: scaled_product,
}
"""What torch does not have in float64; of expanded bytes its product is wrong on a CPU (2.13)."""


def off_by(
    roundoff: float, value: torch.Tensor, generator: torch.Generator | None, whole: bool = True
) -> torch.Tensor:
    """Factors 1 +- `roundoff`, as often the one as the other, or 1 + `roundoff` without a generator; 1 for
    whole numbers unless they, too, move."""
    signs = _signs(value, generator) if generator is not None else torch.ones(())
    factors = (1 + roundoff * signs.double()).expand(value.shape)
    return factors if whole else factors.where(value != value.round(), 1.0)


def _signs(value: torch.Tensor, generator: torch.Generator | None) -> torch.Tensor:
    drawn = torch.randint(0, 2, value.shape, dtype=torch.int8, generator=generator)
    return drawn.double().mul_(2).sub_(1)


def _signs_of_values(value: torch.Tensor, generator: torch.Generator | None) -> torch.Tensor:
    """One sign for each value, whatever bits it ends in: float64 adds up in no fixed order."""
    key = torch.randint(1 << 62, (), generator=generator) * 2 + 1
    mixed = value.float().view(torch.int32).long() * key
    return 1 - 2 * (mixed < 0).double()


def lifted(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.dtype in _SINGLE:
        return value.double()
    if isinstance(value, torch.dtype) and value in _SINGLE:
        return torch.float64
    return value
