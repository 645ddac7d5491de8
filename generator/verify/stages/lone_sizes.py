"""Judges a candidate at sizes that lines which no other call reached may wait for: axes of one element, and
the numbers that its wrapper's conditions name, which numbers beside tensors are, too.

`if columns == 1: ...` is as honest as it is rare; what it does there is seen by going there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import torch

from ....profiling.op import Op
from ....profiling.sandbox import Limits
from ....profiling.shapes import ShapeSet
from ....profiling.source import Literal
from ..inputs.draw import Draw
from ..inputs.setting import Case, setting_at
from ..shapes.sizing import free_sizes, sizes_of
from ..shapes.whole_tiles import bytes_of
from ..text.coverage import wrapper_functions
from .at_sizes import at_sizes
from .full_axes import AtFullAxes, called_apart
from .record import Record

_MOST_BYTES = 4 << 20
"""Inputs, outputs and temporaries at one set of sizes."""

_MOST = 32
"""Sets of sizes: as many as are asked for in the CPU time that calls of this kind have."""

_LONGEST = 4096
"""Numbers beyond it are no sizes that an interpreter has time for."""

_CLOCK = "lone sizes"


def at_lone_sizes(
    record: Record, small: Mapping[str, Literal], precision: str, scratch: Path, limits: Limits
) -> AtFullAxes | None:
    """Calls with one constant of the op at a time changed from `small`; None where there are none, or they
    come to no end: nothing is known of those lines then."""
    cases = []
    for place, (name, size) in enumerate(_changes(record.op, small, record.source)):
        told = f"{name} of {size}"
        cases += at_sizes(
            record.op, told, {**small, name: size}, record.mode, record.seed + 7000, place=place
        )
    cases += _at_numbers(record, small)
    asked = [replace(one, step=replace(one.step, optional=True)) for one in cases]
    called = called_apart(record, asked, precision, {}, scratch, limits, _CLOCK) if asked else ""
    return None if isinstance(called, str) else called


def _at_numbers(record: Record, small: Mapping[str, Literal]) -> list[Case]:
    """Calls whose numbers beside tensors are those, and on either side of them."""
    functions = wrapper_functions(ast.parse(record.source))
    named = {sign * one for function in functions for one in _in_conditions(function) for sign in (1, -1)}
    setting = setting_at(record.op, ShapeSet("numbers", dict(small), 0, True, ""), record.mode, record.seed)
    draw = Draw(torch.Generator().manual_seed(record.seed + 1))
    numbers = [*sorted(named), *sorted({one + more for one in named for more in (-1, 1)} - named)]
    return draw.at_numbers(0, setting, numbers)[:_MOST]


def _changes(op: Op, small: Mapping[str, Literal], source: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    sizes = sizes_of({**op.constants, **small})
    for size in (1, *sorted(_named(source))):
        for name in free_sizes(op):
            overrides = {**small, name: size}
            if sizes.get(name, size) == size or len(found) == _MOST:
                continue
            taken = bytes_of(op, overrides)
            if taken is not None and taken <= _MOST_BYTES and op.is_sound(overrides):
                found.append((name, size))
    return found


def _named(source: str) -> set[int]:
    """The whole numbers of a wrapper's conditions, and those beside them."""
    return {
        size + more
        for function in wrapper_functions(ast.parse(source))
        for size in _in_conditions(function)
        for more in (-1, 0, 1)
        if isinstance(size, int) and 1 < size + more <= _LONGEST
    }


def _in_conditions(function: ast.FunctionDef) -> Iterator[float]:
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            for one in ast.walk(node.test):
                value = one.value if isinstance(one, ast.Constant) else None
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield value
