"""The Python function around a region's kernels: sizes from shapes, outputs, grids, launches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch import fx

from ..dtypes import TORCH
from ..extent import Derived, Dividing, Extent, Total, express, product, ungrouped
from ..loops import Loops
from ..lowering.region import Store
from ..schedule import Schedule
from ..space import CannotFuseError
from ..traces import Traces
from .kernel import Kernel
from .launch import filled, launch
from .layout import comment, docstring, laid_out
from .limits import equal_sizes, limits, squares


@dataclass(frozen=True)
class Wrapper:
    """`source` defines `name(*arguments)`; `numbers` are integers of the model that follow the tensors."""

    name: str
    source: str
    arguments: tuple[fx.Node, ...]
    numbers: tuple[str, ...]
    results: tuple[fx.Node, ...]


@dataclass
class WrapperWriter:
    """Everything known while one wrapper is written."""

    name: str
    traces: Traces
    loops: Loops
    schedule: Schedule
    tensors: Mapping[str, str]
    attributes: Mapping[str, Extent]
    kernels: list[Kernel]
    workspaces: list[tuple[str, str]]
    outputs: tuple[Store, ...]

    def __post_init__(self) -> None:
        self.region = self.loops.region
        self.inputs = [(self.tensors[name], node) for name, node in self.region.buffers]
        for store in self.region.stores:
            if store.into and store.into not in dict(self.region.buffers):
                self.inputs.append((self.tensors[f"store:{store.name}"], store.node))
        self.numbers: dict[str, str] = {}
        self.known = self._shapes()
        for derived in self.region.derived:
            text = self._derived_size(derived)
            if text is not None and derived.size not in self.known.values():
                self.known[f"({text})"] = derived.size

    def _shapes(self) -> dict[str, Extent]:
        """Sizes that shapes give, those of the largest tensors first."""
        by_size = sorted(self.inputs, key=lambda i: -product(self.traces.shape(i[1]), self.traces.one).full)
        return {
            f"{name}.shape[{d}]": size
            for name, node in by_size
            for d, size in enumerate(self.traces.shape(node))
        }

    def _derived_size(self, derived: Derived | Dividing | Total) -> str | None:
        given = derived.parts if isinstance(derived, Total) else (derived.of,)
        texts = [text for size in given if (text := express(size, self.known)) is not None]
        if len(texts) < len(given):
            return None
        return " + ".join(texts) if isinstance(derived, Total) else derived.text(texts[0])

    def write(self) -> Wrapper:
        sizes = self._sizes()
        outputs, launches = self._outputs(), self._launches(sizes)
        body = [
            *self._guards(),
            *self._alike(),
            *self._size_lines(sizes),
            *self._size_lines(self._made()),
            *limits(self.name, self.loops, self.schedule, self.inputs),
            *outputs,
            *launches,
            self._return(),
        ]
        names = [name for name, _ in self.inputs] + list(self.numbers.values())
        lines = [
            *laid_out(f"def {self.name}({', '.join(names)}):", 0),
            *docstring(self._doc(), "Planned for these shapes"),
            *(out for b in body for out in _at_depth(b)),
        ]
        return Wrapper(
            self.name, "\n".join(lines), tuple(node for _, node in self.inputs), tuple(self.numbers),
            tuple(s.node for s in self.outputs),
        )  # fmt: skip

    def _doc(self) -> str:
        """The tensors in and out with the shapes that the schedule was made for."""
        read = [f"{name} {self._shape(node)}" for name, node in self.inputs]
        written = [self._shape(s.node) for s in self.outputs]
        return " -> ".join(", ".join(side) for side in (read, written) if side) + "."

    def _shape(self, node: fx.Node) -> str:
        shape = tuple(e.full for e in self.traces.shape(node))
        return f"{shape} {TORCH[self.traces.dtype(node)].removeprefix('torch.')}"

    def express(self, extent: Extent, extra: Mapping[str, Extent] | None = None) -> str:
        """Source for a size; integers of the model are the last resort and become arguments."""
        text = express(extent, {**(extra or {}), **self.known})
        if text is not None:
            return ungrouped(text)
        text = express(extent, {**(extra or {}), **self.known, **self.attributes}, most_factors=2)
        if text is None:
            raise CannotFuseError(
                f"a size of {extent.full} follows neither from a shape nor from an integer of the model"
            )
        for path in sorted(self.attributes, key=len, reverse=True):
            if path in text:
                text = text.replace(path, self._number(path))
        return text

    def _number(self, path: str) -> str:
        return self.numbers.setdefault(path, path.rsplit(".", 1)[-1])

    def _sizes(self) -> dict[str, str]:
        """Every size the kernels and grids name, in the order they are derived from one another."""
        wanted: dict[str, Extent] = {}
        for kernel in self.kernels:
            wanted |= kernel.sizes
        grids = " ".join(k.grid for k in self.kernels)
        if "{n_rows}" in grids or "n_rows" in " ".join(w for _, w in self.workspaces):
            wanted.setdefault("n_rows", self.loops.rows)
        if "{n_batch}" in grids:
            tiling = self.loops.tiling
            batch = tiling.batch if tiling is not None else self.loops.kept[:-1]
            wanted["n_batch"] = product((a.size for a in batch), self.traces.one)
        known: dict[str, Extent] = {}
        found: dict[str, str] = {}
        wanted = {
            name: extent for name, extent in wanted.items() if not (name == "n_rows" and extent.is_one())
        }
        for name in sorted(wanted, key=lambda n: (n != "n_cols", n)):
            found[name] = self._whole(wanted[name], known) or self._derived(name, wanted[name], known)
            known[name] = wanted[name]
        return found

    def _derived(self, name: str, extent: Extent, known: Mapping[str, Extent]) -> str:
        """A size as one expression, or as the product of the axes it counts."""
        try:
            return self.express(extent, known)
        except CannotFuseError:
            axes = self._counted(name)
            if len(axes) < 2:
                raise
            factors = [self.express(a, known) for a in axes]
            return " * ".join(f"({f})" if " " in f else f for f in factors)

    def _counted(self, name: str) -> list[Extent]:
        """Sizes of the axes that a size of this name counts."""
        kept, reduced, tiling = self.loops.kept, self.loops.reduced, self.loops.tiling
        if tiling is not None:
            chosen = {
                "n_rows": tiling.kept_rows,
                "n_cols": tiling.kept_cols,
                "n_held_rows": tiling.held_rows,
                "n_held_cols": tiling.held_cols,
                "n_k": tiling.depth,
                "n_keys": tiling.depth,
                "n_inner": tiling.inner,
                "n_batch": tiling.batch,
            }
        elif self.schedule.layout == "columns":
            chosen = {"n_rows": reduced, "n_batch": kept[:-1]}
        elif self.schedule.layout == "window":
            chosen = {"n_elements": kept, "n_batch": kept[:-1], "n_cols": kept[-1:]}
        else:
            chosen = {"n_elements": kept, "n_rows": kept, "n_cols": reduced}
        sizes = self.loops.region.builder.space.sizes
        return [sizes[leaf] for axis in chosen.get(name, ()) for leaf in axis.leaves]

    def _whole(self, extent: Extent, known: Mapping[str, Extent]) -> str | None:
        """`x.numel()` or `x.numel() // n_cols`, where that is what a reader expects."""
        for name, node in self.inputs:
            shape = self.traces.shape(node)
            total = product(shape, self.traces.one)
            if (
                len(shape) > 1
                and extent.divides(total)
                and (ratio := (total // extent).literal) is not None
                and ratio < 5
            ):
                return f"{name}.numel()" + (f" // {ratio}" if ratio > 1 else "")
            columns = known.get("n_cols")
            if (
                len(shape) > 2
                and columns is not None
                and self.schedule.layout == "rows"
                and columns * extent == total
            ):
                return f"{name}.numel() // n_cols"
        return None

    def _guards(self) -> list[str]:
        """The kernels index packed memory; a packed tensor passes through untouched."""
        inputs = [name for name, node in self.inputs if len(self.traces.shape(node)) > 0]
        written = {self.tensors[f"store:{s.name}"] for s in self.region.stores if s.into}
        packed = [name for name in inputs if name not in written]
        return [f"{name} = {name}.contiguous()" for name in packed]

    def _alike(self) -> list[str]:
        """Sizes of products, and sides that windows slide over, are equal where they always were."""
        if self.schedule.layout in ("tiles", "convolution", "attention"):
            return equal_sizes(self.name, self.inputs, self.traces.shape)
        return squares(self.name, self.loops, self.inputs, self.traces.shape)

    def _size_lines(self, sizes: Mapping[str, str]) -> list[str]:
        return [f"{name} = {text}" for name, text in sizes.items()]

    def _made(self) -> dict[str, str]:
        """Numbers that kernels have worked out from sizes."""
        pairs = ((kernel, *item) for kernel in self.kernels for item in kernel.made.items())
        return {name: filled(text, kernel, self.express) for kernel, name, text in pairs}

    def _outputs(self) -> list[str]:
        lines = []
        for store in self.outputs:
            name = self.tensors[f"store:{store.name}"]
            lines.append(f"{name} = {self._allocation(store.node, store.dtype)}")
        for name, dtype in self.workspaces:
            made = f"{self._parts_shape(name)}, dtype={TORCH[dtype]}, device={self._device()}"
            lines.append(f"{name} = torch.empty({made})")
        return lines

    def _allocation(self, node: fx.Node, dtype: str) -> str:
        shape = self.traces.shape(node)
        for name, other in self.inputs:
            if self.traces.shape(other) == shape and shape:
                same = self.traces.dtype(other) == dtype
                return (
                    f"torch.empty_like({name})" if same else f"torch.empty_like({name}, dtype={TORCH[dtype]})"
                )
        dims = [self.express(size) for size in shape]
        text = f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"
        return f"torch.empty({text}, dtype={self._dtype(dtype)}, device={self._device()})"

    def _dtype(self, dtype: str) -> str:
        for name, node in self.inputs:
            if self.traces.dtype(node) == dtype:
                return f"{name}.dtype"
        return f"{TORCH[dtype]}"

    def _device(self) -> str:
        return f"{self.inputs[0][0]}.device"

    def _parts_shape(self, name: str) -> str:
        for kernel in self.kernels:
            if name in kernel.shapes:
                return filled(kernel.shapes[name], kernel, self.express)
        parts = str(self.schedule.splits)
        if self.schedule.layout == "columns":
            return f"(n_batch * {parts} * n_cols,)"
        return f"({parts},)" if self.loops.rows.is_one() else f"(n_rows * {parts},)"

    def _launches(self, sizes: Mapping[str, str]) -> list[str]:
        lines = [line for c in self.schedule.choices for line in comment(f"{c.name} = {c.value}: {c.why}")]
        for kernel in self.kernels:
            lines += launch(kernel, self.schedule, sizes, self.express, staged=self.loops.tiling is not None)
        return lines

    def _return(self) -> str:
        return (
            "return " + ", ".join(self.tensors[f"store:{s.name}"] for s in self.outputs)
            if self.outputs
            else "return None"
        )


def _at_depth(line: str) -> list[str]:
    """A line of the body, four spaces before it for every block it stands in."""
    bare = line.lstrip()
    return laid_out(bare, 1 + (len(line) - len(bare)) // 4)
