"""One Triton kernel as it is being written: parameters in the order of use, body lines, and its launch."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..extent import Extent, express

WIDTH = 110
"""Columns of a line in generated files."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_CALL = re.compile(r"((?:\w+ = )?[\w.]+\()(.*?)(\)(?:\.to\([\w.]+\))?)")
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*) = ")


@dataclass
class Kernel:
    """Parameters are pointers first, then sizes, then constants (`tl.constexpr`)."""

    name: str
    doc: str
    pointers: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, Extent] = field(default_factory=dict)
    constants: dict[str, str | Extent] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)
    grid: str = ""
    options: dict[str, str] = field(default_factory=dict)
    grid_values: dict[str, str | Extent] = field(default_factory=dict)
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
        text = express(extent, known, sums=False)
        return text if text is not None else self.size(name, extent)

    def line(self, text: str = "") -> None:
        """One statement, over three lines where it is a call too long for one."""
        indent = "    " * self.depth
        if len(indent) + len(text) > WIDTH and (call := _CALL.fullmatch(text)):
            opening, arguments, closing = call.groups()
            self.lines += [indent + opening, f"{indent}    {arguments}", indent + closing]
        else:
            self.lines.append(indent + text if text else "")

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        self.line(header)
        self.depth += 1
        yield
        self.depth -= 1

    def tidy(self) -> None:
        """Drop what was prepared and never used: index decodings, loads, parameters."""
        while True:
            used = Counter(word for line in self.lines for word in _WORD.findall(line))
            used.subtract(m[1] for line in self.lines if (m := _ASSIGNED.match(line)))
            dead = {
                i for i, line in enumerate(self.lines) if (m := _ASSIGNED.match(line)) and used[m[1]] == 0
            }
            dead |= {i + more for i in dead if self.lines[i].endswith("(") for more in (1, 2)}
            if not dead:
                break
            self.lines = [line for i, line in enumerate(self.lines) if i not in dead]
        self.grid_values = dict(self.constants)
        self.pointers = {k: v for k, v in self.pointers.items() if used[k]}
        self.sizes = {k: v for k, v in self.sizes.items() if used[k]}
        self.constants = {k: v for k, v in self.constants.items() if used[k]}

    def outputs_last(self, outputs: list[str]) -> None:
        """Order the pointers as people do: what is read, then what is written."""

        def place(item: tuple[str, str]) -> int:
            return outputs.index(item[1]) if item[1] in outputs else -1

        self.pointers = dict(sorted(self.pointers.items(), key=place))

    def source(self) -> str:
        params = [*self.pointers, *self.sizes, *(f"{c}: tl.constexpr" for c in self.constants)]
        signature = f"def {self.name}({', '.join(params)}):"
        if len(signature) > WIDTH:
            signature = f"def {self.name}(\n    " + ",\n    ".join(packed(params)) + ",\n):"
        return "\n".join(["@triton.jit", signature, *docstring(self.doc), *self.lines])


def docstring(text: str, title: str = "") -> list[str]:
    """Lines of a docstring one level in; one too long for a line goes below a title or its own beginning."""
    if len(text) <= WIDTH - 10:
        return [f'    """{text}"""']
    if not title:
        title, _, text = text.partition(": ")
    body = textwrap.wrap(text, WIDTH - 4)
    return [f'    """{title}.', "", *("    " + line for line in body), '    """']


def packed(params: list[str], width: int = 100) -> list[str]:
    """Parameters packed into lines."""
    rows: list[str] = []
    for param in params:
        if rows and len(rows[-1]) + len(param) + 2 <= width:
            rows[-1] += ", " + param
        else:
            rows.append(param)
    return rows
