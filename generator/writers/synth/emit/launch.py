"""The launch of a kernel in its wrapper: descriptors first, then the grid and the arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from ..extent import Extent
from ..schedule import Schedule
from .kernel import Described, Kernel
from .layout import packed

LONGEST_LAUNCH = 106


class Express(Protocol):
    """Source for a size, in words of the wrapper or of what else is known."""

    def __call__(self, extent: Extent, extra: Mapping[str, Extent] | None = None) -> str: ...


def launch(
    kernel: Kernel, schedule: Schedule, sizes: Mapping[str, str], express: Express, *, staged: bool
) -> list[str]:
    """Lines of the wrapper; `sizes` are its variables; `staged` kernels say how many steps are under way."""
    length = "n_rows" if schedule.layout == "columns" else "n_cols"

    def constant(value: str | Extent) -> str:
        if isinstance(value, Extent):
            return express(value)
        return f"triton.next_power_of_2({length})" if value == "next_power_of_2" else value

    constants = {name: constant(value) for name, value in kernel.constants.items()}
    values = {name: constant(value) for name, value in kernel.grid_values.items()}
    grid = re.sub(r"\{(\w+)\}", lambda found: _grid_name(found[1], values, sizes), kernel.grid)
    grid = grid.replace("(1 * ", "(")
    known = {name: size for name, size in kernel.sizes.items() if name in sizes}
    lines = [
        f"{name} = {filled(d, kernel, express) if isinstance(d, str) else _made(d, known, values, express)}"
        for name, d in kernel.descriptors.items()
    ]
    arguments = [*kernel.pointers.values(), *kernel.descriptors, *kernel.sizes]
    arguments += [f"{name}={value}" for name, value in constants.items()]
    arguments.append(f"num_warps={schedule.num_warps}")
    if staged:
        arguments.append(f"num_stages={schedule.num_stages}")
    call = f"{kernel.name}[{grid}]({', '.join(arguments)})"
    if len(call) <= LONGEST_LAUNCH:
        return [*lines, call]
    return [*lines, f"{kernel.name}[{grid}](", *(f"    {row}," for row in packed(arguments, 96)), ")"]


def filled(text: str, kernel: Kernel, express: Express) -> str:
    """Source in which constants of a kernel stand in braces, with their values."""
    values = {n: express(v) if isinstance(v, Extent) else v for n, v in kernel.grid_values.items()}
    return re.sub(r"\b1 \* ", "", re.sub(r"\{(\w+)\}", lambda found: values[found[1]], text))


def _grid_name(name: str, constants: Mapping[str, str], sizes: Mapping[str, str]) -> str:
    if name in constants:
        return constants[name]
    return sizes[name] if sizes.get(name) == "1" else name if name in sizes else "1"


def _made(
    described: Described, known: Mapping[str, Extent], constants: Mapping[str, str], express: Express
) -> str:
    """The call that makes a descriptor."""
    sides = f"({', '.join(express(size, known) for size in described.sides)})"
    strides = f"({', '.join(_stride(step, described, known, express) for step in described.strides)})"
    tile = f"({', '.join(constants.get(side, side) for side in described.tile)})"
    offset = "" if described.offset.is_zero() else f", {express(described.offset, known)}"
    maker = "tiles_of" if described.pitch is None else "TensorDescriptor"
    made = f"{maker}({described.tensor}, {sides}, {strides}, {tile}{offset})"
    return f"{made} if {described.when} else None" if described.when else made


def _stride(step: Extent, described: Described, known: Mapping[str, Extent], express: Express) -> str:
    """Elements between neighbours in one direction."""
    if described.pitch is None or step.is_one():
        return express(step, known)
    run, pitch = described.pitch
    runs = step // run
    return pitch if runs.is_one() else f"{express(runs, known)} * {pitch}"
