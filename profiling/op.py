"""Loads an operator file in KernelBench's convention: `class Model`, `get_inputs()`, `get_init_inputs()`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from .build import Input, build
from .fakes import fakes
from .footprint import NETWORK_CALLS, Footprint, footprint, held_bytes
from .groups import grouped
from .memory import available_bytes, readable
from .shapes import INTERPRETER_BYTES, ShapeSet, search
from .source import Literal, Source, execute, quiet, read_source
from .source import OpError as OpError

TIGHTER_BYTES = (128 << 10, 1 << 20, 2 << 20)
"""Budgets at which a judge would rather run an operator."""

_found: dict[tuple[Source, str, frozenset[str], int], tuple[ShapeSet, ...]] = {}
_measured: dict[tuple[Source, str], Footprint | str] = {}
_sound: dict[tuple[Source, str], bool] = {}
_grouped: dict[tuple[Source, str], tuple[tuple[str, str], ...]] = {}


@dataclass(frozen=True)
class Op:
    """An op file with overrides applied; `constants` are the module-level numbers as they then stand, `kept`
    those that a search for smaller shapes leaves alone."""

    path: Path
    source: str
    constants: Mapping[str, Literal] = field(hash=False)
    overrides: Mapping[str, Literal] = field(hash=False)
    kept: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def text(self) -> Source:
        return Source(self.path, self.source)

    def module(self) -> ModuleType:
        """The file as a freshly executed module."""
        return execute(self.text, self.overrides)

    def with_overrides(self, overrides: Mapping[str, Literal]) -> "Op":
        """The same file with further constants replaced."""
        return replace(_with(self.text, {**self.overrides, **overrides}), kept=self.kept)

    def footprint(self) -> Footprint:
        """Shapes and bytes of one forward call, measured on fake tensors; OpError says what fails."""
        found = self._measured({})
        if isinstance(found, str):
            raise OpError(found)
        return found

    def instantiate(self, seed: int, *, device: str = "cpu") -> tuple[nn.Module, list[Input]]:
        """The seeded model and inputs on `device`; OpError when they would not fit into its free memory."""
        module = self.module()
        with fakes():
            needed = held_bytes(*build(module, self.path, seed))
        free = available_bytes(device)
        if needed > free:
            raise OpError(self._too_large(needed, free, device))
        return build(module, self.path, seed, device)

    def shape_sets(self, budget_bytes: int = INTERPRETER_BYTES) -> tuple[ShapeSet, ...]:
        """Smaller shapes of the same operator: "small", "odd" and, where it differs, "wide"."""
        key = (*self._key({}), self.kept, budget_bytes)
        if key not in _found:
            _found[key] = search(self._free_constants(), self._measure, self.is_sound, budget_bytes)
        return _found[key]

    def planned_sets(self) -> tuple[ShapeSet, ...]:
        """The shapes that a writer should see beside full size: those that fit, and "small" and "odd" of the
        first tighter budget that any fits, where these move constants which the others leave as they are. A
        network gets them always, and one with unequal sides, since sizes that are halved again and again
        agree by chance where few are seen."""
        found = [one for one in self.shape_sets() if one.fits]
        moved = {name for one in found for name in one.overrides}
        tighter = (self.shape_sets(budget) for budget in TIGHTER_BYTES)
        tight = next((sets[:2] for sets in tighter if sets and sets[0].fits), ())
        whole = self._measure({})
        if not found or whole is None:
            return ()
        network = len(whole.calls) >= NETWORK_CALLS
        if network or any(not one.overrides.keys() <= moved for one in tight):
            found += [one for one in tight if one.fits and one.overrides not in [f.overrides for f in found]]
        return (*found, *(self._uneven(found[0].overrides, whole.signature) if network else ()))

    def _uneven(self, small: Mapping[str, Literal], signature: tuple[str, ...]) -> list[ShapeSet]:
        """`small` with one of two constants at full size that are equal here and there: the sides of an
        image. It may be as large as it likes, for it is never run."""
        for name, value in small.items():
            full = self.constants.get(name)
            pairs = [(other, self.constants.get(other)) for other in small if small[other] == value]
            if full != value and isinstance(full, int) and any(n != name and v == full for n, v in pairs):
                overrides = {**small, name: full}
                met = self._measure(overrides)
                if met is not None and met.signature == signature:
                    return [ShapeSet("uneven", overrides, met.total_bytes, False, f"{name} at full size")]
        return []

    def bytes_at(self, overrides: Mapping[str, Literal]) -> int | None:
        """Inputs, parameters and intermediates with these constants too; None where the reference fails."""
        found = self._measure(overrides)
        return None if found is None else found.total_bytes

    def _free_constants(self) -> dict[str, Literal]:
        free = (name for name in self.text.free() if name not in self.kept)
        return {name: self.constants[name] for name in free if name in self.constants}

    def _measure(self, overrides: Mapping[str, Literal]) -> Footprint | None:
        """The footprint at these constants, None where the reference fails."""
        found = self._measured(overrides)
        return None if isinstance(found, str) else found

    def _measured(self, overrides: Mapping[str, Literal]) -> Footprint | str:
        """The footprint, or in words what fails; searches of one op share them."""
        key = self._key(overrides)
        if key not in _measured:
            try:
                _measured[key] = footprint(self.text, {**self.overrides, **overrides})
            except OpError as error:
                _measured[key] = str(error)
        return _measured[key]

    def _key(self, overrides: Mapping[str, Literal]) -> tuple[Source, str]:
        return self.text, repr(sorted({**self.overrides, **overrides}.items()))

    def is_sound(self, overrides: Mapping[str, Literal]) -> bool:
        """The reference runs on real tensors of this size and gives some, no NaN, nor mostly infinity; no
        element is broadcast by chance, and no number divided."""
        key = self._key(overrides)
        if key not in _sound:
            _sound[key] = not self.holds_by_chance(overrides) and self._gives_numbers(overrides)
        return _sound[key]

    def holds_by_chance(self, overrides: Mapping[str, Literal]) -> bool:
        """Whether the reference runs at this size only by chance."""
        usual, found = self._measure({}), self._measure(overrides)
        unlike = found is not None and usual is not None and found.is_unlike(usual)
        return unlike or self._parts_groups(overrides) or self._divides_by_chance(overrides)

    def _parts_groups(self, overrides: Mapping[str, Literal]) -> bool:
        """Whether a group would end inside of what the file never parts."""
        sizes = {name: size for name, size in self._free_constants().items() if type(size) is int}
        if (usual := self._measure({})) is None or len(usual.calls) >= NETWORK_CALLS:
            return False
        key = self._key({})
        if key not in _grouped:
            _grouped[key] = tuple(grouped(sizes, self._measure))
        now = {**sizes, **{name: size for name, size in overrides.items() if type(size) is int}}
        return any(now[size] % max(1, now[groups]) for size, groups in _grouped[key])

    def _divides_by_chance(self, overrides: Mapping[str, Literal]) -> bool:
        """Whether a size here, unlike at full size, may be doubled and not be one more: nine channels of four
        elements make two groups, of five they do not."""
        usual = self._measure({})
        if usual is None or len(usual.calls) >= NETWORK_CALLS:
            return False
        for name, value in {**self._free_constants(), **overrides}.items():
            full = self.constants.get(name)
            if type(value) is int and type(full) is int and value != full:
                more, twice = ({**overrides, name: size} for size in (value + 1, 2 * value))
                if (
                    self._measure(more) is None
                    and self._measure(twice) is not None
                    and self._measure({name: full + 1}) is not None
                ):
                    return True
        return False

    def _gives_numbers(self, overrides: Mapping[str, Literal]) -> bool:
        try:
            model, inputs = self.with_overrides(overrides).instantiate(seed=0)
            with torch.no_grad(), quiet():
                output = model(*inputs)
        except Exception:
            return False
        tensors = [leaf for leaf in tree_leaves(output) if isinstance(leaf, torch.Tensor)]
        if not all(one.numel() for one in tensors):
            return False
        floating = [one for one in tensors if one.is_floating_point() and one.numel()]
        wide = [one for one in floating if one.itemsize > 1]  # 8-bit floats are not asked in torch
        infinite = bool(wide) and all(float(one.isinf().float().mean()) > 0.5 for one in wide)
        return not infinite and not any(bool(one.isnan().any()) for one in floating)

    def _too_large(self, needed: int, free: int, device: str) -> str:
        smaller = next((found for found in self.shape_sets() if found.fits and found.overrides), None)
        cure = "make them smaller in get_inputs()"
        if smaller is not None:
            cure = "try " + " ".join(f"--set {name}={value}" for name, value in smaller.overrides.items())
        return (
            f"the inputs and parameters of {self.path} take {readable(needed)} and {device} has "
            f"{readable(free)} free; {cure}."
        )


def load_op(path: str | Path, overrides: Mapping[str, Literal] | None = None) -> Op:
    """Read, run and check an op file on fake tensors of full size; OpError tells what is wrong with it."""
    op = _with(read_source(Path(path)), overrides or {})
    try:
        op.footprint()
    except OpError as error:
        if not op.overrides:
            raise
        given = " ".join(f"--set {name}={value!r}" for name, value in op.overrides.items())
        raise OpError(f"with {given}: {error}") from error
    return op


def _with(source: Source, overrides: Mapping[str, Literal]) -> Op:
    names = source.assigned()
    unknown = [name for name in overrides if name not in names]
    module = execute(source, overrides if not unknown else {})
    constants = {name: value for name, value in vars(module).items() if name in names and _is_literal(value)}
    if unknown:
        there = ", ".join(f"{name}={value!r}" for name, value in constants.items()) or "none"
        raise OpError(f"{source.path} has no module-level constant {unknown[0]!r} to set; it has: {there}.")
    return Op(source.path, source.text, constants, dict(overrides))


def _is_literal(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_literal, value))
    return value is None or isinstance(value, int | float | str)
