"""Factors of matrix products as tiles in a kernel: their values, and the way by which they are brought."""

from __future__ import annotations

from dataclasses import dataclass

from ..builder import Builder
from ..dtypes import TRITON
from ..emit.descriptors import Part, Side, copied
from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.names import LOCALS, RESERVED
from ..emit.taps import join_masks
from ..emit.text import Text
from ..emit.values import Values
from ..expr import Apply, Load
from ..math import HELPERS
from .job import Job


def names_in_use() -> set[str]:
    return {*HELPERS, *RESERVED - {"out"}, *LOCALS}


def tile_values(job: Job, kernel: Kernel, first: Group, second: Group, both: str, taken: set[str]) -> Values:
    """Values over a tile whose rows run along one group and whose columns along the other."""
    indexer = Indexer(kernel, job.loops, [first, second], job.vocabulary, job.tensors.values())
    masks = {
        frozenset({first.variable}): first.mask,
        frozenset({second.variable}): second.mask,
        frozenset({first.variable, second.variable}): both,
    }
    return Values(kernel, job.loops, indexer, None, job.tensors, masks, job.hints, taken=taken)


@dataclass(frozen=True)
class Factors:
    """The factors on one side of products: their values and mask, the sides of a tile and its batch."""

    job: Job
    values: Values
    mask: str
    sides: tuple[Side, Side]
    batch: Group | None
    part: Part | None = None

    def named(self, number: int, turns: list[tuple[str, str]] | None = None) -> str:
        """A factor as a variable: brought by the copy engine where it can be, by pointers where it cannot.

        What turns a tile over is left to the caller in `turns`, (condition, line) each, so that tiles which
        are brought one right after the other wait at one barrier.
        """
        kernel, load, values = self.values.kernel, only_loaded(self.values.builder, number), self.values
        if not self.job.schedule.descriptors or load is None or values.known(number, ()) is not None:
            return factor(values, number, self.mask)
        tensor = self.job.tensors[load.buffer]
        found = copied(kernel, values.indexer, load, tensor, self.sides, self.batch, self.part)
        if found is None:
            return factor(values, number, self.mask)
        descriptor, source = found
        before = len(kernel.lines)
        with values.scope(), kernel.block("else:"):
            name = factor(values, number, self.mask)
        wanted = values.builder.dtype(number)
        widened = f".to({TRITON[wanted]})" if wanted != load.dtype else ""
        if self.part is not None:
            behind = f"{kernel.pointer(tensor)} + {self.part.number}.to(tl.int64) * {self.part.size}"
            at, line = kernel.lines[-1]
            kernel.lines[-1] = (at, line.replace(kernel.pointer(tensor), behind))
        copy = f"{name} = {source}{widened}"
        if turns is not None and source.endswith(".T"):
            copy = f"{name}_tile = {source.removesuffix('.T')}{widened}"
            turns.append((f"if {descriptor} is not None:", f"{name} = {name}_tile.T"))
        kernel.lines[before:before] = [
            (kernel.depth, f"if {descriptor} is not None:"),
            (kernel.depth + 1, copy),
        ]
        values.taken.add(name)
        values.define(number, Text(name))
        return name


def factor(values: Values, number: int, mask: str) -> str:
    """A factor as a variable; lanes beyond the end are 0, whatever was computed from what they loaded."""
    builder, text = values.builder, values.named(number, ())
    if only_loaded(builder, number) is not None:
        return text.source
    inside = {found for n in builder.walk([number]) if (found := values.inside.get(n))}
    if not (masks := join_masks(mask, *sorted(inside))):
        return text.source
    return f"tl.where({masks}, {text.source}, 0.0)"


def only_loaded(builder: Builder, number: int) -> Load | None:
    """The load that a value is, perhaps widened."""
    node = builder.nodes[number]
    if isinstance(node, Apply) and node.function == "cast":
        node = builder.nodes[node.args[0]]
    return node if isinstance(node, Load) else None
