"""Adds to a plan the calls that a candidate's own text, or the class it is judged in, asks for."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import torch

from ....profiling.op import Op, OpError
from ..inputs.camps import CAMPS, scores_in
from ..inputs.draw import Draw
from ..inputs.families import (
    APART,
    DEEP,
    ENORMOUS,
    FAR_ABOVE,
    FAR_BELOW,
    KEYS_BELOW,
    KEYS_LOWER,
    LATE_PEAKS,
    LONE_ROWS,
    NEAR_ONE,
    ONE_AHEAD,
    RANKED,
    SIGNS,
    SILENT,
    leading_pair,
    packed,
)
from ..inputs.resized import EXCHANGED
from ..inputs.setting import Case, Setting
from ..process.layout import PITCHED, SHIFTED, SOME_SHIFTED, TRANSPOSED, suits
from ..reference.on_a_card import PRODUCTS
from ..shapes.hints import hints
from ..shapes.sizing import builds_alike, sizes_of
from ..shapes.stretched import NAMED
from ..text.candidate import with_constants
from .cases import plain
from .modes import other_modes
from .repeats import moved
from .settings import EVEN
from .worth_asking import asks

FEW_UNITS = 4
"""A kernel has to be right on any count of them."""


def further(found: list[Setting], planned: list[Case], seed: int, source: str, declared: str) -> list[Case]:
    """In the other module mode, with spikes and peaks at the largest shape, and on more rows, unless it is
    `planned` whatever time there is; `declared` is the precision."""
    cases = other_modes(found, planned, seed, source)
    cases += _promised(found, planned, seed, source)
    cases += with_large_spikes(found, seed, declared) + with_lone_peaks(found, seed, source)
    cases += _on_another_path(found, planned, seed, source)
    cases += _in_another_order(found, planned, source)
    asked = {one.name for one in planned if not one.step.optional}
    cases = [one for one in cases if one.name not in asked]
    return cases if _names_sizes(source, found) else [*cases, *_resized(found, planned, source)]


def _resized(found: list[Setting], cases: list[Case], source: str) -> list[Case]:
    """Calls of the first shape's instance on other numbers of rows, and lengths of other axes of which its
    constructor was told nothing, and one on as many as before: what it remembers of sizes shows. Right after
    it other sides of as many elements, so that what is kept for these holds numbers of usual size. For one
    that keeps anything, blocks of rows enough that what it keeps of them is longer than before."""
    usual = plain(cases, cases[0].setting)
    told = any((one.args, one.kwargs) != (found[0].args, found[0].kwargs) for one in found)
    op = found[0].op
    draw, untold = Draw(torch.Generator()), _untold(op) if told else None
    many = _BLOCKS * max(_BLOCK, hints(source).longest_row) if hints(source).keeps else 0
    more = list(draw.resized(usual, untold, not (told and _is_told_rows(op)), many))
    again = replace(usual.step, again=False, optional=False)
    after = replace(usual, name=f"{usual.name}, after others", step=again)
    sides = [one for one in more if one.name.endswith(EXCHANGED)]
    return [*more[: len(more) - len(sides)], after, *sides] if more else []


_BLOCKS, _BLOCK = 4, 1024
"""Of the longest that a candidate names, or else of so many elements: a few make one row."""


def _untold(op: Op) -> frozenset[int]:
    """Sizes that the constructor is told nothing of, and that are not those of others."""
    sizes = {name: size for name, size in sizes_of(op.constants).items() if name in op.text.free()}
    untold = {name for name, size in sizes.items() if builds_alike(op, {}, {name: 2 * size})}
    return frozenset(sizes[name] for name in untold) - {sizes[name] for name in sizes.keys() - untold}


def _is_told_rows(op: Op) -> bool:
    """Whether what the constructor is told of makes the first input's rows."""
    usual = op.footprint().inputs
    for name, size in sizes_of(op.constants).items():
        with contextlib.suppress(OpError):
            changed = op.with_overrides({name: 2 * size}).footprint().inputs
            if changed[:1] and changed[0][:1] != usual[0][:1] and not builds_alike(op, {}, {name: 2 * size}):
                return True
    return False


def _promised(found: list[Setting], planned: list[Case], seed: int, source: str) -> list[Case]:
    """Rows of odd length once more, for a candidate that promises its compiler anything: how wide a vector is
    made of that shows by a first launch. And whole tiles that begin one element off, for one that asks where
    its inputs lie some of them alone."""
    told = hints(source)
    if not told.promises:
        return []
    pitched = [one for one in planned if one.step.layout == PITCHED]
    draw = Draw(torch.Generator().manual_seed(seed + 7))
    even = [pair for pair in enumerate(found) if pair[1].name in (EVEN, "wide")]
    ways = [SHIFTED, *(SOME_SHIFTED if told.asks_addresses else ())]
    off = [
        draw.case(*where, "normal", layout=way, optional=False)
        for where in even
        for way in ways
        if suits(where[1].shipped, way)
    ]
    return [*(replace(one, name=f"{one.name}, again") for one in pitched), *off]


def _in_another_order(found: list[Setting], planned: list[Case], source: str) -> list[Case]:
    """The largest shape's programs from the last to the first, for a candidate that asks atomics what they
    found: at the first shape there may be one program alone."""
    place, largest = _largest(found)
    return [moved(plain(planned, largest))] if place and hints(source).asks_atomics else []


def with_large_spikes(found: list[Setting], seed: int, declared: str) -> list[Case]:
    """Spikes at the largest shape too, where a class below float32 is judged: within its errors a mean of
    some of many rows is as good as one of all."""
    tensors = [*found[0].shipped, *found[0].state.values()]
    widths = [one.itemsize for one in tensors if isinstance(one, torch.Tensor) and one.is_floating_point()]
    if not widths or (declared == "fp32" and min(widths) > 2):
        return []
    place, setting = _largest(found)
    return [Draw(torch.Generator().manual_seed(seed + 3)).case(place, setting, "spikes")] if place else []


def with_lone_peaks(found: list[Setting], seed: int, source: str) -> list[Case]:
    """Single rows that tower over the rest, where planes are highest, and late places, where rows are
    longest: of all shapes, and of those that a candidate may not refuse for a length that it names."""
    if not any(isinstance(one, torch.Tensor) and one.is_floating_point() for one in found[0].shipped):
        return []
    draw, every = Draw(torch.Generator().manual_seed(seed + 5)), list(enumerate(found))
    served = [pair for pair in every if not hints(source).refuses or pair[1].name not in NAMED]
    pools = [served, every] if len(served) < len(every) else [every]
    cases = [case for pool in pools for case in _peaks(pool, draw)]
    cases += [draw.case(*one, SIGNS) for one in every if asks(SIGNS, one[1])]
    cases += _in_camps(found, draw)
    looped = max(every, key=lambda pair: len(pair[1].op.footprint().calls))
    calls = len(looped[1].op.footprint().calls)
    cases += [draw.case(*looped, one) for one in (NEAR_ONE, FAR_BELOW)] if looped[0] and calls > LOOPS else []
    return list({case.name: case for case in cases}.values())


def _peaks(found: list[tuple[int, Setting]], draw: Draw) -> list[Case]:
    high, long = (max(found, key=lambda pair: _extent(pair[1], axis)) for axis in (-2, -1))
    ranked = [family for family in RANKED if asks(family, long[1])]
    cases = [draw.case(*high, LONE_ROWS)]
    cases += [draw.case(*long, family) for family in (LATE_PEAKS, SILENT, *ranked)]
    pair = leading_pair(high[1].shipped) is not None
    scores = high if pair else long  # of keys, or of a row
    halves = any(one.dtype == torch.float16 for one in high[1].shipped if isinstance(one, torch.Tensor))
    below = [(KEYS_BELOW, high), *([(KEYS_LOWER, high)] if halves else [])]
    below = below if pair or _multiplies_parts(high[1]) else []
    for family, where in ((ONE_AHEAD, scores), (APART, long), *below):
        asked = [draw.case(*where, family, optional=False)] if asks(family, where[1]) else []
        cases += asked + [more for one in asked if (family, where) in below for more in draw.sunk(one)]
    far = [family for family in (FAR_ABOVE, DEEP) if asks(family, high[1])]
    return [*cases, *(draw.case(*high, family, optional=False) for family in far)]


def _in_camps(found: list[Setting], draw: Draw) -> list[Case]:
    """Scores in two camps, at the least shape that has some tiles of them, or as many as there are."""
    lengths = [scores_in(one.shipped) for one in found]
    enough = [place for place, length in enumerate(lengths) if length >= min(_SOME_TILES, max(lengths))]
    place = min(enough, key=lambda one: found[one].op.footprint().total_bytes)
    usual = draw.case(place, found[place], "normal")
    return [case for family in CAMPS for case in draw.altered(usual, family)]


_SOME_TILES = 256
"""Of 128 at most, as those of keys are."""


def _multiplies_parts(setting: Setting) -> bool:
    """Whether queries and keys may be parts of one tensor."""
    return not setting.operators.isdisjoint(PRODUCTS) and packed(setting.shipped) is not None


LOOPS = 32
"""Calls of operators, of which a recurrence of some steps has more: what it carries along neither fades nor
grows where its factors are near one, and where gates are shut."""


def _on_another_path(found: list[Setting], planned: list[Case], seed: int, source: str) -> list[Case]:
    """What is asked of values at the first shape, and strides, at the one of the longest rows too, for a
    candidate that may take another path there: it has a second kernel, or asks for sizes."""
    place, longest = max(enumerate(found), key=lambda pair: _extent(pair[1], -1))
    if not place or not hints(source).paths:
        return []
    draw = Draw(torch.Generator().manual_seed(seed + 6))
    usual = next((one for one in planned if one.setting is longest), None)
    cases = draw.altered(usual, "zeros alone") if usual is not None else []
    asked = [family for family in _ELSEWHERE_TOO if asks(family, longest)]
    cases += [draw.case(place, longest, family) for family in asked]
    for layout in (PITCHED, TRANSPOSED):
        if suits(longest.shipped, layout):
            cases.append(draw.case(place, longest, "normal", layout=layout, optional=True))
    return [replace(one, step=replace(one.step, optional=True)) for one in cases]


_ELSEWHERE_TOO = ("all negative", "near one", ENORMOUS, SIGNS)


def _extent(setting: Setting, axis: int) -> int:
    """The greatest among the floating inputs."""
    floats = (one for one in setting.shipped if isinstance(one, torch.Tensor) and one.is_floating_point())
    return max((one.shape[axis] for one in floats if one.ndim >= -axis), default=0)


def on_few_units(found: list[Setting], place: int, seed: int, source: str) -> list[Case]:
    """A call at the largest shape on a card of few units, for a candidate that asks how many there are: its
    programs then take the second turns that they take at full size. `place` is the number of its shape."""
    if not hints(source).units:
        return []
    _, largest = _largest(found)
    setting = replace(largest, name=f"{largest.name} on {FEW_UNITS} units")
    return [Draw(torch.Generator().manual_seed(seed + 4)).case(place, setting, "normal")]


def _largest(found: list[Setting]) -> tuple[int, Setting]:
    return max(enumerate(found), key=lambda pair: pair[1].op.footprint().total_bytes)


def _names_sizes(source: str, found: list[Setting]) -> bool:
    """Whether a candidate holds constants by which the shapes differ: then an instance is for one alone."""
    return any(with_constants(source, one.op.overrides) != source for one in found)
