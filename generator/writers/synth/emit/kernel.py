"""One Triton kernel as it is being written: parameters in the order of use, body lines, and its launch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..extent import Extent, express
from .layout import WIDTH, docstring, laid_out, packed

_WORD = re.compile(r"[A-Za-z_]\w*")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*) = ")


@dataclass(frozen=True)
class Described:
    """A tensor of the wrapper of which whole tiles are copied: the sides and strides, in elements from
    `offset` on, of what is cut, outermost first; a side of the tile is a constant of the kernel or "1". Where
    the wrapper finds that `when` does not hold, there is none. With a `pitch` runs of so many elements begin
    as far apart as the wrapper's variable of that name says."""

    tensor: str
    sides: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    offset: Extent
    tile: tuple[str, ...]
    when: str = ""
    pitch: tuple[Extent, str] | None = None


@dataclass
class Kernel:
    """Parameters are pointers first, then descriptors, sizes and constants (`tl.constexpr`).

    `made` are numbers that the wrapper works out from sizes, name and source; `shapes` those of tensors
    between kernels. Constants stand in braces there, as in the grid and in descriptors given as source.
    """

    name: str
    doc: str
    note: str = ""
    pointers: dict[str, str] = field(default_factory=dict)
    descriptors: dict[str, Described | str] = field(default_factory=dict)
    sizes: dict[str, Extent] = field(default_factory=dict)
    constants: dict[str, str | Extent] = field(default_factory=dict)
    lines: list[tuple[int, str]] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)
    grid: str = ""
    options: dict[str, str] = field(default_factory=dict)
    grid_values: dict[str, str | Extent] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, str] = field(default_factory=dict)
    depth: int = 1

    def pointer(self, tensor: str, prefix: str = "") -> str:
        """The pointer parameter of a tensor of the wrapper."""
        name = f"{prefix}{tensor}_ptr"
        self.pointers.setdefault(name, tensor)
        return name

    def size(self, name: str, extent: Extent) -> str:
        self.sizes.setdefault(name, extent)
        return name

    def constant(self, name: str, value: str | Extent) -> str:
        self.constants.setdefault(name, value)
        return name

    def scalar(self, extent: Extent, name: str) -> str:
        """Source of a size inside the kernel, from parameters already there or a new one of that name."""
        known: dict[str, Extent] = {}
        for key, value in (*self.sizes.items(), *self.constants.items()):
            if isinstance(value, Extent):
                known[key] = value
        text = express(extent, known, chance=False)
        return text if text is not None else self.size(self._free(name), extent)

    def _free(self, name: str) -> str:
        """A name that neither a parameter nor a variable has yet."""
        variables = {m[1] for _, line in self.lines if (m := _ASSIGNED.match(line))}
        unique, count = name, 1
        while self.is_parameter(unique) or unique in variables:
            count += 1
            unique = f"{name}_{count}"
        return unique

    def is_parameter(self, name: str) -> bool:
        return name in self.sizes or name in self.constants

    def line(self, text: str) -> None:
        self.lines.append((self.depth, text))

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        self.line(header)
        self.depth += 1
        yield
        self.depth -= 1

    def tidy(self) -> None:
        """Drop what was prepared and never used: index decodings, loads, parameters."""
        while True:
            used = Counter(word for _, line in self.lines for word in _WORD.findall(line))
            used.subtract(m[1] for _, line in self.lines if (m := _ASSIGNED.match(line)))
            kept = [
                (depth, line)
                for depth, line in self.lines
                if not ((m := _ASSIGNED.match(line)) and used[m[1]] == 0)
            ]
            if len(kept) == len(self.lines):
                break
            self.lines = kept
        self.grid_values = dict(self.constants)
        self.pointers = {k: v for k, v in self.pointers.items() if used[k]}
        self.descriptors = {k: v for k, v in self.descriptors.items() if used[k]}
        self.sizes = {k: v for k, v in self.sizes.items() if used[k]}
        self.constants = {k: v for k, v in self.constants.items() if used[k]}

    def outputs_last(self, outputs: list[str]) -> None:
        """Order the pointers as people do: what is read, then what is written."""

        def place(item: tuple[str, str]) -> int:
            return outputs.index(item[1]) if item[1] in outputs else -1

        self.pointers = dict(sorted(self.pointers.items(), key=place))

    def source(self) -> str:
        params = [
            *self.pointers,
            *self.descriptors,
            *self.sizes,
            *(f"{c}: tl.constexpr" for c in self.constants),
        ]
        signature = f"def {self.name}({', '.join(params)}):"
        if len(signature) > WIDTH:
            signature = f"def {self.name}(\n    " + ",\n    ".join(packed(params)) + ",\n):"
        body = [out for depth, line in self.lines for out in laid_out(line, depth)]
        return "\n".join(["@triton.jit", signature, *docstring(self.doc, note=self.note), *body])
