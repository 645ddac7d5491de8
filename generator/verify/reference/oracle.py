"""Runs the reference: in float64 for the truth, in its own dtype for the normal error, in bfloat16."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch.utils.flop_counter import FlopCounterMode

from ....profiling.build import Input
from .budget import FLOORS, UNIT_ROUNDOFF
from .eight_bits import is_eight_bits, widened
from .equals import OfEquals
from .in_float64 import InFloat64, lifted, off_by
from .indices import Choice
from .limits import limits
from .measures import difference
from .model_copy import copied_model
from .on_a_card import AsOnACard, RoundedProducts
from .overlaps import overlapping, shares
from .single_numbers import numbers_in_single, numbers_of, rounded_inputs


@dataclass(frozen=True)
class Ran:
    """Outputs flattened; `tree` is their structure; `state` and `inputs` are as they stood afterwards."""

    outputs: list[torch.Tensor]
    tree: str
    state: dict[str, torch.Tensor]
    inputs: list[Input]
    aliases: frozenset[
        tuple[int, int]
    ]  # (output, input or, counted on, state entry) pairs that share storage
    choices: Mapping[int, Choice] = field(default_factory=dict)  # of outputs that are indices, in the oracle
    terms: int = 1  # of the longest sum, in the oracle
    in_turn: int = 1  # of the longest of those that are added at places, one after another
    steps: int = 0  # operators that round, in the oracle
    multiplies: bool = False  # and adds up products
    compares_nan: bool = False  # on the way, in the oracle
    passes_integers: bool = False  # by a number that is cast, likewise
    operators: frozenset[str] = frozenset()  # of ATen, by their plain names, in the oracle
    drew: bool = False  # random numbers, from torch's generator
    overlaps: tuple[tuple[int, int], ...] = ()  # outputs that have an element in common

    def repeats(self, other: Ran) -> bool:
        """Whether `other`, of another seed, gives the same: to the bit where numbers were drawn, and within
        rounding where none were, for torch adds up in no fixed order on many cores."""
        if self.drew or other.drew:
            return all(map(torch.equal, self.outputs, other.outputs))
        return _alike(self.outputs, other.outputs, FLOORS["tf32"])


class Reference:
    """One model of the op, run with any weights, precision and inputs; nothing outlives a call."""

    def __init__(self, model: nn.Module, mode: str, source: str = "") -> None:
        self.model, self.source = model, source  # of the op file
        self.asked: list[torch.dtype] = []  # what it asks the limits of in its own dtypes, in order
        if mode != "as-is":
            self.model.train(mode == "train")

    def eager(self, inputs: Sequence[Input], state: dict[str, torch.Tensor], seed: int = 0) -> Ran:
        return self._run(lambda tensor: tensor, AsOnACard, inputs, state, seed)

    def with_equals(
        self, inputs: Sequence[Input], state: dict[str, torch.Tensor], last: bool, near: float
    ) -> Ran:
        """`eager`, where torch leaves the order of equals open, with the first, or `last`, of them."""
        return self._run(lambda tensor: tensor, lambda: OfEquals(last, near, inputs), inputs, state, 0)

    def tried(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Ran | None:
        """`eager`, or None where the reference raises, whatever for, at inputs that no op file promises."""
        with contextlib.suppress(Exception):
            return self.eager(inputs, state)
        return None

    def ignores_mode(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
        """Whether training and evaluating give the same, but for rounding, and leave the same state."""
        runs = []
        try:
            for mode in (True, False):
                with in_mode(self.model, mode):
                    ran = self.eager(inputs, state)
                runs.append([*ran.outputs, *ran.state.values()])
        except Exception:  # a reference that runs in one mode only; the cases say so
            return False
        return _alike(runs[0], runs[1], FLOORS["fp32"])

    def oracle(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Ran:
        return self._run(lifted, _float64, inputs, state, 0)

    def tried_exactly(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Ran | None:
        """`oracle`, likewise."""
        with contextlib.suppress(Exception):
            return self.oracle(inputs, state)
        return None

    def shaken(
        self,
        inputs: Sequence[Input],
        state: dict[str, torch.Tensor],
        draw: int | None = 0,
        whole: bool = True,
    ) -> Ran:
        """The oracle on inputs whose elements are each off by +-`UNIT_ROUNDOFF`, whole numbers if `whole`: no
        algorithm is expected to do better than to be right for inputs that near (backward stability). Of a
        row of equal values LayerNorm divides rounding noise by sqrt(eps). Where the reference takes none so
        large, a share beyond one say, none becomes larger. Without a `draw` all are off by one sign: in two
        factors of one large product opposed ones cancel."""
        generator = torch.Generator().manual_seed(draw) if draw is not None else None
        moved = [
            value.double() * off_by(UNIT_ROUNDOFF, value, generator, whole)
            if isinstance(value, torch.Tensor) and value.is_floating_point() and not is_eight_bits(value)
            else value
            for value in inputs
        ]
        try:
            return self._run(lifted, _float64, moved, state, 0)
        except RuntimeError:
            less = [
                one.abs().minimum(was.double().abs()).copysign(one)
                if isinstance(one, torch.Tensor) and isinstance(was, torch.Tensor) and one is not was
                else one
                for one, was in zip(moved, inputs, strict=True)
            ]
            return self._run(lifted, _float64, less, state, 0)

    def stepped(
        self, inputs: Sequence[Input], state: dict[str, torch.Tensor], draw: int = 0, times: float = 1.0
    ) -> Ran:
        """The oracle whose operators are each off by so many `times` +-`STEP_ROUNDOFF` where they round.

        Where a sigmoid is nearly one, no input moves it: a normalisation sees its last bit alone. In every
        other draw equal values are off by one sign: their roundings do not average out.
        """
        generator = torch.Generator().manual_seed(draw)
        return self._run(lifted, lambda: _float64(generator, draw % 2 == 1, times), inputs, state, 0)

    def single(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Ran | None:
        """The oracle whose own numbers are of float32, as a launch passes them; None where all are that."""
        if not numbers_of(self.model) and not any(isinstance(one, float) for one in inputs):
            return None
        with numbers_in_single(self.model):
            return self.oracle(rounded_inputs(inputs), state)

    def products(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> int:
        """Operations of the op's matrix products, convolutions and attention; a multiply-add is two."""
        counter = FlopCounterMode(display=False)
        with counter:
            self.eager(inputs, state)
        return int(counter.get_total_flops())

    def gradient(
        self, inputs: Sequence[Input], state: dict[str, torch.Tensor], asked: int | str, at: int | None = None
    ) -> torch.Tensor | None:
        """Of a weighted sum of all that floats among the outputs, or of the first one's value `at` a place,
        by an input, or a weight or buffer of that name; None where there is none."""
        model = copied_model(self.model)
        model.load_state_dict(state)
        args = [_copied(value, lambda tensor: tensor) for value in inputs]
        held = args[asked] if isinstance(asked, int) else model.state_dict(keep_vars=True)[asked]
        assert isinstance(held, torch.Tensor)
        with torch.random.fork_rng(devices=[]), torch.enable_grad(), contextlib.suppress(Exception):
            torch.manual_seed(0)
            held.requires_grad_()
            if isinstance(asked, str):
                _make_writable(model, asked, held)
            leaves = pytree.tree_leaves(model(*args))
            floating = [one for one in leaves if isinstance(one, torch.Tensor) and one.requires_grad]
            whole = sum((one * torch.rand_like(one)).sum() for one in floating)
            (whole if at is None else leaves[0].reshape(-1)[at]).backward()  # type: ignore[union-attr]
        return held.grad

    def rounded(self, inputs: Sequence[Input], state: dict[str, torch.Tensor], precision: str) -> Ran:
        """What an honest kernel of a lower class gives: operands of products rounded, all else float32."""
        return self._run(lambda tensor: tensor, lambda: RoundedProducts(precision), inputs, state, 0)

    def twin(self, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> Ran:
        """What the op gives when everything that floats is bfloat16."""
        return self._run(
            lambda tensor: tensor.bfloat16() if tensor.is_floating_point() else tensor,
            contextlib.nullcontext,
            inputs,
            state,
            0,
        )

    def _run(
        self,
        cast: Callable[[torch.Tensor], torch.Tensor],
        around: Callable[[], contextlib.AbstractContextManager[InFloat64 | None]],
        inputs: Sequence[Input],
        state: dict[str, torch.Tensor],
        seed: int,
    ) -> Ran:
        model = copied_model(self.model)
        model.load_state_dict(state)
        model = model._apply(cast)  # type: ignore[no-untyped-call]
        args = [_copied(value, cast) for value in inputs]
        with (
            torch.random.fork_rng(devices=[]),
            warnings.catch_warnings(),
            torch.no_grad(),
        ):
            warnings.simplefilter("ignore")  # of what the op file itself calls
            torch.manual_seed(seed)
            before = torch.get_rng_state()
            with around() as lifting, limits(self.asked, cast is lifted):
                result = model(*args)
            drew = not torch.equal(before, torch.get_rng_state())
        return replace(_gathered(result, args, model, lifting), drew=drew)


def _make_writable(model: nn.Module, name: str, leaf: torch.Tensor) -> None:
    """A buffer may be written to in place where what it holds is made of the leaf."""
    owner, _, own = name.rpartition(".")
    buffers = model.get_submodule(owner)._buffers
    if own in buffers:
        buffers[own] = leaf.clone()


def _copied(value: Input, cast: Callable[[torch.Tensor], torch.Tensor]) -> Input:
    """A copy with the same strides, so that a reference that works in place cannot reach the original."""
    if not isinstance(value, torch.Tensor):
        return value
    if 0 in value.stride():
        return cast(value)
    fresh = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
    return cast(fresh.copy_(value))


@contextlib.contextmanager
def _float64(*how: Any) -> Iterator[InFloat64]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    lifting = InFloat64(*how)
    try:
        with lifting:
            yield lifting
    finally:
        torch.set_default_dtype(before)


def _gathered(result: Any, args: list[Input], model: nn.Module, lifting: InFloat64 | None) -> Ran:
    leaves, tree = pytree.tree_flatten(result)
    outputs = [torch.as_tensor(leaf) for leaf in leaves if leaf is not None]
    if lifting is not None:
        outputs = [one.double() if is_eight_bits(one) else one for one in outputs]
    state = model.state_dict()
    owners = [*args, *state.values()]
    aliases = frozenset(
        (out, place)
        for out, output in enumerate(outputs)
        for place, owner in enumerate(owners)
        if isinstance(owner, torch.Tensor) and shares(output, owner)
    )
    placed = {
        out: choice
        for out, output in enumerate(outputs)
        if lifting is not None and (choice := lifting.choices.of(output, args)) is not None
    }
    ran = Ran(outputs, str(tree), state, args, aliases, placed, overlaps=overlapping(outputs))
    return ran if lifting is None else replace(ran, **lifting.seen())


def _alike(some: Sequence[torch.Tensor], others: Sequence[torch.Tensor], tolerance: float) -> bool:
    """Equal, but for `tolerance` of their size in what floats."""
    return all(
        torch.equal(one, other)
        or (
            one.is_floating_point()
            and one.shape == other.shape
            and torch.equal(widened(one).isfinite(), widened(other).isfinite())
            and difference(one, other.double()).worst <= tolerance
        )
        for one, other in zip(some, others, strict=True)
    )


@contextlib.contextmanager
def in_mode(model: nn.Module, training: bool | None) -> Iterator[None]:
    """The model training or evaluating (None: the other way round), and as it was afterwards."""
    before = [(module, module.training) for module in model.modules()]
    model.train(not model.training if training is None else training)
    try:
        yield
    finally:
        for module, flag in before:
            module.training = flag
