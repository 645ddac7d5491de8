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
from ..emit.text import Text, joined, term
from ..emit.values import Values
from ..expr import Apply, Load
from ..extent import product
from ..math import HELPERS
from ..schedule import held_sides
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
            return self._loaded(number)
        tensor = self.job.tensors[load.buffer]
        found = copied(kernel, values.indexer, load, tensor, self.sides, self.batch, self.part)
        if found is None:
            return self._loaded(number)
        descriptor, source = found
        if self._always_brought():
            name = values.fresh(tensor)
            kernel.line(f"{name} = {source}")
            values.define(number, Text(name))
            return name
        before = len(kernel.lines)
        with values.scope(), kernel.block("else:"):
            name = self._loaded(number)
        wanted = values.builder.dtype(number)
        widened = f".to({TRITON[wanted]})" if wanted != load.dtype else ""
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

    def _always_brought(self) -> bool:
        """Whether no tile needs pointers: those of parts, whose runs are aligned, unless empty lanes between
        what a tile holds whole keep its rows or columns from lying side by side."""
        if self.part is None or (tiling := self.job.loops.tiling) is None:
            return False
        held = dict(zip(("BLOCK_M", "BLOCK_N"), (tiling.held_rows, tiling.held_cols), strict=True))
        whole = dict(zip(("BLOCK_M", "BLOCK_N"), held_sides(tiling), strict=True))
        lengths = [side.length for side in self.sides if held.get(side.length)]
        return all(
            product((axis.size for axis in held[n]), self.job.loops.one).literal == whole[n] for n in lengths
        )

    def _loaded(self, number: int) -> str:
        """A factor by pointers; of one that was cut the part at hand, whose runs lie a pitch apart."""
        values, load, part = self.values, only_loaded(self.values.builder, number), self.part
        if part is None or load is None:
            return factor(values, number, self.mask)
        kernel, tensor = values.kernel, self.job.tensors[load.buffer]
        whole = tensor.removesuffix("_parts")
        index = values.indexer.resolved(load.index)
        groups = [*([self.batch] if self.batch else []), *(side.group for side in self.sides)]
        walked = [step for group in groups for step in values.indexer.walks(group, index)]
        along = [place for place, step, _ in walked if step.is_one()]
        runs = [
            f"{part.number}.to(tl.int64) * {kernel.scalar(part.runs, f'{whole}_runs')}",
            *(
                term(p, kernel.scalar(s // part.run, f"{whole}_stride"))
                for p, s, _ in walked
                if not s.is_one()
            ),
        ]
        mask = values.mask_for(values.indexer.along(values.builder.free_axes(number)))
        place = joined([f"({joined(runs)}) * {part.pitch}", *along])
        name = values.fresh(tensor)
        kernel.line(f"{name} = tl.load({kernel.pointer(tensor)} + {place}, mask={mask}, other=0.0)")
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
